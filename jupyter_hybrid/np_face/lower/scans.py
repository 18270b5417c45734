"""Running results along an axis: cumsum, cumprod, accumulate."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _core
from ..errors import NotCovered
from . import reductions
from .lowering import axis_of, cast, dtype_of, require_dtype, reshape
from .registry import lowers

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
        raise NotCovered("np.{name}imum.accumulate of {dtype}", name=name, dtype=dtype_of(x))
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    if not x.shape:
        x = reshape(x, (1,))
    invoke = _core.invoke_ufunc if name in _OF_BOOLS else _core.invoke_separate  # others warn not
    return invoke(f"cum{name}", [x], {"axis": axis_of(axis, len(x.shape))})


@lowers(np.cumsum)
def cumsum(to, a, axis=None, dtype=None, out=None):
    return scan("sum", to(a), axis, dtype)


@lowers(np.cumprod)
def cumprod(to, a, axis=None, dtype=None, out=None):
    return scan("prod", to(a), axis, dtype)
