"""nansum, nanmean and their kin: reductions over the elements that are numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import NotCovered
from .lowering import INT64, axes_of, cast, core, dtype_of, filled
from .reductions import kept, reduce, spread
from .registry import MISSING, lowers


def _is_number(x: Any) -> Any:
    return core("logical_not", [core("isnan", [x])])


def _options(keepdims: Any, initial: Any, where: Any) -> bool:
    if initial is not MISSING or where is not MISSING:
        raise NotCovered("nan reductions with initial= or where=")
    return kept(keepdims)


def _extreme(name: str, outside: float) -> Any:
    def lowered(to, a, axis=None, out=None, keepdims=MISSING, initial=MISSING, where=MISSING):
        keep = _options(keepdims, initial, where)
        x = to(a)
        if dtype_of(x).kind != "f":
            return reduce(name, x, axis, keepdims=keep)
        isnan = core("isnan", [x])
        best = reduce(
            name, core("where", [isnan, filled((), outside, dtype_of(x)), x]), axis, keepdims=keep
        )
        none = reduce("all", isnan, axis, keepdims=keep)
        # Opposite infinities make nan: an error that is met, so that there is a warning.
        rest = (filled((), value, dtype_of(x)) for value in (-outside, -0.0))
        return core("add", [best, core("where", [none, *rest])])

    return lowered


lowers(np.nanmax)(_extreme("max", float("-inf")))
lowers(np.nanmin)(_extreme("min", float("inf")))


@lowers(np.nanmean)
def nanmean(to, a, axis=None, dtype=None, out=None, keepdims=MISSING, *, where=MISSING):
    keep = _options(keepdims, MISSING, where)
    x = to(a)
    if dtype_of(x).kind == "c":
        raise NotCovered(f"np.nanmean of {dtype_of(x)}")
    if dtype_of(x).kind != "f" or (dtype is not None and np.dtype(dtype) != dtype_of(x)):
        return reduce("mean", x, axis, keepdims=keep, dtype=dtype)
    return reduce("mean", x, axis, keepdims=keep, where=_is_number(x))


def _variance(x: Any, axis: Any, keepdims: bool, ddof: float, dtype: Any) -> Any:
    if dtype is not None or dtype_of(x).kind != "f":
        raise NotCovered(f"np.nanvar or np.nanstd of {dtype_of(x)}, or with dtype=")
    axes = axes_of(axis, len(x.shape))
    numbers = _is_number(x)
    middle = reduce("mean", x, axes, keepdims=True, where=numbers)
    count = cast(reduce("sum", numbers, axes, keepdims=keepdims, dtype=INT64), dtype_of(x))
    square = core("square", [core("sub", [x, middle])])
    total = reduce("sum", square, axes, keepdims=keepdims, where=numbers)
    free = core("sub_scalar", [count], scalar=ddof)
    bad = core("lesser_equal_scalar", [free], scalar=0.0)
    made = core("div", [total, core("maximum_scalar", [free], scalar=0.0)])
    return core("where", [bad, filled((), float("nan"), dtype_of(x)), made])


lowers(np.nanvar)(spread(_variance, False))
lowers(np.nanstd)(spread(_variance, True))
