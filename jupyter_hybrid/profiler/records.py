"""What the profiler keeps: the engine's own spans, and what a program marks itself.

Times are milliseconds of the engine's clock. Operators are read from the engine's trace, which
keeps the newest ones: what it overwrote before it was read is counted as lost.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from ..whole_files import write_whole
from . import chrome, settings

_WAIT = _core.SPAN_FLAGS["wait"]
_RUNNING = _core.SPAN_FLAGS["running"]


class Span(NamedTuple):
    """One or more runs of one operator, a wait, or what a program measured itself."""

    category: str
    name: str
    start: float
    busy: float  # all runs together
    extent: float  # from its start to its end
    lane: int
    runs: int = 1


class Point(NamedTuple):
    """A counter's new value, memory in use, or a marker (value None, ``scope`` how far it goes)."""

    category: str
    name: str
    at: float
    value: float | None
    scope: str = ""


class Records:
    """Everything recorded since the profiler ran first or was dumped."""

    def __init__(self) -> None:
        self.settings = settings.Settings()
        self.spans: list[Span] = []
        self.points: list[Point] = []
        self.lanes: dict[int, str] = {}
        self.lost = 0
        self._lock = threading.RLock()
        self._wanted = self._paused = False
        self._times: list[list[float]] = []  # begin and end of every stretch that is recorded
        self._reader: Any = None
        self._names: dict[int, str] = {}
        self._offset = 0.0
        self._counted = [0, 0]  # spans and points that reset statistics begin at
        self._dumped_at = 0.0

    @property
    def active(self) -> bool:
        return self._wanted and not self._paused

    def now(self) -> float:
        """The engine's clock."""
        return time.perf_counter() * 1e3 + self._offset

    def set_state(self, wanted: bool) -> None:
        """Runs or stops; what runs already when it stops is still recorded."""
        self._change(wanted, self._paused)

    def set_paused(self, paused: bool) -> None:
        """Recording goes on where it ``ran`` when it is no longer paused."""
        self._change(self._wanted, paused)

    def _change(self, wanted: bool, paused: bool) -> None:
        with self._lock:
            self.collect()
            before = self.active
            self._wanted, self._paused = wanted, paused
            if self.active and not before:
                self._dumped_at = self.now()
                self._times.append([self.now(), float("inf")])
            elif before and not self.active:
                self._times[-1][1] = self.now()

    def collect(self) -> None:
        """Takes what is new from the engine's trace."""
        with self._lock:
            first = self._reader is None
            if first:
                self._reader = _core.TraceReader()
            frame = self._reader.read_frame(1 << 30)
            self._offset = frame["offset_ms"]
            self._names.update(frame["names"])
            for lane in frame["lanes"]:
                kind = " (virtual)" if lane["virtual"] else ""
                self.lanes[lane["id"]] = lane["name"] + kind
            if first:
                return
            lost = [gap for gap in frame["gaps"] if self._inside(gap["end_ms"])]
            self.lost += sum(gap["count"] for gap in lost)
            spans = np.frombuffer(frame["spans"], _core.SPAN_DTYPE)
            for span in spans[spans["flags"] & _RUNNING == 0]:
                self._take(span)
            if self.active and self._keeps("profile_memory"):
                for pool in frame["pools"]:
                    name = f"Memory: {pool['device'].replace('(', '/').rstrip(')')}"
                    self.points.append(Point("Device Storage", name, self.now(), pool["used"]))

    def _take(self, span: Any) -> None:
        start = float(span["start_ms"])
        waits = bool(span["flags"] & _WAIT)
        kind = "profile_symbolic" if span["node"] else "profile_imperative"
        if not self._inside(start) or not (waits or self._keeps(kind)):
            return
        name = self._names.get(int(span["name"]), str(span["name"]))
        busy, extent = float(span["busy_ms"]), float(span["extent_ms"])
        where = ("wait" if waits else "operator", name, start, busy, extent)
        self.spans.append(Span(*where, int(span["lane"]), int(span["count"])))

    def _keeps(self, kind: str) -> bool:
        return self.settings.profile_all or bool(getattr(self.settings, kind))

    def _inside(self, at: float) -> bool:
        return any(begin <= at <= end for begin, end in self._times)

    def add_span(self, category: str, name: str, start: float) -> None:
        """A stretch of the program's own that ends now."""
        with self._lock:
            length = self.now() - start
            thread = threading.get_ident() & 0xFFFFFFFF
            self.spans.append(Span(category, name, start, length, length, thread))
            self._dump_by_period()

    def add_point(
        self, category: str, name: str, value: float | None = None, scope: str = ""
    ) -> None:
        """A counter's value or a marker, now."""
        with self._lock:
            self.points.append(Point(category, name, self.now(), value, scope))
            self._dump_by_period()

    def _dump_by_period(self) -> None:
        period = self.settings.dump_period * 1e3
        if self.settings.continuous_dump and self.now() - self._dumped_at >= period:
            self.dump(False)

    def dump(self, finished: bool) -> None:
        """Writes the trace to ``filename``; ``finished`` ends recording and forgets it."""
        with self._lock:
            self.collect()
            if finished:
                self.set_state(False)
            text = chrome.trace(self.spans, self.points, self.lanes, self.lost)
            write_whole(self.settings.filename, text)
            self._dumped_at = self.now()
            if finished:
                self.spans, self.points, self._times, self.lost = [], [], [], 0
                self._counted = [0, 0]

    def counted(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Since the statistics were reset: category -> name -> spans, or values of points."""
        spans: dict[str, Any] = defaultdict(lambda: defaultdict(list))
        points: dict[str, Any] = defaultdict(lambda: defaultdict(list))
        with self._lock:
            self.collect()
            for span in self.spans[self._counted[0] :]:
                spans[span.category][span.name].append(span)
            for point in self.points[self._counted[1] :]:
                if point.value is not None:
                    points[point.category][point.name].append(point.value)
        return spans, points

    def reset_statistics(self) -> None:
        """Statistics begin anew; the trace keeps everything."""
        with self._lock:
            self._counted = [len(self.spans), len(self.points)]


#: This process's.
records = Records()
