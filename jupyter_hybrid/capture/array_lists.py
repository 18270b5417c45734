"""Lists and tuples of arrays that a function goes through and keeps nothing of."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from ..np_face import TracedArray, bridge, dispatch, makers
from ..np_face.array.methods import Method
from . import builtin_calls, closed
from .recorder import Recorder

_MOST = 1000  # arrays of a list that are operands one by one


def reads_only(function: Any) -> bool:
    """True for functions that take lists of arrays apart, which may hold stand-ins: NumPy's, ours
    and those of :mod:`.builtin_calls`."""
    kind = type(function)
    if kind is Method or (kind is types.MethodType and type(function.__self__) is TracedArray):
        return True
    if kind not in closed.BUILTIN_CALLABLES:
        return False
    return (
        makers.makes(function)
        or isinstance(getattr(function, "__self__", function), np.ufunc)
        or hasattr(function, "_implementation")
        or builtin_calls.handles(function)
    )


def loaded(recorder: Any, function: Any, args: tuple) -> tuple:
    """The arguments, for such a function with stand-ins in lists and tuples in the place of arrays
    whose contents wait."""
    if not reads_only(function) or closed.calls_back(args):
        return args
    return tuple(_loaded(recorder, v) for v in args)


def _loaded(recorder: Any, value: Any) -> Any:
    kind = type(value)
    if kind is np.ndarray:
        return recorder.wrap(value)
    if (kind is list or kind is tuple) and _waits(recorder, value):
        return kind(_loaded(recorder, v) for v in value)
    return value


def _waits(recorder: Any, value: Any) -> bool:
    if len(value) > _MOST:
        return False
    for v in value:
        kind = type(v)
        if kind is np.ndarray:
            if recorder.promises.covers(v) or id(v) in recorder.wrappers:
                return True
        elif (kind is list or kind is tuple) and _waits(recorder, v):
            return True
    return False


# Functions of NumPy's that no protocol tells of ---------------------------------------------
def of_lists(function: Any, args: tuple) -> bool:
    """True for a NumPy function of lists with traced arrays inside, which no protocol tells of."""
    known = _ufunc_of(function) is not None or hasattr(function, "_implementation")
    return known and any(type(a) in (list, tuple) and bridge.has_traced(a) for a in args)


def _ufunc_of(function: Any) -> tuple[np.ufunc, str] | None:
    """(ufunc, method) that the function is."""
    if isinstance(function, np.ufunc):
        return function, "__call__"
    owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
    if isinstance(owner, np.ufunc) and name in ("reduce", "accumulate"):
        return owner, name
    return None


def call_on_lists(recorder: Recorder, function: Any, args: tuple, kwargs: dict) -> Any:
    """The call of such a function."""
    __tracebackhide__ = True
    found = _ufunc_of(function)
    if found is None:
        return dispatch.call_function(recorder, function, args, kwargs)
    if "out" in kwargs:
        return function(*args, **kwargs)
    return dispatch.call_ufunc(recorder, *found, args, kwargs)
