"""Calls on the closed list that keep something: methods of containers, errors, ``operator``'s."""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from .. import _core
from ..np_face import TracedArray, face
from ..np_face.array.methods import Method
from . import builtin_calls, closed
from .homes import is_ours, kept, put

_guards = _core.guards
_CONTAINERS = (list, dict, set)
_MOST = 1000  # arrays of a list that are operands one by one


def call(recorder: Any, function: Any, args: tuple, kwargs: dict) -> Any:
    """``function(*args, **kwargs)``, where what is kept is real or waits in its place."""
    owner = getattr(function, "__self__", None)
    if type(owner) in _CONTAINERS:
        return _method(owner, function, args, kwargs)
    if type(function) is type and issubclass(function, BaseException) and is_ours(args):
        args = tuple(map(kept, args))
    made = function(*args, **kwargs)
    if type(function) is types.BuiltinFunctionType and function.__module__ == "_operator":
        for a in args:
            _guards.held(a)
    return made


def _method(owner: Any, function: Any, args: tuple, kwargs: dict) -> Any:
    name = function.__name__
    if name == "append" and len(args) == 1 and is_ours(args[0]):
        function(None)
        put(args[0], owner, -1)
        return None
    if type(owner) is set:
        args = tuple(map(kept, args))
    try:
        return function(*args, **kwargs)
    finally:  # an error may leave it what came before
        if type(owner) is set:
            for member in [v for v in owner if is_ours(v)]:
                owner.remove(member)
                owner.add(kept(member))
        elif is_ours(args) or name in ("extend", "update"):
            _guards.held(owner)


# What goes through lists and keeps none --------------------------------------------------------
def reads_only(function: Any) -> bool:
    """True for functions that take lists of arrays apart, which may hold stand-ins: NumPy's, ours
    and those of :mod:`.builtin_calls`."""
    kind = type(function)
    if kind is Method or (kind is types.MethodType and type(function.__self__) is TracedArray):
        return True
    if kind not in closed.BUILTIN_CALLABLES:
        return False
    return (
        face.makes(function)
        or isinstance(getattr(function, "__self__", function), np.ufunc)
        or hasattr(function, "_implementation")
        or (builtin_calls.handles(function))
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
