"""Errors that shapes and dtypes alone decide: NumPy raises them on stand-ins, so nothing is read.

A stand-in has the array's shape, dtype and one element of memory. Whoever finds no lowering asks
here first; what NumPy accepts goes on in real NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import bridge
from ..array import gather
from ..array.indexing import has_plain_bounds
from ..errors import LIKE_NUMPY
from ..frames import is_own
from . import lowering

_MOST = 1 << 20  # elements of a call that is tried
_PLAIN = (np.ndarray, np.generic, int, float, complex, list, tuple, type(None), str, slice)
# Functions whose errors tell of shapes, axes and dtypes, never of elements.
_OF_SHAPES = frozenset(
    getattr(np, name)
    for name in (
        "reshape", "ravel", "transpose", "swapaxes", "moveaxis", "expand_dims", "squeeze",
        "broadcast_to", "concatenate", "stack", "hstack", "vstack", "dstack", "column_stack",
        "append", "split", "array_split", "tile", "flip", "roll", "sum", "prod", "mean", "std",
        "var", "max", "min", "argmax", "argmin", "any", "all", "median", "sort", "argsort", "dot",
        "inner", "vdot", "outer", "tensordot", "trace", "diagonal", "where", "cross", "take",
    )
)  # fmt: skip


def stand_in(value: Any, small: bool = False) -> Any:
    """``value`` with no elements of its own where it is an array; ``small``: sizes are all 1."""
    if type(value) in (list, tuple):
        return type(value)(stand_in(v, small) for v in value)
    if type(value) is bridge.Traced and value.is_scalar:
        return value.dtype.type(0)
    if type(value) is not bridge.Traced and type(value) is not np.ndarray:
        return value
    shape = (1,) * value.ndim if small else value.shape
    one = np.zeros(1, value.dtype)
    return np.lib.stride_tricks.as_strided(one, shape, (0,) * len(shape))


def of_ufunc(call: Callable, operands: tuple, out: Any = None) -> None:
    """Raises the error of an elementwise ``call`` (or a matrix product) on these operands."""
    given = (*operands, *(out or ()))
    if not _ours(given):
        return
    shapes = [np.shape(o) for o in operands]
    try:
        common = np.broadcast_shapes(*shapes)
        fits = all(o is None or np.shape(o) == common for o in out or ())
    except ValueError:
        fits = False
    name = getattr(call, "__name__", "")
    if "matmul" in name:
        fits = False
        if not _odd_product(*shapes):
            return
    made = [stand_in(o, small=fits) for o in operands]
    kwargs = {} if out is None else {"out": tuple(stand_in(o, small=fits) for o in out)}
    _try(call, made, kwargs)


def _odd_product(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    """True where a matrix product refuses these shapes."""
    if not a or not b:
        return True
    if a[-1] != (b[-2] if len(b) > 1 else b[0]):
        return True
    try:
        np.broadcast_shapes(a[:-2], b[:-2])
    except ValueError:
        return True
    return False


def of_function(function: Any, args: tuple, kwargs: dict) -> None:
    """Raises the error of a function of NumPy's whose errors are of shapes."""
    if function not in _OF_SHAPES or not _ours((*args, *kwargs.values())):
        return
    if _elements((*args, *kwargs.values())) <= _MOST:
        _try(function, [stand_in(a) for a in args], {k: stand_in(v) for k, v in kwargs.items()})


def of_index(array: Any, key: Any, *value: Any) -> None:
    """Raises the error of ``array[key]`` or ``array[key] = value``."""
    parts = key if type(key) is tuple else (key,)
    if array.selected is not None or not _ours(value) or array.size > _MOST:
        return
    known = []
    for part in parts:
        if type(part) is bridge.Traced:
            part = gather.contents(part)
            if part is None:
                return
        elif not isinstance(part, (_PLAIN, type(...))) or bridge.has_traced(part):
            return
        if type(part) is slice and not has_plain_bounds(part):
            return
        known.append(part)
    at = tuple(known) if type(key) is tuple else known[0]
    if value:
        _try(lambda a, v: a.__setitem__(at, v), [stand_in(array), stand_in(value[0])], {})
    else:
        _try(lambda a: a[at], [stand_in(array)], {})


def _ours(values: Any) -> bool:
    """True for arguments that a trial call can't change and that run no code of their own."""
    for v in values:
        if type(v) in (list, tuple):
            if not _ours(v):
                return False
        elif type(v) is bridge.Traced:
            if v.selected is not None:
                return False
        elif not (type(v) in _PLAIN or v is ... or isinstance(v, (np.generic, np.dtype, type))):
            return lowering.number_of(v) is not None
    return True


def _elements(values: Any) -> int:
    total = 0
    for v in values:
        if type(v) in (list, tuple):
            total += _elements(v)
        elif isinstance(v, np.ndarray):  # traced ones say so too
            total += math.prod(v.shape)
    return total


def _try(call: Callable, args: list, kwargs: dict) -> None:
    __tracebackhide__ = True
    try:
        with np.errstate(all="ignore"):
            call(*args, **kwargs)
    except LIKE_NUMPY as error:
        found = error.with_traceback(None)
    except Exception:  # of elements: real NumPy has the true ones
        return
    else:
        return
    try:
        raise found
    finally:
        found.__context__ = _users_context(found.__context__)


def _users_context(error: BaseException | None) -> BaseException | None:
    """What the cell itself was handling: errors that were caught in this package are not."""
    while error is not None and error.__traceback__ and is_own(error.__traceback__):
        error = error.__context__
    return error
