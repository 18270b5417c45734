"""SymbolBlock: a block made from a Symbol, such as one read from a file."""

from __future__ import annotations

from typing import Any

from .. import _core, sym
from ..base import MXNetError
from . import nesting
from .hybrid_block import HybridBlock
from .parameter_dict import fill, read_arrays


class SymbolBlock(HybridBlock):
    """Runs a Symbol; its arguments that are not inputs are parameters.

    Args:
        outputs: the Symbol (or list of Symbols) to compute.
        inputs: the input variables.
        params: a ParameterDict to take parameters from.
    """

    _symbol: Any

    def __init__(self, outputs: Any, inputs: Any, params: Any = None):
        super().__init__(prefix="", params=params)
        symbol = sym.Group(outputs) if isinstance(outputs, (list, tuple)) else outputs
        self._inputs = [s.name for s in (inputs if isinstance(inputs, (list, tuple)) else [inputs])]
        arguments = symbol.list_arguments()
        unknown = [name for name in self._inputs if name not in arguments]
        if unknown:
            raise MXNetError(
                f"SymbolBlock: {unknown[0]!r} is not an argument of the symbol; "
                f"its arguments are {', '.join(arguments)}"
            )
        super(HybridBlock, self).__setattr__("_symbol", symbol)
        attributes = symbol.attr_dict()
        states = symbol.list_auxiliary_states()
        for name in symbol.list_inputs():
            if name not in self._inputs:
                self._reg_params[name] = self.params.get(
                    name,
                    grad_req="null" if name in states else "write",
                    allow_deferred_init=True,
                    shape=_shape(attributes.get(name, {}).get("__shape__")),
                )

    @staticmethod
    def imports(
        symbol_file: str, input_names: Any, param_file: str | None = None, ctx: Any = None
    ) -> SymbolBlock:
        """Reads what :meth:`HybridBlock.export` (or MXNet 1.x) wrote."""
        names = [input_names] if isinstance(input_names, str) else list(input_names)
        block = SymbolBlock(sym.load(symbol_file), [sym.var(n) for n in names])
        if param_file is not None:
            params = dict(block.collect_params().items())
            fill(params, read_arrays(param_file), param_file, ctx, False, True)
        return block

    def _trace(self, args: tuple) -> tuple[list[Any], Any, Any]:
        if len(nesting.flatten(args)) != len(self._inputs):
            raise TypeError(
                f"SymbolBlock: expected {len(self._inputs)} inputs "
                f"({', '.join(self._inputs)}), got {len(nesting.flatten(args))}"
            )
        variables = [sym.var(name) for name in self._inputs]
        outputs = [None] * len(self._symbol)
        return variables, self._symbol, outputs if len(outputs) > 1 else None

    def forward(self, x: Any, *args: Any) -> Any:
        flat = nesting.flatten((x, *args))
        if isinstance(flat[0], _core.Symbol):
            return self._symbol(**dict(zip(self._inputs, flat, strict=True)))
        return self._compiled(x, *args)

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("a SymbolBlock runs its symbol")

    def __repr__(self) -> str:
        return f"SymbolBlock({self._symbol.name}, inputs: {', '.join(self._inputs)})"


def _shape(text: str | None) -> tuple[int, ...] | None:
    if not text:
        return None
    digits = text.strip("()[] ").split(",")
    return tuple(int(d) for d in digits if d.strip())


__all__ = ["SymbolBlock"]
