"""Block: a layer or a net of layers that runs imperatively."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from .. import nd, sym
from . import nesting, own_nets
from .naming import Scope, name_block
from .parameter import Parameter
from .parameter_dict import ParameterDict, fill, read_arrays


@dataclass
class LayerReport:
    """One layer of a net: whether it runs compiled, and if not, why."""

    path: str
    kind: str
    compiled: bool
    why: str

    def __str__(self) -> str:
        state = "compiled" if self.compiled else "imperative"
        return f"{self.path or 'net'} ({self.kind}): {state}{', ' + self.why if self.why else ''}"


class Block:
    """A layer or a net: parameters, child blocks and a ``forward``.

    Args:
        prefix: put before the names of parameters; made from the class name when None.
        params: a ParameterDict to share parameters with.
    """

    _version = 0  # so many times has an attribute been set

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None):
        self._prefix, self._params = name_block(prefix, params, self._alias())
        self._scope = Scope(self)
        self._children: OrderedDict[str, Block] = OrderedDict()
        self._reg_params: dict[str, Parameter] = {}
        self._hooks: list[Callable] = []
        self._pre_hooks: list[Callable] = []

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__["_version"] = self._version + 1
        if isinstance(value, Block):
            self.register_child(value, name)
        elif isinstance(value, Parameter):
            self._reg_params[name] = value
        super().__setattr__(name, value)

    def _alias(self) -> str:
        """The word that generated names start with: ``dense`` in ``dense0_``."""
        return type(self).__name__.lower()

    # Names and structure --------------------------------------------------------------------------
    @property
    def prefix(self) -> str:
        return self._prefix

    @property
    def name(self) -> str:
        return self._prefix.removesuffix("_")

    @property
    def params(self) -> ParameterDict:
        """This block's own parameters, without its children's."""
        return self._params

    def name_scope(self) -> Scope:
        """``with self.name_scope():`` children made inside are named after this block."""
        return self._scope

    def register_child(self, block: Block, name: str | None = None) -> None:
        """Adds a child block.

        Raises:
            TypeError: it is no block.
        """
        if not isinstance(block, Block):
            raise TypeError(
                f"{self.name}: expected a Block, got {type(block).__name__}; "
                "wrap a function in nn.Lambda or nn.HybridLambda"
            )
        self._children[name if name is not None else str(len(self._children))] = block

    def register_forward_hook(self, hook: Callable) -> None:
        """``hook(block, inputs, output)`` runs after every call."""
        self._hooks.append(hook)

    def register_forward_pre_hook(self, hook: Callable) -> None:
        """``hook(block, inputs)`` runs before every call."""
        self._pre_hooks.append(hook)

    def collect_params(self, select: str | None = None) -> ParameterDict:
        """Parameters of this block and its children whose names match ``select``."""
        found = ParameterDict(self._params.prefix)
        pattern = re.compile(select) if select else None
        for name, param in self.params.items():
            if pattern is None or pattern.match(name):
                found.update(_single(name, param))
        for child in self._children.values():
            found.update(child.collect_params(select))
        return found

    def structured_params(self, prefix: str = "") -> dict[str, Parameter]:
        """Parameters by attribute path, such as ``0.weight``: the names of saved files."""
        found = {prefix + name: p for name, p in self._reg_params.items()}
        for name, child in self._children.items():
            found.update(child.structured_params(f"{prefix}{name}."))
        return found

    def _collect_params_with_prefix(self, prefix: str = "") -> dict[str, Parameter]:
        """MXNet's name of :meth:`structured_params`, which libraries on Gluon call."""
        return self.structured_params(f"{prefix}." if prefix else "")

    def apply(self, function: Callable[[Block], Any]) -> Block:
        """Calls ``function`` on every child, then on this block."""
        for child in self._children.values():
            child.apply(function)
        function(self)
        return self

    def initialize(
        self, init: Any = None, ctx: Any = None, verbose: bool = False, force_reinit: bool = False
    ) -> None:
        """Initializes the parameters of this block and its children (default Uniform(0.07))."""
        self.collect_params().initialize(init, ctx, verbose, force_reinit)

    def cast(self, dtype: Any) -> None:
        """Changes the element type of every parameter."""
        for child in self._children.values():
            child.cast(dtype)
        for param in self.params.values():
            param.cast(dtype)

    def hybridize(self, active: bool = True, **options: Any) -> None:
        """Hybridizes every child that can be; a plain Block itself stays imperative."""
        for child in self._children.values():
            child.hybridize(active, **options)

    def hybrid_report(self) -> list[LayerReport]:
        """Which layers run compiled and which do not (only hybrid layers can)."""
        return list(self._report(""))

    def _report(self, path: str) -> Iterator[LayerReport]:
        yield LayerReport(path, type(self).__name__, False, "it is a Block, not a HybridBlock")
        for name, child in self._children.items():
            yield from child._report(f"{path}.{name}" if path else name)

    # Files ----------------------------------------------------------------------------------------
    def save_parameters(self, filename: str) -> None:
        """Writes the parameters by attribute path, as MXNet 1.x does."""
        nd.save(filename, {k: p.list_data()[0] for k, p in self.structured_params().items()})

    def load_parameters(
        self,
        filename: str,
        ctx: Any = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
    ) -> None:
        """Reads a file of :meth:`save_parameters`, or one with full parameter names."""
        arrays = read_arrays(filename)
        params = self.structured_params()
        if not any("." in name for name in arrays) and not set(arrays) & set(params):
            params = dict(self.collect_params().items())
        fill(params, arrays, filename, ctx, allow_missing, ignore_extra)

    # Calling --------------------------------------------------------------------------------------
    def __call__(self, *args: Any) -> Any:
        if own_nets.is_on():
            called = own_nets.called(self, args)
            if called is not own_nets.AS_IT_IS:
                return called
        if not self._pre_hooks and not self._hooks:
            return self.forward(*args)
        for hook in self._pre_hooks:
            hook(self, args)
        output = self.forward(*args)
        for hook in self._hooks:
            hook(self, args, output)
        return output

    def forward(self, *args: Any) -> Any:
        """The computation; define it in a subclass."""
        raise NotImplementedError(f"{type(self).__name__} must define forward")

    # Graphs of blocks that Symbols may go through -------------------------------------------------
    def _trace(self, args: tuple) -> tuple[list[Any], Any, Any]:
        """(input variables, outputs as one Symbol, how outputs nest), with F = sym."""
        flat = nesting.flatten(args)
        names = ["data"] if len(flat) == 1 else [f"data{i}" for i in range(len(flat))]
        variables = [sym.var(name) for name in names]
        output = self.forward(*nesting.rebuild(args, iter(variables)))  # without this block's hooks
        return variables, sym.Group(nesting.flatten(output)), nesting.shape_of(output)

    def _infer_params(self, *args: Any) -> None:
        """Sets incomplete parameter shapes from the inputs' shapes and initializes them."""
        variables, symbol, _ = self._trace(args)
        given = {v.name: a.shape for v, a in zip(variables, nesting.flatten(args), strict=True)}
        shapes, _, states = symbol.infer_shape_partial(**given)
        names = [*symbol.list_arguments(), *symbol.list_auxiliary_states()]
        found = dict(zip(names, [*shapes, *states], strict=True))
        for param in self.collect_params().values():
            shape = found.get(param.name)
            if shape is not None and all(d > 0 for d in shape):
                param.shape = shape
            param.finish_deferred()

    def __repr__(self) -> str:
        rows = [
            f"  ({name}): " + repr(child).replace("\n", "\n  ")
            for name, child in self._children.items()
        ]
        inside = "\n".join(rows)
        return f"{type(self).__name__}(\n{inside}\n)" if rows else f"{type(self).__name__}()"


def _single(name: str, param: Parameter) -> ParameterDict:
    made = ParameterDict()
    made._params[name] = param
    return made
