"""Arrays put together and repeated: concatenate, stack, tile, repeat, pad."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import NotCovered
from . import lowering
from .counting import known_values
from .lowering import axis_of, cast, core, dtype_of, require_dtype, reshape
from .registry import lowers


def _joined(to: Callable, arrays: Any, dtype: Any = None, casting: Any = "same_kind") -> list[Any]:
    handles = [to(a) for a in arrays]
    if not handles:
        raise ValueError("need at least one array to concatenate")
    kinds = [dtype_of(h) for h in handles]
    wanted = np.result_type(*kinds) if dtype is None else np.dtype(dtype)
    if not all(np.can_cast(k, wanted, casting) for k in kinds):
        raise TypeError(f"cannot cast to {wanted}")
    require_dtype(wanted, "joining arrays")
    return [cast(h, wanted) for h in handles]


@lowers(np.concatenate, np.concat)
def concatenate(to, arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    handles = _joined(to, arrays, dtype, casting)
    if axis is None:
        handles, axis = [reshape(h, (-1,)) for h in handles], 0
    rank = len(handles[0].shape)
    if not rank:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    return core("concat", handles, dim=axis_of(axis, rank))


@lowers(np.stack)
def stack(to, arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    handles = _joined(to, arrays, dtype, casting)
    if len({tuple(h.shape) for h in handles}) > 1:
        raise ValueError("all input arrays must have the same shape")
    return core("stack", handles, axis=axis_of(axis, len(handles[0].shape) + 1))


def _matrices(handles: list[Any], shape: tuple[int, int]) -> list[Any]:
    """``handles`` with vectors and numbers as matrices of ``shape``."""
    return [reshape(h, shape) if len(h.shape) < 2 else h for h in handles]


@lowers(np.vstack)
def vstack(to, tup, *, dtype=None, casting="same_kind"):
    return core("concat", _matrices(_joined(to, tup, dtype, casting), (1, -1)), dim=0)


@lowers(np.column_stack)
def column_stack(to, tup):
    return core("concat", _matrices(_joined(to, tup), (-1, 1)), dim=1)


@lowers(np.tile)
def tile(to, A, reps):
    times = tuple(int(r) for r in (reps if isinstance(reps, (tuple, list)) else (reps,)))
    x = to(A)
    rank = max(len(x.shape), len(times))
    shape = (1,) * (rank - len(x.shape)) + tuple(x.shape)
    times = (1,) * (rank - len(times)) + times
    if any(t < 0 for t in times):
        raise NotCovered("np.tile with negative repetitions")
    wide = tuple(n for t, d in zip(times, shape, strict=True) for n in (t, d))
    thin = tuple(n for d in shape for n in (1, d))
    if len(wide) > 8:
        raise NotCovered("np.tile of more than 4 axes")
    repeated = lowering.broadcast_to(reshape(x, thin), wide)
    return reshape(repeated, tuple(t * d for t, d in zip(times, shape, strict=True)))


@lowers(np.repeat)
def repeat(to, a, repeats, axis=None):
    if isinstance(repeats, (list, tuple, np.ndarray)) and np.size(repeats) != 1:
        return _repeated_each(to, a, repeats, axis)
    count = int(np.asarray(repeats).reshape(()))
    x = to(a)
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    i = axis_of(axis, len(x.shape))
    if count < 0:
        raise ValueError("repeats may not contain negative values.")
    shape = tuple(x.shape)
    wide = lowering.broadcast_to(
        reshape(x, (*shape[: i + 1], 1, *shape[i + 1 :])), (*shape[: i + 1], count, *shape[i + 1 :])
    )
    return reshape(wide, (*shape[:i], shape[i] * count, *shape[i + 1 :]))


def _repeated_each(to: Callable, a: Any, repeats: Any, axis: Any) -> Any:
    """A count for each element: known ones, since the shape follows from them."""
    counts = known_values(repeats, "np.repeat with counts")
    x = to(a)
    if axis is None:
        x, axis = reshape(x, (-1,)), 0
    i = axis_of(axis, len(x.shape))
    if counts.shape != (x.shape[i],) or counts.dtype.kind not in "iu" or counts.min() < 0:
        raise NotCovered("np.repeat with these counts")
    index = np.repeat(np.arange(x.shape[i]), counts)
    return core("take", [x, lowering.input_of(index)], axis=i, mode="raise")


@lowers(np.pad)
def pad(to, array, pad_width, mode="constant", **kwargs):
    x = to(array)
    rank = len(x.shape)
    if isinstance(pad_width, dict) or not isinstance(mode, str):
        raise NotCovered("np.pad with a dict or a function")
    widths = np.broadcast_to(np.asarray(pad_width), (rank, 2)).astype(int).tolist()
    if mode == "constant" and set(kwargs) <= {"constant_values"}:
        value = kwargs.get("constant_values", 0)
        if type(value) not in lowering.NUMBERS:
            raise NotCovered("np.pad with several constants")
        return _constant_pad(x, widths, value)
    places = {"edge": _edge, "wrap": _wrap, "reflect": _reflect, "symmetric": _symmetric}
    if mode not in places or (kwargs and kwargs != {"reflect_type": "even"}):
        raise NotCovered(f"np.pad with mode={mode!r}")
    for axis, (before, after) in enumerate(widths):
        size = x.shape[axis]
        if not before and not after:
            continue
        if not size:
            raise NotCovered("np.pad of an empty axis")
        index = places[mode](np.arange(-before, size + after), size)
        x = core("take", [x, lowering.input_of(index)], axis=axis, mode="raise")
    return x


def _constant_pad(x: Any, widths: list, value: Any) -> Any:
    dtype = dtype_of(x)
    for axis, (before, after) in enumerate(widths):
        parts = [x]
        for side, count in ((0, before), (1, after)):
            if count < 0:
                raise ValueError("index can't contain negative values")
            if count:
                shape = (*x.shape[:axis], count, *x.shape[axis + 1 :])
                filler = lowering.filled(shape, np.asarray(value).astype(dtype).item(), dtype)
                parts.insert(len(parts) if side else 0, filler)
        x = core("concat", parts, dim=axis) if len(parts) > 1 else x
    return x


def _edge(i: np.ndarray, size: int) -> np.ndarray:
    return np.clip(i, 0, size - 1)


def _wrap(i: np.ndarray, size: int) -> np.ndarray:
    return i % size


def _reflect(i: np.ndarray, size: int) -> np.ndarray:
    period = max(2 * (size - 1), 1)
    i = i % period
    return np.where(i < size, i, period - i) if size > 1 else np.zeros_like(i)


def _symmetric(i: np.ndarray, size: int) -> np.ndarray:
    i = i % (2 * size)
    return np.where(i < size, i, 2 * size - 1 - i)
