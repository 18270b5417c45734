"""Vectors as signals: convolve, correlate, interp."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import NotCovered
from .lowering import FLOAT64, between, cast, core, dtype_of, promoted, reshape
from .registry import lowers
from .ufuncs import ufunc_call


def _sliding(a: Any, v: Any, mode: Any) -> Any:
    """The sums of ``a``'s windows times ``v``, which is not longer."""
    n, m = a.shape[0], v.shape[0]
    if mode == "valid":
        left, size = 0, n - m + 1
    elif mode == "same":
        left, size = m // 2, n
    elif mode == "full":
        left, size = m - 1, n + m - 1
    else:
        raise NotCovered("np.convolve with mode={mode}", mode=repr(mode))
    return core("correlate", [a, v], left=left, size=size)


def _reversed(x: Any) -> Any:
    return core("reverse", [x], axis=(0,))


def _vectors(x: Any, y: Any) -> list[Any]:
    """Both in their common dtype. Raises NotCovered where NumPy has errors of its own."""
    if len(x.shape) != 1 or len(y.shape) != 1 or not x.shape[0] or not y.shape[0]:
        raise NotCovered("np.convolve of anything but vectors with elements")
    return promoted("np.convolve", x, y)


@lowers(np.convolve)
def convolve(to, a, v, mode="full"):
    x, y = (reshape(h, (1,)) if not h.shape else h for h in (to(a), to(v)))
    x, y = _vectors(x, y)
    if y.shape[0] > x.shape[0]:
        x, y = y, x
    return _sliding(x, _reversed(y), mode)


@lowers(np.correlate)
def correlate(to, a, v, mode="valid"):
    x, y = _vectors(to(a), to(v))
    if dtype_of(y).kind == "c":
        y = core("conj", [y])
    if y.shape[0] > x.shape[0]:
        return _reversed(_sliding(y, x, mode))
    return _sliding(x, y, mode)


@lowers(np.interp)
def interp(to, x, xp, fp, left=None, right=None, period=None):
    at, points, values = to(x), to(xp), to(fp)
    kinds = {dtype_of(h).kind for h in (at, points, values)}
    if "c" in kinds or len(points.shape) != 1 or points.shape != values.shape:
        raise NotCovered("np.interp of complex numbers, or of points that are not vectors")
    at, points, values = (cast(h, FLOAT64) for h in (at, points, values))
    if not points.shape[0]:
        raise NotCovered("np.interp of no points")
    if period is not None:
        if type(period) not in (int, float) or not period:
            raise NotCovered("np.interp with a period= that is computed or 0")
        return core("interp", [_folded(at, period), *_around(points, values, abs(period))])
    made = core("interp", [at, points, values])
    for value, beyond, end in ((left, np.less, 0), (right, np.greater, points.shape[0] - 1)):
        if value is not None:
            outside = ufunc_call(beyond, [at, reshape(between(points, 0, end, end + 1), ())])
            number = to(value)
            if number.shape or dtype_of(number).kind == "c":
                raise NotCovered("np.interp with left= or right= that is not a real number")
            made = core("where", [outside, cast(number, FLOAT64), made])
    return made


def _folded(x: Any, period: float) -> Any:
    return ufunc_call(np.remainder, [x, abs(period)])


def _around(points: Any, values: Any, period: float) -> tuple[Any, Any]:
    """The points of one period in order, with a neighbour from the next on either side."""
    n = points.shape[0]
    points = _folded(points, period)
    order = core("argsort", [points], axis=0, dtype="int64")
    points, values = (core("take", [h, order], axis=0) for h in (points, values))
    first, first_value = (between(h, 0, 0, 1) for h in (points, values))
    last, last_value = (between(h, 0, n - 1, n) for h in (points, values))
    before = ufunc_call(np.subtract, [last, period])
    after = ufunc_call(np.add, [first, period])
    return (
        core("concat", [before, points, after], dim=0),
        core("concat", [last_value, values, first_value], dim=0),
    )
