"""Median, quantiles and percentiles: a sort, then the elements on either side."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import NotCovered
from . import lowering
from .counting import known_values
from .lowering import axes_of, between, cast, constant, core, dtype_of, reshape, transpose
from .registry import lowers
from .ufuncs import ufunc_call


def _sorted(x: Any, axis: Any) -> tuple[Any, int, tuple[int, ...], tuple[int, ...]]:
    """(sorted along one axis that stands for all of ``axis``, that axis, the shape of the rest,
    the same with 1s where the axes were)."""
    shape = tuple(x.shape)
    rank = len(shape)
    axes = axes_of(axis, rank)
    kept = tuple(i for i in range(rank) if i not in axes)
    rest = tuple(shape[i] for i in kept)
    wide = tuple(1 if i in axes else d for i, d in enumerate(shape))
    if len(axes) == 1:
        place = axes[0]
    else:
        place = len(kept)
        x = reshape(transpose(x, kept + axes), (*rest, math.prod(shape[i] for i in axes)))
    if not x.shape[place]:
        raise NotCovered("a median or quantile of nothing")
    if dtype_of(x).kind == "c":
        raise NotCovered("a median or quantile of complex numbers")
    return core("sort", [x], axis=place), place, rest, wide


def _at(x: Any, axis: int, i: int) -> Any:
    return between(x, axis, i, i + 1)


@lowers(np.median)
def median(to, a, axis=None, out=None, overwrite_input=False, keepdims=False):
    if overwrite_input:
        raise NotCovered("np.median with overwrite_input=")
    x, place, rest, wide = _sorted(to(a), axis)
    n = x.shape[place]
    if dtype_of(x).kind != "f":
        x = cast(x, lowering.FLOAT64)
    low, high = (n - 1) // 2, n // 2
    made = _at(x, place, low)
    if low != high:
        made = core("div_scalar", [core("add", [made, _at(x, place, high)])], scalar=2.0)
    last = _at(x, place, n - 1)  # nan is sorted to the end
    made = core("where", [core("isnan", [last]), last, made])
    return reshape(made, wide if keepdims else rest)


def _taken(x: Any, place: int, which: np.ndarray) -> Any:
    """Elements of the sorted axis, the axes of ``which`` in front of the others."""
    n = x.shape[place]
    rest = tuple(d for i, d in enumerate(x.shape) if i != place)
    if not which.ndim:
        return reshape(_at(x, place, int(which) % n), rest)
    index = lowering.input_of(which.astype(np.int64).ravel() % n)
    made = core("take", [x, index], axis=place, mode="raise", from_end=True)
    order = (place, *(i for i in range(len(x.shape)) if i != place))
    return reshape(transpose(made, order), which.shape + rest)


def _quantile(x: Any, q: np.ndarray, axis: Any, keepdims: bool, method: str) -> Any:
    """By definition 7 of Hyndman and Fan (doi:10.2307/2684934), of doubles and integers. What NumPy
    does with the others, and at which precision, is not the same in all its versions."""
    if method != "linear" or q.dtype != lowering.FLOAT64:
        raise NotCovered(
            "np.quantile with method={method} at {dtype}", method=repr(method), dtype=q.dtype
        )
    if dtype_of(x).kind == "f" and dtype_of(x) != lowering.FLOAT64:
        raise NotCovered("np.quantile of {dtype}", dtype=dtype_of(x))
    if not np.all((q >= 0) & (q <= 1)):
        raise NotCovered("np.quantile outside [0, 1]")
    x, place, rest, wide = _sorted(x, axis)
    made = _between(x, place, (x.shape[place] - 1) * q)
    if dtype_of(x).kind == "f":  # nan is sorted to the end
        last = reshape(_at(x, place, x.shape[place] - 1), rest)
        made = core("where", [core("isnan", [last]), last, made])
    return reshape(made, q.shape + wide) if keepdims else made


def _between(x: Any, place: int, at: Any) -> Any:
    """NumPy's interpolation: from the nearer neighbour, so that both ends are met exactly."""
    end = at >= x.shape[place] - 1
    before = np.where(end, -1, np.floor(at)).astype(np.int64)
    low, high = _taken(x, place, before), _taken(x, place, np.where(end, -1, before + 1))
    gap = ufunc_call(np.subtract, [high, low])
    part = np.asarray(at - before)
    wide = part.shape + (1,) * (len(x.shape) - 1)

    def operand(values: Any) -> Any:
        return lowering.input_of(values.reshape(wide)) if part.ndim else constant(values)

    up = ufunc_call(np.add, [low, ufunc_call(np.multiply, [gap, operand(part)])])
    nearer_high = part >= 0.5
    if not nearer_high.any():
        return up
    down = ufunc_call(np.subtract, [high, ufunc_call(np.multiply, [gap, operand(1 - part)])])
    if nearer_high.all():
        return down
    return core("where", [lowering.input_of(nearer_high.reshape(wide)), down, up])


def _lowered(percent: bool) -> Any:
    def lowered(
        to, a, q, axis=None, out=None, overwrite_input=False, method="linear", keepdims=False, *,
        weights=None,
    ):  # fmt: skip
        if weights is not None or overwrite_input:
            raise NotCovered("np.quantile with weights= or overwrite_input=")
        known = known_values(q, "np.quantile with q=")  # decides which elements are taken
        if percent:
            known = np.true_divide(known, 100)
        return _quantile(to(a), np.asarray(known), axis, bool(keepdims), method)

    return lowered


lowers(np.quantile)(_lowered(False))
lowers(np.percentile)(_lowered(True))
