"""The planner's methods side by side, on the buffers of one plan."""

from __future__ import annotations

from typing import Any, TypedDict

from .. import _core
from .schema import Attempt

_ALIGNMENT = 64
_MOST_OFFSETS = 4_000  # in one picture


class Compared(TypedDict):
    """These fields of :class:`.schema.Memory`."""

    attempts: list[Attempt]
    attempted: list[int]
    arena_bound: int


def compared(plan: Any, numbers: dict[int, int]) -> Compared:
    """Each heuristic alone, in a few milliseconds at most, and what the plan itself reached.

    Args:
        numbers: buffer of the plan -> number in the picture.
    """
    own = plan.attempts[-1] if plan.attempts else None
    # Elsewhere more than lifetimes decides what may share memory: the methods can't be compared.
    if own is None or plan.method == "parallel" or plan.devices:
        rows = [_attempt(name, size) for name, size in plan.attempts]
        return {"attempts": rows, "attempted": [], "arena_bound": 0}
    arena = [b for b in plan.buffers if b["kind"] == "arena"]
    lifetimes = [(b["id"], b["start"], b["end"] + 1, b["bytes"]) for b in arena]
    tried = _core.place_by_each(lifetimes, _ALIGNMENT)
    keep = len(tried) * len(arena) <= _MOST_OFFSETS
    rows = [
        _attempt(t["name"], t["peak"], t["seconds"], t["offsets"] if keep else []) for t in tried
    ]
    if not any((row["method"], row["bytes"]) == own for row in rows):
        rows.append(_attempt(own[0], own[1], offsets=[b["offset"] for b in arena] if keep else []))
    bound = _core.place_buffers(lifetimes, _ALIGNMENT, 0.0)["lower_bound"]
    return {
        "attempts": rows,
        "attempted": [numbers[b["id"]] for b in arena],
        "arena_bound": bound,
    }


def _attempt(
    method: str, size: int, s: float | None = None, offsets: list[int] | None = None
) -> Attempt:
    return {"method": method, "bytes": size, "s": s, "offsets": offsets or []}
