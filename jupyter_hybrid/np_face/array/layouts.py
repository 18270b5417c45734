"""Where NumPy's results lie in memory: NumPy itself says so, for small stand-ins of the operands.

A stand-in has its array's dtype and geometry: the order of axes, density, repeated and reversed
axes and axes of size 1 and 0; longer axes are short. What NumPy makes of it tells the order of axes
of the true result, and whether that is an operand, or shares its memory.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...reasons import Reason
from .. import bridge
from ..errors import NotCovered
from ..float_errors import untold
from ..lower import lowering

_FIRST = 3  # the shortest size of a stand-in's long axis: enough for a second difference
_MOST = 1 << 12  # elements of stand-ins in the true size, where small ones are refused
_KNOWN = 4096  # answers that are kept
_PLAIN = (str, type(None), type(...), type, np.dtype, np.generic, np.ufunc, type(np.sum))
# Whose results of arrays in C order are new arrays in C order: these need not be asked.
_IN_C_ORDER = frozenset(
    {
        np.where, np.clip, np.concatenate, np.concat, np.stack, np.vstack, np.zeros_like,
        np.ones_like, np.empty_like, np.cumsum, np.cumprod, np.sum, np.prod, np.mean,
        np.max, np.min, np.amax, np.amin, np.all, np.any, np.std, np.var, np.dot, np.argmax,
        np.argmin, np.sort, np.argsort, np.outer, np.roll,
    }
)  # fmt: skip


class _New(NamedTuple):
    """A result with memory of its own: its axes from the widest stride to the narrowest."""

    order: tuple[int, ...] | None  # None: in C order
    is_window: bool  # on an array that nobody else has


_VIEW, _UNKNOWN = Reason("a view of an operand"), Reason("a layout that is not known")
_OTHER = "no array"
_answers: dict[Any, Any] = {}


def like_numpy(call: Callable, made: Any, args: tuple, kwargs: dict[str, Any] | None = None) -> Any:
    """``made``, what was recorded of ``call(*args, **kwargs)``, laid out as NumPy's result; an
    operand itself where NumPy gives that. Raises NotCovered where NumPy's is not known."""
    if type(made) is bridge.Traced and made.selected is not None:
        return made
    if call is np.reshape and not kwargs and len(args) == 2 and _is_new(made, arrays(args)):
        made.is_window = True  # on the copy in C order that NumPy makes
        return made
    given = (args, kwargs) if kwargs else (args,)
    strided = _is_strided(args) or (kwargs is not None and _is_strided(kwargs))
    in_c_order = call in _IN_C_ORDER or type(call) is np.ufunc
    if in_c_order and not strided and not (kwargs and kwargs.get("order") == "F"):
        return made
    try:
        key = (call, _signature(given))
        known = _answers.get(key)
    except _NotPlainError:  # only the call itself could tell
        if strided:
            raise NotCovered("a layout that {call} decides", call=call.__name__) from None
        return made
    operands = arrays(given)
    if known is None:
        if len(_answers) >= _KNOWN:
            _answers.clear()
        known = _answers[key] = _asked(call, made, given, operands)
    return _as_known(made, known, operands, call)


def like_copy(made: Any, array: Any, order: str) -> Any:
    """``made``, a copy of ``array``, laid out as ``np.copy(array, order)``."""
    if order == "C" or (array.layout is None and order != "F"):
        return made
    return like_numpy(np.copy, made, (array, order))


def laid_out(array: np.ndarray, strides: tuple[int, ...]) -> np.ndarray:
    """A copy of ``array`` whose axes lie in memory in the order of ``strides``."""
    made = empty(array.shape, strides, array.dtype)
    np.copyto(made, array)
    return made


def empty(shape: tuple[int, ...], strides: tuple[int, ...] | None, dtype: Any) -> np.ndarray:
    """An array whose axes lie in memory in the order of ``strides``; None: in C order."""
    if strides is None:
        return np.empty(shape, dtype)
    order = np.argsort(_axes_in_memory(strides))
    like = np.empty((2,) * len(shape), "u1").transpose(order)
    return np.empty_like(like, dtype, shape=shape)


