"""Reductions with NumPy's result types, ``axis``, ``keepdims``, ``initial`` and ``where``."""

from __future__ import annotations

import inspect
import math
from typing import Any

import numpy as np

from ... import _core
from ..errors import NotCovered
from ..float_errors import Named
from . import lowering
from .lowering import (
    BOOL,
    FLOAT64,
    INT64,
    axes_of,
    cast,
    copied,
    core,
    dtype_of,
    filled,
    require_dtype,
    reshape,
)
from .registry import FUNCTIONS, MISSING, given, lowers

MEAN_OF_SOME = "mean of some"  # what its division stands for, where NumPy warns
_IDENTITY = {"sum": 0, "prod": 1, "any": False, "all": True}
_JOINS = {
    "sum": "add", "prod": "mul", "max": "maximum", "min": "minimum",
    "any": "logical_or", "all": "logical_and",
}  # fmt: skip


def accumulates_in(name: str, x: Any, dtype: Any) -> np.dtype:
    """The dtype of a sum, product or mean: NumPy adds small integers up in 64 bits."""
    if dtype is not None:
        return np.dtype(dtype)
    own = dtype_of(x)
    if own.kind not in "iub":
        return own
    if name == "mean":
        return FLOAT64
    wide = np.dtype("uint64") if own.kind == "u" else INT64
    return np.promote_types(own, wide)


def reduce(
    name: str, x: Any, axis: Any = None, *, keepdims: bool = False, dtype: Any = None,
    initial: Any = MISSING, where: Any = None,
) -> Any:  # fmt: skip
    """The node of ``np.<name>(x, axis, ...)``; ``where`` is a boolean handle or None.

    Raises ValueError as NumPy does for a maximum of nothing, NotCovered for dtypes without kernel.
    """
    axes = axes_of(axis, len(x.shape))
    if name == "mean" and where is not None:
        return _masked_mean(x, axes, keepdims, dtype, where)
    if name in ("sum", "prod", "mean"):
        x = cast(x, require_dtype(accumulates_in(name, x, dtype), f"np.{name}"))
        if name == "mean" and dtype_of(x).kind not in "fc":
            raise NotCovered("np.mean in {dtype}", dtype=dtype_of(x))
    elif name in ("any", "all"):
        x = as_bool(x)
    elif dtype is not None:
        x = cast(x, require_dtype(np.dtype(dtype), f"np.{name}"))
    if where is not None:
        x = _masked(name, x, where, initial)
    if name in ("max", "min"):
        made = _extreme(name, x, axes, keepdims, initial)
    elif not axes:
        made = copied(x)
    elif name in ("sum", "prod") and dtype_of(x).kind == "b":
        made = core("any" if name == "sum" else "all", [x], axis=axes, keepdims=keepdims)
    else:
        made = _core.invoke_ufunc(name, [x], {"axis": axes, "keepdims": keepdims})
    if initial is not MISSING and initial is not None:
        made = _with_initial(name, made, initial)
    return made


def as_bool(x: Any) -> Any:
    """True where an element is not 0."""
    return x if dtype_of(x) == BOOL else core("not_equal_scalar", [x], scalar=0)


def mask_of(where: Any) -> Any:
    """The mask that ``where=`` is."""
    if dtype_of(where) != BOOL:
        raise NotCovered("a where= that is not of bools")
    return where


def _masked(name: str, x: Any, where: Any, initial: Any) -> Any:
    if name in _IDENTITY:
        neutral = _IDENTITY[name]
    elif given(initial) and type(initial) in lowering.NUMBERS:
        neutral = initial
    else:
        raise NotCovered("np.{name} with where= and no initial=", name=name)
    shape = np.broadcast_shapes(tuple(x.shape), tuple(where.shape))
    if shape != tuple(x.shape):
        raise NotCovered("np.{name} with a where= wider than the array", name=name)
    if not lowering.fits(neutral, dtype_of(x)):
        raise NotCovered(
            "np.{name} with initial={initial} of {dtype}",
            name=name,
            initial=repr(initial),
            dtype=dtype_of(x),
        )
    return core("where", [where, x, filled((), neutral, dtype_of(x))])


def _with_initial(name: str, made: Any, initial: Any) -> Any:
    dtype = dtype_of(made)
    if type(initial) not in lowering.NUMBERS or not lowering.fits(initial, dtype):
        raise NotCovered("np.{name} with initial={initial}", name=name, initial=repr(initial))
    joined = _JOINS[name]
    if dtype.kind == "b" and joined not in ("logical_or", "logical_and"):
        raise NotCovered("np.{name} of bool with initial=", name=name)
    return core(joined, [made, filled((), initial, dtype)])


def _extreme(name: str, x: Any, axes: tuple, keepdims: bool, initial: Any) -> Any:
    empty = 0 in [x.shape[a] for a in axes]
    if empty and not given(initial):
        raise ValueError(f"zero-size array to reduction operation {name}imum which has no identity")
    if not axes:
        return copied(x)
    if empty:  # nothing but `initial`
        if type(initial) not in lowering.NUMBERS or not lowering.fits(initial, dtype_of(x)):
            raise NotCovered(
                "np.{name} of nothing with initial={initial}", name=name, initial=repr(initial)
            )
        shape = np.any(np.empty(x.shape, bool), axes, keepdims=keepdims).shape
        return filled(shape, initial, dtype_of(x))
    if dtype_of(x) == BOOL:
        return core("any" if name == "max" else "all", [x], axis=axes, keepdims=keepdims)
    if dtype_of(x).kind == "c":
        raise NotCovered("np.{name} of {dtype}", name=name, dtype=dtype_of(x))
    return core(name, [x], axis=axes, keepdims=keepdims)


