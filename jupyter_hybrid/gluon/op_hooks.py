"""Op hooks: a function sees every operator's outputs, and inputs, of a hybridized block's call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from .. import _core, sym

if TYPE_CHECKING:
    from .cached_block import CachedBlock

# Of a block's: the graph that gives its outputs and every operator's, compiled, and what these are.
_watched: WeakKeyDictionary[CachedBlock, tuple[Any, list[str]]] = WeakKeyDictionary()
_operators = {entry["name"]: entry for entry in _core.op_table()}


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
    for name, operator, array in _told(cached.symbol.graph().nodes, known, monitor_all):
        callback(name, operator, array)
    return cached.nested(values[:count])


def _told(
    nodes: list[Any], known: dict[str, Any], monitor_all: bool
) -> Iterator[tuple[str, str, Any]]:
    names = {node.id: _outputs(node, known) for node in nodes}
    for node in nodes:
        if node.op is None:
            continue
        if monitor_all:
            for (source, output), name in zip(node.inputs, _inputs(node)):
                yield f"{node.name}_{name}", node.op, known[names[source][output]]
        for name in names[node.id]:
            yield name, node.op, known[name]


def _outputs(node: Any, known: dict[str, Any]) -> list[str]:
    if node.op is None:
        return [node.name]
    if f"{node.name}_output" in known:
        return [f"{node.name}_output"]
    return [f"{node.name}_output{i}" for i in range(len(node.shapes))]


def _inputs(node: Any) -> list[str]:
    """Names of the inputs; MXNet numbers those of elementwise operators."""
    entry = _operators.get(node.op, {"inputs": [], "family": ""})
    names = [] if entry["family"] == "elementwise" else [i["name"] for i in entry["inputs"]]
    return [names[i] if i < len(names) else f"input{i}" for i in range(len(node.inputs))]
