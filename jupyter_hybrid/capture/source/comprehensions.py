"""List comprehensions, and generator expressions that a builtin function consumes at once, in cells
that are not recorded: their units, then the rest as written.

    [E for t in s if C]  ->   R.joined(R.listed(7, s), [E for t in R.others() if C])
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..units import check, rest_of
from ..units.signals import tell
from ..watchers import watching_lately
from . import compiled
from .compiled import RanAlone
from .loops import Place, may_try, place_of, weigh
from .loops_ran import note_ran, of_loop

#: They go through all of what they are given, at once.
CONSUMERS = (sum, min, max, list, tuple, set, sorted, frozenset)
_WHOLE = (list, tuple, sorted)  # of these, who takes all before an error may come
LIST = "<list>"  # what a comprehension gives, among the names of its loop
_SIZED = frozenset({range, np.ndarray, list, tuple, str, bytes})
_SMALL, _RUNS = 32, 16  # elements of each of so many runs: nobody asks any more


@dataclass
class Listed:
    """One run of a comprehension, and what its unit gave."""

    place: Place
    number: int
    made: list[Any] = field(default_factory=list)
    begun: float = field(default_factory=time.perf_counter)
    count: int = 0  # of elements to go through
    steps: int = 0  # that its unit took
    is_cold: bool = False  # it is not compiled yet
    is_tried: bool = False
    foretold: list[Any] | None = None  # to be checked

    def ended(self) -> None:
        place, took_s = self.place, time.perf_counter() - self.begun
        if self.is_tried:
            weigh(self.number, place, self.steps, took_s)
            return
        place.ran_runs += 1
        if self.is_cold:
            place.ran_s += took_s
            place.ran_steps += self.count
        if place.ran_runs >= _RUNS and place.ran_steps < _SMALL * place.ran_runs:
            may_try[self.number] = False


class Comprehensions:
    """Mixed into the runtime."""

    ran_alone: RanAlone | None
    hot_share: float

    def __init__(self) -> None:
        self._others: Any = ()

    def listed(self, number: int, values: Any, consumer: Any = list) -> Listed:
        """Begins a comprehension through ``values``, by its unit if there is one."""
        place = place_of(number)
        found, unit, alone = Listed(place, number), place.unit, self.ran_alone
        self._others = values
        if unit is None or unit.refused:
            may_try[number] = False
        elif alone is not None and _is_sized(values) and any(consumer is c for c in CONSUMERS):
            try:
                found.count = len(values)
            except OverflowError:  # a range of more steps than anybody takes
                return found
            found.is_cold = place.ran_s < compiled.HOT_S * self.hot_share
            found.is_tried = (
                not found.is_cold and place.pace.goes_by_unit() and not watching_lately()
            )
            alone.take_turns = alone.take_turns or not found.is_tried
            alone.are_cold = alone.are_cold or found.is_cold
            alone.warm_up = alone.warm_up or found.is_cold
            if found.is_tried:
                whole = consumer in _WHOLE
                self._by_unit(found, values, sys._getframe(1), alone, whole)
        return found

    def _by_unit(
        self, found: Listed, values: Any, frame: Any, alone: RanAlone, whole: bool
    ) -> None:
        """``whole``: all of it is taken before anybody looks at an element."""
        place: Any = found.place
        ready = place.unit.ready(frame, values, 0, {LIST: found.made})
        if ready is not None and not whole and not ready.made.gives_at_will:
            return
        if ready is None:
            of_loop(alone.loops, place).refused = place.unit.unfit
            return
        if check.ALWAYS:
            given = ready.values
            copies = check.copies(given)
            with check.undrawn(ready.made, given):
                ready._replace(values=copies).run()
            found.foretold = next(c for c, g in zip(copies, given, strict=True) if g is found.made)
            return
        over = False
        while ready is not None and not over:
            start = time.perf_counter()
            outcome = ready.run()
            outcome.set_attributes()
            found.steps += outcome.steps
            note_ran(alone.loops, place, ready.made, outcome, time.perf_counter() - start)
            heard, over = bool(outcome.heard), outcome.over
            tell(outcome.heard, frame)
            if outcome.error is not None:
                raise outcome.error
            if not heard:
                break
            ready = place.unit.ready(frame, values, found.steps, {LIST: found.made})
        self._others = () if over else rest_of(values, found.steps)

    def others(self) -> Any:
        """What is left to go through as written."""
        values, self._others = self._others, ()
        return values

    @staticmethod
    def joined(first: Listed, rest: list[Any]) -> list[Any]:
        """The whole list."""
        first.ended()
        if first.foretold is not None:
            check.compare_lists(first.foretold, rest, first.place.lines)
        if not first.made:
            return rest
        first.made.extend(rest)
        return first.made

    @staticmethod
    def passed_on(first: Listed, rest: Iterator[Any]) -> Iterator[Any]:
        """What a builtin function goes through."""
        if first.is_cold:
            return _timed(first, rest)
        first.ended()
        return itertools.chain(first.made, rest) if first.made else rest


def _is_sized(values: Any) -> bool:
    return type(values) in _SIZED and (type(values) is not np.ndarray or values.ndim > 0)


def _timed(first: Listed, rest: Iterator[Any]) -> Iterator[Any]:
    yield from rest
    first.ended()
