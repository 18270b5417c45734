"""Functions and blocks that run as written once that is seen to be faster.

Either may run thousands of times. It is recorded until that has taken some milliseconds; then a run
is tried as written, on the clock, and what was faster goes on. A trial may be disturbed, so there
are others, ever more seldom; and what runs as written is recorded again once that takes much
longer than it did.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import _core
from ..capture.cell import Cell
from ..capture.durations import seconds
from ..capture.options import Options
from ..capture.recorder import Recorder
from ..capture.source import budget
from ..reasons import Reason
from ..reports.report import Report

_FIRST = 3  # recorded runs before the first trial
_RATIO = 1.2  # times as long as one as written a recorded run may take
_HOPELESS = 3  # so many times faster it is not worth another trial
_LONGER, _LONGER_S = 3, 0.005  # a run as written takes much longer: so many times and seconds more
clock = time.perf_counter


@dataclass
class Costs:
    """Those of runs that are alike."""

    runs: int = 0  # recorded
    recorded_s: float = 0.0  # the best of them, without compiling
    written_s: float = 0.0  # the best run as written; 0: there was none yet
    left: dict[Any, None] = field(default_factory=dict)  # what a recording left to Python
    trial: int = _FIRST  # recorded runs before the next one as written
    longer: int = 0  # the last so many runs as written took much longer than the best

    @property
    def pays(self) -> bool:
        """Is running as written faster, or to be tried?"""
        if not self.written_s:
            return self.runs >= self.trial and self.runs * self.recorded_s >= budget.GRACE_S
        due = self.runs >= self.trial and _HOPELESS * self.recorded_s > self.written_s
        return due or self.recorded_s > _RATIO * self.written_s

    def recorded(self, took: float, recorder: Recorder) -> None:
        """So did a recorded run."""
        self.recorded_s = min(took, self.recorded_s) if self.runs else took
        self.runs += 1
        self.left.update(recorder.left)

    def written(self, took: float) -> None:
        """So did one as written."""
        self.trial = max(self.trial, 2 * self.runs)
        best = self.written_s = min(took, self.written_s or took)
        self.longer = self.longer + 1 if took > _LONGER * best + _LONGER_S else 0
        if self.longer > 1:  # not once, as when the machine was busy
            self.runs = self.longer = 0
            self.written_s, self.trial = 0.0, _FIRST

    def report(self, cell: Cell, options: Options) -> Report:
        """Of a run as written."""
        figures = Reason(
            "it runs as written, in {written}; recorded it takes {recorded}",
            written=seconds(self.written_s),
            recorded=seconds(self.recorded_s),
        )
        breaks = [*self.left, (None, figures)]
        return Report(cell, options, [], breaks, [], {}, mode="imperative")


def kinds(values: Iterable[Any]) -> tuple[Any, ...] | None:
    """What calls that are alike have in common: types, and sizes to a factor of two. None with nd
    arrays: their work is not done yet when a call returns."""
    found = tuple(map(_kind, values))
    return None if _core.NDArray in found else found


def _kind(value: Any) -> Any:
    kind = type(value)
    if kind is np.ndarray:
        return kind, value.size.bit_length()
    return (kind, value.bit_length()) if kind is int else kind
