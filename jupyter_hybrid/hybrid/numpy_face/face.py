"""The object that ``np`` means in a hybridized cell: creation functions recorded, the rest real."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from . import functions
from .lowering import NotCovered
from .traced_array import TracedArray


def _shape(shape: Any) -> tuple[int, ...]:
    if isinstance(shape, (tuple, list)):
        return tuple(operator.index(s) for s in shape)
    return (operator.index(shape),)


def _zeros(shape, dtype=float, order="C", **rest):
    if order != "C" or rest:
        raise NotCovered("np.zeros with order=, device= or like=")
    return functions.creation("zeros", _shape(shape), dtype)


def _ones(shape, dtype=None, order="C", **rest):
    if order != "C" or rest:
        raise NotCovered("np.ones with order=, device= or like=")
    return functions.creation("ones", _shape(shape), float if dtype is None else dtype)


def _full(shape, fill_value, dtype=None, order="C", **rest):
    if order != "C" or rest or not isinstance(fill_value, (bool, int, float)):
        raise NotCovered("np.full of an array, or with order=, device= or like=")
    kind = np.dtype(np.array(fill_value).dtype if dtype is None else dtype)
    value = kind.type(fill_value).item()
    return functions.creation("full", _shape(shape), kind, value=value)


_CREATION: dict[str, Callable] = {"zeros": _zeros, "ones": _ones, "full": _full}


class NumpyFace:
    """Answers as the NumPy module does; see :data:`_CREATION` for what it records itself.

    Every other function meets traced arrays through ``__array_ufunc__`` and
    ``__array_function__``.
    """

    def __init__(self, recorder: Any):
        self._recorder = recorder
        for name, lowered in _CREATION.items():
            setattr(self, name, self._creation(name, lowered))

    def _creation(self, name: str, lowered: Callable) -> Callable:
        real = getattr(np, name)

        def create(*args: Any, **kwargs: Any) -> Any:
            recorder = self._recorder
            if not recorder.active:
                return real(*args, **kwargs)
            try:
                return TracedArray.of_node(recorder, lowered(*args, **kwargs))
            except (NotCovered, TypeError, ValueError, OverflowError):
                return real(*args, **kwargs)  # gives NumPy's own error, or an array of its own

        create.__name__ = create.__qualname__ = name
        return create

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def __dir__(self) -> list[str]:
        return dir(np)

    def __repr__(self) -> str:
        return repr(np)
