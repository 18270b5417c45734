"""What rewritten cells call: ``load``, ``call``, ``num`` and ``inplace``.

One instance stands in ``builtins`` as ``__jupyter_hybrid__`` once the extension is loaded.
Functions of cells keep their own code; what is rewritten may still outlive its recording (a
generator expression, a cell that goes on as written), and then each of these does just what the
original expression did.
"""

from __future__ import annotations

import builtins
import operator
import sys
import threading
import types
import warnings
from typing import Any

import numpy as np

from ... import _core
from ...np_face import TracedArray, face
from ...np_face.array import unbound
from ...np_face.float_errors import in_numpy
from .. import (
    builtin_calls,
    closed,
    homes,
    library,
    listed_calls,
    numbers,
    trace_state,
    tracebacks,
    twins,
)  # fmt: skip
from ..origin import origin
from ..outside import call_outside, runs_code
from ..recorder import Recorder
from ..trace_state import GUARDS, RUNTIME, is_rewritten
from .clocks import is_clock
from .plain import PlainCopies

_guards = _core.guards
# What rewritten code has something else for: arrays and their scalars.
_LOADED = frozenset({np.ndarray, *np.sctypeDict.values()})

# Before them everything is computed: its warnings are judged as they were.
_FILTERS: frozenset[Any] = frozenset(
    {warnings.simplefilter, warnings.filterwarnings, warnings.resetwarnings}
)


class _Name(str):
    """An attribute's name, told apart from a key that is text."""


class _Into:
    """Stores elements as ``holder[key] = value`` does in rewritten code."""

    __slots__ = ("_holder",)

    def __init__(self, holder: Any):
        self._holder = holder

    def __setitem__(self, key: Any, value: Any) -> None:
        __tracebackhide__ = True
        _guards.store(_guards.held(numbers.plain(value)), self._holder, key)


class _Owning:
    """Sets attributes as ``owner.name = value`` does there."""

    __slots__ = ("_owner",)

    def __init__(self, owner: Any):
        object.__setattr__(self, "_owner", owner)

    def __setattr__(self, name: str, value: Any) -> None:
        __tracebackhide__ = True
        owner = object.__getattribute__(self, "_owner")
        _guards.set(_guards.held(numbers.plain(value)), owner, name)


