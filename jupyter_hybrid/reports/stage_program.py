"""A stage of a cell with its programs: the graph as it stands there, with no later pass."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .. import _core
from ..array_bytes import nbytes
from ..base import MXNetError
from ..capture.durations import seconds
from .stage_inputs import Sources, given_to
from .stages import ReportStage

_WORK_S, _RUNS = 0.4, 20  # of what is measured


@dataclass(frozen=True)
class Bounds:
    """How far somebody wants it to go.

    Attributes:
        go_on: asked between two runs; raises where the rest is not wanted any more.
        most_s: of one run, as it is estimated; None: however long.
    """

    go_on: Callable[[], None] = lambda: None
    most_s: float | None = None


FREE = Bounds()


class Ready:
    """A stage with a program for each of its parts, made when they are first run."""

    def __init__(self, stage: ReportStage, sources: list[Sources], bounds: Bounds):
        self._stage, self._sources, self._bounds = stage, sources, bounds
        self.shared = stage.name == "plan"
        self.programs: list[Any] = []
        self.bytes = 0

    def run(self, times: Sequence[Any] | None = None) -> list[list[Any]]:
        """The outputs of each part, computed; ``times``: a RunTimes for each."""
        made: list[list[Any]] = []
        for part, (segment, graph) in enumerate(self._stage.parts):
            given = given_to(self._sources[part], made)
            if part == len(self.programs):
                self._make(graph, given, made)
            told = None if times is None else times[part]
            made.append(self.programs[part].run(given, segment.keys, recorded=True, times=told))
            settle(made[-1])
        return made

    def _make(self, graph: Any, given: list[Any], made: list[list[Any]]) -> None:
        program = graph.program(given, training=True, share=self.shared)
        check_length(program, self._bounds)
        self.programs.append(program)
        kept = sum(nbytes(a.shape, a.dtype) for part in made for a in part)
        self.bytes = max(self.bytes, kept + program.plan.planned_bytes)


def check_length(program: Any, bounds: Bounds) -> None:
    takes = program.cost_ns * 1e-9
    if bounds.most_s is not None and takes > bounds.most_s:
        raise MXNetError(
            f"one run is estimated to take {seconds(takes)}: run it from Python, where it can be "
            "interrupted, by report().run_stage"
        )


def settle(arrays: Sequence[Any]) -> None:
    for array in arrays:
        array.wait_to_read()


def timed(ready: Ready, parts: int, bounds: Bounds) -> list[float]:
    """Seconds of each of some runs, which take about ``_WORK_S`` together."""
    took: list[float] = []
    start = time.perf_counter()
    while True:
        bounds.go_on()
        times = [_core.RunTimes() for _ in range(parts)]
        ready.run(times)
        for told in times:
            told.wait()
        took.append(sum(told.seconds() for told in times))
        spent = time.perf_counter() - start
        if len(took) == _RUNS or spent * (1 + 1 / len(took)) > _WORK_S:
            return took
