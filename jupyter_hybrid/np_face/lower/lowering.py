"""What every lowering stands on: the graph's dtypes, nodes, constants, casts and exact reshapes."""

from __future__ import annotations

import math
import operator
import weakref
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from ... import _core
from ..errors import NotCovered
from ..float_errors import require_quiet

# The dtypes that enter graphs; everything else is a named graph break. The rules ask this set only.
DTYPES = frozenset(
    np.dtype(n)
    for n in (
        "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
        "float32", "float64", "complex64", "complex128",
    )
)  # fmt: skip
NUMBERS = (bool, int, float, complex)  # Python numbers: weak operands under NumPy 2's promotion
BOOL, INT64, FLOAT64 = np.dtype(bool), np.dtype("int64"), np.dtype("float64")

BY_TYPE = {d.type: d for d in DTYPES}


def core(op: str, inputs: list[Any], **attrs: Any) -> Any:
    """One core operator on traced or concrete arrays."""
    return _core.invoke_separate(op, inputs, attrs)


def dtype_of(handle: Any) -> np.dtype:
    """NumPy's dtype of an array handle."""
    kind = handle.dtype
    return BY_TYPE.get(kind) or np.dtype(kind)


def require_dtype(dtype: np.dtype, what: str) -> np.dtype:
    """``dtype`` where graphs have it. Raises NotCovered naming ``what`` otherwise."""
    if dtype not in DTYPES or not dtype.isnative:
        raise NotCovered("{what} of {dtype}", what=what, dtype=dtype)
    return dtype


def cast(handle: Any, dtype: np.dtype) -> Any:
    """``handle`` in ``dtype``; the same handle when it has it already."""
    own = dtype_of(handle)
    if own == dtype:
        return handle
    if own.kind in "fc" and not np.can_cast(own, dtype):  # NumPy may warn
        if own.kind == "c" and dtype.kind not in "cb":
            raise NotCovered("complex numbers as real ones")
        require_quiet()
    attrs = {"dtype": require_dtype(dtype, "a cast").name}
    return _core.invoke_ufunc("cast", [handle], attrs)


def promoted(what: str, *handles: Any) -> list[Any]:
    """The handles in the one dtype that NumPy computes ``what`` in."""
    dtype = require_dtype(np.result_type(*map(dtype_of, handles)), what)
    return [cast(h, dtype) for h in handles]


def copied(handle: Any) -> Any:
    """A node of its own for an array's contents: later writes into that array do not change it."""
    return core("identity", [handle])


def number_of(value: Any) -> Any:
    """A Python number as one of :data:`NUMBERS` (a subclass becomes its base); None for others."""
    kind = type(value)
    if kind in NUMBERS:
        return value
    if isinstance(value, (int, float, complex)) and not isinstance(value, np.generic):
        base: Any = next(b for b in (int, float, complex) if isinstance(value, b))
        return base(value)
    return None


def scalar(value: Any, dtype: np.dtype) -> int | float | complex | bool:
    """A Python number as an element of ``dtype``, given back as a Python number."""
    if dtype.kind == "f":
        if dtype != FLOAT64 and float(np.finfo(dtype).max) < abs(value) < float("inf"):
            raise NotCovered(
                "{value} as {dtype}, of which NumPy warns", value=repr(value), dtype=dtype
            )
        return float(dtype.type(value))
    if dtype.kind == "c":
        return complex(dtype.type(value))
    return bool(value) if dtype.kind == "b" else int(value)


def fits(value: Any, dtype: np.dtype) -> bool:
    """True when NumPy takes the Python number as an element of ``dtype``."""
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return type(value) not in (float, complex) and info.min <= int(value) <= info.max
    return type(value) is not complex or dtype.kind == "c"


def constant(value: Any, dtype: np.dtype | None = None) -> Any:
    """A rank-0 constant node of a Python or NumPy number."""
    made = np.asarray(value) if dtype is None else np.asarray(value).astype(dtype)
    require_dtype(made.dtype, "a constant")
    if made.ndim:
        raise NotCovered("a constant with dimensions")
    return _core.trace_constant(made.item(), dtype=made.dtype.name, text=repr(made.item()))