class Runtime(PlainCopies, threading.local):
    """The functions that rewritten code calls; ``recorder`` is the running cell's, or None.

    Local to the thread: other threads that call a cell's functions are not recorded.
    """

    def __init__(self) -> None:
        super().__init__()
        self.recorder: Recorder | None = None

    def load(self, value: Any) -> Any:
        """A value about to be used: an ndarray becomes its traced array."""
        recorder = self.recorder
        if recorder is None:  # a variable of a cell that goes on as written may hold a stand-in
            return _guards.kept(value)
        return recorder.wrap(value) if type(value) in _LOADED else value

    def num(self, value: int | float) -> int | float:
        """A number written in the cell."""
        return value if self.recorder is None else numbers.record(value)

    plain = staticmethod(numbers.plain)
    kept = staticmethod(_guards.kept)
    held = staticmethod(_guards.held)
    slice = slice

    @staticmethod
    def unpacked(made: Any) -> bool:
        """A list or dict that unpacking has made; True."""
        _guards.held(made)
        return True

    @staticmethod
    def into(holder: Any) -> Any:
        """``holder`` as the target of one of several stores."""
        return _Into(holder)

    @staticmethod
    def owning(owner: Any) -> Any:
        """``owner`` as the same, of an attribute."""
        return _Owning(owner)

    def moved(self, holder: Any) -> Any:
        """``holder``, of which an element is deleted next."""
        if self.recorder is not None:
            self.recorder.homes.moved(holder)
        return holder

    def inplace(self, kind: str, target: Any, value: Any) -> Any:
        """``target += value`` and the like; returns what the name is bound to."""
        if not numbers.is_recorded(target):
            value = numbers.plain(value)
        _guards.ready(target, value)
        value = _for(target, value)
        operation = getattr(operator, on_scalars(kind, target))
        if numbers.is_numpys(target):
            return in_numpy(operation, (target, value), {})
        return _guards.held(operation(target, value))

    def item(self, holder: Any, key: Any) -> tuple[Any, Any, Any]:
        """What ``holder[key] += ...`` updates, found before its right side is evaluated."""
        _guards.text(key)
        _guards.holder(holder)
        return holder, key, self.load(holder[key])

    def attribute(self, holder: Any, name: str) -> tuple[Any, Any, Any]:
        """What ``holder.name += ...`` updates."""
        return holder, _Name(name), _guards.attribute(holder, name)

    def store(self, value: Any, holder: Any, key: Any) -> None:
        """``holder[key] = value``."""
        _guards.store(value, holder, key)

    def updated(self, kind: str, target: Any, value: Any) -> Any:
        """What ``target op= value`` gives."""
        _guards.ready(target, value)
        return getattr(operator, kind)(target, _for(target, value))

    def augment(self, kind: str, found: tuple[Any, Any, Any], value: Any) -> None:
        """``holder[key] += value`` and the like, for what :meth:`item` or so found."""
        __tracebackhide__ = True
        holder, key, old = found
        target = self.load(old)
        result = self.updated(kind, target, value)
        if result is target:
            if getattr(result, "parent", None) is holder is not None:
                return  # a window of the array itself: written already
            result = old  # updated in place: the same object stays
        if type(key) is _Name:
            _guards.set(result, holder, key)
        else:
            _guards.text(key)
            self.store(result, _guards.holder(holder), key)

    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """``function(*args, **kwargs)`` as the cell wrote it."""
        __tracebackhide__ = True
        recorder = self.recorder
        if recorder is None:
            return function(*args, **kwargs)
        if type(function) not in closed.BUILTIN_CALLABLES:
            # An instance: it is not compared, hashed or asked for an attribute before.
            return self.load(self._call(recorder, function, args, kwargs))
        if function is builtins.print:
            _guards.ready(*args, *kwargs.values())
            return recorder.print(args, kwargs)
        if is_clock(function):
            recorder.before_clock()
        if function is builtins.type and len(args) == 1 and not kwargs:
            return recorder.real_type(args[0])
        made = self.load(self._call(recorder, function, args, kwargs))
        if type(made) is set or type(made) is frozenset:
            return homes.members(made)
        return _guards.held(made)

    def _call(self, recorder: Recorder, function: Any, args: tuple, kwargs: dict) -> Any:
        __tracebackhide__ = True
        kind = origin(function)
        if kind == "own":
            if not closed.allows(function, args, kwargs):
                _contact(function)
            if face.makes(function):
                return face.call(recorder, function, args, kwargs)
            return function(*args, **kwargs)
        args = tuple(numbers.plain(a) for a in args)
        kwargs = {k: numbers.plain(v) for k, v in kwargs.items()}
        if kind == "object":
            return self._user_call(recorder, function, args, kwargs)
        if runs_code(function):
            return call_outside(recorder, function, args, kwargs)
        if kind == "library":
            if not library.is_harmless(function, args, kwargs):
                _contact(function)
            return library.call(recorder, function, args, kwargs)
        if builtin_calls.handles(function):
            args = _listed(recorder, function, args)
            if not closed.allows(function, args, kwargs):
                _contact(function)
                if _is_unseen(kwargs.get("key")):
                    args, kwargs = recorder.leave(function, args, kwargs)
            return builtin_calls.call(recorder, function, args, kwargs)
        if recorder.active and _of_lists(function, args):
            return library.call_on_lists(recorder, function, args, kwargs)
        return self._user_call(recorder, function, args, kwargs)

    def caught(self) -> None:
        """A handler of the user's begins: the error's traceback has no frames of ours."""
        error = sys.exc_info()[1]
        if self.recorder is not None and error is not None:
            tracebacks.give(error, tracebacks.users(error.__traceback__))

    def ready_for(self, recorder: Recorder, function: Any, args: tuple, kwargs: dict) -> bool:
        """Makes ready for a call of unseen code, which looks at frames as it likes: nothing waits
        any longer, :meth:`given` and :meth:`named` have real arrays. False: not such a call."""
        asked = function is builtins.type and len(args) == 1
        if asked or function is builtins.print or function is memoryview:
            return False
        kind = origin(function)
        if kind == "own":
            return False
        if kind != "object":
            if runs_code(function) or is_clock(function) or builtin_calls.handles(function):
                return False
            if closed.goes_through(function):
                return False
            if unbound.applies(function, args) or _of_lists(function, args):
                return False
            if kind == "library" and library.is_recorded(function, args, kwargs):
                return False
        plain = tuple(numbers.plain(a) for a in args)
        named = {k: numbers.plain(v) for k, v in kwargs.items()}
        if kind != "library" and closed.allows(function, plain, named):
            return False
        _contact(function)
        if kind != "user" or closed.opens(function, args):
            plain, named = recorder.leave(function, plain, named)
        self._args, self._kwargs = plain, named
        return True

    def _user_call(self, recorder: Any, function: Any, args: tuple, kwargs: dict) -> Any:
        """A call of Python's own types and functions, NumPy's, or of the user's elsewhere."""
        __tracebackhide__ = True
        if unbound.applies(function, args):
            return unbound.call(function, args, kwargs)
        if closed.allows(function, args, kwargs):
            if type(function) is np.ufunc and not kwargs and all(map(numbers.is_numpys, args)):
                return in_numpy(function, args, kwargs)
            result = listed_calls.call(recorder, function, args, kwargs)
            return closed.made(function, args, result)
        seen = twins.seen(function)
        if seen is not None:
            return seen(*args, **kwargs)
        _contact(function)
        if closed.opens(function, args):
            args, kwargs = recorder.leave(function, args, kwargs)
        made = function(*args, **kwargs)
        if function is memoryview and recorder.active:
            recorder.exported.add(recorder, made)
        return made


