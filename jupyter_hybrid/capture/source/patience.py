"""Which loops are recorded, and when they are left to Python.

A loop is recorded first. It is left to Python, whole, for later runs of the cell too, once it keeps
asking for values, or once its recorded steps have been measured against some as written and cost
more, in a later run too if it was a close thing; what pays is measured ever more seldom. Loops that
touch no array are not recorded at all. Once a run has lost much time to what was then left, its
rest runs as written.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from itertools import repeat
from typing import Any

from ... import _core
from ...context import cpu
from ...np_face import TracedArray
from ...reasons import NONE, Reason
from .. import numbers
from ..durations import seconds
from . import budget
from .compiled import Compiled
from .loops import FORGOTTEN, place_of
from .nodes import Rewriting

_guards = _core.guards
CLOCK = Reason("a clock is read")
CONTACTS = 32  # values that a loop may ask for
_FIRST, _AGAIN = 3, 6  # steps before a loop is measured, in a later run once more
_ELEMENTS = 0.1  # of the time before that, while it makes no array: of elements a step is a few
_MARGIN = 1.1  # by which steps as written have to be faster
_AGAIN_S = 0.2  # that the latter may take
_DOUBT = 10  # times as long, recorded in the first run: a later one looks again
_SILENT = 8  # steps that record nothing
_NEVER = (1 << 62, 0.0)  # when generators are measured, and what has paid
_FEW = 4  # values that generators may ask for, and comprehensions that have paid
_START, _RECORDED, _TRIAL, _PLAIN = range(4)
# They give real elements; what goes through a tuple does not.
_REAL = frozenset({list, range, repeat, type(iter([])), type(iter(range(0)))})


class Phases(Compiled):
    """One run of a loop: what its next steps are, recorded or as written."""

    def __init__(self, hooks: Any, number: int, values: Any, top: int, frame: Any = None):
        super().__init__(frame)
        self.hooks, self.place, self.values = hooks, place_of(number), values
        self.top = top  # the number of the recorded phase
        self.stage = _START
        self.over = False  # no further step
        self.paused = ""  # "quiet" or "outside" while this loop runs as written
        self.steps_done = 0
        self.excused = 0  # contacts of inner loops
        self._counted = 0  # of this loop's own, excused in the one around it
        self.how = ""
        self.recorder = hooks.recorder
        self._iterator: Any = None
        self._times: list[float] = []
        self._took_s = 0.0  # recording, with compiling
        self._plain_times: list[float] = []
        self._flushed_s = 0.0
        self._next_trial: tuple[int, float] = (_FIRST, budget.GRACE_S)
        self._contacts_late = CONTACTS  # that it may make after a while
        self._entry = -1  # of the recorder's breaks: the one that the trial made
        if self.recorder is not None:
            self._breaks = len(self.recorder.breaks)
            self._next_trial = (_FIRST, self.recorder.budget.grace_s(self.place))
            self._most_s = max(budget.GRACE_S, self.recorder.budget.most_s)
            self._since, self._began = time.perf_counter(), self._now()
            self._nodes = numbers.others_recorded()
            self._arrays = self.recorder.arrays

    @property
    def is_measured(self) -> bool:
        return self.stage == _TRIAL

    @property
    def _unmeasured(self) -> bool:
        """May the loop still turn out not to pay?"""
        return self._next_trial[0] == _FIRST and not self.recorder.options.force

    def _now(self) -> float:
        """The time, but for rewriting and compiling: what is made is there for later steps."""
        return time.perf_counter() - self._making_s()

    def _making_s(self) -> float:
        return float(self.recorder.spent.compile_s) + Rewriting.seconds

    # The phases -----------------------------------------------------------------------------------
    def __iter__(self) -> Phases:
        return self

    def __next__(self) -> int:
        self._phase_began = time.perf_counter()
        if self.stage == _START:
            self._begin()
        elif self.over or (self.stage == _PLAIN and not self.again):
            if self.stage == _TRIAL:
                self._judge()
            raise StopIteration
        elif self.stage == _PLAIN or self.again:  # a unit has left, perhaps among steps on trial
            self.place.by_unit |= self.stage == _TRIAL
            self.stage = _PLAIN
            return self._go_on()
        elif self.stage == _RECORDED:
            self._change()
        else:
            self._decide()
        hooks = self.hooks
        hooks.active.append(self)
        if self.stage == _RECORDED:
            hooks.steps = self._recorded_steps()
            return self.top
        if self.stage == _TRIAL:
            hooks.steps = self._timed_steps()
            return self.top - 1
        hooks.steps = self._iterator
        return 0

    # Comprehensions -------------------------------------------------------------------------------
    def of_comprehension(self) -> Any:
        """The elements that are recorded."""
        if self.place.trusted:
            self.place.trusted -= 1
            self._next_trial, self._contacts_late = _NEVER, _FEW
        self._begin(pause=False)
        if self.stage != _RECORDED:
            return ()
        return self._iterator if self.all_recorded else self._recorded_steps()

    @property
    def all_recorded(self) -> bool:
        """No element will be taken as written."""
        recorder = self.recorder
        return self.stage == _RECORDED and (self.place is FORGOTTEN or recorder.options.force)

    def leave_rest(self) -> None:
        """Puts recording aside for the other elements."""
        if self.stage == _RECORDED:
            self.how, recorder = "outside", self.recorder
            why = self.place.left or self.place.silent or recorder.budget.used_up(recorder)
            if not why and self.hooks.recorder is recorder:
                self._compare()
        if self.how and not self.paused:
            self.pause()

    def rest_as_written(self) -> Iterator[Any]:
        """Those, before the first of which recording is put aside. Some may be compared."""
        try:
            self.leave_rest()
            self._iterator = self._rest()
            if self.stage == _TRIAL:
                yield from self._timed_steps()
                self._judge()
            yield from self._iterator
        finally:
            self.resume()

    def of_generator(self) -> Iterator[Any]:
        """The elements of a generator expression: real ones once it has asked for many values."""
        self._next_trial, self._contacts_late = _NEVER, _FEW
        self._begin(pause=False)
        if self.stage == _RECORDED:
            yield from self._recorded_steps()
        if not self.over:
            yield from self._rest()

    # How a loop starts ----------------------------------------------------------------------------
    def _begin(self, pause: bool = True) -> None:
        recorder, place = self.recorder, self.place
        values = numbers.plain(self.values)
        how = ""
        if place.doubted is not None and recorder and place.doubted is not recorder.budget:
            place.left, place.doubted = NONE, None
            self._next_trial = _AGAIN, _AGAIN_S
        if pause and place.trusted:
            place.trusted -= 1
            self._next_trial = _NEVER
        if recorder is None:
            self.stage = _PLAIN
        elif recorder.options.force or place is FORGOTTEN:
            self.stage = _RECORDED
        elif why := recorder.budget.used_up(recorder):
            recorder.recording.leave(why)
            self.stage = _PLAIN
        elif self.hooks.quiet(place.reads, values):
            self.stage, how = _PLAIN, "quiet"
        elif recorder.whole_until:
            self.stage = _RECORDED
        elif place.left or place.silent or place.by_unit or self._fits(values):
            self.stage, how = _PLAIN, "outside"
        else:
            self.stage = _RECORDED
        self.how = how
        if how and pause:
            self.pause()
        if self.stage == _PLAIN:
            values = self._opened(values)
        self.values, self._iterator = values, iter(values)
        self._frame = None

    @property
    def reason(self) -> Reason:
        """Why steps run as written."""
        place = self.place
        if place.unit is not None and not place.left and not place.silent:
            told = "{lines} run compiled: what waits is computed first", "lines", place.lines
        else:
            told = "{lines} run as written: they record nothing", "lines", place.lines
        return place.left or Reason.of(told)

    def pause(self) -> None:
        """Puts recording aside for the steps as written."""
        recorder, place = self.recorder, self.place
        place.note_left(recorder)
        before = len(recorder.breaks)
        self.hooks.put_aside(self.how == "quiet", self.reason)
        if len(recorder.breaks) > before:
            self._entry = before
            here = (place.first, self.reason)
            recorder.spent.rename(recorder.breaks[before], here)
            recorder.breaks[before:] = [here]
        elif self.how == "outside" and place.left:
            entry = (place.first, place.left)
            if entry not in recorder.breaks:  # named once in a run
                recorder.breaks.append(entry)
        self.paused = self.how

    def resume(self) -> None:
        """Goes on recording, at the end of a phase."""
        how, self.paused = self.paused, ""
        if self.hooks.rests is self:
            self.hooks.rests = None
        if how:
            self.hooks.take_up(self.recorder, how == "quiet")

    def ended(self, outer: Phases | None) -> None:
        """A phase has ended, whatever way."""
        self._phase_ended()
        if self.stage == _PLAIN:
            took_s = time.perf_counter() - self._phase_began
            self._note_refused(self._refused or self.place.refused, took_s)
        self.resume()
        if outer is not None and self.recorder is not None and outer.recorder is self.recorder:
            made = len(self.recorder.breaks) - self._breaks
            own = 0 if self._compiled else 1
            outer.excused += max(0, made - own - self._counted)
            self._counted = max(self._counted, made - own)

    # Changing -------------------------------------------------------------------------------------
    def change_due(self, now: float) -> bool:
        """At a step's start: do the next steps run as written?"""
        recorder, place = self.recorder, self.place
        if place is FORGOTTEN or recorder.options.force or recorder.whole_until:
            return False
        if self.hooks.recorder is not recorder:
            return bool(recorder.recording and recorder.recording.as_written)
        if recorder.budget.used_up(recorder):
            return True
        took = now + self._making_s() - self._since
        made = len(recorder.breaks) - self._breaks - self.excused
        many = self._contacts_late if took >= budget.GRACE_S else CONTACTS
        if made >= 2 and recorder.breaks[-1][1] == CLOCK:
            many = 2  # it may wait for a time to come
        if made >= many:
            place.left = self._contacts(made)
            self._waste(took)
            return True
        if self.steps_done == _SILENT and numbers.others_recorded() == self._nodes:
            place.silent = True
            return True
        steps, seconds = self._next_trial
        if self._unmeasured and recorder.arrays == self._arrays:
            seconds *= _ELEMENTS
        if self._next_trial == (_AGAIN, _AGAIN_S):
            return self.steps_done >= steps or took >= seconds
        long = steps == _FIRST and self.steps_done > 0 and took >= self._most_s
        return took >= seconds and (self.steps_done >= steps or long)

    def _waste(self, lost_s: float) -> None:
        """So much time is lost to a loop that is left to Python."""
        self.recorder.weighed_at = 0
        self.recorder.budget.waste(lost_s, Reason("{lines} left to Python", lines=self.place.lines))

    def _contacts(self, made: int) -> Reason:
        found = Counter(self.recorder.breaks[self._breaks :])
        (line, why), _ = found.most_common(1)[0]
        if line != self.place.first and line is not None:
            why = Reason("{why} in line {line}", why=why, line=line)
        return Reason(
            "{lines} left to Python: {n} times in {steps} steps a value was needed ({why})",
            lines=self.place.lines,
            n=made,
            steps=self.steps_done,
            why=why,
        )

    def _change(self) -> None:
        """From recorded steps to some as written."""
        recorder, place = self.recorder, self.place
        if self.hooks.recorder is recorder and (why := recorder.budget.used_up(recorder)):
            recorder.recording.leave(why)
        self.how = "outside"
        if place.left or place.silent or self.hooks.recorder is None:
            self.stage = _PLAIN
            self.pause()
        else:
            self._compare()
        self._iterator = self._rest()

    def _compare(self) -> None:
        """Puts recording aside for steps as written that are timed."""
        recorder = self.recorder
        self.stage = _TRIAL
        start = self._now()
        before = len(recorder.breaks)
        with recorder.budget.in_haste():
            self.hooks.step_outside(
                Reason("{lines} compared with plain Python", lines=self.place.lines)
            )
        self._entry = before if len(recorder.breaks) > before else -1
        self.paused, self._plain_times = self.how, []
        self._flushed_s = self._now() - start
        self._took_s = time.perf_counter() - self._since

    def _decide(self) -> None:
        """After some steps as written: which way the loop goes on."""
        if self._judge():
            self.stage = _PLAIN
            self.pause()
            return
        self.stage = _RECORDED
        steps, seconds = self._next_trial
        self._next_trial = (2 * max(steps, self.steps_done), 2 * seconds)
        self._times = []
        self._since = time.perf_counter()

    def _judge(self) -> bool:
        """Do steps as written cost less? Says so in the report."""
        place, recorder = self.place, self.recorder
        if not self._plain_times:
            return False
        recorded, plain = prices(self._times, self._flushed_s, self._plain_times)
        figures = _figures(recorded, plain)
        leave = _MARGIN * plain < recorded
        if leave:
            # The first run has programs and memory that are new.
            close = recorded <= _DOUBT * plain
            place.doubted = recorder.budget if close and not place.is_judged else None
            place.is_judged = True
            if place.doubted is None:
                cpu().empty_cache()  # NumPy has memory of its own
            self._waste(self._took_s - plain * len(self._times))
            place.left = Reason("{lines} left to Python: {why}", lines=place.lines, why=figures)
            place.note_left(recorder)
        elif _MARGIN * recorded < plain:
            place.trust()
        self._say(place.left if leave else self._compared(figures))
        return leave

    def _compared(self, figures: Reason) -> Reason:
        return Reason(
            "{lines} compared with plain Python: {why}", lines=self.place.lines, why=figures
        )

    def _ended_early(self) -> Reason:
        """The loop is over before there is something to decide."""
        recorded, plain = prices(self._times, self._flushed_s, self._plain_times or [0.0])
        if self._plain_times:
            return self._compared(_figures(recorded, plain))
        return Reason(
            "{lines} to be compared with plain Python, but had no step left: a step costs "
            "{recorded} recorded",
            lines=self.place.lines,
            recorded=seconds(recorded),
        )

    def _say(self, why: Reason) -> None:
        """What the break that was made for the comparison says."""
        recorder = self.recorder
        if self._entry >= 0:
            here = (self.place.first, why)
            recorder.spent.rename(recorder.breaks[self._entry], here)
            recorder.breaks[self._entry] = here

    # Steps ----------------------------------------------------------------------------------------
    def _recorded_steps(self) -> Iterator[Any]:
        """Until the loop ends or goes on as written; what a step costs is noted when the one after
        it is asked for."""
        now = self._now()
        while not self.change_due(now):
            started = now
            with self.recorder.budget.in_haste() if self._unmeasured else nullcontext():
                self.recorder.pace()
            try:
                yield self._next()
            except StopIteration:
                self.over = True
                if self._unmeasured:
                    self.recorder.budget.unmeasured(self.place, self._now() - self._began)
                return
            now = self._now()
            self._times.append(now - started)

    def _next(self) -> Any:
        """The next element, which nobody here keeps."""
        value = next(self._iterator)
        self.steps_done += 1
        return value

    def _timed_steps(self) -> Iterator[Any]:
        """Some steps as written: as many as were recorded, while they are no slower."""
        left, most = len(self._times), sum(self._times) + self._flushed_s
        while not self._plain_times or (left > 0 and most > 0):
            left -= 1
            started = time.perf_counter()
            try:
                yield self._next()
            except StopIteration:
                self.over = True
                self._say(self._ended_early())
                return
            self._plain_times.append(time.perf_counter() - started)
            most -= self._plain_times[-1]

    def _rest(self) -> Any:
        """What is left to go through as written."""
        if type(self.values) in (TracedArray, tuple):
            return iter(self._opened(self.values)[self.steps_done :])
        return self._opened(self._iterator)

    def _opened(self, values: Any) -> Any:
        """Real elements of an array, a tuple, or what goes through such."""
        if type(values) is TracedArray:
            return values.to_numpy(self.reason)
        if type(values) is tuple:
            return tuple(map(self.hooks.opened, values))
        real = self.how == "quiet" or self.recorder is None or type(values) in _REAL
        return values if real else map(_guards.kept, values)


def _figures(recorded: float, plain: float) -> Reason:
    return Reason(
        "a step costs {recorded} recorded, {written} as written",
        recorded=seconds(recorded),
        written=seconds(plain),
    )


def prices(recorded: list[float], flushed_s: float, plain: list[float]) -> tuple[float, float]:
    """Of a step, from what some recorded ones took, computing what they left, and some as written.

    Recorded steps differ: some compute what others left, and the first ones take new memory.
    """
    later = recorded[len(recorded) // 2 :]
    computed = flushed_s / max(1, len(recorded))
    return sum(later) / max(1, len(later)) + computed, sorted(plain)[len(plain) // 2]
