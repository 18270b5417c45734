"""In which order NumPy lays out a result of operands that are not in C order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import bridge

_SIZE = 3  # of a stand-in's axes: enough for a difference of second order
# Functions whose result has the order of the arrays they are given, as ufuncs' results do.
FOLLOWING = frozenset(
    {
        np.where, np.clip, np.round, np.around, np.copy, np.nan_to_num, np.roll, np.sort,
        np.zeros_like, np.ones_like, np.empty_like, np.full_like, np.concatenate, np.stack,
        np.cumsum, np.cumprod, np.sum, np.prod, np.mean, np.max, np.min, np.amax, np.amin, np.all,
        np.any, np.pad,
    }
)  # fmt: skip


def follow(made: Any, operands: tuple) -> Any:
    """``made``, the traced result of an elementwise operation, with the layout NumPy gives it."""
    if _is_fresh(made) and _any_strided(operands):
        stand_ins: Any = [_stand_in(o) for o in operands if isinstance(o, np.ndarray)]
        how: Any = [["readonly"] for _ in stand_ins] + [["writeonly", "allocate"]]
        _lay_out(made, np.nditer([*stand_ins, None], ["zerosize_ok"], how).operands[-1])
    return made


def follow_function(function: Callable, made: Any, args: tuple, kwargs: dict) -> Any:
    """``made``, the traced result of ``function(*args, **kwargs)``, laid out as NumPy's."""
    arrays = args[0] if args and type(args[0]) in (list, tuple) else args
    if function in FOLLOWING and _is_fresh(made) and _any_strided(arrays):
        try:
            with np.errstate(all="ignore"):
                answer = function(*map(_like, args), **{k: _like(v) for k, v in kwargs.items()})
        except (TypeError, ValueError, IndexError):  # the real sizes matter: C order is as good
            return made
        _lay_out(made, answer)
    return made


def laid_out(array: np.ndarray, strides: tuple[int, ...]) -> np.ndarray:
    """A copy of ``array`` whose axes lie in memory in the order of ``strides``."""
    made = empty(array.shape, strides, array.dtype)
    np.copyto(made, array)
    return made


def empty(shape: tuple[int, ...], strides: tuple[int, ...] | None, dtype: Any) -> np.ndarray:
    """An array whose axes lie in memory in the order of ``strides``; None: in C order."""
    if strides is None:
        return np.empty(shape, dtype)
    order = _axes_in_memory(shape, strides)
    if order == sorted(order, reverse=True):
        return np.empty(shape, dtype, order="F")
    memory = np.empty([shape[i] for i in order], dtype)
    return memory.transpose(np.argsort(order))


def c_strides(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """Byte strides of a C-contiguous array."""
    strides, step = [], itemsize
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def is_c_order(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> bool:
    """Is an array of these byte strides C-contiguous? An axis of size 1 may have any stride."""
    ordered = zip(shape, strides, c_strides(shape, itemsize), strict=True)
    return 0 in shape or all(n == 1 or s == c for n, s, c in ordered)


def _is_fresh(made: Any) -> bool:
    plain = type(made) is bridge.Traced and made.parent is None and made.origin is None
    return plain and len(made.shape) > 1 and 0 not in made.shape


def _any_strided(operands: Any) -> bool:
    arrays: list[Any] = [o for o in operands if isinstance(o, np.ndarray)]
    return any(
        a.layout is not None if type(a) is bridge.Traced else not a.flags.c_contiguous
        for a in arrays
    )


def _lay_out(made: Any, answer: Any) -> None:
    """Gives ``made`` the order of axes of ``answer``, NumPy's result for small stand-ins."""
    shape = made.shape
    if not isinstance(answer, np.ndarray) or answer.ndim != len(shape):
        return
    strides, step = [0] * len(shape), made.itemsize
    for axis in reversed(_axes_in_memory(answer.shape, answer.strides)):
        strides[axis] = step
        step *= shape[axis]
    if not is_c_order(shape, tuple(strides), made.itemsize):
        made.layout = tuple(strides)


def _axes_in_memory(shape: tuple[int, ...], strides: tuple[int, ...]) -> list[int]:
    """The axes from the widest stride to the narrowest; of two alike the longer comes last."""
    return sorted(range(len(shape)), key=lambda i: (-abs(strides[i]), shape[i]))


def _like(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return _stand_in(value)
    return type(value)(map(_like, value)) if type(value) in (list, tuple) else value


def _stand_in(array: Any) -> np.ndarray:
    """A small array of the same geometry: order of axes, density, repeated and reversed axes."""
    shape, strides = array.shape, array.strides
    if type(array) is bridge.Traced and array.layout == () and len(shape) > 1:
        strides = strides[::-1]  # not known: surely not C order
    small = [min(n, _SIZE) for n in shape]
    order = _axes_in_memory(shape, strides)
    step, dense = array.itemsize, True
    for axis in reversed(order):
        dense = dense and (shape[axis] == 1 or strides[axis] == step)
        step *= shape[axis]
    repeated = [s == 0 and n > 1 for s, n in zip(strides, shape, strict=True)]
    sizes = [1 if repeated[i] else small[i] + (not dense) for i in order]
    made = np.zeros(sizes, "u1").transpose(np.argsort(order))
    made = made[tuple(slice(n) for n in small)]
    made = made[tuple(slice(None, None, -1 if s < 0 else 1) for s in strides)]
    return np.broadcast_to(made, small) if any(repeated) else made
