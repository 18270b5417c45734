"""Block: a layer or a net of layers that runs imperatively."""

from __future__ import annotations

import re
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from .. import initializer, nesting, sym
from . import block_files, own_nets
from .checks import CheckError
from .hooks import HookHandle
from .naming import Scope, name_block
from .parameter import Parameter
from .parameter_dict import ParameterDict
from .summary import print_summary

_UNIFORM = initializer.Uniform()


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
    _in_summary = True  # a row of its own

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None):
        self._prefix, self._params = name_block(prefix, params, self._alias())
        self._scope = Scope(self, named=prefix != "")
        self._children: OrderedDict[str, Block] = OrderedDict()
        self._reg_params: dict[str, Parameter] = {}
        self._forward_hooks: OrderedDict[int, Callable] = OrderedDict()
        self._forward_pre_hooks: OrderedDict[int, Callable] = OrderedDict()

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__["_version"] = self._version + 1
        known = self.__dict__.get(name)
        if isinstance(known, (Block, Parameter)):
            _check_replaced(self, name, known, value)
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

    def register_forward_hook(self, hook: Callable) -> HookHandle:
        """``hook(block, inputs, output)`` runs after every call, until its handle detaches it."""
        handle = HookHandle()
        handle.attach(self._forward_hooks, hook)
        return handle

    def register_forward_pre_hook(self, hook: Callable) -> HookHandle:
        """``hook(block, inputs)`` runs before every call, until its handle detaches it."""
        handle = HookHandle()
        handle.attach(self._forward_pre_hooks, hook)
        return handle

    def register_op_hook(self, callback: Callable, monitor_all: bool = False) -> None:
        """``callback(name, operator, array)`` runs for every operator's output in the hybridized
        blocks of this one, and with ``monitor_all`` for its inputs, too."""
        for child in self._children.values():
            child.register_op_hook(callback, monitor_all)

    def collect_params(self, select: str | None = None) -> ParameterDict:
        """Parameters of this block and its children whose names match ``select``."""
        self._warn_of_hidden_blocks()
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

    def apply(self, fn: Callable[[Block], Any]) -> Block:
        """Calls ``fn`` on every child, then on this block."""
        for child in self._children.values():
            child.apply(fn)
        fn(self)
        return self

    def initialize(
        self,
        init: Any = _UNIFORM,
        ctx: Any = None,
        verbose: bool = False,
        force_reinit: bool = False,
    ) -> None:
        """Initializes the parameters of this block and its children."""
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

    def summary(self, *inputs: Any) -> None:
        """Prints every layer with its output's shape and its parameters, from one call.

        Raises:
            CheckError: a block is hybridized, so that its layers are not called.
        """
        print_summary(self, inputs)

    def rename(self, name: str) -> None:
        """Gives the block and its own parameters, not its children, another name."""
        self._prefix = f"{name}_"
        self._params.rename(self._prefix)

    # Files ----------------------------------------------------------------------------------------
    def save_parameters(self, filename: str, deduplicate: bool = False) -> None:
        """Writes the parameters by attribute path, as MXNet 1.x does.

        Args:
            deduplicate: a parameter that several blocks share is written once.
        """
        block_files.save_parameters(self, filename, deduplicate)

    def load_parameters(
        self,
        filename: str,
        ctx: Any = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
        cast_dtype: bool = False,
        dtype_source: str = "current",
    ) -> None:
        """Reads a file of :meth:`save_parameters`, or one with parameter names.

        Args:
            ctx: where parameters are made that are not initialized yet (default: the CPU).
            allow_missing: parameters that the file has not stay as they are; else an error.
            ignore_extra: what is no parameter here is left out; else an error.
            cast_dtype, dtype_source: see :meth:`Parameter.load`.
        """
        options = ctx, allow_missing, ignore_extra, cast_dtype, dtype_source
        block_files.load_parameters(self, filename, *options)

    def save_params(self, filename: str) -> None:
        """Deprecated in MXNet: writes the parameters by name without this block's prefix."""
        warnings.warn("save_params is deprecated; use save_parameters", stacklevel=2)
        self.collect_params().save(filename, strip_prefix=self.prefix)

    def load_params(
        self,
        filename: str,
        ctx: Any = None,
        allow_missing: bool = False,
        ignore_extra: bool = False,
    ) -> None:
        """Deprecated in MXNet: :meth:`load_parameters`."""
        warnings.warn("load_params is deprecated; use load_parameters", stacklevel=2)
        self.load_parameters(filename, ctx, allow_missing, ignore_extra)

    def save(self, prefix: str) -> None:
        """Writes ``prefix-model.json``, how the blocks are nested and named, and
        ``prefix-model.params``, in MXNet's form."""
        block_files.save_model(self, prefix)

    def load(self, prefix: str) -> None:
        """Reads what :meth:`save` wrote into a net that was made alike: names, hybridization and
        parameters."""
        block_files.load_model(self, prefix)

    # Calling --------------------------------------------------------------------------------------
    def __call__(self, *args: Any) -> Any:
        if own_nets.is_on():
            called = own_nets.called(self, args)
            if called is not own_nets.AS_IT_IS:
                return called
        if not self._forward_pre_hooks and not self._forward_hooks:
            return self.forward(*args)
        for hook in list(self._forward_pre_hooks.values()):
            hook(self, args)
        output = self.forward(*args)
        for hook in list(self._forward_hooks.values()):
            hook(self, args, output)
        return output

    def forward(self, *args: Any) -> Any:
        """The computation; define it in a subclass."""
        raise NotImplementedError(f"{type(self).__name__} must define forward")

    # Graphs of blocks that Symbols may go through -------------------------------------------------
    def _trace(self, args: tuple) -> tuple[list[Any], Any, Any]:
        """(input variables, outputs as one Symbol, how outputs nest), with F = sym."""
        flat = nesting.flatten(args)
        count = sum(a is not None for a in flat)
        names = ["data"] if count == 1 else [f"data{i}" for i in range(count)]
        variables = [sym.var(name) for name in names]
        given = nesting.rebuild(nesting.shape_of(args), iter(variables))
        output = nesting.of_outputs(self._symbolic(*given))  # without this block's hooks
        outputs = [s for s in nesting.flatten(output) if s is not None]
        return variables, sym.Group(outputs), nesting.shape_of(output)

    def _symbolic(self, *args: Any) -> Any:
        return self.forward(*args)

    def _infer_params(self, *args: Any) -> None:
        """Sets incomplete parameter shapes from the inputs' shapes and initializes them."""
        variables, symbol, _ = self._trace(args)
        arrays = [a for a in nesting.flatten(args) if a is not None]
        given = {v.name: a.shape for v, a in zip(variables, arrays, strict=True)}
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
        return f"{type(self).__name__}(\n{inside}\n)"

    def _warn_of_hidden_blocks(self) -> None:
        children = set(map(id, self._children.values()))
        for name, value in self.__dict__.items():
            if name != "_children" and _holds_a_block(value, children):
                warnings.warn(
                    f'"{type(self).__name__}.{name}" holds blocks that are not registered: their '
                    "parameters are not found; use register_child() or nn.Sequential",
                    stacklevel=3,
                )


def _holds_a_block(value: Any, known: set[int]) -> bool:
    """Is there a block in lists, tuples and dicts that is not among the known ones?"""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return any(
            id(v) not in known if isinstance(v, Block) else _holds_a_block(v, known) for v in value
        )
    return False


def _check_replaced(block: Block, name: str, known: Any, value: Any) -> None:
    if not isinstance(value, type(known)):
        raise TypeError(
            f"{block.name}: attribute {name} is a {type(known).__name__} and can't become a "
            f"{type(value).__name__}"
        )
    if isinstance(value, Parameter) and name in block._reg_params:
        raise CheckError(
            f"{block.name}: parameter {name} can't be replaced; to share one pass params= where "
            "the block is made"
        )


def _single(name: str, param: Parameter) -> ParameterDict:
    made = ParameterDict()
    made._params[name] = param
    return made
