"""What rewritten code asks before it runs code as written: loops, comprehensions, functions."""

from __future__ import annotations

import functools
import itertools
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ... import _core
from ...np_face.frames import above
from ...reasons import Reason, Told
from .. import homes, numbers, trace_state, twins
from ..units import Outcome, Over
from ..units.signals import tell
from .awaited import Awaited, Managed
from .compiled import RanAlone, Tried, goes_by_index
from .comprehensions import Comprehensions
from .loops import FORGOTTEN, may_try, place_of
from .nodes import Rewriting
from .patience import Phases
from .quiet import Search

_guards = _core.guards
_NO_TWIN: tuple[Any, ...] = (None,) * 5
_IN_VAIN = 16  # calls at one place, after which nobody asks there again
# So many calls at one place, in which fewer loops than that have begun, cost more than these gain.
_CALLS, _LEAST_LOOPS = 256, 16


class PlainCopies(Comprehensions):
    """Mixed into the runtime."""

    recorder: Any

    def __init__(self) -> None:
        super().__init__()
        self.active: list[Phases] = []  # the loops that run, outermost first
        self.phase = 0  # which copy of a loop runs now, ...
        self.steps: Any = ()  # ... and what it goes through
        self._plain: tuple[Any, Any] | None = None  # a generator expression as written, and how
        self._unfinished: Phases | None = None  # a comprehension whose first part has ended
        self.rests: Phases | None = None  # one whose other part has begun
        self._locals: dict[str, Any] = {}
        self._outcome: Outcome | None = None  # of a unit
        self.ran_alone: RanAlone | None = None  # of a cell that runs with units alone
        self.hot_share = 1.0  # of the time after which its loops are compiled
        self._in_vain: dict[int, int] = {}  # calls of functions that nothing is tried in
        self._calls: dict[int, tuple[int, int]] = {}  # others, and loops begun before them
        self._begun = 0  # loops of cells that run so
        self._with_units: dict[Any, Any] = {}  # functions, what they were made of, their twins

    # Recording put aside --------------------------------------------------------------------------
    def record(self, recorder: Any) -> None:
        """From here on this recorder records; None: nothing does."""
        if self.recorder is not None:
            self.recorder.spent.put_aside()
        self.recorder = recorder
        trace_state.now_records(recorder)
        if recorder is None:
            _guards.end()
        else:
            recorder.spent.go_on()
            _guards.begin(recorder.contact, recorder)

    def put_aside(self, quiet: bool, reason: Reason) -> None:
        """Code runs as written from here on. ``quiet`` code touches no array: what is pending
        stays so."""
        if quiet:
            self.plain_names()
            self.record(None)
        else:
            self.step_outside(reason)

    def take_up(self, recorder: Any, quiet: bool) -> None:
        """Goes on with what was put aside, if that has not ended."""
        if recorder.recording is None:
            return
        if not quiet:
            recorder.recording.resume()
        elif not recorder.recording.as_written:
            self.record(recorder)

    def as_written(self, quiet: bool, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """A call of a function that runs so."""
        __tracebackhide__ = True
        recorder = self.recorder
        self.put_aside(quiet, _left(function))
        try:
            args = tuple(map(self.opened, args))
            return function(*args, **{k: self.opened(v) for k, v in kwargs.items()})
        finally:
            self.take_up(recorder, quiet)

    def plain_names(self) -> None:
        """The cell's own names hold plain numbers in the place of recorded ones."""
        namespace = self.recorder.namespace
        for name in self.recorder.cell.names:
            if numbers.is_recorded(namespace.get(name)):
                namespace[name] = numbers.plain(namespace[name])

    def step_outside(self, reason: Reason) -> None:
        """For code that runs as written: everything is computed, stand-ins have their arrays."""
        recorder = self.recorder
        if recorder is None:  # it is outside already
            return
        recorder.flush_if_active(reason)
        recorder.open_stand_ins()
        recorder.let_go()
        recorder.recording.pause(reason)

    def quiet(self, names: frozenset[str], *values: Any) -> bool:
        """Do these names, as the frame that asks has them, and these values touch no array?"""
        frames = above(sys._getframe(1))
        frame = next(f for f in frames if f.f_globals.get("__package__") != __package__)
        search = Search()
        return all(map(search.value, values)) and search.names(
            names, frame.f_locals, frame.f_globals
        )

    # Loops ----------------------------------------------------------------------------------------
    def phases(self, number: int, values: Any) -> Phases:
        """The phases of a ``for``."""
        return Phases(self, number, values, 1, sys._getframe(1))

    def turns(self, number: int) -> Phases:
        """The phases of a ``while``."""
        return Phases(self, number, itertools.repeat(()), 2, sys._getframe(1))

    def tries(self, number: int, values: Any) -> Tried:
        """Those of a ``for`` in a cell that runs with units alone."""
        self._begun += 1
        return Tried(self, number, values, 1, sys._getframe(1))

    def tries_over(self, number: int, function: Any, *args: Any) -> Tried:
        """Those of a ``for`` there that goes through ``function(*args)``."""
        values = function(*args)
        if goes_by_index(function, args):
            values = Over(function, args)
        self._begun += 1
        return Tried(self, number, values, 1, sys._getframe(1))

    def tries_while(self, number: int) -> Tried:
        """Those of a ``while`` there."""
        self._begun += 1
        return Tried(self, number, itertools.repeat(()), 2, sys._getframe(1))

    def twin(self, number: int, function: Any) -> Any:
        """What such a cell calls in the function's place; ``number``: of the call in the text."""
        if self.ran_alone is None:
            return function
        is_method = type(function) is types.MethodType
        plain = function.__func__ if is_method else function
        if type(plain) is types.FunctionType:
            code, defaults, named, twin, numbers = self._with_units.get(plain, _NO_TWIN)
            now = plain.__code__, plain.__defaults__, plain.__kwdefaults__
            if code is not now[0] or defaults is not now[1] or named is not now[2]:
                twin, numbers = twins.with_units(plain)
                self._with_units[plain] = *now, twin, numbers
                self.ran_alone.functions.append(numbers)
            if any(map(may_try.__getitem__, numbers)):
                self._count_call(number)
                return types.MethodType(twin, function.__self__) if is_method else twin
        in_vain = self._in_vain[number] = self._in_vain.get(number, 0) + 1
        if in_vain == _IN_VAIN:
            may_try[number] = False
        return function

    def _count_call(self, number: int) -> None:
        """Functions that call each other and begin no loop are called as they are, too."""
        calls, begun = self._calls.get(number, (0, self._begun))
        calls += 1
        if calls == _CALLS:
            may_try[number] = self._begun - begun >= _LEAST_LOOPS
            calls, begun = 0, self._begun
        self._calls[number] = calls, begun

    @contextmanager
    def alone(self, hot_share: float = 1.0) -> Iterator[RanAlone]:
        """Around a cell that runs so; what is told of that.

        Args:
            hot_share: of the time that its loops run as written before they are compiled.
        """
        outer = self.ran_alone, self._with_units, self.hot_share
        rewritten_s = Rewriting.seconds
        self.ran_alone, self._with_units, self.hot_share = RanAlone(), {}, hot_share
        try:
            yield self.ran_alone
            self.ran_alone.compile_s = Rewriting.seconds - rewritten_s
        finally:
            self.ran_alone, self._with_units, self.hot_share = outer

    # Units: the loop's steps that run compiled, before others run as written.
    def unit(self) -> bool:
        """Does that, if it can be done. Then the variables get their values."""
        self._outcome = self.active[-1].run_unit(sys._getframe(1))
        return self._outcome is not None

    def made(self, name: str) -> bool:
        """Has it made a value for this variable?"""
        return name in self._outcome.bound  # type: ignore[union-attr]

    def value(self, name: str) -> Any:
        """That value."""
        return self._outcome.bound.pop(name)  # type: ignore[union-attr]

    def went(self) -> None:
        """All variables have their values. Raises what has interrupted it."""
        outcome = self._outcome
        if outcome is None or (outcome.error is None and not outcome.heard):
            return
        tell(outcome.heard, sys._getframe(1))
        if outcome.error is not None:
            self._outcome = None
            raise outcome.error

    def broke(self) -> bool:
        """Did the loop end by ``break``?"""
        return self._outcome is not None and self._outcome.broke

    def pauses(self) -> bool:
        """Are some steps taken one by one, before it is tried again?"""
        return self.active[-1].again

    def end_phase(self) -> None:
        """Whatever way a phase ended."""
        phases = self.active.pop()
        self.steps = ()  # which hold what the loop goes through
        phases.ended(self.active[-1] if self.active else None)

    def finish(self) -> None:
        """The test of a ``while`` with an ``else`` is false."""
        self.active[-1].over = True

    def finished(self) -> bool:
        """Has this loop just ended that way?"""
        return self.active[-1].over

    def opens(self) -> bool:
        """Do variables of the calling function hold stand-ins?"""
        self._locals = sys._getframe(1).f_locals
        return any(map(homes.is_ours, self._locals.values()))

    def stands(self, name: str) -> bool:
        """Does this one?"""
        return homes.is_ours(self._locals.get(name))

    def waits(self, reason: Told, through: Any) -> Any:
        """What an ``async for`` goes through: each step is a contact."""
        _guards.contact(reason)
        return Awaited(reason, through) if hasattr(type(through), "__aiter__") else through

    def manages(self, reason: Told, entered: Any) -> Any:
        """What an ``async with`` enters: its beginning and its end are contacts."""
        _guards.contact(reason)
        known = hasattr(type(entered), "__aenter__") and hasattr(type(entered), "__aexit__")
        return Managed(reason, entered) if known else entered

    # Comprehensions -------------------------------------------------------------------------------
    def first(self, number: int, values: Any) -> Iterator[Any]:
        """The elements that are recorded."""
        phases = Phases(self, number, values, 1)
        steps = phases.of_comprehension()
        self._unfinished = None
        return iter(steps) if phases.all_recorded else self._until_left(steps, phases)

    def _until_left(self, steps: Any, phases: Phases) -> Iterator[Any]:
        yield from steps
        self._unfinished = phases

    def left(self) -> bool:
        """Are there others, which are taken as written? Recording is put aside for them. Then: do
        variables of the calling function hold stand-ins?"""
        phases = self._unfinished
        if phases is None or phases.over:
            return False
        phases.leave_rest()
        self._locals = sys._getframe(1).f_locals
        return any(map(homes.is_ours, self._locals.values()))

    def opened_between(self, value: Any) -> Any:
        """A variable's real value, before the others are taken."""
        try:
            return homes.opened(value)
        except BaseException:
            phases, self._unfinished = self._unfinished, None
            if phases is not None:
                phases.resume()
            raise

    def rest(self) -> Iterator[Any]:
        """Those others."""
        phases, self._unfinished = self._unfinished, None
        if phases is None or phases.over:
            return iter(())
        self.rests = phases
        return phases.rest_as_written()

    def end_comprehension(self) -> None:
        """A statement ends, whatever way: its comprehensions are over."""
        if self.rests is not None:
            self.rests.resume()

    @staticmethod
    def both(first: Any, opened: Any, rest: Any) -> Any:
        """The two parts of a list, set or dict as one."""
        if not first:
            return rest
        if rest:
            first.extend(rest) if type(first) is list else first.update(rest)
        return first

    def plainly(self, number: int) -> bool:
        """Is this generator expression left as written?"""
        recorder = self.recorder
        self._plain = None
        if recorder is None:
            return True
        place = place_of(number)
        if recorder.options.force or place is FORGOTTEN:
            return False
        quiet = self.quiet(place.reads)
        place.note_left(recorder)
        if not quiet and not place.left:
            return False
        self._plain = place, functools.partial(self.as_written, quiet)
        return True

    opened = staticmethod(homes.opened)  # a value as code that runs as written has it

    def each(self, number: int, values: Any) -> Any:
        """What a recorded generator expression goes through."""
        recorder, place = self.recorder, place_of(number)
        if recorder is None or recorder.options.force or place is FORGOTTEN:
            return values
        return Phases(self, number, values, 1).of_generator()


def _left(function: Any) -> Reason:
    name = getattr(function, "__name__", None) or Reason("a call")
    return Reason.of(("{name} is left to Python", "name", name))
