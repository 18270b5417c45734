"""Arrays put together and repeated: concatenate, stack, tile, repeat, pad."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import bridge
from ..errors import NotCovered
from . import followed, lowering
from .counting import known_values
from .lowering import along, axis_of, cast, core, dtype_of, require_dtype, reshape
from .registry import lowers

_EXACT = 1 << 53  # the greatest integer that a float has beside its neighbours


def _joined(to: Callable, arrays: Any, dtype: Any = None, casting: Any = "same_kind") -> list[Any]:
    handles = [to(a) for a in arrays]
    if not handles:
        raise ValueError("need at least one array to concatenate")
    kinds = [dtype_of(h) for h in handles]
    wanted = np.result_type(*kinds) if dtype is None else np.dtype(dtype)
    if not all(np.can_cast(k, wanted, casting) for k in kinds):
        raise TypeError(f"cannot cast to {wanted}")
    if dtype is not None and any(k.kind in "fc" and not np.can_cast(k, wanted) for k in kinds):
        raise NotCovered("joining arrays as {wanted}, of which NumPy may warn", wanted=wanted)
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


@lowers(np.tile)
def tile(to, A, reps):
    times = tuple(int(r) for r in (reps if isinstance(reps, (tuple, list)) else (reps,)))
    return core("tile", [to(A)], reps=times)


@lowers(np.repeat)
def repeat(to, a, repeats, axis=None):
    if isinstance(repeats, (list, tuple, np.ndarray)) and np.size(repeats) != 1:
        return _repeated_each(to, a, repeats, axis)
    x = to(a)
    place = None if axis is None else axis_of(axis, len(x.shape))
    return core("repeat", [x], repeats=int(np.asarray(repeats).reshape(())), axis=place)


def _repeated_each(to: Callable, a: Any, repeats: Any, axis: Any) -> Any:
    """A count for each element: known ones, since the shape follows from them."""
    counts = known_values(repeats, "np.repeat with counts")
    x, i = along(to(a), axis)
    if counts.shape != (x.shape[i],) or counts.dtype.kind not in "iu" or counts.min() < 0:
        raise NotCovered("np.repeat with these counts")
    index = np.repeat(np.arange(x.shape[i]), counts)
    return core("take", [x, lowering.input_of(index)], axis=i, mode="raise", from_end=True)


def pad(array: Any, pad_width: Any, mode: Any = "constant", **options: Any) -> Any:
    """One node for a border of one number; NumPy's own code writes any other, side by side."""
    recorder = followed.state.recorder
    x, value = bridge.handle_of(recorder, array), options.get("constant_values", 0)
    widths = np.asarray(pad_width)
    plain = (
        mode == "constant" and options.keys() <= {"constant_values"} and widths.dtype.kind == "i"
    )
    if not plain or type(value) not in (int, float) or abs(value) > _EXACT or (widths < 0).any():
        return followed.code_of(np.pad)(array, pad_width, mode, **options)
    sides = np.broadcast_to(widths, (len(x.shape), 2)).ravel().tolist()
    number = float(np.asarray(value).astype(dtype_of(x)).real)
    node = core("pad", [x], pad_width=tuple(sides), constant_value=number)
    return bridge.Traced.of_node(recorder, node)


followed.REWRITTEN[np.pad] = pad
