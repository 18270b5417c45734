"""What a monitor is told of a run: the name, operator and value of every operator's arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import _core

_operators = {entry["name"]: entry for entry in _core.op_table()}
#: Operators without names of inputs in MXNet, which numbers them.
_NUMBERED = frozenset({"SoftmaxActivation"})


def told(
    nodes: list[Any], known: dict[str, Any], monitor_all: bool, variables: bool = False
) -> Iterator[tuple[str, str, Any]]:
    """(name, operator, array) in the order of the nodes.

    Args:
        nodes: of a graph.
        known: arrays by the names of ``get_internals().list_outputs()``.
        monitor_all: an operator's inputs come before its outputs.
        variables: an input that is a variable is told by its own name first.
    """
    names = {node.id: _outputs(node, known) for node in nodes}
    kinds = {node.id: node.op for node in nodes}
    for node in nodes:
        if node.op is None:
            continue
        if monitor_all:
            for (source, output), name in zip(node.inputs, _inputs(node)):
                array = known[names[source][output]]
                if variables and kinds[source] is None:
                    yield names[source][output], node.op, array
                yield f"{node.name}_{name}", node.op, array
        for name in names[node.id]:
            if name in known:
                yield name, node.op, known[name]


def _outputs(node: Any, known: dict[str, Any]) -> list[str]:
    if node.op is None:
        return [node.name]
    if f"{node.name}_output" in known:
        return [f"{node.name}_output"]
    return [f"{node.name}_output{i}" for i in range(len(node.shapes))]


def _inputs(node: Any) -> list[str]:
    """Names of the inputs; MXNet numbers those of elementwise operators."""
    entry = _operators.get(node.op, {"inputs": [], "family": "", "variadic": False})
    if entry["variadic"]:
        return [f"arg{i}" for i in range(len(node.inputs))]
    numbered = entry["family"] == "elementwise" or node.op in _NUMBERED
    names = [] if numbered else [i["name"] for i in entry["inputs"]]
    return [names[i] if i < len(names) else f"input{i}" for i in range(len(node.inputs))]