def _function(name: str) -> Any:
    order = list(inspect.signature(getattr(np, name)).parameters)[1:]  # `dtype` is not in each

    def lowered(to, a, *args, **options):
        given = order[: len(args)]
        if len(args) > len(order) or not set(order[len(args) :]) >= options.keys():
            raise NotCovered("np.{name} with these arguments", name=name)
        options |= zip(given, args, strict=True)
        if name in _IDENTITY and options.get("initial", 0) is None:
            raise NotCovered("np.{name} without a first value", name=name)
        where = options.get("where", True)
        mask = None if where is MISSING or where is True else mask_of(to(where))
        return reduce(
            name, to(a), options.get("axis"), keepdims=kept(options.get("keepdims", MISSING)),
            dtype=options.get("dtype"), initial=_number(options.get("initial")), where=mask,
        )  # fmt: skip

    return lowered


def kept(keepdims: Any) -> bool:
    """``keepdims=`` as it was given, or not."""
    if keepdims is MISSING:
        return False
    if type(keepdims) not in (bool, int) or keepdims not in (0, 1):
        raise NotCovered("keepdims={keepdims}", keepdims=repr(keepdims))
    return bool(keepdims)


def _number(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    number = lowering.number_of(value)
    return value if number is None else number


def _masked_mean(x: Any, axis: Any, keepdims: bool, dtype: Any, mask: Any) -> Any:
    wanted = require_dtype(accumulates_in("mean", x, dtype), "np.mean")
    total = reduce("sum", x, axis, keepdims=keepdims, dtype=wanted, where=mask)
    wide = lowering.broadcast_to(mask, tuple(x.shape))
    count = reduce("sum", wide, axis, keepdims=keepdims, dtype=INT64)
    count = cast(count, dtype_of(total))
    with Named(MEAN_OF_SOME):
        return _core.invoke_ufunc("div", [total, count], {})


for _name in ("sum", "prod", "max", "min", "any", "all", "mean"):
    FUNCTIONS[getattr(np, _name)] = _function(_name)
FUNCTIONS[np.amax], FUNCTIONS[np.amin] = FUNCTIONS[np.max], FUNCTIONS[np.min]


def _position(name: str) -> Any:
    def lowered(to, a, axis=None, out=None, *, keepdims=MISSING):
        x = to(a)
        keep = kept(keepdims)
        rank = len(x.shape)
        if axis is None:
            if not math.prod(x.shape):
                raise ValueError(f"attempt to get {name} of an empty sequence")
            made = core(name, [reshape(x, (-1,))], axis=0, dtype="int64")
            return reshape(made, (1,) * rank if keep else ())
        i = lowering.axis_of(axis, max(rank, 1))
        if not rank:
            return filled((), 0, INT64)
        if not x.shape[i]:
            raise NotCovered("np.{name} of no elements", name=name)
        return core(name, [x], axis=i, keepdims=keep, dtype="int64")

    return lowered


FUNCTIONS[np.argmax], FUNCTIONS[np.argmin] = _position("argmax"), _position("argmin")


def _variance(x: Any, axis: Any, keepdims: bool, ddof: float, dtype: Any) -> Any:
    """``np.var``: the mean of squared distances to the mean, in two passes as NumPy."""
    wanted = require_dtype(accumulates_in("mean", x, dtype), "np.var")
    x = cast(x, wanted)
    if wanted.kind != "f":
        raise NotCovered("np.var in {wanted}", wanted=wanted)
    axes = axes_of(axis, len(x.shape))
    middle = reduce("mean", x, axes, keepdims=True)
    total = reduce("sum", core("square", [core("sub", [x, middle])]), axes, keepdims=keepdims)
    count = max(math.prod(x.shape[a] for a in axes) - ddof, 0)
    if not count:
        raise NotCovered("no variance without degrees of freedom, of which NumPy warns")
    return core("div_scalar", [total], scalar=float(count))


def _spread(root: bool) -> Any:
    """:func:`_variance`, or its root, with NumPy's arguments."""

    def lowered(
        to, a, axis=None, dtype=None, out=None, ddof=0, keepdims=MISSING, *, where=MISSING,
        mean=MISSING, correction=MISSING,
    ):  # fmt: skip
        twice = correction is not MISSING and ddof != 0
        if (where is not MISSING and where is not True) or mean is not MISSING or twice:
            raise NotCovered("a variance with where= or mean=, or with ddof= in two ways")
        taken = ddof if correction is MISSING else correction
        if type(taken) not in (int, float) or abs(taken) >= 2**53:
            raise NotCovered("a variance with ddof={taken}", taken=repr(taken))
        made = _variance(to(a), axis, kept(keepdims), float(taken), dtype)
        return core("sqrt", [made]) if root else made

    return lowered


FUNCTIONS[np.std], FUNCTIONS[np.var] = _spread(True), _spread(False)


@lowers(np.count_nonzero)
def _count_nonzero(to, a, axis=None, *, keepdims=False):
    if axis is None and not keepdims:
        raise NotCovered("np.count_nonzero gives a Python number")
    return reduce("sum", as_bool(to(a)), axis, keepdims=bool(keepdims), dtype=INT64)
