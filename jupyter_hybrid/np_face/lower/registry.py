"""NumPy function -> lowering: what each file of lowerings fills."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

MISSING: Any = np._NoValue  # NumPy's "argument not given"

# A lowering takes `to` (argument -> handle) and the call's arguments, and gives a node, a list or
# tuple of nodes, or (for functions of other functions) anything else.
FUNCTIONS: dict[Any, Callable] = {}


def given(value: Any) -> bool:
    """True for an optional argument that the call gave."""
    return value is not MISSING and value is not None


# NumPy function -> function of the traced array itself, giving a view of it (or a copy, as NumPy).
VIEWS: dict[Any, Callable] = {}
# Method of ufuncs ("reduce") -> function of (recorder, ufunc, *arguments).
METHODS_OF_UFUNCS: dict[str, Callable] = {}
# Functions that give an array of rank 0 where others give a scalar.
ARRAYS_OF_RANK_0: set[Any] = set()
# Functions whose nodes follow from kinds, shapes and plain values of their arguments alone.
BY_KINDS = frozenset(
    {
        np.sum, np.prod, np.mean, np.max, np.min, np.any, np.all, np.argmax, np.argmin, np.std,
        np.var, np.where, np.clip, np.cumsum, np.cumprod, np.dot, np.inner, np.outer, np.round,
        np.sort, np.argsort, np.zeros_like, np.ones_like, np.reshape, np.ravel, np.transpose,
        np.swapaxes, np.squeeze,
    }
)  # fmt: skip
# Functions that write into their first argument.
WRITERS = frozenset({np.copyto, np.put, np.place, np.putmask, np.put_along_axis, np.fill_diagonal})


def _registers(table: dict[Any, Callable], functions: tuple[Any, ...]) -> Callable:
    def register(lowered: Callable) -> Callable:
        table.update(dict.fromkeys(functions, lowered))
        return lowered

    return register


def lowers(*functions: Any) -> Callable[[Callable], Callable]:
    """Registers the decorated lowering for NumPy functions."""
    return _registers(FUNCTIONS, functions)


def views(*functions: Any) -> Callable[[Callable], Callable]:
    """Registers the decorated view for NumPy functions."""
    return _registers(VIEWS, functions)


def gives_arrays(lowered: Callable) -> Callable:
    """Marks a lowering whose rank-0 result is an array; goes above ``lowers``."""
    ARRAYS_OF_RANK_0.update(f for f, known in FUNCTIONS.items() if known is lowered)
    return lowered
