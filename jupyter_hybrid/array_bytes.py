"""Bytes that a graph takes at its peak when it is run one by one: an array for each value."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from . import _core


def nbytes(shape: Iterable[int], dtype: Any) -> int:
    """Logical bytes of one array."""
    return math.prod(shape) * np.dtype(dtype).itemsize


Entry = tuple[int, int]  # (node id, output)


def imperative_peak(
    graph: Any, bound: Collection[Entry], outputs: Sequence[Entry] = (), updates: Sequence[int] = ()
) -> int:
    """Peak of logical bytes that running ``graph`` node by node creates.

    Args:
        graph: the graph as written, shapes known; inputs are not counted, views cost nothing.
        bound: what a name holds when the cell ends; every other value is freed after its last use.
        outputs, updates: by output -1, or where it is the new contents of an array that was there
            before: that is written where it is and takes nothing.
    """
    fresh = {entry for entry, update in zip(outputs, updates) if update == -1}
    written = {entry for entry, update in zip(outputs, updates) if update != -1} - fresh
    change: Counter[int] = Counter()  # by step
    for buffer in _core.buffer_lifetimes(graph, training=True, in_place=False):
        values = buffer["entries"]  # none in a copy for who asks for a value twice
        if written and any(v in written for v in values):
            continue
        if values and buffer["kind"] in ("arena", "output"):
            last = len(graph.nodes) if any(v in bound for v in values) else buffer["end"]
            change[buffer["start"]] += buffer["bytes"]
            change[last + 1] -= buffer["bytes"]
    return max(accumulate(change[step] for step in sorted(change)), default=0)


def imperative_of(compiled: Any) -> int:
    """The same of what was compiled without a cell: its graph as written with its gradient, at
    whose end the outputs alone are held."""
    stages = {stage.name: stage for stage in compiled.stages}
    gradient = stages.get("gradient")
    stage = gradient if gradient is not None and gradient.changed else stages.get("infer")
    if stage is None:  # no stages were kept
        return int(compiled.program.plan.imperative_bytes)
    graph = stage.graph
    return imperative_peak(graph, graph.outputs, graph.outputs, compiled.program.plan.updates)
