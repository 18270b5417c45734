"""Order: sort, argsort, partition, median, percentiles, searchsorted."""

from __future__ import annotations

import math
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


@lowers(np.median)
def median(to, a, axis=None, out=None, overwrite_input=False, keepdims=False):
    x, place = _ordered(to, a, axis)
    whole = axis is None
    n = x.shape[place]
    if not n or (keepdims and whole) or isinstance(axis, (tuple, list)):
        raise NotCovered("np.median of nothing, over several axes, or of all with keepdims=")
    if dtype_of(x).kind != "f":
        x = cast(x, lowering.FLOAT64)
    x = core("sort", [x], axis=place)
    low, high = (n - 1) // 2, n // 2
    middle = [_at(x, place, i) for i in ((low, high) if low != high else (low,))]
    made = middle[0]
    if len(middle) == 2:
        made = core("div_scalar", [core("add", middle)], scalar=2.0)
    last = _at(x, place, n - 1)  # nan is sorted to the end
    made = core("where", [core("isnan", [last]), last, made])
    shape = tuple(d for i, d in enumerate(x.shape) if i != place or keepdims)
    return reshape(made, shape)


def _at(x: Any, axis: int, i: int) -> Any:
    return core("slice_axis", [x], axis=axis, begin=i, end=i + 1)


@lowers(np.searchsorted)
def searchsorted(to, a, v, side="left", sorter=None):
    x, values = to(a), to(v)
    if sorter is not None or side not in ("left", "right") or len(x.shape) != 1:
        raise NotCovered("np.searchsorted with sorter=")
    size, count = x.shape[0], int(np.prod(values.shape))
    if size * count > 1 << 16:
        raise NotCovered("np.searchsorted of many values: comparing each with all costs too much")
    if dtype_of(x).kind == "f" or dtype_of(values).kind == "f":
        raise NotCovered("np.searchsorted of floats: nan has a place of its own")
    wide = reshape(values, (*values.shape, 1))
    test = np.less if side == "left" else np.less_equal
    hits = ufunc_call(test, [x, wide])
    return core("sum", [cast(hits, lowering.INT64)], axis=(len(values.shape),))


def _quantile(to: Any, a: Any, q: Any, axis: Any, keepdims: bool, method: str, unit: float) -> Any:
    x, place = _ordered(to, a, axis)
    n = x.shape[place]
    plain = type(q) in (int, float) and type(q) is not bool
    if method != "linear" or not n or not plain or keepdims or isinstance(axis, (tuple, list)):
        raise NotCovered("np.quantile of several q, or with method=, keepdims= or several axes")
    if not 0 <= q / unit <= 1:
        raise ValueError("quantiles must be in range")
    if dtype_of(x).kind != "f":
        x = cast(x, lowering.FLOAT64)
    if dtype_of(x) != lowering.FLOAT64:
        raise NotCovered(f"np.quantile of {dtype_of(x)}")
    x = core("sort", [x], axis=place)
    at = (n - 1) * (q / unit)
    low = min(math.floor(at), n - 1)
    part = at - low
    first, second = _at(x, place, low), _at(x, place, min(low + 1, n - 1))
    gap = core("sub", [second, first])
    # From the nearer end, as NumPy: both ends are met exactly.
    if part < 0.5:
        made = core("add", [first, core("mul_scalar", [gap], scalar=part)])
    else:
        made = core("sub", [second, core("mul_scalar", [gap], scalar=1 - part)])
    last = _at(x, place, n - 1)
    made = core("where", [core("isnan", [last]), last, made])
    return reshape(made, tuple(d for i, d in enumerate(x.shape) if i != place))


@lowers(np.percentile)
def percentile(
    to, a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *,
    weights=None,
):  # fmt: skip
    if weights is not None:
        raise NotCovered("np.percentile with weights=")
    return _quantile(to, a, q, axis, bool(keepdims), method, 100)


@lowers(np.quantile)
def quantile(
    to, a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *,
    weights=None,
):  # fmt: skip
    if weights is not None:
        raise NotCovered("np.quantile with weights=")
    return _quantile(to, a, q, axis, bool(keepdims), method, 1)
