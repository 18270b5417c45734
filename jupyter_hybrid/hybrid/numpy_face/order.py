"""Order: sort, argsort, partition, searchsorted."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import lowering
from .lowering import NotCovered, axis_of, cast, core, dtype_of, reshape
from .registry import lowers
from .ufuncs import ufunc_call


def _ordered(to: Any, a: Any, axis: Any) -> tuple[Any, int]:
    x = to(a)
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    if dtype_of(x).kind == "c":
        raise NotCovered("sorting complex numbers")
    return x, axis_of(axis, len(x.shape))


@lowers(np.sort)
def sort(to, a, axis=-1, kind=None, order=None, *, stable=None):
    if order is not None:
        raise NotCovered("np.sort with order=")
    x, place = _ordered(to, a, axis)
    return core("sort", [x], axis=place)


@lowers(np.partition)
def partition(to, a, kth, axis=-1, kind="introselect", order=None):
    x, place = _ordered(to, a, axis)  # sorted is one of the orders that a partition may give
    axis_of(int(np.max(kth)), x.shape[place])
    if order is not None:
        raise NotCovered("np.partition with order=")
    return core("sort", [x], axis=place)


@lowers(np.argsort)
def argsort(to, a, axis=-1, kind=None, order=None, *, stable=None):
    if not (stable or kind in ("stable", "mergesort")):
        raise NotCovered("np.argsort without kind='stable': which of equals comes first is open")
    x, place = _ordered(to, a, axis)
    return core("argsort", [x], axis=place, dtype="int64")


def _before(a: Any, b: Any) -> Any:
    """Where a comes before b in NumPy's order: nan is beyond all others."""
    made = ufunc_call(np.less, [a, b])
    for kind in (dtype_of(a), dtype_of(b)):
        if kind.kind == "c":
            raise NotCovered("np.searchsorted of complex numbers")
    if dtype_of(b).kind == "f":
        beyond = core("isnan", [b])
        if dtype_of(a).kind == "f":
            beyond = core("logical_and", [beyond, core("logical_not", [core("isnan", [a])])])
        made = core("logical_or", [made, beyond])
    return made


@lowers(np.searchsorted)
def searchsorted(to, a, v, side="left", sorter=None):
    x, values = to(a), to(v)
    if sorter is not None or side not in ("left", "right") or len(x.shape) != 1:
        raise NotCovered("np.searchsorted with sorter=")
    size, count = x.shape[0], int(np.prod(values.shape))
    if size * count > 1 << 16:
        raise NotCovered("np.searchsorted of many values: comparing each with all costs too much")
    wide = reshape(values, (*values.shape, 1))
    hits = _before(x, wide) if side == "left" else core("logical_not", [_before(wide, x)])
    return core("sum", [cast(hits, lowering.INT64)], axis=(len(values.shape),))
