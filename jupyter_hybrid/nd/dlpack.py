"""Arrays to and from other libraries on the same memory: DLPack."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from .. import _core
from .._core import NDArray

__all__ = ["from_dlpack", "to_dlpack_for_read", "to_dlpack_for_write"]


def to_dlpack_for_read(data: NDArray) -> Any:
    """A DLPack capsule of an array on the CPU, once it is computed; nobody should write there."""
    return _core.numpy_window(data).__dlpack__()


def to_dlpack_for_write(data: NDArray) -> Any:
    """A DLPack capsule of an array on the CPU, once all that waits for it has run.

    What is written to it is seen by operators that are called afterwards.
    """
    return _core.numpy_window(data).__dlpack__()


class _Capsule:
    """NumPy wants an object that gives a capsule."""

    def __init__(self, capsule: Any):
        self._capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


def from_dlpack(dlpack: Any) -> NDArray:
    """An array on the memory of a DLPack capsule, or of an object that makes one.

    What has gaps between its elements is copied.

    Raises:
        BufferError: the memory is not the host's.
    """
    source = dlpack if hasattr(dlpack, "__dlpack__") else _Capsule(dlpack)
    array = np.from_dlpack(source)
    if not array.flags.c_contiguous or not array.nbytes:
        return _core.from_numpy(array, True)
    return _core.from_numpy(array if array.flags.writeable else writable(array), False)


def writable(array: np.ndarray) -> np.ndarray:
    """The same memory without NumPy's mark that it is only read."""
    memory = (ctypes.c_char * array.nbytes).from_address(array.ctypes.data)
    memory.owner = array  # type: ignore[attr-defined]
    return np.frombuffer(memoryview(memory), array.dtype).reshape(array.shape)