def filled(shape: tuple[int, ...], value: Any, dtype: np.dtype) -> Any:
    """An array of one value as a creation node."""
    number = scalar(value, dtype)
    if type(number) is complex:
        if number.imag or math.copysign(1.0, number.imag) < 0:  # more than an attribute holds
            return broadcast_to(constant(number, dtype), shape)
        number = number.real
    if not number and (type(number) is not float or math.copysign(1.0, number) > 0):
        return core("zeros", [], shape=shape, dtype=dtype.name)
    return core("full", [], shape=shape, value=number, dtype=dtype.name)


def input_of(array: np.ndarray) -> Any:
    """A private copy of a real array as a graph input."""
    require_dtype(array.dtype, "an array")
    return _core.from_numpy(np.array(array, order="C"))


def broadcast_to(handle: Any, shape: tuple[int, ...]) -> Any:
    """``handle`` repeated to ``shape`` by NumPy's rules."""
    own = tuple(handle.shape)
    if own == tuple(shape):
        return handle
    wide = reshape(handle, (1,) * (len(shape) - len(own)) + own)
    return core("broadcast_to", [wide], shape=tuple(shape)) if wide.shape != shape else wide


def reshape(handle: Any, shape: tuple[int, ...]) -> Any:
    """Same elements in C order, exact ``shape`` (no codes, one -1 resolved here)."""
    own = tuple(handle.shape)
    shape = resolved(own, tuple(shape))
    return handle if own == shape else core("reshape", [handle], shape=shape)


@lru_cache(maxsize=1024)
def resolved(own: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    """``shape`` with its -1 replaced. Raises NumPy's own ValueError where sizes do not match."""
    wanted = tuple(int(s) for s in shape)
    size, known = math.prod(own), 1
    for s in wanted:
        known *= s if s != -1 else 1
    if wanted.count(-1) == 1 and known > 0 and size % known == 0:
        return tuple(size // known if s == -1 else s for s in wanted)
    if known != size or any(s < 0 for s in wanted):
        raise NotCovered("reshape of {own} to {shape}", own=own, shape=shape)
    return wanted


# A product reads a matrix either way: what `x.T` was made from, by id of its node.
transposes: dict[int, tuple[weakref.ref, Any]] = {}


def transpose(handle: Any, order: tuple[int, ...]) -> Any:
    """Axes in another order; the same handle when nothing moves. Remembered for
    :func:`untransposed` where it is a matrix."""
    if order == tuple(range(len(order))):
        return handle
    made = core("transpose", [handle], axes=order)
    if order == (1, 0):
        key = id(made)
        gone = weakref.ref(made, lambda _: transposes.pop(key, None))
        transposes[key] = (gone, handle)
    return made


def untransposed(handle: Any) -> tuple[Any, bool]:
    """(the matrix, whether ``handle`` is its transpose)."""
    known = transposes.get(id(handle))
    return (known[1], True) if known is not None and known[0]() is handle else (handle, False)


def axis_of(axis: Any, rank: int) -> int:
    """An axis as 0 .. rank - 1. Raises numpy.exceptions.AxisError as NumPy does."""
    if type(axis) is bool:
        raise NotCovered("an axis that is a bool")
    return normalize_axis_index(operator.index(axis), rank)


def along(x: Any, axis: Any) -> tuple[Any, int]:
    """(x, its axis 0 .. rank - 1); for None all elements of x along one axis."""
    if axis is None:
        return reshape(x, (-1,)), 0
    return x, axis_of(axis, len(x.shape))


def between(x: Any, axis: int, begin: int, end: int) -> Any:
    """The part of ``x`` that stands from ``begin`` to before ``end`` along an axis."""
    return core("slice_axis", [x], axis=axis, begin=begin, end=end)


def axes_of(axis: Any, rank: int) -> tuple[int, ...]:
    """Axes of a reduction: all for None, else each once. Raises as NumPy does."""
    if axis is None:
        return tuple(range(rank))
    axes = tuple(axis_of(a, rank) for a in (axis if isinstance(axis, tuple) else (axis,)))
    if len(set(axes)) != len(axes):
        raise ValueError("duplicate value in 'axis'")
    return axes
