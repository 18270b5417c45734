"""What recording may cost a run of a cell. Once more is lost, the rest of the run is as written.

Lost is the time of recorded loops that were then left to Python, and that of the lines at which
values were needed, but for the kernels. Both are bounded: what a loop or a program of this run
turns out to be worth is known in the next one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from ..units import seconds

GRACE_S = 0.008  # that a loop may take before it is measured, less what others have wasted
_MOST = 1.5  # times as much may be lost, or taken by a loop whatever its steps are
MANY = 16  # values that are needed before their price is looked at


def most_s() -> float:
    """What may be lost."""
    return _MOST * GRACE_S


def waste(recorder: Any, lost_s: float, why: str) -> None:
    """So much time was lost recording what is left to Python."""
    recorder.wasted_s += lost_s
    if recorder.wasted_s >= most_s():
        recorder.tired = recorder.tired or why


def used_up(recorder: Any) -> str:
    """Why the rest is to run as written; "": it is not."""
    if recorder.options.force or recorder.recording is None:
        return ""
    if len(recorder.breaks) >= recorder.weighed_at:
        recorder.weighed_at = 2 * len(recorder.breaks)
        _weigh(recorder)
    return str(recorder.tired)


@contextmanager
def in_haste(recorder: Any) -> Iterator[None]:
    """What is computed here may not come again: no passes run, but those that were asked for."""
    options = recorder.options
    recorder.haste = replace(options, passes=()) if options.passes is None else None
    try:
        yield
    finally:
        recorder.haste = None


def _weigh(recorder: Any) -> None:
    """Have the values that were needed cost too much?"""
    spent, breaks = recorder.spent, recorder.breaks
    ran = sum(s.times.seconds() for s in recorder.segments)
    lost = spent.settle_s + spent.compile_s - ran
    if lost >= most_s() and not recorder.tired:
        recorder.tired = f"{len(breaks)} times a value was needed, in {seconds(lost)}"
        recorder.left[None, recorder.tired] = None