class Geometry(NamedTuple):
    """What a stand-in needs to know of an array."""

    dtype: np.dtype
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def ghost(array: Any) -> np.ndarray:
    """An array of the same geometry over one element of memory, never to be read."""
    one = np.empty((), array.dtype)
    return np.lib.stride_tricks.as_strided(one, array.shape, array.strides, writeable=False)


def fits(array: Any, order: str) -> bool:
    """Does ``np.asarray(array, order=order)`` need no copy?"""
    if array.layout is None and order != "F":
        return True
    found = ghost(array).flags
    return found.c_contiguous if order == "C" else found.f_contiguous or order in "KA"


def c_strides(shape: tuple[int, ...], itemsize: int, order: Any = None) -> tuple[int, ...]:
    """Byte strides of a dense array: C-contiguous, or with its axes in memory in that order."""
    strides, step = [0] * len(shape), itemsize
    for axis in reversed(order or range(len(shape))):
        strides[axis] = step
        step *= max(shape[axis], 1)
    return tuple(strides)


def unless_c_order(
    shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int
) -> tuple[int, ...] | None:
    """``strides``; None for those of a C-contiguous array. An axis of size 1 may have any."""
    step = itemsize
    for n, s in zip(reversed(shape), reversed(strides), strict=True):
        if n != 1:
            if s != step:
                return None if 0 in shape else strides
            step *= n
    return None


# Operands -----------------------------------------------------------------------------------------
class _NotPlainError(Exception):
    """An argument whose meaning is its own, as a function's."""


def arrays(value: Any) -> list[Any]:
    """The arrays that an argument is, or holds."""
    kind = type(value)
    if kind is bridge.Traced or kind is np.ndarray or kind is Geometry:
        return [value]
    if kind is tuple or kind is list:
        return [a for v in value for a in arrays(v)]
    return arrays(list(value.values())) if kind is dict else []


def _is_strided(value: Any) -> bool:
    """Is there an array that is not in C order?"""
    return any(
        a.layout is not None
        if type(a) is bridge.Traced
        else type(a) is Geometry or not a.flags.c_contiguous
        for a in arrays(value)
    )


def _signature(value: Any) -> Any:
    """Equal for values that NumPy lays out results of alike."""
    kind = type(value)
    if kind is bridge.Traced:
        handle = value.handle
        return handle.dtype, handle.shape, value.layout, value.is_scalar
    if kind is Geometry or kind is int or kind is str or value is None:
        return value if kind is not int else (kind, value)
    if kind is np.ndarray:
        return value.dtype, value.shape, value.strides
    if kind in (list, tuple):
        return kind, *map(_signature, value)
    if kind is dict:
        return *value, *map(_signature, value.values())
    if kind is slice:
        return kind, value.start, value.stop, value.step
    if isinstance(value, _PLAIN):
        return kind, value
    number = lowering.number_of(value)
    if number is None:
        raise _NotPlainError
    return kind, number


def _with_stand_ins(value: Any, sizes: dict[int, int], element: int, made: list[Any]) -> Any:
    kind = type(value)
    if kind in (bridge.Traced, np.ndarray, Geometry):
        found = _stand_in(value, sizes, element)
        made.append(found)
        return found
    if kind in (list, tuple):
        return kind(_with_stand_ins(v, sizes, element, made) for v in value)
    if kind is dict:
        return {k: _with_stand_ins(v, sizes, element, made) for k, v in value.items()}
    return value


def _stand_in(array: Any, sizes: dict[int, int], element: int) -> Any:
    shape, strides = array.shape, array.strides
    small = [sizes[n] for n in shape]
    order = _axes_in_memory(strides)
    steps, step, dense = [0] * len(shape), array.dtype.itemsize, array.dtype.itemsize
    for axis in reversed(order):
        if strides[axis] or shape[axis] < 2:
            if shape[axis] > 1:
                step *= 1 if abs(strides[axis]) == dense else 2
                dense = abs(strides[axis]) * shape[axis]
            steps[axis] = step
            step *= max(small[axis], 1)
    made = np.ndarray(small, array.dtype, np.zeros(step, "u1"), 0, steps)
    made[...] = element
    if made.ndim:
        made = made[tuple(slice(None, None, -1 if s < 0 else 1) for s in strides)]
    if type(array) is bridge.Traced and array.is_scalar:
        return made[()]
    if made.ndim > 1 and all(steps):  # a matrix that can be inverted
        for i in range(min(small[-2:])):
            made[..., i, i] += made.dtype.type(element)
    return made


