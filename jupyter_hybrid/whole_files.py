"""Files that are there whole or not at all: written beside their place, then moved there; read."""

from __future__ import annotations

import os
import stat
import tempfile

from .base import MXNetError

__all__ = ["MissingFileError", "read_whole", "write_whole"]


class MissingFileError(FileNotFoundError, MXNetError):
    """There is no such file: Python's error, and MXNet's, which code written for it expects."""


def read_whole(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file.

    Raises:
        MissingFileError: there is none; any other OSError as it is.
    """
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError as error:
        raise MissingFileError(error.errno, error.strerror, os.fspath(path)) from None


def write_whole(path: str | os.PathLike[str], content: bytes | str) -> None:
    """Writes a file; whoever reads it meanwhile, or after an interruption, has the old one.

    A link stays one; what is no ordinary file (a pipe, ``/dev/null``) is written directly.

    Raises:
        OSError: the folder is not there or can't be written to.
    """
    data = content.encode() if isinstance(content, str) else content
    place = os.path.realpath(path)
    try:
        mode = os.stat(place).st_mode
    except FileNotFoundError:
        mode = stat.S_IFREG | (0o666 & ~_umask())
    if not stat.S_ISREG(mode):
        with open(place, "wb") as file:
            file.write(data)
        return
    try:
        number, part = tempfile.mkstemp(dir=os.path.dirname(place), prefix=".part-")
    except OSError as error:  # about the file that was asked for
        raise type(error)(error.errno, error.strerror, os.fspath(path)) from None
    try:
        with open(number, "wb") as file:
            file.write(data)
            file.flush()
            os.fchmod(number, stat.S_IMODE(mode))
        os.replace(part, place)
    except BaseException:
        os.unlink(part)
        raise


def _umask() -> int:
    """What new files may not be: asked by setting it, the only way there is."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
