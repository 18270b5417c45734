"""Runs of one recording whose kernels may have met floating-point errors, and their warnings."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from .. import _core
from ..base import MXNetError
from ..np_face.float_errors import Warned, look_again
from . import float_warnings
from .compute import Segment

_MOST = 8  # runs whose inputs are kept, while nobody waits for them


class Watched:
    """What a recording has still to warn of.

    Args:
        namespace: of the code that is recorded.
    """

    def __init__(self, namespace: dict[str, Any]):
        self._namespace = namespace
        self._runs: list[tuple[Segment, Any]] = []  # by what was run
        self._warned: list[Warned] = []

    def add(self, segment: Segment, times: Any) -> None:
        """Programs of this segment were run, as ``times`` was told."""
        runs = times.take_watched()
        if not segment.warns:
            return
        if not runs:
            self._look([(segment, None)])
        self._runs += [(segment, run) for run in runs]
        if len(self._runs) > _MOST:
            over = [(made, run) for made, run in self._runs if run.over]
            self._runs = [(made, run) for made, run in self._runs if not run.over]
            self._look(over)

    def let_go(self) -> None:
        """Runs that are over hold their inputs no longer."""
        while self._runs and self._runs[0][1].over:
            self._look([self._runs.pop(0)])

    def look(self) -> None:
        """Everything is over, and what it started from is about to be written."""
        runs, self._runs = self._runs, []
        self._look(runs)

    def _look(self, runs: list[tuple[Segment, Any]]) -> None:
        for segment, run in runs:
            self._warned += float_warnings.of_run(segment, run, self._namespace)

    def warn(self) -> None:
        """Everything is over: its warnings are given, before others may change the settings."""
        if self._runs:
            self.look()
        if self._warned:
            warned, self._warned = self._warned, []
            float_warnings.issue(warned)
        look_again()

    def finish(self) -> None:
        """Waits for what was run: :meth:`warn` of all of it."""
        if self._runs:
            with suppress(MXNetError):  # it stays in its array
                _core.wait_all()
        self.warn()
