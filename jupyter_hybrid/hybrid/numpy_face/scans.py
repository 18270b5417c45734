"""Running results along an axis: cumsum, cumprod, accumulate, diff."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _core
from . import reductions
from .lowering import (
    NotCovered,
    axis_of,
    cast,
    copied,
    core,
    dtype_of,
    require_dtype,
    reshape,
)
from .registry import lowers

_KNOWN = frozenset(op["name"] for op in _core.op_table())


def scan(name: str, x: Any, axis: Any, dtype: Any = None) -> Any:
    """The node of a running sum or product (``name``: "sum" or "prod")."""
    if f"cum{name}" not in _KNOWN:
        raise NotCovered(f"np.cum{name} is not covered")
    wanted = reductions.accumulates_in(name, x, dtype)
    x = cast(x, require_dtype(wanted, f"np.cum{name}"))
    if wanted.kind not in "fiu":
        raise NotCovered(f"np.cum{name} of {wanted}")
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
