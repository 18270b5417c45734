"""HybridBlock: a layer that runs imperatively or, hybridized, as one compiled program."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

from .. import _core, autograd, nd, nesting, sym
from ..base import MXNetError
from ..sym.host_graph import HostGraph
from ..sym.refusals import DynamicShapeError
from .block import Block, LayerReport
from .cached_block import CachedBlock
from .checks import InputError
from .op_hooks import call_watched
from .parameter import DeferredInitializationError, Parameter
from .parameter_dict import ParameterDict

_COMPILE_OPTIONS = ("passes", "without", "fast", "remat", "plan", "plan_seconds")
_KNOWN = (
    "static_alloc", "static_shape", "inline_limit", "forward_bulk_size", "backward_bulk_size",
    *_COMPILE_OPTIONS,
)  # fmt: skip
_OWN_BACKEND = "hybrid"


def _apart(made: Any) -> Any:
    """What a block recorded in a cell gives, as its program would: memory of its own, in lists."""
    if isinstance(made, (list, tuple)):
        return [*map(_apart, made)]
    if type(made) is _core.NDArray and _core.is_window(made, is_there=False):
        return nd.identity(made)
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
        self._cached: CachedBlock | None = None
        self._dynamic = False  # it can't be a graph: the shape of something depends on values
        self._infers = False  # while layers are called for their shapes
        self._op_hook: tuple[Callable, bool] | None = None

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if isinstance(value, (Block, Parameter)):
            self._clear_cached_op()

    def register_child(self, block: Block, name: str | None = None) -> None:
        if isinstance(block, Block) and not isinstance(block, HybridBlock):
            raise ValueError(
                f"children of a HybridBlock must be HybridBlocks; {type(block).__name__} is a "
                "Block. Use a Block (or Sequential) as the parent instead"
            )
        super().register_child(block, name)
        self._clear_cached_op()

    def hybridize(
        self,
        active: bool = True,
        backend: str | None = None,
        clear: bool = True,
        static_alloc: bool = False,
        static_shape: bool = False,
        inline_limit: int = 2,
        forward_bulk_size: int | None = None,
        backward_bulk_size: int | None = None,
        **options: Any,
    ) -> None:
        """Switches compiled calls on or off.

        Args:
            active: False goes back to imperative calls.
            backend: see :meth:`optimize_for`.
            clear: False keeps what is compiled already.
            static_alloc, static_shape, inline_limit, forward_bulk_size, backward_bulk_size:
                accepted for MXNet's sake; every program here is planned once per signature.
            options: ``passes``, ``without`` and ``fast`` as in compile;
                ``remat="sqrt"`` or a budget in bytes: what backward needs is computed again
                instead of being kept, bit for bit the same. The budget is for what the forward
                and the backward program hold at once, outputs and new gradients included,
                inputs and parameters not; a call that cannot meet it raises MXNetError.
                ``plan``: "fast", "exact" (a search of at most ``plan_seconds``, 10 unless said,
                for a plan that is proven to be the smallest; it can be interrupted) or "parallel"
                (memory is shared only where data dependencies order its uses anyway).
        """
        unknown = set() if backend is not None else set(options) - set(_COMPILE_OPTIONS)
        if unknown:
            raise ValueError(
                f"hybridize: unknown options {sorted(unknown)}; known {sorted(_KNOWN)}"
            )
        if active and (self._forward_hooks or self._forward_pre_hooks):
            warnings.warn(
                f"{self.name} is hybridized and has hooks: as part of a larger hybridized block "
                "they run once, while that is recorded",
                stacklevel=2,
            )
        if backend is not None:
            _say_own_passes(backend)
        self._active = active
        chosen = {k: v for k, v in options.items() if k in _COMPILE_OPTIONS}
        self._compile_options = chosen
        if clear:
            self._clear_cached_op()
        super().hybridize(active, clear=clear, **chosen)

    def optimize_for(
        self,
        x: Any,
        *args: Any,
        backend: str | None = None,
        clear: bool = False,
        static_alloc: bool = False,
        static_shape: bool = False,
        inline_limit: int = 2,
        forward_bulk_size: int | None = None,
        backward_bulk_size: int | None = None,
        **options: Any,
    ) -> None:
        """Hybridizes and compiles for the inputs now. There are no backends of MXNet's here: this
        library's own passes do the work whatever the backend's name, which is said.

        Raises:
            ValueError: no backend is named.
        """
        if not backend:
            raise ValueError('optimize_for: give a backend\'s name, such as backend="hybrid"')
        self.hybridize(True, backend, clear, **options)
        self._check_inputs((x, *args))
        if self._cached is None:
            cached = CachedBlock(self, (x, *args), self._compile_options)
            super().__setattr__("_cached", cached)

    def cast(self, dtype: Any) -> None:
        super().cast(dtype)
        self._clear_cached_op()

    def _clear_cached_op(self) -> None:
        if "_cached" in self.__dict__:
            super().__setattr__("_cached", None)
            self._dynamic = False

    # MXNet's names, which libraries that export blocks read.
    @property
    def _in_format(self) -> Any:
        return self._cached.in_format if self._cached else None

    @property
    def _out_format(self) -> Any:
        return self._cached.out_format if self._cached else None

    def _report(self, path: str) -> Iterator[LayerReport]:
        if self._active and not self._dynamic:
            programs = self._cached.graph.num_programs if self._cached else 0
            why = (
                f"{programs} program{'s' if programs != 1 else ''}"
                if programs
                else "not called yet"
            )
            if self._cached and isinstance(self._cached.graph, HostGraph):
                why = "run node by node: it has custom operators, which Python computes"
            yield LayerReport(path, type(self).__name__, True, why)
            return  # children are part of this program
        why = "the shape of something in it depends on values"
        if not self._dynamic:
            why = "hybridize() was not called"
        yield LayerReport(path, type(self).__name__, False, why)
        for name, child in self._children.items():
            yield from child._report(f"{path}.{name}" if path else name)

    # Calling --------------------------------------------------------------------------------------
    def forward(self, x: Any, *args: Any) -> Any:
        """Runs ``hybrid_forward`` with nd, the compiled program, or builds a Symbol."""
        cached = self._cached if self._op_hook is None else None
        if cached is not None and type(x) is _core.NDArray and not _core.is_tracing():
            return cached.call((x, *args))
        first = x
        if type(x) is not _core.NDArray or args:
            first = self._check_inputs((x, *args))
        if isinstance(first, _core.Symbol):
            return self._symbolic(x, *args)
        if self._active and (self._op_hook is not None or not _core.is_tracing()):
            return self._compiled(x, *args)
        made = self._imperative(first.context, x, *args)
        return _apart(made) if self._active and _core.is_tracing() else made

    def _check_inputs(self, args: tuple) -> Any:
        """The first array or Symbol of the inputs.

        Raises:
            InputError: there is none, both are mixed, or a hybridized block gets a number, or
                arrays of several CPU contexts.
        """
        flat = [a for a in nesting.flatten(args) if a is not None]
        arrays = [a for a in flat if isinstance(a, _core.NDArray)]
        symbols = [a for a in flat if isinstance(a, _core.Symbol)]
        if not arrays and not symbols:
            kind = type(flat[0]).__name__ if flat else "NoneType"
            raise InputError(f"{self.name}: expected NDArray or Symbol inputs, got {kind}")
        if arrays and symbols:
            raise InputError(f"{self.name}: expected NDArrays or Symbols, got both")
        if self._active and arrays and len(arrays) < len(flat):  # Symbols: part of another's graph
            other = next(a for a in flat if not isinstance(a, _core.NDArray))
            raise InputError(
                f"{self.name}: a hybridized block takes NDArrays or Symbols, got "
                f"{type(other).__name__}"
            )
        hosts = {a.context for a in arrays if a.context.device_type == "cpu"}
        if self._active and len(hosts) > 1:
            raise InputError(
                f"{self.name}: a hybridized block takes arrays of one device, got "
                f"{', '.join(sorted(map(str, hosts)))}"
            )
        return (arrays or symbols)[0]

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
        """``hybrid_forward``'s graph. A ``forward`` that a subclass defines around it runs at every
        call and has no part in it."""
        params = {k: p.var() for k, p in self._reg_params.items()}
        with sym.name_prefix(self._prefix), self.name_scope(), _core.trace_scope(self.name):
            return self.hybrid_forward(sym, x, *args, **params)

    def _compiled(self, *args: Any) -> Any:
        cached = self._cached
        if cached is None and not self._dynamic:
            try:
                cached = CachedBlock(self, args, self._compile_options)
            except DynamicShapeError as error:
                warnings.warn(f"{self.name} runs imperatively: {error}", stacklevel=4)
                self._dynamic = True
            else:
                super().__setattr__("_cached", cached)
        if cached is None:
            first = next(a for a in nesting.flatten(args) if a is not None)
            return self._imperative(first.context, *args)
        if self._op_hook is not None:
            return call_watched(cached, args, *self._op_hook)
        return cached.call(args)

    def register_op_hook(self, callback: Callable, monitor_all: bool = False) -> None:
        super().register_op_hook(callback, monitor_all)
        self._op_hook = callback, monitor_all

    # Shapes and graphs ----------------------------------------------------------------------------
    def _infer_params(self, *args: Any) -> None:
        """As every block does; what only a layer itself can tell is told when the layers are
        called, once, as they are."""
        try:
            super()._infer_params(*args)
        except DeferredInitializationError:
            if self._infers or not self._children:
                raise
            self._infers = True
            try:
                with autograd.pause():
                    first = next(a for a in nesting.flatten(args) if a is not None)
                    self._imperative(first.context, *args)
            finally:
                self._infers = False

    def infer_shape(self, *args: Any) -> None:
        """Completes the shapes of the parameters from example inputs."""
        self._infer_params(*args)

    def infer_type(self, *args: Any) -> None:
        """Gives the parameters the element types that follow from those of example inputs."""
        variables, symbol, _ = self._trace(args)
        arrays = [a for a in nesting.flatten(args) if a is not None]
        types = {v.name: a.dtype for v, a in zip(variables, arrays, strict=True)}
        arguments, _, states = symbol.infer_type(**types)
        names = [*symbol.list_arguments(), *symbol.list_auxiliary_states()]
        found = dict(zip(names, [*arguments, *states], strict=True))
        for param in self.collect_params().values():
            if param.name in found and param.dtype != found[param.name]:
                param.cast(found[param.name])

    def export(
        self, path: str, epoch: int = 0, remove_amp_cast: bool = True, example: Any = None
    ) -> tuple[str, str]:
        """Writes ``path-symbol.json`` and ``path-0000.params`` in MXNet 1.9.1's formats.

        Args:
            path: start of both file names.
            epoch: the number in the parameters' file name.
            remove_amp_cast: for MXNet's sake; no casts are added here that could be removed.
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
            symbol = self._trace((nesting.ARRAY,))[1]
        params = self.collect_params()
        try:
            arrays = {
                f"{kind}:{name}": params[name]._reduce()
                for kind, names in (
                    ("arg", symbol.list_arguments()),
                    ("aux", symbol.list_auxiliary_states()),
                )
                for name in names
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

    def _drawn(self) -> tuple[Any, str, None]:
        """What a GraphViewer draws for this block: the graph, its title."""
        if self._cached is None:
            raise MXNetError(
                f"{self.name}: hybridize() the block and call it once to see its graph"
            )
        return self._cached.graph.report(autograd.is_training(), False), self.name, None


def _say_own_passes(backend: str) -> None:
    if backend != _OWN_BACKEND:
        warnings.warn(
            f"there is no backend {backend!r} here: the block is optimized by this library's own "
            "passes, as hybridize() does",
            stacklevel=3,
        )
