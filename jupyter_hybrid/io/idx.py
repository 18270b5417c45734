"""IDX files, as MNIST's are (yann.lecun.com/exdb/mnist), plain or in gzip's format."""

from __future__ import annotations

import gzip
import os
import struct
import zlib
from typing import IO, cast

import numpy as np

from .._core import MXNetError

__all__ = ["DEFLATE", "read_idx"]

DEFLATE = 1032  # bytes that one byte can unpack to, at most


def read_idx(path: str, axes: int, shape: tuple[int, ...] | None = None) -> np.ndarray:
    """The bytes of a file: uint8, of that many axes; ``shape``: what all but the first must be.

    Raises MXNetError where it can't be read, is broken, cut off, or of another shape.
    """
    try:
        with open(path, "rb") as plain:
            packed = plain.read(2) == b"\x1f\x8b"
            plain.seek(0)
            most = os.fstat(plain.fileno()).st_size * (DEFLATE if packed else 1)
            with cast(IO[bytes], gzip.open(plain) if packed else plain) as file:
                return _read(file, path, axes, shape, most)
    except (OSError, EOFError, struct.error, zlib.error) as error:
        raise MXNetError(f"{path}: not a whole IDX file: {error}") from error


def _read(
    file: IO[bytes], path: str, axes: int, shape: tuple[int, ...] | None, most: int
) -> np.ndarray:
    kind, *sizes = struct.unpack(f">I{axes}I", file.read(4 + 4 * axes))
    needed = 1
    for size in sizes:
        needed *= size
    wrong = shape is not None and tuple(sizes[1:]) != shape
    if kind != 0x800 + axes or wrong or needed > most:
        raise MXNetError(
            f"{path}: an IDX file of kind {kind:#x} and shape {tuple(sizes)}, expected bytes with "
            f"{axes} axes" + (f", of shape {shape} after the first" if shape else "")
        )
    content = bytearray()
    while len(content) < needed:
        piece = file.read(min(needed - len(content), 1 << 20))
        if not piece:
            raise EOFError(f"{len(content)} of {needed} bytes")
        content += piece
    return np.frombuffer(content, np.uint8).reshape(sizes)
