"""The loops and comprehensions of cells, by number, and what is known about each."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from ..units import Unit

_KEPT = 20_000
_SHORT_S = 2e-4  # runs of a loop that may be too short for its unit
_RUNS = 5  # of these, each way
_numbers = count()


@dataclass
class Place:
    """A loop or comprehension of a cell, and what is known about it."""

    filename: str
    first: int
    last: int
    reads: frozenset[str]  # names
    left: str = ""  # to Python: why, with figures
    silent: bool = False  # it has been seen to record nothing
    paid: int = 0  # times that a comprehension's recorded steps were measured, and no slower
    trusted: int = 0  # so many of its next runs are not measured
    unit: Unit | None = None  # of a loop that may run compiled
    ran_s: float = 0.0  # as written, in cells that are not recorded, until it is compiled
    ran_steps: int = 0  # in that time
    pace: Pace = field(default_factory=lambda: Pace())

    @property
    def lines(self) -> str:
        return f"lines {self.first}-{self.last}" if self.last > self.first else f"line {self.first}"

    def note_left(self, recorder: Any) -> None:
        """Tells the recorder what is left to Python, if it is."""
        if self.left:
            recorder.left[self.first, self.left] = None


@dataclass
class Pace:
    """What short runs of a loop took by its unit and as written, which take turns at first.

    Attributes:
        by_unit: goes the next one by the unit?
    """

    by_unit: bool = True
    took: dict[bool, list[float]] = field(default_factory=lambda: {True: [], False: []})

    def note(self, by_unit: bool, took_s: float) -> None:
        """A run has taken so many seconds."""
        unit, written = self.took[True], self.took[False]
        if took_s > _SHORT_S or len(written) == _RUNS:
            return
        self.took[by_unit].append(took_s)
        self.by_unit = len(unit) <= len(written) + 1  # the first one compiles
        if len(written) == _RUNS:
            self.by_unit = sorted(unit)[_RUNS // 2] <= sorted(written)[_RUNS // 2]


_places: OrderedDict[int, Place] = OrderedDict()


def register(filename: str, node: Any, reads: frozenset[str], unit: Unit | None = None) -> int:
    """The number of a loop or comprehension, as written."""
    number = next(_numbers)
    last = node.end_lineno or node.lineno
    _places[number] = Place(filename, node.lineno, last, reads, unit=unit)
    if len(_places) > _KEPT:
        _places.popitem(last=False)
    return number


#: A loop that was compiled so long ago that nothing is known about it: it is always recorded.
FORGOTTEN = Place("", 0, 0, frozenset())


def place_of(number: int) -> Place:
    """The loop or comprehension of that number."""
    return _places.get(number, FORGOTTEN)