def _axes_in_memory(strides: tuple[int, ...]) -> list[int]:
    """The axes from the widest stride to the narrowest."""
    return sorted(range(len(strides)), key=lambda i: -abs(strides[i]))


# NumPy's answer -----------------------------------------------------------------------------------
def _asked(call: Callable, made: Any, given: Any, arrays: list[Any]) -> Any:
    found = sorted({n for a in arrays for n in a.shape if n > 1})
    small = {n: i for i, n in enumerate(found, _FIRST)}
    known: Any = _UNKNOWN
    for sizes, element in ((small, 1), (small, 0), ({n: n for n in found}, 1)):
        if sum(math.prod(sizes.get(n, n) for n in a.shape) for a in arrays) > _MOST:
            break
        stand_ins: list[Any] = []
        args, *named = _with_stand_ins(given, {0: 0, 1: 1, **sizes}, element, stand_ins)
        try:
            with untold():
                answer = call(*args, **(named[0] if named else {}))
        except Exception:  # of these sizes or elements
            continue
        known = _described(answer, made, stand_ins)
        if not _is_unknown(known):
            break
    return known


def _is_unknown(known: Any) -> bool:
    return any(map(_is_unknown, known)) if type(known) is list else known is _UNKNOWN


def _described(answer: Any, made: Any, stand_ins: list[Any]) -> Any:
    if isinstance(made, (list, tuple)):
        if not isinstance(answer, (list, tuple)) or len(answer) != len(made):
            return _UNKNOWN
        return [_described(a, m, stand_ins) for a, m in zip(answer, made, strict=True)]
    if type(made) is not bridge.Traced or not isinstance(answer, np.ndarray):
        return _OTHER
    for i, operand in enumerate(stand_ins):
        if operand is answer:
            return i
    if any(np.may_share_memory(answer, o) for o in stand_ins):
        return _VIEW
    return _of_new(answer, made.shape)


def _of_new(answer: np.ndarray, shape: tuple[int, ...]) -> Any:
    if answer.ndim != len(shape):
        return _UNKNOWN
    if 0 in shape:
        return _New(None, not answer.flags.owndata)
    order = _axes_in_memory(answer.strides)
    step = answer.itemsize
    for axis in reversed(order):
        short = answer.shape[axis] < 2
        if (short and shape[axis] > 1) or not (short or answer.strides[axis] == step):
            return _UNKNOWN
        step *= max(answer.shape[axis], 1)
    in_c_order = order == sorted(order)
    return _New(None if in_c_order else tuple(order), not answer.flags.owndata)


def _as_known(made: Any, known: Any, arrays: list[Any], call: Callable) -> Any:
    if type(known) is list:
        parts = [_as_known(m, k, arrays, call) for m, k in zip(made, known, strict=True)]
        return type(made)(*parts) if hasattr(made, "_fields") else type(made)(parts)
    if known is _OTHER or type(made) is not bridge.Traced:
        return made
    if type(known) is int:
        return arrays[known]
    is_new = _is_new(made, arrays)
    if type(known) is not _New:
        if known is _UNKNOWN or is_new:
            raise NotCovered("np.{call}: {known}", call=call.__name__, known=known)
        return made
    if not is_new:
        if made.size and any(_is_of(made, a) for a in arrays):
            raise NotCovered("np.{call}: a copy of an operand", call=call.__name__)
        return made
    made.is_window, made.is_scalar, made.layout = known.is_window, False, None
    if known.order is not None:
        strides = c_strides(made.shape, made.itemsize, known.order)
        made.layout = unless_c_order(made.shape, strides, made.itemsize)
    return made


def _is_new(made: Any, arrays: list[Any]) -> bool:
    """Is it neither a view, nor there before, nor an operand?"""
    return made.parent is None and made.origin is None and not any(made is a for a in arrays)


def _is_of(view: Any, array: Any) -> bool:
    """Is it a view of the array, or of what that is a view of?"""
    root = view
    while root.parent is not None:
        root = root.parent
    while type(array) is bridge.Traced and array.parent is not None:
        array = array.parent
    return operator.is_(root, array)
