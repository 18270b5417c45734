"""NumPy's functions that make arrays, of which none of its protocols tells: they are recorded where
rewritten code calls them.

All others meet traced arrays through ``__array_ufunc__`` and ``__array_function__``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..reasons import Reason
from . import bridge, dispatch, float_errors
from .errors import LIKE_NUMPY, NotCovered
from .lower import creation
from .protocols import Recorder

_EXPECTED = (NotCovered, *LIKE_NUMPY)
# By `id`: nobody hashes a callable of the user's to find it.
_MAKERS: dict[int, Callable] = {}


def makes(function: Any) -> bool:
    """Is it one of these functions?"""
    return id(function) in _MAKERS


def call(recorder: Recorder, function: Any, args: tuple, kwargs: dict) -> Any:
    """``function(*args, **kwargs)``, recorded where it can be."""
    return _MAKERS[id(function)](recorder, *args, **kwargs)


def _creation(real: Callable, lowered: Callable) -> Callable:
    def create(recorder: Recorder, /, *args: Any, **kwargs: Any) -> Any:
        if recorder.active:
            try:
                made = bridge.Traced(recorder, lowered(*args, **kwargs))
                made.is_window = real is np.linspace
                return made
            except _EXPECTED:  # NumPy's own error, or an array that enters as an input
                pass
        if any(type(a) is bridge.Traced for a in (*args, *kwargs.values())):
            return dispatch.call_function(recorder, real, args, kwargs)
        return real(*args, **kwargs)

    return create


def _conversion(real: Callable) -> Callable:
    def convert(recorder: Recorder, /, *args: Any, **kwargs: Any) -> Any:
        if recorder.active and args:
            wrapped = recorder.wrap(args[0])
            if bridge.has_traced(wrapped):
                try:
                    return creation.converted(recorder, real, wrapped, *args[1:], **kwargs)
                except _EXPECTED:
                    recorder.leave_graph(Reason("np.{real} of this", real=real.__name__))
        return float_errors.in_numpy(real, tuple(map(bridge.to_real, args)), kwargs, recorder)

    return convert


_MAKERS.update({id(f := getattr(np, n)): _creation(f, m) for n, m in creation.CREATION.items()})
for _real in (np.array, np.asarray, np.asanyarray, np.ascontiguousarray):
    _MAKERS[id(_real)] = _conversion(_real)
