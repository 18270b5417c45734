"""Order: sort, argsort, searchsorted."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import NotCovered
from .lowering import along, core, dtype_of, promoted
from .registry import lowers

_KINDS = (None, "quicksort", "heapsort", "stable", "mergesort")


def _ordered(to: Any, a: Any, axis: Any) -> tuple[Any, int]:
    x, place = along(to(a), axis)
    if dtype_of(x).kind == "c":
        raise NotCovered("sorting complex numbers")
    return x, place


@lowers(np.sort)
def sort(to, a, axis=-1, kind=None, order=None, *, stable=None):
    if order is not None or kind not in _KINDS or (kind is not None and stable is not None):
        raise NotCovered("np.sort with order= or another kind=")
    x, place = _ordered(to, a, axis)
    return core("sort", [x], axis=place)


@lowers(np.argsort)
def argsort(to, a, axis=-1, kind=None, order=None, *, stable=None):
    asked = stable is True if kind is None else stable is None and kind in ("stable", "mergesort")
    if order is not None or not asked:
        raise NotCovered("np.argsort without kind='stable': which of equals comes first is open")
    x, place = _ordered(to, a, axis)
    return core("argsort", [x], axis=place, dtype="int64")


@lowers(np.searchsorted)
def searchsorted(to, a, v, side="left", sorter=None):
    pair = promoted("np.searchsorted", to(a), to(v))
    if sorter is not None or side not in ("left", "right") or len(pair[0].shape) != 1:
        raise NotCovered("np.searchsorted with sorter=")
    if dtype_of(pair[0]).kind == "c":
        raise NotCovered("np.searchsorted of complex numbers")
    return core("searchsorted", pair, right=side == "right")
