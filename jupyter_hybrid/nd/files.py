"""MXNet's .params and .nd files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from .. import _core
from .._core import NDArray
from ..base import MXNetError
from ..util import is_np_shape
from ..whole_files import read_whole, write_whole

__all__ = ["load", "load_frombuffer", "save"]


def save(fname: str | os.PathLike[str], data: Any) -> None:
    """Writes an array, a list of arrays or a dict of names to arrays, as MXNet does.

    The file is there whole or not at all. Inside ``np_shape()``, and where an array is a scalar or
    has no elements, it is of the form that MXNet reads inside ``np_shape()``.

    Raises:
        TypeError: something in ``data`` is no NDArray.
    """
    pairs: Sequence[tuple[str, Any]]
    if isinstance(data, NDArray):
        pairs = [("", data)]
    elif isinstance(data, Mapping):
        pairs = list(data.items())
    elif isinstance(data, (list, tuple)):
        pairs = [("", array) for array in data]
    else:
        raise TypeError(
            f"save: expected an NDArray, a list or a dict of them, got {type(data).__name__}"
        )
    wrong = next((name for name, _ in pairs if not isinstance(name, str)), None)
    if wrong is not None:
        raise TypeError(
            f"save: expected names of type str, got {wrong!r}, a {type(wrong).__name__}"
        )
    write_whole(fname, _core.save_params(list(pairs), is_np_shape()))


def load(fname: str | os.PathLike[str]) -> Any:
    """The arrays of a file, on the CPU: a dict when they have names, else a list.

    Raises:
        MXNetError: the file is truncated, corrupt or of another kind.
        MissingFileError: there is none; it is an MXNetError and a FileNotFoundError.
    """
    content = read_whole(fname)
    try:
        return load_frombuffer(content)
    except MXNetError as error:
        raise MXNetError(f"{os.fspath(fname)}: {error}") from None


def load_frombuffer(buf: bytes) -> Any:
    """:func:`load` of the bytes of a file."""
    pairs = _core.load_params(bytes(buf))
    if any(name for name, _ in pairs):
        return dict(pairs)
    return [array for _, array in pairs]
