"""What rewritten code calls in a function's place: its twin, itself, or what records the call."""

from __future__ import annotations

import functools
import sys
import time
import types
from collections.abc import Callable
from typing import Any

from ... import _core
from ...reasons import NONE, Reason
from .. import array_lists, calls, closed, homes, numbers, twins
from ..watchers import starts_one
from . import budget
from .patience import CONTACTS
from .plain import PlainCopies
from .quiet import Search

_guards = _core.guards
_LISTS = frozenset({list, tuple})
_LOOKS_ON = Reason("another thread, a debugger or a profiler starts")
_CALLS, _CALLS_OF_ITSELF = 64, 16  # of a function that record nothing
# A function that calls itself, and records so many operators that take less each, after so much of
# what a loop may take, costs more than NumPy.
_MANY, _SMALL_NS, _SHARE = 64, 5_000, 0.25
_DRAWN = 8  # calls of a function of numbers that are drawn, as examples
_DOUBTS = 3  # calls after which nobody asks again whether a function touches no array
_CONSUMERS = (
    sum, any, all, min, max, sorted, list, tuple, set, dict, frozenset,
)  # fmt: skip


class _Calls:
    """A function of the user's, as the running cell calls it."""

    def __init__(self, recorder: Any):
        self.count = self.doubts = self.contacts = 0
        self.seen = len(recorder.breaks)
        self.nodes, self.ns = numbers.others_recorded(), _core.recorded_ns()
        self.since = time.perf_counter()
        self.left = NONE

    def are_small(self, nodes: int) -> bool:
        """Have so many operators been recorded, each of which NumPy does sooner?"""
        took = time.perf_counter() - self.since
        each_ns = (_core.recorded_ns() - self.ns) / max(1, nodes)
        return nodes >= _MANY and each_ns < _SMALL_NS and took >= _SHARE * budget.GRACE_S


class Calling(PlainCopies):
    """The runtime's calls."""

    load: Callable[[Any], Any]  # a value about to be used: an ndarray becomes its traced array

    def __init__(self) -> None:
        super().__init__()
        self._args: tuple = ()
        self._kwargs: dict = {}

    def _done(self, way: Any, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """A call that is done that way."""
        __tracebackhide__ = True
        return self.given_back(way(self.recorder, function, args, kwargs))

    def given_back(self, made: Any) -> Any:
        """What a call gives to the cell; what lists and sets keep of it is real."""
        made = self.load(made)
        if type(made) is set or type(made) is frozenset:
            return type(made)(map(homes.kept, made)) if _guards.holds(made) else made
        return _guards.held(made)

    def callee_of_new(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """The same where lists among the arguments have just been made: nobody has them yet."""
        shallow = array_lists.reads_only(function) and not closed.calls_back(args)
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
        _core.note_call()
        if not _LISTS.isdisjoint(map(type, args)) and "key" not in kwargs:
            self._args = args = array_lists.loaded(recorder, function, args)
        why = _LOOKS_ON if starts_one(function) else recorder.budget.used_up(recorder)
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
        way, self._args, self._kwargs = calls.prepared(recorder, function, args, kwargs)
        return function if way is None else functools.partial(self._done, way, function)

    def _chosen(self, recorder: Any, function: Any, twin: Any, inner: bool) -> Any:
        """The twin of a function that is called, ``inner`` by itself, or how it runs as written."""
        code = twins.code_of(function)
        if code is None or recorder.options.force:
            return self._entered(twin)
        known = recorder.calls.get(code)
        if known is None:
            known = recorder.calls[code] = _Calls(recorder)
        known.count += 1
        if (inner or known.count > _DRAWN) and known.doubts < _DOUBTS:
            search = Search()
            given = (function, *self._args, *self._kwargs.values())
            if all(map(search.value, given)):  # nothing in it asks, and what is pending stays
                self.plain_names()
                self._args = tuple(map(numbers.plain, self._args))
                self._kwargs = {k: numbers.plain(v) for k, v in self._kwargs.items()}
                for found in search.codes:  # the second lock lets them in
                    if id(found) not in recorder.quiet:
                        recorder.quiet.update({id(c): c for c in twins.with_inner(found)})
                if inner and not (recorder.live() or recorder.known()):
                    _guards.settled()  # the second lock asks about none of the many frames to come
                return function
            known.doubts += 1
        if known.left or self._is_left(recorder, code, known, inner):
            return functools.partial(self.as_written, False, function)
        return self._entered(twin)

    def _entered(self, twin: Any) -> Any:
        """A method's twin as a function: 3.12 calls that without a call of C's, which it counts."""
        if self._args and type(twin) is types.MethodType:
            self._args = (twin.__self__, *self._args)
            return twin.__func__
        return twin

    @staticmethod
    def _is_left(recorder: Any, code: types.CodeType, known: _Calls, inner: bool) -> bool:
        """Has a function been called often without paying?"""
        first, nodes = code.co_firstlineno, numbers.others_recorded() - known.nodes
        if not nodes and known.count == (_CALLS_OF_ITSELF if inner else _CALLS):
            known.left = Reason("{name} runs as written: it records nothing", name=code.co_name)
            return True
        if inner and recorder.options.view == "none" and known.are_small(nodes):
            known.left = Reason(
                "{name} left to Python: it calls itself, and recording its {nodes} small operators "
                "takes longer than they do",
                name=code.co_name,
                nodes=nodes,
            )
        elif known.count % CONTACTS == 0:
            last = max(filter(None, (line for *_, line in code.co_lines())), default=first)
            new = recorder.breaks[known.seen :]
            known.seen = len(recorder.breaks)
            inside = [why for line, why in new if line is not None and first <= line <= last]
            known.contacts += len(inside)
            if code.co_filename == recorder.filename and known.contacts >= CONTACTS:
                known.left = Reason(
                    "{name} left to Python: in {calls} calls a value was needed {n} times ({why})",
                    name=code.co_name,
                    calls=known.count,
                    n=known.contacts,
                    why=inside[-1] if inside else Reason("it was read"),
                )
        if known.left:
            recorder.breaks.append((first, known.left))
            recorder.left[first, known.left] = None
        return bool(known.left)

    def given(self) -> tuple:
        """The arguments of the call that follows."""
        args, self._args = self._args, ()
        return args

    def named(self) -> dict[str, Any]:
        """Its keyword arguments."""
        kwargs, self._kwargs = self._kwargs, {}
        return kwargs

    def method(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """:meth:`callee` of a method whose arguments follow one by one: with :meth:`next`. Python
        takes such a call apart, so that only who is called has the object."""
        found = self.callee(function, *args, **kwargs)
        if len(self._args) > len(args):
            return types.MethodType(found, self.next())
        return found

    def next(self, name: str = "") -> Any:
        """The next argument of the call that follows, or the named one."""
        if name:
            return self._kwargs.pop(name)
        value, self._args = self._args[0], self._args[1:]
        return value

    def _for_generator(self, value: Any) -> Any:
        """How this is gone through, where it is the expression that :meth:`plainly` was last asked
        about; one of other code may do what it likes."""
        if type(value) is not types.GeneratorType or self._plain is None:
            return None
        (place, how), code = self._plain, value.gi_code
        its = code.co_filename == place.filename and code.co_firstlineno == place.first
        return how if its and code.co_name == "<genexpr>" else None
