"""Elements chosen by a condition or an index: where, clip, choose, select, take, nan_to_num."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from .. import bridge
from ..array import in_range
from ..errors import NotCovered
from . import lowering
from .lowering import (
    BOOL,
    NUMBERS,
    along,
    cast,
    constant,
    core,
    dtype_of,
    require_dtype,
)
from .reductions import as_bool
from .registry import MISSING, given, gives_arrays, lowers
from .ufuncs import ufunc_call


def weak(to: Any, value: Any) -> Any:
    """A Python number as it is (it promotes weakly), anything else as a node."""
    number = lowering.number_of(value)
    return to(value) if number is None else number


def _promoted(values: list[Any], name: str) -> list[Any]:
    """Nodes of one dtype for arrays and Python numbers."""
    kinds = [type(v)(0) if type(v) in NUMBERS else dtype_of(v) for v in values]
    dtype = require_dtype(np.result_type(*kinds), name)
    made = []
    for v in values:
        if type(v) in NUMBERS:
            if not lowering.fits(v, dtype):
                raise OverflowError(f"{v!r} out of bounds for {dtype}")
            v = constant(lowering.scalar(v, dtype), dtype)
        made.append(cast(v, dtype))
    return made


@gives_arrays
@lowers(np.where)
def where(to, condition, x=MISSING, y=MISSING, /):
    if x is MISSING or y is MISSING:
        raise NotCovered("np.where with one argument: how many there are, data decide")
    return core(
        "where", [as_bool(to(condition)), *_promoted([weak(to, x), weak(to, y)], "np.where")]
    )


@lowers(np.clip)
def clip(to, a, a_min=MISSING, a_max=MISSING, out=None, *, min=MISSING, max=MISSING, dtype=None):
    old = [b is not MISSING for b in (a_min, a_max)]
    if any(old) and (not all(old) or min is not MISSING or max is not MISSING):
        raise NotCovered("np.clip with one bound, or both in two ways")
    low = min if a_min is MISSING else a_min
    high = max if a_max is MISSING else a_max
    result = to(a)
    if dtype is not None or dtype_of(result) == BOOL:
        raise NotCovered("np.clip with dtype=, or of bool")
    bounds = [
        (u, weak(to, b)) for u, b in ((np.maximum, low), (np.minimum, high)) if given(b)
    ]  # fmt: skip
    # NumPy takes one loop for all three operands.
    kinds = [type(b)(0) if type(b) in NUMBERS else dtype_of(b) for _, b in bounds]
    wanted = require_dtype(np.result_type(dtype_of(result), *kinds), "np.clip")
    result = cast(result, wanted)
    for ufunc, bound in bounds:
        if type(bound) in NUMBERS and not lowering.fits(bound, wanted):
            raise NotCovered("np.clip of {wanted} to {bound}", wanted=wanted, bound=repr(bound))
        result = ufunc_call(ufunc, [result, bound])
    return result


@lowers(np.take)
def take(to, a, indices, axis=None, out=None, mode="raise"):
    x, place = along(to(a), axis)
    if mode != "raise":
        raise NotCovered("np.take with mode={mode}", mode=repr(mode))
    if not bridge.has_traced(indices):
        indices = np.asarray(indices, dtype=None if np.size(indices) else lowering.INT64)
    node = to(indices)
    if dtype_of(node).kind not in "iu":
        raise TypeError("index arrays must be integers")
    in_range.require(bridge.recorder_of(a, indices), node, x.shape[place])
    return core("take", [x, node], axis=place, mode="raise", from_end=True)


@gives_arrays
@lowers(np.select)
def select(to, condlist, choicelist, default=0):
    if len(condlist) != len(choicelist) or not condlist:
        raise ValueError("list of cases must be same length as list of conditions")
    conditions = [to(c) for c in condlist]
    if any(dtype_of(c) != BOOL for c in conditions):
        raise TypeError("invalid entry in condlist: should be boolean ndarray")
    choices = _promoted([weak(to, c) for c in (*choicelist, default)], "np.select")
    made = choices[-1]
    for condition, choice in zip(conditions[::-1], choices[-2::-1], strict=True):
        made = core("where", [condition, choice, made])
    return made


@lowers(np.nan_to_num)
def nan_to_num(to, x, copy=True, nan=0.0, posinf=None, neginf=None):
    array = to(x)
    if copy is not True:
        raise NotCovered("np.nan_to_num in place")
    dtype = dtype_of(array)
    if dtype.kind == "c":
        raise NotCovered("np.nan_to_num of {dtype}", dtype=dtype)
    if dtype.kind != "f":
        return array
    info = np.finfo(dtype)
    values = (
        nan,
        float(info.max) if posinf is None else posinf,
        float(info.min) if neginf is None else neginf,
    )
    if not all(isinstance(v, (int, float)) for v in values):
        raise NotCovered("np.nan_to_num with arrays")
    infinite = [core("equal_scalar", [array], scalar=s * math.inf) for s in (1, -1)]
    for test, value in zip([core("isnan", [array]), *infinite], values, strict=True):
        array = core("where", [test, constant(float(value), dtype), array])
    return array


@lowers(np.round, np.around)
def round_(to, a, decimals=0, out=None):
    x, places = to(a), operator.index(decimals)
    if abs(places) > 22:  # a larger power of ten is no exact float
        raise NotCovered("np.round to so many decimals")
    if dtype_of(x).kind == "c" and places:
        raise NotCovered("np.round of complex numbers to decimals")
    if dtype_of(x).kind not in "fc":
        if dtype_of(x).kind == "b" or places < 0:
            raise NotCovered("np.round of bool, or of integers to tens")
        return lowering.copied(x)
    if not places:
        return core("rint", [x])
    factor = float(10 ** abs(places))
    before, after = ("mul", "div") if places > 0 else ("div", "mul")
    scaled = core("rint", [core(f"{before}_scalar", [x], scalar=factor)])
    return core(f"{after}_scalar", [scaled], scalar=factor)


@lowers(np.fix)
def fix(to, x, out=None):
    return ufunc_call(np.trunc, [to(x)])
