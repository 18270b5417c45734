"""Methods of :class:`NDArray` that are no operators: views in place, storage, DLPack."""

from __future__ import annotations

import operator
from typing import Any, NoReturn

from .. import _core
from .._core import NDArray
from .dlpack import to_dlpack_for_read, to_dlpack_for_write


def as_nd_ndarray(self: NDArray) -> NDArray:
    """The array itself: it is a classic one."""
    return self


def as_np_ndarray(self: NDArray) -> NoReturn:
    """Raises NotImplementedError: ``mx.np`` is not carried."""
    raise NotImplementedError(
        "as_np_ndarray: arrays of mx.np are not carried yet; asnumpy() gives one of NumPy"
    )


def tostype(self: NDArray, stype: str) -> NDArray:
    """A copy; ``stype`` is 'default'.

    Raises:
        MXNetError: another storage type: arrays are dense.
    """
    if stype != "default":
        raise _core.MXNetError(
            f"tostype: given {stype!r}; arrays are dense here, row_sparse and csr are not carried"
        )
    return self.copy()


def writable(self: NDArray) -> bool:
    """The array may be written: always."""
    return True


def _window(begin: Any, end: Any, step: Any) -> tuple[slice, ...]:
    steps = step or (None,) * len(begin)
    return tuple(slice(b, e, s) for b, e, s in zip(begin, end, steps))


def slice_assign(self: NDArray, rhs: NDArray, begin: Any, end: Any, step: Any) -> NDArray:
    """Writes an array into the part from ``begin`` to ``end``; returns the array written to."""
    self[_window(begin, end, step)] = rhs
    return self


def slice_assign_scalar(self: NDArray, value: float, begin: Any, end: Any, step: Any) -> NDArray:
    """Writes a number into the part from ``begin`` to ``end``; returns the array written to."""
    self[_window(begin, end, step)] = value
    return self


def broadcast_like(self: NDArray, other: NDArray, **kwargs: Any) -> NDArray:
    """:func:`nd.broadcast_like`: this array in the shape of another one."""
    return _core.invoke("broadcast_like", (self, other), kwargs)


def flatten(self: NDArray, inplace: bool = False, **kwargs: Any) -> NDArray:
    """A copy of two axes: the first, and all others as one. ``inplace``: on the same memory."""
    if inplace:
        return self.reshape((0, -1))
    return _core.invoke("flatten", (self,), kwargs)


def expand_dims(self: NDArray, axis: int, inplace: bool = False, **kwargs: Any) -> NDArray:
    """A copy with a new axis of size 1 in front of ``axis``. ``inplace``: on the same memory.

    Raises:
        AssertionError: in place, the axis is out of range.
    """
    if not inplace:
        return _core.invoke("expand_dims", (self,), {"axis": axis, **kwargs})
    axis = operator.index(axis)
    assert -self.ndim - 1 <= axis <= self.ndim, (
        f"axis {axis} is out of range for {self.ndim}d array"
    )
    shape = list(self.shape)
    shape.insert(axis if axis >= 0 else axis + self.ndim + 1, 1)
    return self.reshape(shape)


def squeeze(self: NDArray, axis: Any = None, inplace: bool = False, **kwargs: Any) -> NDArray:
    """A copy without axes of size 1: those given, or all. ``inplace``: on the same memory.

    Raises:
        ValueError: in place, an axis is given twice.
        AssertionError: in place, an axis is out of range or has another size.
    """
    if not inplace:
        return _core.invoke("squeeze", (self,), {"axis": axis, **kwargs})
    if axis is None:
        gone = {i for i, size in enumerate(self.shape) if size == 1}
    else:
        given = [axis] if isinstance(axis, int) else list(axis)
        for a in given:
            assert -self.ndim <= a < self.ndim, f"axis {a} is out of range for {self.ndim}d array"
            assert self.shape[a] == 1, f"squeeze: axis {a} has size {self.shape[a]}, not 1"
        gone = {a % self.ndim for a in given}
        if len(gone) != len(given):
            raise ValueError("repeated axis in squeeze")
    return self.reshape([s for i, s in enumerate(self.shape) if i not in gone] or (1,))


def __dlpack__(self: NDArray, **options: Any) -> Any:
    """The array on its own memory, for other libraries: ``torch.from_dlpack(x)``."""
    return _core.numpy_window(self).__dlpack__(**options)


def __dlpack_device__(self: NDArray) -> tuple[int, int]:
    """(1, 0): the CPU."""
    return _core.numpy_window(self).__dlpack_device__()


def install() -> None:
    """Puts these methods on the class."""
    for function in (
        *(as_nd_ndarray, as_np_ndarray, tostype, slice_assign, slice_assign_scalar, flatten),
        *(broadcast_like, expand_dims, squeeze, to_dlpack_for_read, to_dlpack_for_write),
        *(__dlpack__, __dlpack_device__),
    ):
        setattr(NDArray, function.__name__, function)
    NDArray.writable = property(writable)  # type: ignore[attr-defined]
