"""CachedBlock: what hybridize() keeps of a block, its recorded graph and compiled programs."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from .. import _core, nesting
from ..progress import SearchProgress
from ..sym.host_graph import executable
from .checks import InputError
from .parameter import DeferredInitializationError, generation

if TYPE_CHECKING:
    from .block import Block


class CachedBlock:
    """A block's recorded graph with its programs, and where its inputs come from.

    Args:
        lists: several outputs come in lists, as MXNet's hybridized blocks give them, whatever the
            block itself puts them in.
    """

    def __init__(
        self, block: Block, args: tuple, compile_options: dict[str, Any], lists: bool = True
    ):
        self.given = nesting.shape_of(args)
        try:
            self.variables, self.symbol, self.nesting = block._trace(args)
        except DeferredInitializationError:
            block._infer_params(*args)
            self.variables, self.symbol, self.nesting = block._trace(args)
        if lists:
            self.nesting = nesting.in_lists(self.nesting)
        params = block.collect_params()
        if any(p._data is None for p in params.values()):
            block._infer_params(*args)
        graph = self.symbol.graph()
        names = {v.name: i for i, v in enumerate(self.variables)}
        self._block, self._names = block.name or type(block).__name__, list(names)
        order = {n.id: n.name for n in graph.nodes}
        inputs = [order[i] for i in graph.inputs]
        # Each input of the graph: the position of an argument, or a parameter.
        self._sources: list[Any] = [names[n] if n in names else params[n] for n in inputs]
        _warn_of_unused(set(names), set(params), set(inputs))
        options = dict(compile_options)
        self._progress: Any = None  # of an exact plan's search
        if options.get("plan") == "exact":
            self._progress = SearchProgress(options.get("plan_seconds", 10.0))
            options["progress"] = self._progress
        self.graph = executable(graph, **options)

        self._moves = any(n.op == "copy_to_device" for n in graph.nodes)
        self._flat = all(type(a) is _core.NDArray for a in args)
        self._single = self.nesting == nesting.ARRAY
        self._positions = [(i, s) for i, s in enumerate(self._sources) if type(s) is int]
        self._bound: dict[Any, list[Any]] = {}  # a context's parameters in the graph's order
        self._generation = -1
        self._context: Any = None  # of the latest call
        self._latest: list[Any] = []

    @property
    def in_format(self) -> Any:
        """How the arguments nest, as MXNet says it: [0, [0, 0]]."""
        return nesting.in_lists(self.given)

    @property
    def out_format(self) -> Any:
        """How the outputs nest."""
        return nesting.in_lists(self.nesting)

    def call(self, args: tuple) -> Any:
        """Runs the program; only arrays are put in order here, a microsecond or two."""
        return self.nested(self.run(self.graph, args))

    def nested(self, outputs: list[Any]) -> Any:
        """The outputs as the block gives them."""
        return outputs[0] if self._single else nesting.rebuild(self.nesting, iter(outputs))

    def run(self, graph: Any, args: tuple) -> list[Any]:
        """What a compiled graph of the block's inputs gives."""
        flat = args if self._flat and len(args) == len(self._names) else self._arrays(args)
        context = flat[0].context
        if context != self._context or self._generation != generation[0]:
            self._bind(context)
        inputs = self._latest.copy()
        for i, position in self._positions:
            inputs[i] = flat[position]
        try:
            return graph.call(inputs)
        finally:
            if self._progress is not None:
                self._progress.close()

    def _arrays(self, args: tuple) -> list[Any]:
        flat = [a for a in nesting.flatten(args) if a is not None]
        if len(flat) != len(self._names):
            raise InputError(
                f"{self._block}: expected {len(self._names)} inputs ({', '.join(self._names)}), "
                f"got {len(flat)}: it takes as many as it was compiled with"
            )
        if not nesting.fits(nesting.shape_of(args), self.given):
            raise InputError(
                f"{self._block}: the inputs are nested, or None, elsewhere than in the call that "
                "was compiled; call hybridize() again to compile anew"
            )
        return flat

    def _array_of(self, parameter: Any, context: Any) -> Any:
        """The parameter on the inputs' device, or where it is if the block changes devices."""
        places = parameter.list_ctx()
        return parameter.data(places[0] if self._moves and len(places) == 1 else context)

    def _bind(self, context: Any) -> None:
        if self._generation != generation[0]:
            self._bound.clear()
            self._generation = generation[0]
        if context not in self._bound:
            self._bound[context] = [
                None if type(s) is int else self._array_of(s, context) for s in self._sources
            ]
        self._latest, self._context = self._bound[context], context


def _warn_of_unused(given: set[str], parameters: set[str], used: set[str]) -> None:
    for kind, names in (("input", given - used), ("parameter", parameters - used)):
        if names:
            warnings.warn(
                f"{kind} {', '.join(sorted(names))} is not used by any computation", stacklevel=5
            )
