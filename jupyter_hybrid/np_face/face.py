"""NumPy's functions that make arrays, of which none of its protocols tells: they are recorded where
rewritten code calls them.

All others meet traced arrays through ``__array_ufunc__`` and ``__array_function__``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import bridge, dispatch
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
                return bridge.Traced(recorder, lowered(*args, **kwargs))
            except _EXPECTED:  # NumPy's own error, or an array that enters as an input
                pass
        if any(type(a) is bridge.Traced for a in (*args, *kwargs.values())):
            return dispatch.call_function(recorder, real, args, kwargs)
        return real(*args, **kwargs)

    return create


def _conversion(real: Callable, copy: Any) -> Callable:
    def convert(recorder: Recorder, /, *args: Any, **kwargs: Any) -> Any:
        if recorder.active and args and len(args) < 3 and not set(kwargs) - _TAKEN:
            wrapped = recorder.wrap(args[0])
            if bridge.has_traced(wrapped):
                dtype = args[1] if len(args) > 1 else kwargs.get("dtype")
                order = "C" if copy == "C" else kwargs.get("order")
                wanted = kwargs.get("copy", copy is True or None)
                try:
                    made = creation.asarray(recorder, wrapped, dtype, order, wanted)
                    return made[None] if copy == "C" and not made.ndim else made
                except _EXPECTED:
                    recorder.leave_graph(f"np.{real.__name__} of this")
        return real(*map(bridge.to_real, args), **kwargs)

    return convert


_TAKEN = frozenset({"dtype", "copy", "order"})
_MAKERS.update({id(f := getattr(np, n)): _creation(f, m) for n, m in creation.CREATION.items()})
for _real, _copy in (
    (np.array, True), (np.asarray, None), (np.asanyarray, None), (np.ascontiguousarray, "C"),
):  # fmt: skip
    _MAKERS[id(_real)] = _conversion(_real, _copy)
