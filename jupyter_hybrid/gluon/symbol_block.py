"""SymbolBlock: a block made from a Symbol, such as one read from a file."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from .. import _core, nesting, sym
from ..base import MXNetError, dtype_of
from .checks import CheckError, InputError
from .hybrid_block import HybridBlock
from .parameter_files import fill, read_arrays


class SymbolBlock(HybridBlock):
    """Runs a Symbol; its arguments that are not inputs are parameters.

    Args:
        outputs: the Symbol (or list of Symbols) to compute.
        inputs: the input variables.
        params: a ParameterDict to take parameters from.

    Raises:
        CheckError: an input is no variable.
        MXNetError: an input is no argument of the outputs.
    """

    _symbol: Any

    def __init__(self, outputs: Any, inputs: Any, params: Any = None):
        super().__init__(prefix="", params=params)
        self._params = type(self.params)("", params)
        symbol = sym.Group(outputs) if isinstance(outputs, (list, tuple)) else outputs
        given = list(inputs)  # of a Symbol its outputs
        for variable in given:
            if len(variable.get_internals()) != 1:
                raise CheckError(f"SymbolBlock: input {variable.name} is no variable")
        self._inputs = [s.name for s in given]
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
        for name in (*arguments, *states):
            if name not in self._inputs:
                described = attributes.get(name, {})
                options = {"grad_req": "null"} if name in states else {}
                self.params.get(
                    name,
                    allow_deferred_init=True,
                    shape=_shape(described.get("__shape__")),
                    **options,
                )
        # Attribute names are without what all names begin with, letter by letter, as MXNet's.
        start = len(os.path.commonprefix(list(self.params)))  # noqa: RUF071
        self._reg_params = {name[start:]: param for name, param in self.params.items()}

    @staticmethod
    def imports(
        symbol_file: str,
        input_names: Any,
        param_file: str | None = None,
        ctx: Any = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
    ) -> SymbolBlock:
        """Reads what :meth:`HybridBlock.export` (or MXNet 1.x) wrote.

        Args:
            ctx: where the parameters are made (default: the CPU).
            allow_missing: parameters that the file has not stay uninitialized; else an error.
            ignore_extra: what is no parameter of the symbol is left out; else an error.
        """
        names = [input_names] if isinstance(input_names, str) else list(input_names)
        block = SymbolBlock(sym.load(symbol_file), [sym.var(n) for n in names])
        if param_file is not None:
            params = dict(block.collect_params().items())
            arrays = read_arrays(param_file)
            fill(params, arrays, param_file, ctx, allow_missing, ignore_extra, True, "saved")
        return block

    def cast(self, dtype: Any) -> None:
        """Changes the element types; a batch normalization's stay float32 in a float16 net."""
        super().cast(dtype)
        if dtype_of(dtype) not in (np.float16, "bfloat16"):
            return
        for ending in ("running_var", "moving_var"):
            mean = ending.replace("var", "mean")
            for name in [n for n in self.params if n.endswith(ending)]:
                start = name.removesuffix(ending)
                siblings = [start + part for part in (ending, mean, "gamma", "beta")]
                if all(sibling in self.params for sibling in siblings):
                    for sibling in siblings:
                        self.params[sibling].cast("float32")

    def reset_ctx(self, ctx: Any) -> None:
        """Moves the parameters to other contexts."""
        self.collect_params().reset_ctx(ctx)

    def _trace(self, args: tuple) -> tuple[list[Any], Any, Any]:
        if len(nesting.flatten(args)) != len(self._inputs):
            raise InputError(
                f"SymbolBlock: expected {len(self._inputs)} inputs "
                f"({', '.join(self._inputs)}), got {len(nesting.flatten(args))}"
            )
        variables = [sym.var(name) for name in self._inputs]
        outputs = [nesting.ARRAY] * len(self._symbol)
        return variables, self._symbol, outputs if len(outputs) > 1 else nesting.ARRAY

    def forward(self, x: Any, *args: Any) -> Any:
        flat = nesting.flatten((x, *args))
        if isinstance(flat[0], _core.Symbol):
            composed = self._symbol(**dict(zip(self._inputs, flat, strict=True)))
            count = len(composed.list_outputs())
            return [composed[i] for i in range(count)] if count > 1 else composed
        return self._compiled(x, *args)

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("a SymbolBlock runs its symbol")

    def __repr__(self) -> str:
        outputs = len(self._symbol)
        return f"SymbolBlock(\n{self._symbol} : {len(self._inputs)} -> {outputs}\n)"


def _shape(text: str | None) -> tuple[int, ...] | None:
    if not text or text == "None":
        return None
    digits = text.strip("()[] ").split(",")
    try:
        return tuple(int(d) for d in digits if d.strip())
    except ValueError:
        raise MXNetError(f"SymbolBlock: {text[:100]!r} is no shape") from None
