"""Heat: what each kernel of the last run took, for the pictures of what was planned."""

from __future__ import annotations

from typing import Any

from .edges import bytes_of
from .parts import Part
from .schema import KernelTime, pair


def heat_of(parts: list[Part]) -> list[KernelTime]:
    """A row for each kernel that was measured: its node, seconds, FLOP and bytes read and
    written, of all runs together, and of a fused kernel its members with their shares of the
    time, as their costs are estimated. No bytes are told of what reads or writes parts of arrays.
    Empty while a run is under way, and of programs on several devices, whose parts run apart."""
    if any(part.is_placed or part.running for part in parts):
        return []
    rows: list[KernelTime] = []
    for part in parts:
        seconds = {} if part.times is None else part.times.kernel_seconds()
        nodes = {node.id: node for node in part.graph.nodes} if seconds else {}
        for id_, s in sorted(seconds.items()):
            node = nodes.get(id_)
            if node is None:  # another program's
                return []
            read = [
                (nodes[source].shapes[out], nodes[source].dtypes[out])
                for source, out in dict.fromkeys(node.inputs)
            ]
            written = zip(node.shapes, node.dtypes, strict=True)
            moved = sum(bytes_of(*value) or 0 for value in (*read, *written))
            rows.append(
                {
                    "node": id_ + part.offset,
                    "s": s,
                    "flop": node.flops * part.runs,
                    "bytes": 0 if _is_partial(node) else moved * part.runs,
                    "members": _shares(node, part.offset),
                }
            )
    return rows


def _is_partial(node: Any) -> bool:
    """It reads or writes some elements of an array that is its input as a whole."""
    return any(member.family == "index" for member in (node, *node.members))


def _shares(node: Any, offset: int) -> list[tuple[int, float]]:
    """(id, share) of a fused kernel's members."""
    if node.kind != "fused":
        return []
    costs = node.member_costs
    total = sum(costs) or 1.0
    return [
        pair(member.id + offset, round(cost / total, 6))
        for member, cost in zip(node.members, costs, strict=True)
    ]
