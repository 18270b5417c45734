"""What rewritten code asks before it runs code as written: loops, comprehensions, functions."""

from __future__ import annotations

import functools
import itertools
import sys
import types
from collections.abc import Iterator
from typing import Any

from ... import _core
from .. import closed, homes, listed_calls, numbers, trace_state, twins
from ..watchers import starts_one
from . import budget
from .awaited import Awaited, Managed
from .loops import FORGOTTEN, place_of
from .patience import CONTACTS, Phases
from .quiet import Search

_guards = _core.guards
_LISTS = frozenset({list, tuple})
_LOOKS_ON = "another thread, a debugger or a profiler starts"
_CALLS = 64  # of a function that record nothing
_DRAWN = 8  # calls of a function of numbers that are drawn, as examples
_DOUBTS = 3  # calls after which nobody asks again whether a function touches no array
_CONSUMERS = (
    sum, any, all, min, max, sorted, list, tuple, set, dict, frozenset,
)  # fmt: skip


class _Calls:
    """A function of the user's, as the running cell calls it."""

    def __init__(self, recorder: Any, nodes: int):
        self.count = self.doubts = self.contacts = 0
        self.seen = len(recorder.breaks)
        self.nodes = nodes
        self.left = ""


class PlainCopies:
    """Mixed into the runtime."""

    recorder: Any

    def __init__(self) -> None:
        self.active: list[Phases] = []  # the loops that run, outermost first
        self.phase = 0  # which copy of a loop runs now, ...
        self.steps: Any = ()  # ... and what it goes through
        self._plain: tuple[Any, Any] | None = None  # a generator expression as written, and how
        self._unfinished: Phases | None = None  # a comprehension whose first part has ended
        self._args: tuple = ()
        self._kwargs: dict = {}
        self._locals: dict[str, Any] = {}
        self._real: Any = None
        self._over = False

    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    def ready_for(self, recorder: Any, function: Any, args: tuple, kwargs: dict) -> bool:
        """Makes ready for a call of unseen code, from the caller's own frame."""
        raise NotImplementedError

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
            _guards.begin(recorder.contact)

    def hush(self) -> None:
        """For code that touches no array: what is pending stays."""
        self._bind_plain_numbers()
        self.record(None)

    def _bind_plain_numbers(self) -> None:
        recorder = self.recorder
        namespace = recorder.namespace
        for name in recorder.cell.names:
            if numbers.is_recorded(namespace.get(name)):
                namespace[name] = numbers.plain(namespace[name])

    def speak(self, recorder: Any) -> None:
        """Goes on with what was put aside."""
        if not recorder.recording.as_written:
            self.record(recorder)

    def step_outside(self, reason: str) -> None:
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
        frame = sys._getframe(1)
        while frame.f_globals.get("__package__") == __package__ and frame.f_back is not None:
            frame = frame.f_back
        search = Search()
        return all(map(search.value, values)) and search.names(
            names, frame.f_locals, frame.f_globals
        )

    # Loops ----------------------------------------------------------------------------------------
    def phases(self, number: int, values: Any) -> Phases:
        """The phases of a ``for``."""
        return Phases(self, number, values, 1)

    def turns(self, number: int) -> Phases:
        """The phases of a ``while``."""
        return Phases(self, number, itertools.repeat(()), 2)

    def end_phase(self) -> None:
        """Whatever way a phase ended."""
        phases = self.active.pop()
        self.steps = ()  # which hold what the loop goes through
        phases.ended(self.active[-1] if self.active else None)

    def finish(self) -> None:
        """The test of a ``while`` with an ``else`` is false."""
        self.active[-1].over = self._over = True

    def finished(self) -> bool:
        """Has this loop just ended that way?"""
        over, self._over = self._over, False
        return over

    def opens(self) -> bool:
        """Do variables of the calling function hold stand-ins?"""
        self._locals = sys._getframe(1).f_locals
        return any(map(homes.is_ours, self._locals.values()))

    def stands(self, name: str) -> bool:
        """Does this one?"""
        value = self._locals.get(name)
        if not homes.is_ours(value):
            return False
        self._real = self.opened(value)
        return True

    def real(self) -> Any:
        """What it stands for."""
        value, self._real = self._real, None
        return value

    def waits(self, reason: str, through: Any) -> Any:
        """What an ``async for`` goes through: each step is a contact."""
        _guards.contact(reason)
        return Awaited(reason, through) if hasattr(type(through), "__aiter__") else through

    def manages(self, reason: str, entered: Any) -> Any:
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
        if phases.all_recorded:
            return steps

        def ended() -> Iterator[Any]:
            self._unfinished = phases
            return iter(())

        return itertools.chain(steps, _Late(ended))

    def rest(self) -> Iterator[Any]:
        """Those that are not."""
        phases, self._unfinished = self._unfinished, None
        if phases is None or phases.over:
            return iter(())
        iterator = phases.rest_as_written()
        return itertools.chain(iterator, _Resume(phases)) if phases.paused else iterator

    @staticmethod
    def both(first: Any, rest: Any) -> Any:
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
        self._plain = place, self._quietly if quiet else self._outside
        return True

    @staticmethod
    def opened(values: Any) -> Any:
        """A value as code that runs as written has it."""
        return homes.opened(values)

    def each(self, number: int, values: Any) -> Any:
        """What a recorded generator expression goes through."""
        recorder, place = self.recorder, place_of(number)
        if recorder is None or recorder.options.force or place is FORGOTTEN:
            return values
        return Phases(self, number, values, 1).of_generator()

    # Calls ----------------------------------------------------------------------------------------
    def callee_of_new(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """The same where lists among the arguments have just been made: nobody has them yet."""
        shallow = listed_calls.reads_only(function) and not closed.calls_back(args)
        if self.recorder is not None and not shallow:
            for value in args:
                _guards.held(value)
        return self.callee(function, *args, **kwargs)

    def callee(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """What is called in the function's place, with :meth:`given` and :meth:`named`.

        A function of the user's is its twin, or itself once that pays more; no frame is added.
        """
        self._args, self._kwargs = args, kwargs
        recorder = self.recorder
        if recorder is None:
            return function
        if not _LISTS.isdisjoint(map(type, args)) and "key" not in kwargs:
            self._args = args = listed_calls.loaded(recorder, function, args)
        why = _LOOKS_ON if starts_one(function) else budget.used_up(recorder)
        if why and recorder.recording is not None:
            recorder.recording.leave(why)
            self._args = tuple(map(self.opened, args))
            self._kwargs = {k: self.opened(v) for k, v in kwargs.items()}
            return function
        twin = twins.seen(function)
        if twin is not None:
            inner = sys._getframe(1).f_code is twins.code_of(twin)
            return self._chosen(recorder, function, twin, inner)
        if len(args) == 1 and any(function is c for c in _CONSUMERS):
            how = self._for_generator(args[0])
            if how is not None:
                return functools.partial(how, function)
        if self.ready_for(recorder, function, args, kwargs):
            return function
        return functools.partial(self.call, function)

    def _chosen(self, recorder: Any, function: Any, twin: Any, inner: bool) -> Any:
        """The twin of a function that is called, ``inner`` by itself, or how it runs as written."""
        code = twins.code_of(function)
        if code is None or recorder.options.force:
            return self._entered(twin)
        known = recorder.calls.get(code)
        if known is None:
            known = recorder.calls[code] = _Calls(recorder, recorder.nodes())
        known.count += 1
        if (inner or known.count > _DRAWN) and known.doubts < _DOUBTS:
            search = Search()
            given = (function, *self._args, *self._kwargs.values())
            if all(map(search.value, given)):  # nothing in it asks, and what is pending stays
                self._bind_plain_numbers()
                self._args = tuple(map(numbers.plain, self._args))
                self._kwargs = {k: numbers.plain(v) for k, v in self._kwargs.items()}
                for found in search.codes:  # the second lock lets them in
                    if id(found) not in recorder.quiet:
                        recorder.quiet.update({id(c): c for c in twins.with_inner(found)})
                if inner and not (recorder.live() or recorder.known()):
                    _guards.settled()  # the second lock asks about none of the many frames to come
                return function
            known.doubts += 1
        if known.left or self._is_left(recorder, code, known):
            return functools.partial(self._outside, function)
        return self._entered(twin)

    def _entered(self, twin: Any) -> Any:
        """A method's twin as a function: 3.12 calls that without a call of C's, which it counts."""
        if self._args and type(twin) is types.MethodType:
            self._args = (twin.__self__, *self._args)
            return twin.__func__
        return twin

    @staticmethod
    def _is_left(recorder: Any, code: types.CodeType, known: _Calls) -> bool:
        """Has a function been called often without paying?"""
        if known.count % CONTACTS:
            return False
        first = code.co_firstlineno
        last = max(filter(None, (line for *_, line in code.co_lines())), default=first)
        new = recorder.breaks[known.seen :]
        known.seen = len(recorder.breaks)
        inside = [why for line, why in new if line is not None and first <= line <= last]
        known.contacts += len(inside)
        if code.co_filename == recorder.filename and known.contacts >= CONTACTS:
            known.left = (
                f"{code.co_name} left to Python: in {known.count} calls a value was needed "
                f"{known.contacts} times ({inside[-1] if inside else 'it was read'})"
            )
            recorder.breaks.append((first, known.left))
            recorder.left[first, known.left] = None
        elif known.count == _CALLS and recorder.nodes() == known.nodes:
            known.left = f"{code.co_name} runs as written: it records nothing"
        return bool(known.left)

    def given(self) -> tuple:
        """The arguments of the call that follows."""
        args, self._args = self._args, ()
        return args

    def named(self) -> dict[str, Any]:
        """Its keyword arguments."""
        kwargs, self._kwargs = self._kwargs, {}
        return kwargs

    def _for_generator(self, value: Any) -> Any:
        """How this is gone through, where it is the expression that :meth:`plainly` was last asked
        about; one of other code may do what it likes."""
        if type(value) is not types.GeneratorType or self._plain is None:
            return None
        (place, how), code = self._plain, value.gi_code
        its = code.co_filename == place.filename and code.co_firstlineno == place.first
        return how if its and code.co_name == "<genexpr>" else None

    def _quietly(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """A call that touches no array."""
        __tracebackhide__ = True
        recorder = self.recorder
        self.hush()
        try:
            args = tuple(map(numbers.plain, args))
            return function(*args, **{k: numbers.plain(v) for k, v in kwargs.items()})
        finally:
            self.speak(recorder)

    def _outside(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """A call of a function that runs as written."""
        __tracebackhide__ = True
        recorder = self.recorder
        name = getattr(function, "__name__", "a call")
        self.step_outside(f"{name} is left to Python")
        try:
            args = tuple(map(self.opened, args))
            return function(*args, **{k: self.opened(v) for k, v in kwargs.items()})
        finally:
            recorder.recording.resume()


class _Late:
    """Elements that are found when the first is asked for."""

    def __init__(self, found: Any):
        self._found = found

    def __iter__(self) -> Iterator[Any]:
        return self._found()


class _Resume:
    """Goes on recording when it is reached, or dropped: an iterator's end."""

    def __init__(self, phases: Phases):
        self._phases = phases

    def __iter__(self) -> _Resume:
        return self

    def __next__(self) -> Any:
        self._phases.resume()
        raise StopIteration

    def __del__(self) -> None:
        self._phases.resume()
