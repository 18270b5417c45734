"""Op hooks: a function sees every operator's outputs, and inputs, of a hybridized block's call."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from .. import _core, sym
from ..sym.monitor import told

if TYPE_CHECKING:
    from .cached_block import CachedBlock

# Of a block's: the graph that gives its outputs and every operator's, compiled, and what these are.
_watched: WeakKeyDictionary[CachedBlock, tuple[Any, list[str]]] = WeakKeyDictionary()


def call_watched(cached: CachedBlock, args: tuple, callback: Callable, monitor_all: bool) -> Any:
    """The block's call, with ``callback(name, operator, array)`` for every output.

    What is told are arrays of the call itself, so that random draws are the same. With
    ``monitor_all`` an operator's inputs come before its outputs.
    """
    if cached not in _watched:
        internals = cached.symbol.get_internals()
        graph = sym.Group([*cached.symbol, *internals]).graph()
        _watched[cached] = _core.CachedGraph(graph), internals.list_outputs()
    graph, names = _watched[cached]
    values = cached.run(graph, args)
    count = len(values) - len(names)
    known = dict(zip(names, values[count:], strict=True))
    for name, operator, array in told(cached.symbol.graph().nodes, known, monitor_all):
        callback(name, operator, array)
    return cached.nested(values[:count])
