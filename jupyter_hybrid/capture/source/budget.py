"""What recording may cost a run of a cell. Once more is lost, the rest of the run is as written.

Lost is the time of recorded loops that were then left to Python, that of the lines at which values
were needed, but for the kernels, and that of rewriting a cell without a picture. It is bounded:
what a loop or a program of this run turns out to be worth is known in the next one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from ... import _core
from ...reasons import NONE, Reason
from ..durations import seconds
from ..options import Options
from .nodes import Rewriting

GRACE_S = 0.008  # that a loop may take before it is measured, less what others have wasted
_MOST = 1.5  # times as much may be lost, or taken by a loop whatever its steps are
_LONG_NS = 5e6  # what takes so long is worth compiling
_MANY = 16  # values that are needed before their price is looked at


class Budget:
    """That of one run.

    Attributes:
        wasted_s: lost recording what was then left to Python.
        haste: how parts are computed that may not come again; None: as all are.
    """

    def __init__(self, options: Options):
        self.wasted_s = 0.0
        self.haste: Options | None = None
        self._options = options
        self._why = NONE  # the rest is to run as written
        self._weighed_at = _MANY
        self._unmeasured_s: dict[int, float] = {}  # by id of a place
        self._rewritten_s = Rewriting.seconds  # before this run

    @property
    def _rewriting_s(self) -> float:
        return Rewriting.seconds - self._rewritten_s if self._options.view == "none" else 0.0

    @property
    def most_s(self) -> float:
        """What may be lost otherwise."""
        return _MOST * GRACE_S - self._rewriting_s

    def grace_s(self, place: Any) -> float:
        """What recording this loop may take before it is measured."""
        lost_s = self.wasted_s + self._rewriting_s + self._unmeasured_s.get(id(place), 0.0)
        return max(0.0, GRACE_S - lost_s)

    def unmeasured(self, place: Any, took_s: float) -> None:
        """The loop has ended before, having taken so long: it may be an inner one."""
        self._unmeasured_s[id(place)] = self._unmeasured_s.get(id(place), 0.0) + took_s

    def waste(self, lost_s: float, why: Reason) -> None:
        """So much time was lost recording what is left to Python."""
        self.wasted_s += lost_s
        if self.wasted_s >= self.most_s:
            self._why = self._why or why

    def used_up(self, recorder: Any) -> Reason:
        """Why the rest is to run as written; NONE: it is not."""
        if recorder.whole_until:
            recorder.weighed_at = 0
            return NONE
        if self._options.force or recorder.recording is None:
            recorder.weighed_at = sys.maxsize if self._options.force else 0
            return NONE
        if len(recorder.breaks) >= self._weighed_at:
            self._weighed_at = len(recorder.breaks) + max(_MANY, len(recorder.breaks) // 4)
            self._weigh(recorder)
        recorder.weighed_at = 0 if self._why else self._weighed_at
        return self._why

    def used_up_between(self, recorder: Any) -> Reason:
        """:meth:`used_up` where a statement of the cell ends: a picture shows the cell whole."""
        return self.used_up(recorder) if self._options.view == "none" else NONE

    @contextmanager
    def in_haste(self) -> Iterator[None]:
        """No passes run, but those that were asked for; unless what waits takes longer."""
        if self._options.passes is None and _core.pending_ns() < _LONG_NS:
            self.haste = replace(self._options, passes=())
        try:
            yield
        finally:
            self.haste = None

    def _weigh(self, recorder: Any) -> None:
        """Have the values that were needed cost too much?"""
        spent, breaks = recorder.spent, recorder.breaks
        ran = sum(s.times.seconds() for s in recorder.segments)
        lost = spent.settle_s + spent.compile_s - ran
        if lost >= self.most_s and not self._why:
            self._why = Reason(
                "{n} times a value was needed, in {time}", n=len(breaks), time=seconds(lost)
            )
            recorder.left[None, self._why] = None
