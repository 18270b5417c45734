"""The part of a loop's run that its unit takes, and how others go on where the unit leaves.

With ``--check`` the unit only foretells: its steps are taken as written, then compared.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import repeat
from typing import Any

import numpy as np

from ..units import Made, Outcome, Over, Refusal, check, rest_of
from ..units.check import Prediction
from ..watchers import is_traced, watching_lately
from .loops import Place, may_try, place_of, weigh
from .loops_ran import LoopsRan, note_ran, of_loop
from .nodes import Rewriting

HOT_S = 1e-3  # as long loops run as written before they are compiled
_SHORT, _ALL = 8, 1 << 62  # after so many runs in one of the loop's; steps as written
_RUNS, _SHORT_S = 64, 5e-6  # after so many runs one that takes less is left as it is
_PUT_OFF = 4  # times in one run of a loop
# What a unit may go through, of which no step runs code of the user's, and a `while`'s steps.
_BY_INDEX = frozenset({range, np.ndarray, list, tuple, str, bytes, repeat})


class Compiled:
    """Mixed into the phases of a loop."""

    hooks: Any
    place: Place
    recorder: Any
    values: Any
    top: int
    how: str
    over: bool
    steps_done: int
    pause: Callable[[], None]
    _iterator: Any
    _next: Callable[[], Any]

    def __init__(self, frame: Any):
        self._frame = frame  # of the loop, until it begins
        self.again = False  # after some steps as written, its unit is tried again
        self._stepping = False  # through those steps of a `while`
        self._steps: Any = ()  # those as written
        self._compiled = 0  # steps that its unit took, ...
        self._runs, self._runs_s = 0, 0.0  # ... in so many runs, and seconds without the first one
        self._foretold: tuple[Prediction, Any] | None = None  # to be checked, for a frame
        self._refused: Refusal | None = None  # why it has no unit
        self._put_off = 0  # its unit, so often, for a step as written

    @property
    def is_measured(self) -> bool:
        """Are steps as written timed?"""
        return False

    def _fits(self, values: Any) -> bool:
        """Is the loop compiled for what its names hold?"""
        unit = self.place.unit
        if unit is None or unit.refused or self._frame is None:
            return False
        return unit.fits(self._frame, values if self.top == 1 else None)

    def run_unit(self, frame: Any) -> Outcome | None:
        """Steps that run compiled, before others do as written."""
        unit = self.place.unit
        if unit is None or self.over or self._forced or self._watched():
            return None
        if self.again:  # the steps of a `while` between two runs come one by one
            return None
        if unit.refused:
            self._refused = unit.refused
            return None
        through, recorded = self.values if self.top == 1 else None, self.recorder is not None
        begun = time.perf_counter()
        ready = unit.ready(frame, through, self.steps_done, recorded=recorded)
        if ready is None or (self.is_measured and ready.made.whole):
            self._refused = unit.unfit if ready is None else None
            return None
        if ready.may_finalize:
            return self._a_step_as_written()
        if check.ALWAYS or (recorded and self.recorder.options.check):
            self._check(check.Prediction(ready, self.place.lines), frame)
            return None
        start = time.perf_counter()
        outcome = ready.run()
        outcome.set_attributes()
        self.steps_done += outcome.steps
        self._compiled += outcome.steps
        self._note_unit(ready.made, outcome, time.perf_counter() - start)
        if self._runs:  # the first one compiles
            self._runs_s += time.perf_counter() - begun
        self._runs += 1
        if outcome.again and self._is_in_vain():
            outcome.again = _ALL
        if outcome.over:
            self.over = not outcome.broke and self.top == 1
            self.hooks.steps = ()
        elif outcome.error is None:
            self._go_on_as_written(outcome.again)
        return outcome

    def _go_on_as_written(self, again: int) -> None:
        """``again``: steps after which the unit is tried again; 0: all that are left."""
        self._iterator = rest_of(self.values, self.steps_done) if self.top == 1 else self.values
        self.again = again > 0
        self._steps = self._some(again) if self.again else self._iterator
        self.hooks.steps = self._steps

    def _a_step_as_written(self) -> Outcome | None:
        """What it sets a name over goes in time. None: no such step has done that."""
        self._put_off += 1
        if self._put_off > _PUT_OFF:
            return None
        self._go_on_as_written(1)
        return Outcome(0, broke=False, over=False, again=1)

    def _is_in_vain(self) -> bool:
        """Have many short runs of its unit taken longer than their steps as written?"""
        place = self.place
        step_s = place.ran_s / place.ran_steps if place.ran_steps else 0.0
        return bool(step_s) and self._runs > _SHORT and self._runs_s > step_s * self._compiled

    def _watched(self) -> bool:
        """Does somebody look on? No thread does while a recording goes on: it has made sure."""
        recording = self.recorder.recording if self.recorder is not None else None
        if recording is not None and not recording.as_written:
            return is_traced()  # a line of the cell may have begun that
        return bool(watching_lately())

    def _check(self, prediction: Prediction, frame: Any) -> None:
        """The steps that a unit has foretold are taken as written, and compared."""
        outcome = prediction.outcome
        self._compiled += outcome.steps
        self._note_unit(prediction.made, outcome, 0.0)
        self._foretold = prediction, frame
        if self.top == 1:
            self._iterator = rest_of(self.values, self.steps_done)
        self.again = self.top == 2 or not outcome.over
        steps = outcome.steps + outcome.again
        self._steps = self._checked(outcome.steps, 1 << 62 if outcome.over else steps)
        self.hooks.steps = self._steps

    def _checked(self, foretold: int, steps: int) -> Iterator[Any]:
        """Steps, after so many of which what was foretold has happened."""
        for number in range(steps):
            if number == foretold:
                self._compare_foretold()
            try:
                value = self._next()
            except StopIteration:
                self.over, self.again = True, False
                break
            yield value
        self._compare_foretold()

    def _compare_foretold(self) -> None:
        foretold, self._foretold = self._foretold, None
        if foretold is not None:
            prediction, frame = foretold
            prediction.compare(frame)

    def _phase_ended(self) -> None:
        """What was foretold of it has happened."""
        if self._foretold is not None and (self.top == 1 or self._stepping):
            if isinstance(sys.exc_info()[1], KeyboardInterrupt):
                self._foretold = None
            self._compare_foretold()

    @property
    def _forced(self) -> bool:
        recorder = self.recorder
        return recorder is not None and bool(recorder.options.force or recorder.whole_until)

    def _some(self, steps: int) -> Iterator[Any]:
        """So many steps, after which the unit is tried again."""
        for _ in range(steps):
            try:
                yield self._next()
            except StopIteration:
                self.over, self.again = True, False
                return

    def _go_on(self) -> int:
        """The next phase of a loop whose unit has left: its number."""
        self.hooks.active.append(self)
        if self.how:
            self.pause()
        if self.top == 2 and not self._stepping:
            self._stepping = True
            self.hooks.steps = self._steps
            return 1
        self.again = self._stepping = False
        self.hooks.steps = self._iterator
        return 0

    @property
    def _told(self) -> LoopsRan | None:
        """Where the report finds what is said of loops; None: nobody asks."""
        if self.recorder is not None:
            told: LoopsRan = self.recorder.loops
            return told
        alone: RanAlone | None = self.hooks.ran_alone
        return None if alone is None else alone.loops

    def _note_unit(self, made: Made, outcome: Outcome, took_s: float) -> None:
        told = self._told
        if told is not None:
            note_ran(told, self.place, made, outcome, took_s)

    def _note_refused(self, why: Refusal | None, took_s: float) -> None:
        """It ran as written, or some of it, since it has no unit."""
        told = self._told
        if why is not None and told is not None:
            ran = of_loop(told, self.place)
            ran.refused = why
            ran.python_s += took_s


def goes_by_index(function: Any, args: tuple[Any, ...]) -> bool:
    """May a unit go through ``enumerate(*args)`` or ``zip(*args)``?"""
    known = function is zip or (function is enumerate and len(args) == 1)
    return known and 0 < len(args) < 10 and _BY_INDEX.issuperset(map(type, args))


@dataclass
class RanAlone:
    """Of a run of a cell with its units and nothing recorded.

    Attributes:
        loops: what is said of those that were tried.
        take_turns: did others run as written, which may be compiled in another run?
        are_cold: some of these will be: a comprehension is not compiled in its first long run.
        warm_up: did loops or comprehensions run as written for not having run for long enough?
        compile_s: what rewriting and compiling took of the run, which later ones don't pay.
        functions: the numbers of the loops of functions that were called.
    """

    loops: LoopsRan = field(default_factory=dict)
    take_turns: bool = False
    are_cold: bool = False
    warm_up: bool = False
    compile_s: float = 0.0
    functions: list[range] = field(default_factory=list)


class Tried(Compiled):
    """One run of a loop in a cell that is not recorded: its unit, then other steps as written.

    A loop is compiled once its steps have taken a while.
    """

    recorder = None
    how = ""

    def __init__(self, hooks: Any, number: int, values: Any, top: int, frame: Any):
        super().__init__(frame)
        self.hooks, self.place, self.values, self.top = hooks, place_of(number), values, top
        self._number = number
        self.over = self._begun = False
        self.steps_done = 0
        self._start = self._then = self._now()
        self._as_written = not self.place.pace.goes_by_unit()
        self._hot_s = HOT_S * hooks.hot_share
        self._is_cold = self.place.ran_s < self._hot_s
        self._may_wait = top == 1
        unit, alone = self.place.unit, hooks.ran_alone
        may_run = unit is not None and not unit.refused
        if may_run and alone is not None and (self._as_written or self._is_cold):
            alone.take_turns = True
            alone.warm_up = alone.warm_up or not self._as_written

    def __iter__(self) -> Tried:
        return self

    def __next__(self) -> int:
        if self._begun:
            if self.over or not self.again:
                raise StopIteration
            self._is_cold = False
            return self._go_on()
        self._begun = True
        self.hooks.active.append(self)
        several = type(self.values) is Over
        through = rest_of(self.values, 0) if several else self.values
        if self._as_written or not self._is_cold or not (several or type(through) in _BY_INDEX):
            self._iterator = self.hooks.steps = through
            return 0
        self._iterator = iter(through)
        self._steps = self.hooks.steps = self._until_hot()
        self._stepping = self.top == 2
        return self.top - 1

    def _until_hot(self) -> Iterator[Any]:
        """Steps as written."""
        while self.place.ran_s < self._hot_s:
            try:
                yield self._next()
            except StopIteration:
                self.over = True
                return
            self._count()
        self.again = True

    @staticmethod
    def _now() -> float:
        """The time, but for rewriting: what is made is there for later steps."""
        return time.perf_counter() - Rewriting.seconds

    def _count(self) -> None:
        """A step as written has been taken."""
        now = self._now()
        self.place.ran_s += now - self._then
        self.place.ran_steps += 1
        self._then = now

    def _note_cold(self) -> None:
        """A run has ended before the loop was compiled. Short ones cost more to look at."""
        place = self.place
        place.ran_runs += 1
        if place.ran_runs % _RUNS == 0 and place.ran_s < _SHORT_S * place.ran_runs:
            may_try[self._number] = False

    def run_unit(self, frame: Any) -> Outcome | None:
        if self._is_cold or self._as_written:
            return None
        outcome = super().run_unit(frame)
        is_as_written = outcome is None and self._foretold is None
        unit = self.place.unit
        if is_as_written and self._may_wait and unit is not None and not unit.refused:
            # Its first step may make what the others need: attributes that a method sets.
            self._iterator = iter(self._iterator)
            self.again = True
            self._steps = self.hooks.steps = self._some(1)
        self._may_wait = False
        return outcome

    def _next(self) -> Any:
        value = next(self._iterator)
        self.steps_done += 1
        return value

    def ended(self, outer: Any) -> None:
        """A phase has ended, whatever way."""
        self._phase_ended()
        if self._is_cold and not self.over and not self.again:
            self._count()  # the one that ended the loop early, or all of those that no unit takes
            unit, through = self.place.unit, self.values
            if unit is not None and type(through) is not Over and type(through) not in _BY_INDEX:
                self._note_refused(unit.goes_through(through), 0.0)
        if self._is_cold:
            self._note_cold()
        if self._is_cold or self._as_written or (self.again and not self.over):
            return
        took_s = self._now() - self._start
        self._note_refused(self._refused, took_s)
        weigh(self._number, self.place, self._compiled, took_s)