def _listed(recorder: Any, function: Any, args: tuple) -> tuple:
    """A generator expression that the function goes through to its end, as what it gives."""
    whole = recorder.active and function is not builtins.any and function is not builtins.all
    if not whole or len(args) != 1 or type(args[0]) is not types.GeneratorType:
        return args
    if not is_rewritten(args[0].gi_code):
        _contact(function)
    return (list(args[0]),)


def _for(target: Any, value: Any) -> Any:
    """What the operator of ``target`` is given: code that nobody has seen gets no stand-in."""
    return homes.opened(value) if homes.is_ours(value) and not _guards.data(target) else value


def _is_unseen(key: Any) -> bool:
    """Does it run code that knows no stand-in?"""
    if type(key) is types.FunctionType:
        return not is_rewritten(key.__code__)
    return key is not None and type(key) not in closed.BUILTIN_CALLABLES


def _of_lists(function: Any, args: tuple) -> bool:
    """Does it record lists of arrays, and call nothing that is given to it?"""
    return library.of_lists(function, args) and not closed.calls_back(args)


def _contact(function: Any) -> None:
    name = closed.name_of(function)
    recorder = trace_state.recorder()
    if type(function) is types.FunctionType and function in _FILTERS and recorder is not None:
        recorder.flush_if_active(f"{name} decides what becomes of warnings")
    _guards.contact(f"{name} is not part of the graph")


def on_scalars(kind: str, target: Any) -> str:
    """The operator's name: a NumPy scalar never changes, a new one takes its place."""
    if type(target) is TracedArray and target.is_scalar:
        return {"iand": "and_", "ior": "or_"}.get(kind, kind[1:])
    return kind


def install() -> Runtime:
    """The process's runtime, put into ``builtins`` on the first call."""
    runtime = getattr(builtins, RUNTIME, None)
    if runtime is None:
        runtime = Runtime()
        setattr(builtins, RUNTIME, runtime)
        setattr(builtins, GUARDS, _guards)
        closed.tell_types(Runtime)
        _guards.homes(homes.OURS, homes.kept, homes.held, homes.put, homes.put_attribute)
    return runtime
