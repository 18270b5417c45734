"""Where the time of a recorded cell goes."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any, TypeVar

from .. import _core
from ..reasons import Reason

Place = tuple[int | None, Reason]  # a line, and why something is computed there
_clock = time.perf_counter
_Method = TypeVar("_Method", bound=Callable[..., Any])


class Spent:
    """Seconds of one recording, each moment in one sum.

    Attributes:
        compile_s: in the compiler.
        settle_s: at lines that need a value or leave the graph: finding what is pending, running
            it, waiting for it and writing it back; without compiling.
        wait_s: other waits, and handing the rest to the engine at the end of the cell.
        python_s: while recording was put aside, for code left to Python, loops that run compiled,
            or something awaited.
        took_s: from the beginning to the end.
        places: what each place cost, compiling included.
    """

    def __init__(self) -> None:
        self.compile_s = self.settle_s = self.wait_s = self.python_s = 0.0
        self.took_s = 0.0
        self.places: dict[Place, float] = {}
        self.settling = False
        self.at: Place | None = None  # whose cost it is, though it is not a break of its own
        self._last: Place | None = None  # what is waited for from now on
        self._waited = 0  # ns, seen so far
        self._recorded_s = 0.0
        self._since = 0.0  # recording goes on, or was put aside
        self._began = 0.0

    @property
    def record_s(self) -> float:
        """The rest of the time in which recording went on: making nodes and binding names, and the
        cell's own Python, which can't be told from that."""
        others = self.compile_s + self.settle_s + self.wait_s
        return max(0.0, self._recorded_s - others)

    def go_on(self) -> None:
        """Recording begins, or goes on."""
        now = _clock()
        if self._since:
            self.python_s += now - self._since
        else:
            self._began = now
        self._since = now
        self._waited = _core.waited_ns()

    def put_aside(self) -> None:
        """It stops for a while, or for good."""
        self._note_waits()
        self._last = None
        now = _clock()
        self._recorded_s += now - self._since
        self._since = now

    def ended(self, start: float) -> None:
        """The end of the cell took since then."""
        self._note_waits()
        now = _clock()
        self._recorded_s += now - start
        self.took_s = now - self._began

    def rename(self, old: Place, new: Place) -> None:
        """What was known as the first place is the second one."""
        self.places[new] = self.places.get(new, 0.0) + self.places.pop(old, 0.0)
        self._last = new if self._last == old else self._last

    def begin_settling(self) -> float:
        """The time."""
        self._note_waits()
        self.settling, self.at = True, None
        return _clock()

    def end_settling(self, start: float, compiled: float, place: Place | None) -> None:
        """``compiled``: :attr:`compile_s` at the start."""
        self.settling, self._last, self._waited = False, place, _core.waited_ns()
        seconds = _clock() - start
        self.settle_s += seconds - (self.compile_s - compiled)
        if place is not None:
            self.places[place] = self.places.get(place, 0.0) + seconds

    def _note_waits(self) -> None:
        """Waits since something was settled are for that: who reads it waits by himself."""
        waited = _core.waited_ns()
        seconds, self._waited = (waited - self._waited) * 1e-9, waited
        if self._last is None:
            self.wait_s += seconds
        elif seconds:
            self.settle_s += seconds
            self.places[self._last] += seconds


def settles(method: _Method) -> _Method:
    """A method of a recorder that makes the cell stand still: its time is the place's."""

    @functools.wraps(method)
    def timed(self: Any, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        spent = self.spent
        if spent.settling:
            return method(self, *args, **kwargs)
        start = spent.begin_settling()
        breaks, cuts, compiled = len(self.breaks), len(self.cuts), spent.compile_s
        try:
            return method(self, *args, **kwargs)
        finally:
            place = self.breaks[breaks] if len(self.breaks) > breaks else spent.at
            if place is None and len(self.cuts) > cuts:
                place = self.cuts[cuts]
            spent.end_settling(start, compiled, place)

    return timed  # type: ignore[return-value]
