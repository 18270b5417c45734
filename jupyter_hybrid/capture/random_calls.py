"""Calls of Python's and NumPy's random numbers."""

from __future__ import annotations

import random
from typing import Any

from .. import _core
from ..np_face import TracedArray, bridge
from ..np_face.errors import LIKE_NUMPY, NotCovered
from ..np_face.lower import draws
from ..reasons import Reason
from . import closed
from .recorder import Recorder

_OF_POSITIONS = frozenset({"shuffle", "choice", "sample"})  # random's: elements are not looked at


def call(recorder: Recorder, function: Any, args: tuple, kwargs: dict) -> Any:
    """A draw, recorded where it can be, with real arrays otherwise."""
    __tracebackhide__ = True
    if _looks_at_positions(function, args):
        return function(*args, **kwargs)
    lower = draws.lowered(function)
    if lower is not None and bridge.has_traced((*args, *kwargs.values())):
        if type(args[0] if args else None) is list:  # its elements change places
            return function(*args, **kwargs)
        try:
            return draws.call(recorder, lower, function, args, kwargs)
        except NotCovered as problem:
            recorder.leave_graph(problem.reason)
        except LIKE_NUMPY:
            recorder.leave_graph(Reason("{name} with these arguments", name=function.__qualname__))
    args, kwargs = recorder.leave(function, args, kwargs)
    return function(*args, **kwargs)


def draws_numbers(function: Any) -> bool:
    """True for the functions and methods of Python's and NumPy's random numbers."""
    if type(function) not in closed.BUILTIN_CALLABLES:
        return False
    owner = type(getattr(function, "__self__", None))
    module = getattr(function, "__module__", None)
    return owner is random.Random or owner in draws.GENERATORS or module == "numpy.random"


def is_harmless(function: Any, args: tuple, kwargs: dict) -> bool:
    """True for a draw that neither looks at an element nor runs code that nobody has seen."""
    return _looks_at_positions(function, args) or _core.guards.data(*args, *kwargs.values())


def _looks_at_positions(function: Any, args: tuple) -> bool:
    owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
    given = type(args[0]) if args else None
    if type(owner) in draws.GENERATORS:
        return name == "shuffle" and given is list and len(args) == 1
    return (
        type(owner) is random.Random
        and name in _OF_POSITIONS
        and given in (list, tuple)
        and not any(type(a) is TracedArray for a in args)
    )
