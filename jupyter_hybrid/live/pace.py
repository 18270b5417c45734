"""How fast the picture of the modelled clock moves: 1 s of it takes ``slower`` real seconds."""

from __future__ import annotations

import math
from collections import deque

__all__ = ["Pace", "rung"]

_FIRST_S = 0.3  # of work before the first choice
_KEEP_S = 1.0  # a choice holds at least so long
_LOOK_BACK_S = 5.0
_LOOK_AHEAD_S = 3.0  # what was left behind is caught up within this time
_MOST_AHEAD_S = 0.3  # so far, in real seconds, the picture goes beyond what is computed
_MOST_CHANGE = 10.0
_SLOWEST, _FASTEST = 1e6, 1e-3


def rung(ratio: float) -> float:
    """The first of ..., 0.5, 1, 2, 5, 10, 20, 50, ... that is not below it."""
    ratio = min(max(ratio, _FASTEST), _SLOWEST)
    power = 10.0 ** math.floor(math.log10(ratio))
    step = next(step for step in (1, 2, 5, 10) if step * power >= ratio * (1 - 1e-9))
    return float(f"{step * power:.3g}")


class Pace:
    """Chooses the factor by how fast the CPU computes what is modelled.

    Attributes:
        shown_s: modelled time up to which the picture goes.
        slower: the factor; None: nothing is computed yet, and the picture stands.
    """

    def __init__(self) -> None:
        self.shown_s = 0.0
        self.slower: float | None = None
        self._real: float | None = None  # of the last step
        self._known = 0.0
        self._worked = 0.0  # real seconds in which there was something to show
        self._chosen: float | None = None  # when, of these; None: not yet for this work
        self._was_late = False  # in this work
        self._steps: deque[tuple[float, float]] = deque()  # these, and up to where all was computed

    def step(self, real_s: float, known_s: float, computed_s: float, over: bool) -> None:
        """Moves on.

        Args:
            real_s: of any clock that goes evenly.
            known_s: modelled time that is known so far.
            computed_s: modelled time up to which everything is really computed.
            over: nothing runs any more: all that is known is shown.
        """
        spent = 0.0 if self._real is None else max(real_s - self._real, 0.0)
        self._real = real_s
        computes = known_s != self._known or computed_s < known_s
        self._known = known_s
        if over:
            self.shown_s = max(self.shown_s, known_s)
            self._worked, self._chosen, self._was_late = 0.0, None, False
            self._steps.clear()
            return
        if computes:
            self._worked += spent
            if computed_s < known_s and not self._was_late:
                # How fast the host was before says nothing of what devices are computed for.
                self._was_late, self._chosen = True, None
                self._steps = deque([(self._worked, computed_s)])
            if not self._steps:  # work begins
                self._steps.append((self._worked, min(self.shown_s, computed_s)))
            self._steps.append((self._worked, computed_s))
            while self._steps[1][0] < self._worked - _LOOK_BACK_S:
                self._steps.popleft()
            self._choose(computed_s)
        if self.slower is None:
            self.shown_s = self.shown_s if computes else max(self.shown_s, computed_s)
            return
        # Where the CPU is far behind the picture stands; with a factor of earlier work at once.
        ahead = 0.0 if self._chosen is None else _MOST_AHEAD_S / self.slower
        until = min(known_s, computed_s + ahead)
        self.shown_s = max(self.shown_s, min(until, self.shown_s + spent / self.slower))

    def _choose(self, computed_s: float) -> None:
        (began, before), now = self._steps[0], self.slower
        rate = (computed_s - before) / (self._worked - began) if self._worked > began else 0.0
        ahead = computed_s - self.shown_s + rate * _LOOK_AHEAD_S
        wanted = _LOOK_AHEAD_S / ahead if ahead > 0 else _SLOWEST
        if now is None or self._chosen is None:
            if rate > 0 and self._worked - began >= _FIRST_S:
                self.slower, self._chosen = rung(wanted), self._worked
            return
        fits = now / 3 <= wanted <= now * 1.05
        if fits or self._worked < self._chosen + _KEEP_S:
            return
        wanted = min(max(wanted, now / _MOST_CHANGE), now * _MOST_CHANGE)
        self.slower, self._chosen = rung(wanted), self._worked
