"""Memory without a name that a process shares with those that it forks.

It is gone with the last process that has it: nothing can be left behind in /dev/shm.
"""

from __future__ import annotations

import mmap
import os
import pickle
from multiprocessing.reduction import ForkingPickler
from typing import Any

import numpy as np

__all__ = ["SharedBlock", "loads"]

_ALIGNED = 64  # bytes: where buffers of arrays begin


class SharedBlock:
    """One object at a time, pickled, with the contents of its arrays beside the pickle."""

    def __init__(self) -> None:
        self._file = os.memfd_create("jupyter_hybrid batch", os.MFD_CLOEXEC)
        self._size = 0
        self._map: mmap.mmap | None = None

    def close(self) -> None:
        """The file and the mapping of this process; a second call does nothing."""
        if self._file >= 0:
            if self._map is not None:
                self._map.close()
            os.close(self._file)
            self._file, self._map = -1, None

    def write(self, content: Any) -> tuple[int, int]:
        """Writes an object; what :meth:`read` takes.

        Raises OSError where memory does not suffice: the space is reserved before it is used, as
        touching pages that are not there would kill the process.
        """
        out_of_band: list[pickle.PickleBuffer] = []
        stream = _Bytes()
        ForkingPickler(stream, 5, True, out_of_band.append).dump(content)
        parts = [memoryview(stream.content), *(buffer.raw() for buffer in out_of_band)]
        places, end = [], 0
        for part in parts:
            places.append((end, part.nbytes))
            end += -(-part.nbytes // _ALIGNED) * _ALIGNED
        table = np.array(places, np.int64)
        target = self._mapped(end + table.nbytes)
        for (start, size), part in zip(places, parts):
            target[start : start + size] = part
        target[end : end + table.nbytes] = table.tobytes()
        return end, len(parts)

    def read(self, end: int, parts: int) -> tuple[Any, Any]:
        """A private copy of what was written: memory and where in it the parts lie."""
        total = end + 16 * parts
        own = np.empty(total, np.uint8)
        own[:] = np.frombuffer(self._mapped(total), np.uint8, total)
        return own[:end], own[end:].view(np.int64).reshape(parts, 2)

    def _mapped(self, size: int) -> mmap.mmap:
        if self._map is None or size > self._size:
            known = os.fstat(self._file).st_size
            if size > known:
                known = max(size, 2 * known, 1 << 16)
                os.posix_fallocate(self._file, 0, known)
            self._map = mmap.mmap(self._file, known)
            self._size = known
        return self._map


class _Bytes:
    """Where a pickler writes."""

    def __init__(self) -> None:
        self.content = bytearray()

    def write(self, piece: Any) -> int:
        self.content += piece
        return len(piece)


def loads(memory: Any, places: Any) -> Any:
    """The object of :meth:`SharedBlock.read`; its NumPy arrays stay in that memory."""
    parts = [memory[start : start + size] for start, size in places.tolist()]
    return pickle.loads(parts[0].tobytes(), buffers=parts[1:])
