"""Whose memory an ndarray shows: arrays whose elements others may change unseen stay in NumPy."""

from __future__ import annotations

import array
import ctypes
import mmap

import numpy as np

from ...reasons import NONE, Reason
from ..lower.lowering import DTYPES

_WRITEABLE = 0x400
_OWNERS = (bytearray, memoryview, array.array, mmap.mmap, ctypes.Array, ctypes.Structure)


def supported(array: np.ndarray) -> bool:
    """True for arrays that can enter a graph: native, aligned numbers, no subclass, <= 8 axes."""
    return (
        array.dtype in DTYPES
        and array.dtype.isnative
        and array.flags.aligned
        and array.ndim <= 8
        and not refusal(array)
    )


def refusal(x: np.ndarray) -> Reason:
    """Why this ndarray's memory can't be a graph's; NONE where it can."""
    if _is_foreign(x):
        return Reason("an array over the memory of another object stays in NumPy")
    # `.flags.writeable` itself warns of what np.broadcast_arrays gives.
    if not x.flags.forc and x.flags.num & _WRITEABLE and _may_overlap_itself(x):
        return Reason("an array whose elements overlap one another stays in NumPy")
    return NONE


def _is_foreign(x: np.ndarray) -> bool:
    """True over a bytearray, an ``array.array``, a mapped file, ...: seen by who holds those."""
    base: object = x.base
    while isinstance(base, np.ndarray):
        base = base.base
    if isinstance(base, memoryview):
        return not isinstance(base.obj, bytes)
    return isinstance(base, _OWNERS)


def _may_overlap_itself(x: np.ndarray) -> bool:
    """True unless each axis steps over all that the axes of smaller steps span."""
    span = x.itemsize
    for step, size in sorted((abs(s), n) for s, n in zip(x.strides, x.shape, strict=True)):
        if size > 1:
            if step < span:
                return True
            span += step * (size - 1)
    return False
