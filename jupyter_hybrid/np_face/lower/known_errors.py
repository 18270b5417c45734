"""Errors that shapes and dtypes alone decide: NumPy raises them on stand-ins, so nothing is read.

A stand-in has the array's shape, dtype and one element of memory. Whoever finds no lowering asks
here first; what NumPy accepts goes on in real NumPy.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import bridge
from ..array import gather, layouts
from ..array.indexing import has_plain_bounds
from ..errors import LIKE_NUMPY
from ..float_errors import untold
from ..frames import is_own
from . import lowering

_MOST = 1 << 20  # elements of a call that is tried
_PLAIN = (np.ndarray, np.generic, int, float, complex, list, tuple, type(None), str, slice)
_NUMBERS = "biufcmM"  # kinds of dtypes
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


def of_ufunc(call: Callable, operands: tuple, out: Any = None) -> None:
    """Raises the error of an elementwise ``call`` (or a matrix product) on these operands."""
    given = (*operands, *(out or ()))
    if not _ours(given):
        return
    # Sizes matter only as equal, 1 or 0: a call on small ones tells, and one on the true sizes,
    # which computes nothing then, has the words.
    found = sorted({n for o in given for n in np.shape(o)} - {0, 1})
    small = {0: 0, 1: 1} | {n: i for i, n in enumerate(found, 2)}
    for sizes in (small, None):
        kwargs = {} if out is None else {"out": bridge.stand_in(out, sizes)}
        error = _error(call, bridge.stand_in(operands, sizes), kwargs)
        if error is None:
            return
    _raise(error)


def of_function(function: Any, args: tuple, kwargs: dict, method: str = "") -> None:
    """Raises the error of a function of NumPy's, or of that method, whose errors are of shapes."""
    given = (*args, *kwargs.values())
    if function not in _OF_SHAPES or not _ours(given):
        return
    if function is np.dot and len(given) > 2:
        return  # its `out` has to be in C order, which a stand-in is not
    rank = 1 if function in (np.reshape, np.broadcast_to) else 0
    integers = (a for a in layouts.arrays(given[1:]) if a.dtype.kind in "iu")
    if any(type(a) is bridge.Traced and a.ndim <= rank for a in integers):
        return  # it may be an extent or an axis that is not computed yet
    if sum(math.prod(a.shape) for a in layouts.arrays(given)) <= _MOST:
        named = {k: bridge.stand_in(v) for k, v in kwargs.items()}
        tried = bridge.stand_in(args)
        if method:
            function, tried = getattr(tried[0], method), tried[1:]
        _raise(_error(function, tried, named))


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
    item = operator.setitem if value else operator.getitem
    _raise(_error(item, (bridge.stand_in(array), at, *bridge.stand_in(value)), {}))


def _ours(values: Any) -> bool:
    """True for arguments that a trial call can't change and that run no code of their own, and of
    which no element decides about an error: what a text says does."""
    return all(map(_is_ours, values))


def _is_ours(value: Any) -> bool:
    kind = type(value)
    if kind in (list, tuple):  # what stands before a text is written
        return str not in map(type, value) and _ours(value)
    if kind is bridge.Traced:
        return value.selected is None
    if kind is np.ndarray:
        return value.dtype.kind in _NUMBERS
    plain = kind in _PLAIN or value is ... or isinstance(value, (np.generic, np.dtype, type))
    return plain or lowering.number_of(value) is not None


def _error(call: Callable, args: tuple, kwargs: dict) -> Exception | None:
    """What NumPy raises for stand-ins, where that does not tell of elements. Real NumPy gives the
    true warnings."""
    try:
        with untold():
            call(*args, **kwargs)
    except LIKE_NUMPY as error:
        return error.with_traceback(None)
    except Exception:  # of elements: real NumPy has the true ones
        pass
    return None


def _raise(error: Exception | None) -> None:
    __tracebackhide__ = True
    if error is None:
        return
    try:
        raise error
    finally:
        error.__context__ = _users_context(error.__context__)


def _users_context(error: BaseException | None) -> BaseException | None:
    """What the cell itself was handling: errors that were caught in this package are not."""
    while error is not None and error.__traceback__ and is_own(error.__traceback__):
        error = error.__context__
    return error
