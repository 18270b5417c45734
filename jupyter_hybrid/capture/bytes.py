"""Bytes that the cell, run imperatively, holds at its peak: every binding lives to its end."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable
from itertools import accumulate
from typing import Any

import numpy as np

from .. import _core


def nbytes(shape: Iterable[int], dtype: Any) -> int:
    """Logical bytes of one array."""
    return math.prod(shape) * np.dtype(dtype).itemsize


def imperative_peak(graph: Any, bound: Collection[tuple[int, int]]) -> int:
    """Peak of logical bytes that running ``graph`` node by node creates.

    Args:
        graph: the graph as written, shapes known; inputs are not counted, views cost nothing.
        bound: the (node id, output) pairs that a name holds when the cell ends; every other value
            is freed after its last use.
    """
    change: Counter[int] = Counter()  # by step
    for buffer in _core.buffer_lifetimes(graph, training=True, in_place=False):
        values = buffer["entries"]  # none in a copy for who asks for a value twice
        if values and buffer["kind"] in ("arena", "output"):
            last = len(graph.nodes) if any(v in bound for v in values) else buffer["end"]
            change[buffer["start"]] += buffer["bytes"]
            change[last + 1] -= buffer["bytes"]
    return max(accumulate(change[step] for step in sorted(change)), default=0)
