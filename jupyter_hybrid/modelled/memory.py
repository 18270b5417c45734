"""What the memory of modelled devices is used for, over modelled time."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core

__all__ = ["held_since", "most", "steps"]

_KINDS = len(_core.MEMORY_KINDS)


def held_since(begin_s: float, seen: dict[str, Any]) -> np.ndarray:
    """What was held at ``begin_s``, as from time 0 on, and each change since then.

    Args:
        seen: what ``_core.model_memory`` has told.

    Returns:
        Records of ``_core.MODEL_MEMORY_DTYPE`` by device and time. Their ``bytes`` are what a
        device holds of a kind from ``time_s`` (seconds since ``begin_s``) on.
    """
    rows = np.concatenate(
        [np.frombuffer(seen[what], _core.MODEL_MEMORY_DTYPE) for what in ("before", "changes")]
    )
    if not len(rows):
        return rows
    rows["time_s"] = np.maximum(rows["time_s"] - begin_s, 0)
    rows = rows[np.lexsort((rows["time_s"], rows["kind"], rows["device"]))]
    ends = np.flatnonzero(_differs(rows, "device", "kind"))  # of what is added up
    sums = np.cumsum(rows["bytes"])
    starts = np.concatenate([[0], ends[:-1] + 1]).astype(np.intp)
    counts = np.diff(np.concatenate([starts, [len(rows)]]))
    rows["bytes"] = sums - np.repeat(sums[starts] - rows["bytes"][starts], counts)
    # What was held for no time at all is not told, nor what goes on as it was.
    rows = rows[_differs(rows, "device", "kind", "time_s")]
    first = np.concatenate([[True], _differs(rows, "device", "kind")[:-1]])[: len(rows)]
    before = np.where(first, 0, np.concatenate([[0], rows["bytes"][:-1]])[: len(rows)])
    rows = rows[rows["bytes"] != before]
    return rows[np.lexsort((rows["kind"], rows["time_s"], rows["device"]))]


def _differs(rows: np.ndarray, *fields: str) -> np.ndarray:
    """Of each row: is it the last one of its like?"""
    last = np.ones(len(rows), bool)
    if len(rows):
        same = [rows[field][1:] == rows[field][:-1] for field in fields]
        last[:-1] = ~np.logical_and.reduce(same)
    return last


def steps(rows: np.ndarray, device: str) -> tuple[np.ndarray, np.ndarray]:
    """What one device holds: times (n,) in seconds, and bytes (n, kinds) from each of them on."""
    mine = rows[rows["device"] == int(device[4:-1])]
    times = np.unique(mine["time_s"])
    held = np.zeros((len(times), _KINDS), np.int64)
    for kind in range(_KINDS):
        own = mine[mine["kind"] == kind]
        at = np.searchsorted(own["time_s"], times, "right") - 1
        known = at >= 0
        held[known, kind] = own["bytes"][at[known]]
    return times, held


def most(rows: np.ndarray, device: str) -> int:
    """The most bytes that it holds at once."""
    return int(steps(rows, device)[1].sum(axis=1).max(initial=0))
