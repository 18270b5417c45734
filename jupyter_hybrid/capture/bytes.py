"""Bytes that the cell, run imperatively, holds at its peak: every binding lives to its end."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import accumulate
from typing import Any

import numpy as np


def nbytes(shape: Iterable[int], dtype: Any) -> int:
    """Logical bytes of one array."""
    size = 1
    for dim in shape:
        size *= dim
    return size * np.dtype(dtype).itemsize


def imperative_peak(graph: Any, bound: Collection[tuple[int, int]]) -> int:
    """Peak of logical bytes that running ``graph`` node by node creates.

    Args:
        graph: the graph as written, shapes known; inputs are not counted, views cost nothing.
        bound: the (node id, output) pairs that a name holds when the cell ends; every other value
            is freed after its last use.
    """
    owner: dict[tuple[int, int], tuple[int, int]] = {}  # a view's bytes are its base's
    last: dict[tuple[int, int], int] = {}
    made: dict[tuple[int, int], tuple[int, int]] = {}  # where, and how large
    for step, node in enumerate(graph.nodes):
        sources = [owner.get(tuple(e), tuple(e)) for e in node.inputs]
        for entry in sources:
            last[entry] = step
        for out in range(len(node.shapes)):
            entry = (node.id, out)
            if node.is_view and sources:
                owner[entry] = sources[0]
                continue
            last.setdefault(entry, step)
            if node.kind == "op":
                made[entry] = step, nbytes(node.shapes[out], node.dtypes[out])
    end = len(graph.nodes)
    for entry in bound:
        last[owner.get(entry, entry)] = end
    change = [0] * (end + 2)
    for entry, (step, size) in made.items():
        change[step] += size
        change[last[entry] + 1] -= size
    return max(accumulate(change))
