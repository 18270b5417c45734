"""Block and HybridBlock: layers that run imperatively or, hybridized, as one compiled program."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from .. import _core, autograd, nd, sym
from ..base import MXNetError
from . import nesting
from .naming import Scope, name_block
from .parameter import (
    DeferredInitializationError,
    Parameter,
    ParameterDict,
    fill,
    generation,
    read_arrays,
)


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

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None):
        self._prefix, self._params = name_block(prefix, params, self._alias())
        self._scope = Scope(self)
        self._children: OrderedDict[str, Block] = OrderedDict()
        self._reg_params: dict[str, Parameter] = {}
        self._hooks: list[Callable] = []
        self._pre_hooks: list[Callable] = []

    def __setattr__(self, name: str, value: Any) -> None:
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


class HybridBlock(Block):
    """A block written for both modes: ``hybrid_forward(self, F, x, ...)`` with F = nd or sym.

    After ``hybridize()`` the first call per input signature records the block once as a graph,
    compiles it, and later calls run the program without visiting Python.
    """

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None):
        super().__init__(prefix, params)
        self._active = False
        self._compile_options: dict[str, Any] = {}
        self._cached: _Cached | None = None

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if isinstance(value, (Block, Parameter)):
            self._clear_cache()

    def register_child(self, block: Block, name: str | None = None) -> None:
        if isinstance(block, Block) and not isinstance(block, HybridBlock):
            raise ValueError(
                f"children of a HybridBlock must be HybridBlocks; {type(block).__name__} is a "
                "Block. Use a Block (or Sequential) as the parent instead"
            )
        super().register_child(block, name)
        self._clear_cache()

    def hybridize(self, active: bool = True, **options: Any) -> None:
        """Switches compiled calls on or off.

        Args:
            active: False goes back to imperative calls.
            options: MXNet's ``static_alloc`` and ``static_shape`` are accepted (every program here
                is planned once per signature); ``passes``, ``without`` and ``fast`` as in compile.
        """
        known = {"static_alloc", "static_shape", "inline_limit", "forward_bulk_size",
                 "backward_bulk_size", "passes", "without", "fast"}  # fmt: skip
        unknown = set(options) - known
        if unknown:
            raise ValueError(f"hybridize: unknown options {sorted(unknown)}; known {sorted(known)}")
        self._active = active
        self._compile_options = {
            k: v for k, v in options.items() if k in ("passes", "without", "fast")
        }
        self._clear_cache()
        super().hybridize(active, **options)

    def cast(self, dtype: Any) -> None:
        super().cast(dtype)
        self._clear_cache()

    def _clear_cache(self) -> None:
        if "_cached" in self.__dict__:
            super().__setattr__("_cached", None)

    def _report(self, path: str) -> Iterator[LayerReport]:
        if self._active:
            programs = self._cached.graph.num_programs if self._cached else 0
            why = (
                f"{programs} program{'s' if programs != 1 else ''}"
                if programs
                else "not called yet"
            )
            yield LayerReport(path, type(self).__name__, True, why)
            return  # children are part of this program
        yield LayerReport(path, type(self).__name__, False, "hybridize() was not called")
        for name, child in self._children.items():
            yield from child._report(f"{path}.{name}" if path else name)

    # Calling --------------------------------------------------------------------------------------
    def forward(self, x: Any, *args: Any) -> Any:
        """Runs ``hybrid_forward`` with nd, the compiled program, or builds a Symbol."""
        if self._cached is not None and type(x) is _core.NDArray and not _core.is_tracing():
            return self._cached.call((x, *args))
        first = x
        if type(x) is not _core.NDArray:
            first = next(iter(nesting.flatten((x, *args))), None)
        if isinstance(first, _core.Symbol):
            return self._symbolic(x, *args)
        if not isinstance(first, _core.NDArray):
            raise TypeError(
                f"{self.name}: expected NDArray or Symbol inputs, got {type(first).__name__}"
            )
        if self._active and not _core.is_tracing():
            return self._compiled(x, *args)
        return self._imperative(first.context, x, *args)

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        """The computation with F = nd or sym; parameters arrive by attribute name."""
        raise NotImplementedError(f"{type(self).__name__} must define hybrid_forward")

    def _imperative(self, ctx: Any, x: Any, *args: Any) -> Any:
        try:
            params = {k: p.data(ctx) for k, p in self._reg_params.items()}
        except DeferredInitializationError:
            self._infer_params(x, *args)
            params = {k: p.data(ctx) for k, p in self._reg_params.items()}
        with _core.trace_scope(self.name):
            try:
                return self.hybrid_forward(nd, x, *args, **params)
            except MXNetError as error:
                if not hasattr(error, "layer"):  # the innermost layer names itself
                    error.layer = self.name  # type: ignore[attr-defined]
                    error.args = (f"{self.name}: {error}",)
                raise

    def _symbolic(self, x: Any, *args: Any) -> Any:
        params = {k: p.var() for k, p in self._reg_params.items()}
        with sym.name_prefix(self._prefix), self.name_scope():
            return self.hybrid_forward(sym, x, *args, **params)

    def _compiled(self, *args: Any) -> Any:
        cached = self._cached
        if cached is None:
            cached = _Cached(self, args)
            super().__setattr__("_cached", cached)
        return cached.call(args)

    # Shapes and graphs ----------------------------------------------------------------------------
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
        shapes, _, _ = symbol.infer_shape_partial(**given)
        found = dict(zip(symbol.list_arguments(), shapes, strict=True))
        for param in self.collect_params().values():
            shape = found.get(param.name)
            if shape is not None and all(d > 0 for d in shape):
                param.shape = shape
            param.finish_deferred()

    def infer_shape(self, *args: Any) -> None:
        """Completes the shapes of the parameters from example inputs."""
        self._infer_params(*args)

    def export(self, path: str, epoch: int = 0, example: Any = None) -> tuple[str, str]:
        """Writes ``path-symbol.json`` and ``path-0000.params`` in MXNet 1.9.1's formats.

        Args:
            path: start of both file names.
            epoch: the number in the parameters' file name.
            example: an input (or a tuple of inputs) to learn unknown shapes from; not needed once
                the block has been called.

        Returns:
            The two file names.

        Raises:
            MXNetError: a parameter has no value yet, or a node has no MXNet 1.9.1 operator.
        """
        args = example if isinstance(example, tuple) else (example,)
        if example is not None:
            self._infer_params(*args)
            symbol = self._trace(args)[1]
        elif self._cached is not None:
            symbol = self._cached.symbol
        else:
            symbol = self._trace((None,))[1]
        params = self.collect_params()
        try:
            arrays = {
                f"arg:{name}": params[name].list_data()[0]
                for name in symbol.list_arguments()
                if name in params
            }
        except DeferredInitializationError as error:
            raise MXNetError(
                f"export: {error}; call the block once or pass example=an input"
            ) from None
        files = (f"{path}-symbol.json", f"{path}-{epoch:04d}.params")
        symbol.save(files[0])
        nd.save(files[1], arrays)
        return files

    def _picture(self) -> Any:
        """What a GraphViewer draws for this block."""
        from ..views.pictures import of_compiled

        if self._cached is None:
            raise MXNetError(
                f"{self.name}: hybridize() the block and call it once to see its graph"
            )
        return of_compiled(
            self._cached.graph.report(autograd.is_training(), False), title=self.name
        )


class _Cached:
    """A block's recorded graph with its programs, and where its inputs come from."""

    def __init__(self, block: HybridBlock, args: tuple):
        try:
            variables, self.symbol, self._nesting = block._trace(args)
        except DeferredInitializationError:
            block._infer_params(*args)
            variables, self.symbol, self._nesting = block._trace(args)
        params = block.collect_params()
        if any(p._data is None for p in params.values()):
            block._infer_params(*args)
        graph = self.symbol.graph()
        names = {v.name: i for i, v in enumerate(variables)}
        self._block, self._names = block.name or type(block).__name__, list(names)
        order = {n.id: n.name for n in graph.nodes}
        inputs = [order[i] for i in graph.inputs]
        # Each input of the graph: the position of an argument, or a parameter.
        self._sources: list[Any] = [names[n] if n in names else params[n] for n in inputs]
        self.graph = _core.CachedGraph(graph, **block._compile_options)

        self._flat = all(type(a) is _core.NDArray for a in args)
        self._single = self._nesting is None
        self._positions = [(i, s) for i, s in enumerate(self._sources) if type(s) is int]
        self._bound: dict[Any, list[Any]] = {}  # a context's parameters in the graph's order
        self._generation = -1
        self._context: Any = None  # of the latest call
        self._latest: list[Any] = []

    def call(self, args: tuple) -> Any:
        """Runs the program; only arrays are put in order here, a microsecond or two."""
        flat = args if self._flat else nesting.flatten(args)
        context = flat[0].context
        if context != self._context or self._generation != generation[0]:
            self._bind(context)
        if len(flat) != len(self._names):
            raise TypeError(
                f"{self._block}: expected {len(self._names)} inputs ({', '.join(self._names)}), "
                f"got {len(flat)}"
            )
        inputs = self._latest.copy()
        for i, position in self._positions:
            inputs[i] = flat[position]
        outputs = self.graph.call(inputs)
        return outputs[0] if self._single else nesting.rebuild(self._nesting, iter(outputs))

    def _bind(self, context: Any) -> None:
        if self._generation != generation[0]:
            self._bound.clear()
            self._generation = generation[0]
        if context not in self._bound:
            self._bound[context] = [
                None if type(s) is int else s.data(context) for s in self._sources
            ]
        self._latest, self._context = self._bound[context], context


__all__ = ["Block", "HybridBlock", "LayerReport"]
