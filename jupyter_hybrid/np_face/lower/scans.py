"""Running results along an axis: cumsum, cumprod, accumulate, diff."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import NotCovered
from . import reductions
from .lowering import (
    axis_of,
    cast,
    copied,
    core,
    dtype_of,
    filled,
    require_dtype,
    reshape,
)
from .registry import FUNCTIONS, lowers

# Of bools, a running sum is a maximum and a running product a minimum.
_OF_BOOLS = {"sum": "max", "prod": "min"}


def scan(name: str, x: Any, axis: Any, dtype: Any = None) -> Any:
    """The node of a running "sum", "prod", "max" or "min" (``name``) of ``x``."""
    if name in _OF_BOOLS:
        x = cast(x, require_dtype(reductions.accumulates_in(name, x, dtype), f"np.cum{name}"))
        if dtype_of(x).kind == "b":
            name = _OF_BOOLS[name]
    elif dtype is not None:
        x = cast(x, require_dtype(np.dtype(dtype), f"np.{name}imum.accumulate"))
    if name in ("max", "min") and dtype_of(x).kind == "c":
        raise NotCovered(f"np.{name}imum.accumulate of {dtype_of(x)}")
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    if not x.shape:
        x = reshape(x, (1,))
    return core(f"cum{name}", [x], axis=axis_of(axis, len(x.shape)))


@lowers(np.cumsum)
def cumsum(to, a, axis=None, dtype=None, out=None):
    return scan("sum", to(a), axis, dtype)


@lowers(np.cumprod)
def cumprod(to, a, axis=None, dtype=None, out=None):
    return scan("prod", to(a), axis, dtype)


def _cumulative(name: str) -> Any:
    """The array API standard's form, which can start with the neutral element."""

    def lowered(to, x, /, *, axis=None, dtype=None, out=None, include_initial=False):
        x = to(x)
        if not x.shape or (axis is None and len(x.shape) > 1):
            raise NotCovered(f"np.cumulative_{name} without axis of {len(x.shape)} dimensions")
        axis = axis_of(0 if axis is None else axis, len(x.shape))
        made = scan(name, x, axis, dtype)
        if not include_initial:
            return made
        shape = tuple(1 if i == axis else n for i, n in enumerate(made.shape))
        first = filled(shape, 0 if name == "sum" else 1, dtype_of(made))
        return core("concat", [first, made], dim=axis)

    return lowered


for _name in ("sum", "prod"):
    _function = getattr(np, f"cumulative_{_name}", None)  # of NumPy 2.1
    if _function is not None:
        FUNCTIONS[_function] = _cumulative(_name)


@lowers(np.diff)
def diff(to, a, n=1, axis=-1, prepend=np._NoValue, append=np._NoValue):
    if n < 0 or prepend is not np._NoValue or append is not np._NoValue:
        raise NotCovered("np.diff with prepend= or append=")
    x = to(a)
    if not x.shape:
        raise ValueError("diff requires input that is at least one dimensional")
    place = axis_of(axis, len(x.shape))
    op = "not_equal" if dtype_of(x).kind == "b" else "sub"
    if not n:
        return copied(x)
    for _ in range(n):
        size = x.shape[place]
        later = core("slice_axis", [x], axis=place, begin=min(1, size), end=size)
        earlier = core("slice_axis", [x], axis=place, begin=0, end=max(size - 1, 0))
        x = core(op, [later, earlier])
    return x
