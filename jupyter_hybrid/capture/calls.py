"""How a call of a recorded cell is done: judged once, by what is called and what it is given."""

from __future__ import annotations

import builtins
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _core
from ..np_face import TracedArray, makers
from ..np_face.array import unbound
from ..np_face.bridge import has_traced
from ..np_face.float_errors import in_numpy
from ..reasons import Reason
from . import array_lists, builtin_calls, closed, listed_calls, numbers, random_calls
from .outside import call_outside, runs_code
from .source.clocks import is_clock
from .trace_state import is_rewritten

_guards = _core.guards
_OF_NUMPY = frozenset({types.FunctionType, type(np.concatenate)})  # on the closed list
Way = Callable[[Any, Any, tuple, dict], Any]  # (recorder, function, args, kwargs) -> the result
# Before them everything is computed: its warnings are judged as they were.
_FILTERS: frozenset[Any] = frozenset(
    {warnings.simplefilter, warnings.filterwarnings, warnings.resetwarnings}
)


def prepared(
    recorder: Any, function: Any, args: tuple, kwargs: dict
) -> tuple[Way | None, Any, Any]:
    """(what does the call, its arguments).

    None does it where the code that runs looks at frames as it likes: the function is to be called
    itself. The arguments are real then; before code that nobody has seen nothing waits any longer.
    """
    if type(function) in closed.BUILTIN_CALLABLES:  # an instance is not even compared or hashed
        if function is builtins.print:
            return _print, args, kwargs
        if function is builtins.type and len(args) == 1 and not kwargs:
            return _type, args, kwargs
        if is_clock(function):
            recorder.before_clock()
    elif type(function) is TracedArray:
        return _number, args, kwargs
    makes = makers.makes(function)
    if makes or closed.is_own(function):
        if not closed.allows(function, args, kwargs):
            _contact(recorder, function)
        return (makers.call if makes else _itself), args, kwargs
    args = tuple(map(numbers.plain, args))
    kwargs = {k: numbers.plain(v) for k, v in kwargs.items()}
    way = _way_of(recorder, function, args, kwargs)
    if way is _listed and _warns_itself(function, args, kwargs):
        return None, args, kwargs
    if way is not None:
        return way, args, kwargs
    _contact(recorder, function)
    if random_calls.draws_numbers(function):
        return random_calls.call, args, kwargs
    if closed.opens(function, args):
        args, kwargs = recorder.leave(function, args, kwargs)
    if function is memoryview:
        return _shown, args, kwargs
    return (_itself if closed.goes_through(function) else None), args, kwargs


def _way_of(recorder: Any, function: Any, args: tuple, kwargs: dict) -> Way | None:
    """What does a call before which nothing has to be computed; None for others."""
    if random_calls.draws_numbers(function):
        return random_calls.call if random_calls.is_harmless(function, args, kwargs) else None
    if type(function) in closed.BUILTIN_CALLABLES:
        if runs_code(function):
            return call_outside
        if builtin_calls.handles(function):
            return _through
        if args and type(args[0]) is TracedArray and _asks(function, args):
            return _asked
        if array_lists.of_lists(function, args) and not closed.calls_back(args):
            return array_lists.call_on_lists
    if recorder.script:
        return _itself
    if unbound.applies(function, args):
        return unbound.call
    return _listed if closed.allows(function, args, kwargs) else None


def _warns_itself(function: Any, args: tuple, kwargs: dict) -> bool:
    """Is it NumPy's own Python code, on real arrays? It warns of its caller's line."""
    its = type(function) in _OF_NUMPY or function is np.matrix
    return its and not any(map(has_traced, (*args, *kwargs.values())))


def _contact(recorder: Any, function: Any) -> None:
    name = closed.name_of(function)
    if type(function) is types.FunctionType and function in _FILTERS:
        recorder.flush_if_active(Reason("{name} decides what becomes of warnings", name=name))
    _guards.contact(("{name} is not part of the graph", "name", name))


def _asks(function: Any, args: tuple) -> bool:
    """Is it asked of an array which one it is, or for an attribute?"""
    if len(args) == 1:
        return function is builtins.id or function is builtins.dir
    return (function is builtins.hasattr or function is builtins.getattr) and type(args[1]) is str


# The ways -----------------------------------------------------------------------------------------
def _itself(recorder: Any, function: Any, args: tuple, kwargs: dict) -> Any:
    __tracebackhide__ = True
    return function(*args, **kwargs)


def _number(recorder: Any, function: Any, args: tuple, kwargs: dict) -> Any:
    """The error names the type that a number has."""
    __tracebackhide__ = True
    return function.to_numpy()(*args, **kwargs)


def _print(recorder: Any, function: Any, args: tuple, kwargs: dict) -> Any:
    _guards.ready(*args, *kwargs.values())
    return recorder.print(args, kwargs)


def _type(recorder: Any, function: Any, args: tuple, kwargs: dict) -> Any:
    """What it answers in the cell run imperatively."""
    value = numbers.plain(args[0])
    return value.__class__ if type(value) is TracedArray else type(value)


def _asked(recorder: Any, function: Any, args: tuple, kwargs: dict) -> Any:
    """An array answers as NumPy's object does, and goes on as that."""
    __tracebackhide__ = True
    array, *rest = args
    if function is builtins.id:
        return id(array.to_numpy(Reason("id() tells which array it is")))
    if function is builtins.dir:
        return dir(array.__class__)
    try:
        found = _guards.attribute(array, rest[0])
    except AttributeError:
        if function is builtins.getattr and len(rest) == 1:
            raise
        return rest[1] if rest[1:] else False
    return True if function is builtins.hasattr else found


def _shown(recorder: Any, function: Any, args: tuple, kwargs: dict) -> Any:
    """A memoryview."""
    __tracebackhide__ = True
    made = function(*args, **kwargs)
    recorder.exported.add(recorder, made)
    return made


def _listed(recorder: Any, function: Any, args: tuple, kwargs: dict) -> Any:
    """A call on the closed list."""
    __tracebackhide__ = True
    if type(function) is np.ufunc and not any(map(has_traced, (*args, *kwargs.values()))):
        return in_numpy(function, args, kwargs, recorder)
    return closed.made(function, args, listed_calls.call(recorder, function, args, kwargs))


def _through(recorder: Any, function: Any, args: tuple, kwargs: dict) -> Any:
    """A function of Python's that goes through elements."""
    __tracebackhide__ = True
    whole = function is not builtins.any and function is not builtins.all
    if whole and len(args) == 1 and type(args[0]) is types.GeneratorType:
        if not is_rewritten(args[0].gi_code):
            _contact(recorder, function)
        args = (list(args[0]),)
    if not closed.allows(function, args, kwargs):
        _contact(recorder, function)
        if _is_unseen(kwargs.get("key")):
            args, kwargs = recorder.leave(function, args, kwargs)
    return builtin_calls.call(recorder, function, args, kwargs)


def _is_unseen(key: Any) -> bool:
    """Does it run code that knows no stand-in?"""
    if type(key) is types.FunctionType:
        return not is_rewritten(key.__code__)
    return key is not None and type(key) not in closed.BUILTIN_CALLABLES
