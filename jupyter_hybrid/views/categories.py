"""What each value of a program is for: a parameter, an activation, a gradient, a result."""

from __future__ import annotations

from typing import Any

from .group_paths import is_gradient
from .parts import Part
from .schema import Category

Entry = tuple[int, int]


def categories(part: Part, parameters: set[int]) -> dict[Entry, Category]:
    """By entry of the planned graph. An activation is a forward value that a gradient reads; what
    the program leaves behind is a result, whoever reads it before.

    Args:
        parameters: ids of inputs, as the picture counts them.
    """
    kinds: dict[Entry, Category] = {}
    read_back: set[Entry] = set()
    results = set(part.graph.outputs)
    for node in reversed(part.graph.nodes):  # readers before what they read
        entries = [(node.id, out) for out in range(len(node.shapes))]
        if _is_backward(node) or (node.is_view and entries and entries[0] in read_back):
            read_back.update(node.inputs)
        for entry in entries:
            if node.kind == "input":
                kinds[entry] = "parameter" if node.id + part.offset in parameters else "input"
            elif node.kind == "constant":
                kinds[entry] = "constant"
            elif is_gradient(maker(node, entry[1]).scope):
                kinds[entry] = "gradient"
            elif entry in results:
                kinds[entry] = "result"
            else:
                kinds[entry] = "activation" if entry in read_back else "temporary"
    return kinds


def _is_backward(node: Any) -> bool:
    """It computes gradients; of a fused kernel, any of its operators does."""
    return any(is_gradient(member.scope) for member in (node, *node.members))


def maker(node: Any, out: int) -> Any:
    """The operator that makes this value: a kernel holds several."""
    if not node.members:
        return node
    made_by, _ = node.member_outputs[out]
    return next((m for m in node.members if m.id == made_by), node)
