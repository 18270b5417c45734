"""The edges of a drawn stage: data, the order of effects, and waits that shared memory adds."""

from __future__ import annotations

from typing import Any

from .. import _core
from ..array_bytes import nbytes
from .schema import Edge

_MOST_NODES = 1000  # beyond, nobody sees single edges


def edges_of(graph: Any) -> list[Edge]:
    """Data edges in the order of the nodes' inputs, and one from each effect to the next."""
    nodes = {n.id: n for n in graph.nodes}
    made = ("op", "fused")
    edges: list[Edge] = []
    last_effect = None
    for node in graph.nodes:
        for arg, (source, out) in enumerate(node.inputs):
            origin = nodes[source]
            shape = origin.shapes[out] if out < len(origin.shapes) else None
            dtype = origin.dtypes[out] if out < len(origin.dtypes) else "float32"
            edges.append(
                {
                    "src": source,
                    "dst": node.id,
                    "out": out,
                    "arg": arg,
                    # the card of an input tells its own shape
                    "label": shape_text(shape) if shape and origin.kind in made else "",
                    "bytes": bytes_of(shape, dtype) or 0,
                    "kind": "data",
                }
            )
        if node.kind == "effect":
            if last_effect is not None:
                edges.append(order_edge(last_effect, node.id, "then"))
            last_effect = node.id
    return edges


def order_edge(source: int, target: int, label: str) -> Edge:
    """An edge that carries no value."""
    return {"src": source, "dst": target, "out": 0, "arg": -1, "label": label, "bytes": 0,
            "kind": "order"}  # fmt: skip


def waits_of(parts: list[Any]) -> list[tuple[int, int]]:
    """(a, b): b waits for a only because it writes where values of a are; ids as drawn."""
    return [
        (a + part.offset, b + part.offset)
        for part in parts
        if len(part.graph.nodes) <= _MOST_NODES
        for a, b in _core.implicit_edges(part.graph, part.plan)
    ]


def shape_text(shape: Any) -> str:
    """As Python writes it, `?` for a size that is not known."""
    if shape is None:
        return ""
    sizes = ["?" if d < 0 else str(d) for d in shape]
    return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"


def known_shape(shape: Any) -> list[int] | None:
    """A shape as a list; None when any of it is not known."""
    if shape is None or any(d is None or d < 0 for d in shape):
        return None
    return list(shape)


def bytes_of(shape: Any, dtype: Any) -> int | None:
    """None while shape or dtype is not known."""
    if known_shape(shape) is None or dtype is None:
        return None
    return nbytes(shape, dtype)
