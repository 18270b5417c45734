"""Cells that run as written: those of which much is left to Python, where that is faster.

A loop or a function that was left to Python, many values asked for, or nothing recorded make a
cell's next run one as written, on the clock. The cell is recorded again when that took longer.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ..capture.cell import Cell
from ..capture.options import Options
from ..capture.recording import Recording
from ..capture.source.patience import CONTACTS
from ..capture.units import seconds
from ..reports.listing import places
from ..reports.report import Report

_RATIO, _SLACK_S = 1.2, 0.002  # a recorded run may take so much longer than one as written
_DOUBT = 3  # times as long, when it was the first one, which pays for more than compiling
clock = time.perf_counter


@dataclass
class AsWritten:
    """What is known of one cell, run with the same options."""

    cell: Cell
    options: Options
    recorded_s: float  # its best recorded run, without compiling
    left: list[tuple[int | None, str]]
    again: bool = False  # it was recorded more than once
    plain_s: float = 0.0  # its best run as written; 0: there was none yet

    @property
    def pays(self) -> bool:
        """Is running as written faster, or to be tried?"""
        if self.plain_s and not self.again and self.recorded_s < _DOUBT * self.plain_s:
            return False
        return self.recorded_s > _RATIO * self.plain_s + _SLACK_S

    @contextmanager
    def run(self) -> Iterator[Report]:
        """Around a run as written; its report."""
        report = Report(self.cell, self.options, [], self.left, [], {}, mode="imperative")
        start = clock()
        yield report
        self.plain_s = min(clock() - start, self.plain_s or float("inf"))
        if not self.left:
            return  # nothing that could have been in a graph
        figures = f"{seconds(self.plain_s)}; recorded it takes {seconds(self.recorded_s)}"
        here = (None, f"the cell runs as written, in {figures}")
        report.graph_breaks = places([*self.left, here], {})


def find(cell: Cell, options: Options) -> AsWritten | None:
    """How the cell runs as written now, if it should."""
    known = cell.memo.get((AsWritten, options))
    return known if known is not None and known.pays else None


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
    known = cell.memo.get((AsWritten, options))
    if known is not None:
        known.again = True
        known.recorded_s = min(known.recorded_s, took - report.compile_s)
    elif left or nothing:
        cell.memo[AsWritten, options] = AsWritten(cell, options, took - report.compile_s, left)
