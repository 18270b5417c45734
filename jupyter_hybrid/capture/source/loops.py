"""The loops and comprehensions of cells, by number, and what is known about each."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any

from ...reasons import NONE, Reason
from ..units import Refusal, Unit

_KEPT = 20_000
_LOST, _HOPELESS = 3, 10  # runs; the first one compiles
_numbers = count()
#: Of each number: may its unit still be tried? Cells that are not recorded look here first.
may_try: list[bool] = []


@dataclass(eq=False)
class Place:
    """A loop or comprehension of a cell, and what is known about it.

    Attributes:
        function: the name of the one that it stands in; "": it stands in none.
    """

    filename: str
    first: int
    last: int
    reads: frozenset[str]  # names
    function: str = ""
    left: Reason = NONE  # to Python: why, with figures
    doubted: Any = None  # the budget of the run that left it, where a later one is to look again
    is_judged: bool = False  # its steps have been found to cost more once
    silent: bool = False  # it has been seen to record nothing
    by_unit: bool = False  # a unit has taken steps of it that were on trial
    paid: int = 0  # times that its recorded steps were measured, and faster
    trusted: int = 0  # so many of its next runs are not measured
    unit: Unit | None = None  # of a loop that may run compiled
    refused: Refusal | None = None  # what can't, by one look at its text
    ran_s: float = 0.0  # as written, in cells that are not recorded, until it is compiled
    ran_steps: int = 0  # in that time, ...
    ran_runs: int = 0  # ... in so many runs
    pace: Pace = field(default_factory=lambda: Pace())  # in such cells

    @cached_property
    def lines(self) -> Reason:
        if self.last > self.first:
            return Reason("lines {first}-{last}", first=self.first, last=self.last)
        return Reason("line {line}", line=self.first)

    def trust(self) -> None:
        """It pays: ever more of its next runs are not measured."""
        self.paid += 1
        self.trusted = 2**self.paid

    def note_left(self, recorder: Any) -> None:
        """Tells the recorder what is left to Python, if it is."""
        if self.left:
            recorder.left[self.first, self.left] = None


@dataclass
class Pace:
    """Do runs of a loop gain by its unit? Once several in a row have not, ever more go as written,
    and at last all."""

    lost: int = 0  # in a row
    skipped: int = 0  # so many of the next ones

    @property
    def is_hopeless(self) -> bool:
        return self.lost == _HOPELESS

    @property
    def is_given_up(self) -> bool:
        """Do some runs go as written?"""
        return self.lost >= _LOST

    def goes_by_unit(self) -> bool:
        """Does the next run?"""
        if self.skipped:
            self.skipped -= 1
            return False
        return True

    def note(self, gained: bool) -> None:
        """One that did has gained, or not."""
        self.lost = 0 if gained else self.lost + 1
        if self.is_given_up:
            self.skipped = 4 << self.lost


def weigh(number: int, place: Place, steps: int, took_s: float) -> None:
    """A run of a loop by its unit, which took so many of its steps: has it gained?"""
    step_s = place.ran_s / max(1, place.ran_steps)
    place.pace.note(steps > 0 and (not step_s or took_s < step_s * steps))
    if place.pace.is_hopeless:
        may_try[number] = False


_places: OrderedDict[int, Place] = OrderedDict()


def register(place: Place) -> int:
    """The number of a loop or comprehension, as written."""
    number = next(_numbers)
    _places[number] = place
    may_try.append(place.unit is not None)
    if len(_places) > _KEPT:
        _places.popitem(last=False)
    return number


def register_call() -> int:
    """The number of a call of a function that may have such loops."""
    may_try.append(True)
    return next(_numbers)


#: A loop that was compiled so long ago that nothing is known about it: it is always recorded.
FORGOTTEN = Place("", 0, 0, frozenset())


def place_of(number: int) -> Place:
    """The loop or comprehension of that number."""
    return _places.get(number, FORGOTTEN)
