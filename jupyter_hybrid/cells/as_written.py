"""Cells that run as written: those of which much is left to Python, where that is faster.

A loop or a function that was left to Python, many values asked for, or nothing recorded make a
cell's next run one as written, on the clock; so does a run that took long where no picture is
wanted. The cell is recorded again, or runs without its body, when that took longer. One
trial may be disturbed, so there are others, ever more seldom; and what runs as written is looked at
anew once that takes much longer than it did.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ..capture.cell import Cell
from ..capture.durations import seconds
from ..capture.options import Options
from ..capture.recording import Recording
from ..capture.source.patience import CONTACTS
from ..capture.units import RanCompiled
from ..reports.listing import places
from ..reports.report import Report

_RATIO, _SLACK_S = 1.2, 0.002  # a recorded run may take so much longer than one as written
_DOUBT = 3  # times as long, when it was the first one, which pays for more than compiling
_LONGER, _LONGER_S = 2, 0.02  # a run as written takes much longer: so many times and seconds more
_TRIAL = 3  # recorded runs before another trial
clock = time.perf_counter


@dataclass
class AsWritten:
    """What is known of one cell, run with the same options."""

    cell: Cell
    options: Options
    recorded_s: float  # its best recorded run, without compiling
    left: list[tuple[int | None, str]]
    in_graph: bool  # some of it
    runs: int = 1  # recorded
    plain_s: float = 0.0  # its best run as written; 0: there was none yet
    longer: int = 0  # the last so many runs as written took much longer than that
    trial: int = _TRIAL  # recorded runs before another trial

    @property
    def pays(self) -> bool:
        """Is running as written faster, or to be tried?"""
        if self.trial_due:
            return True
        if self.plain_s and self.runs == 1 and self.recorded_s < _DOUBT * self.plain_s:
            return False
        return self.recorded_s > _RATIO * self.plain_s + _SLACK_S

    @property
    def trial_due(self) -> bool:
        """Is it tried once more? Not where that would cost much, or can't pay."""
        tried = self.plain_s > 0 and self.runs >= self.trial
        return tried and self.recorded_s > max(_SLACK_S, self.plain_s / _DOUBT)

    @contextmanager
    def run(self) -> Iterator[Report]:
        """Around a run as written; its report."""
        report = Report(self.cell, self.options, [], self.left, [], {}, mode="imperative")
        if self.trial_due:
            self.trial = 2 * self.runs
        start = clock()
        yield report
        self._note(clock() - start)
        if not (self.left or self.in_graph):
            return
        figures = f"{seconds(self.plain_s)}; recorded it takes {seconds(self.recorded_s)}"
        here = (None, f"the cell runs as written, in {figures}")
        report.graph_breaks = places([*self.left, here], {})

    def recorded(self, took: float) -> None:
        """So did a run of its programs, with its body or without."""
        self.runs += 1
        self.recorded_s = min(self.recorded_s, took)

    def _note(self, took: float) -> None:
        """A run as written took so many seconds."""
        best = self.plain_s = min(took, self.plain_s or took)
        self.longer = self.longer + 1 if took > _LONGER * best + _LONGER_S else 0
        if self.longer > 1:  # not once, as when the machine was busy
            self.cell.memo.pop((AsWritten, self.options), None)


def find(cell: Cell, options: Options) -> AsWritten | None:
    """What is known of the cell, if it was ever to run as written."""
    return cell.memo.get((AsWritten, options))


def learn(cell: Cell, options: Options, recording: Recording, report: Report, took: float) -> None:
    """After a recorded run of ``took`` seconds: is the next one a trial as written?"""
    recorder = recording.recorder
    breaks = len(recorder.breaks)
    left = list(recorder.left)
    if not left and breaks >= CONTACTS:
        left = [(None, f"{breaks} times a value was needed")]
    nothing = not (recorder.segments or breaks or report.deferred_names)
    if options != Options(view=options.view, implicit=options.implicit, scratch=options.scratch):
        return  # who asks for more than a recording asks for one
    took -= report.compile_s
    if recorder.units and (compiled := (RanCompiled, options)) not in cell.memo:
        cell.memo[compiled] = True
        return  # the run has compiled loops, which the next one finds: that one tells
    known = find(cell, options)
    if known is not None:
        known.recorded(took)
    elif left or nothing or (options.view == "none" and took > _SLACK_S):
        cell.memo[AsWritten, options] = AsWritten(cell, options, took, left, not nothing)
