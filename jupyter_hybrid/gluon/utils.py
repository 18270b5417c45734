"""Splitting batches over contexts, gradients' norm, files, hooks."""

from __future__ import annotations

import hashlib
import math
import os
import warnings
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote, urlparse

import numpy as np

from .. import _core, nd
from .checks import CheckError
from .hooks import HookHandle

__all__ = [
    "HookHandle",
    "check_sha1",
    "clip_global_norm",
    "download",
    "replace_file",
    "shape_is_known",
    "split_and_load",
    "split_data",
]


def split_data(
    data: Any, num_slice: int, batch_axis: int = 0, even_split: bool = True
) -> list[Any]:
    """``num_slice`` parts of an array along ``batch_axis``; uneven ones begin with the larger.

    Raises:
        ValueError: the axis can't be split evenly and ``even_split`` is True, or is too short.
    """
    size = data.shape[batch_axis]
    if num_slice < 1:
        raise ValueError(f"split_data: given {num_slice} parts, expected 1 or more")
    if size < num_slice or (even_split and size % num_slice):
        way = (
            "give even_split=False" if size >= num_slice else "give fewer devices, or leave it out"
        )
        raise ValueError(
            f"split_data: {size} along axis {batch_axis} can't be split "
            f"{'evenly ' if even_split else ''}into {num_slice} parts: {way}"
        )
    length, more = divmod(size, num_slice)
    borders = [i * length + min(i, more) for i in range(num_slice + 1)]
    return [
        nd.slice_axis(data, axis=batch_axis, begin=borders[i], end=borders[i + 1])
        for i in range(num_slice)
    ]


def split_and_load(
    data: Any, ctx_list: list[Any], batch_axis: int = 0, even_split: bool = True
) -> list[Any]:
    """The parts of an array, one on each context."""
    if not ctx_list:
        raise ValueError("split_and_load: given no contexts, expected 1 or more")
    if not isinstance(data, _core.NDArray):
        data = nd.array(data, ctx=ctx_list[0])
    if len(ctx_list) == 1:
        return [data.as_in_context(ctx_list[0])]
    parts = split_data(data, len(ctx_list), batch_axis, even_split)
    return [part.as_in_context(ctx) for part, ctx in zip(parts, ctx_list, strict=True)]


def clip_global_norm(arrays: Sequence[Any], max_norm: float, check_isfinite: bool = True) -> Any:
    """Scales the arrays in place so that the 2-norm of all their elements is at most ``max_norm``.

    float16 and bfloat16 are added up and scaled in float32: squares of 256 and more are beyond
    float16.

    Args:
        check_isfinite: waits for the norm and warns if it is nan or infinite.

    Returns:
        The norm before: a number, or an array of shape (1,) without ``check_isfinite``.

    Raises:
        CheckError: there are no arrays.
    """
    if not arrays:
        raise CheckError("clip_global_norm: expected at least one array")
    ctx = arrays[0].context
    squares = [nd.sum(nd.square(_wide(a))).reshape((1,)).as_in_context(ctx) for a in arrays]
    norm = nd.sqrt(nd.add_n(*squares))
    known = float(norm.asscalar()) if check_isfinite else 0.0
    if not math.isfinite(known):
        warnings.warn(
            "clip_global_norm: nan or inf is detected, the clipped arrays are undefined",
            stacklevel=2,
        )
    scale = nd.minimum(max_norm / (norm + 1e-8), 1.0)
    for array in arrays:
        wide = _wide(array)
        scaled = nd.broadcast_mul(wide, _as(scale, wide))
        array[:] = scaled if wide is array else scaled.astype(array.dtype)
    return known if check_isfinite else norm


def _wide(array: Any) -> Any:
    """The array; a float16 or bfloat16 one as float32."""
    return array.astype("float32") if array.dtype in (np.float16, "bfloat16") else array


def _as(scale: Any, array: Any) -> Any:
    """The number as an array that is broadcast over another one, on its device."""
    there = scale.as_in_context(array.context).astype(array.dtype)
    return there.reshape((1,) * max(1, len(array.shape)))


def check_sha1(filename: str, sha1_hash: str) -> bool:
    """Does the file have this SHA-1 hash, in hexadecimal digits?"""
    found = hashlib.sha1(usedforsecurity=False)
    with open(filename, "rb") as file:
        while part := file.read(1 << 20):
            found.update(part)
    return found.hexdigest() == sha1_hash


def replace_file(src: str, dst: str) -> None:
    """Moves a file over another one, at once.

    Raises:
        OSError: it can't be moved; ``src`` is gone then, as in MXNet.
    """
    try:
        os.replace(src, dst)
    except OSError as error:
        if os.path.exists(src):
            os.remove(src)
        raise OSError(f"replace_file: {src} can't become {dst}: {error}") from error


def download(
    url: str,
    path: str | None = None,
    overwrite: bool = False,
    sha1_hash: str | None = None,
    retries: int = 5,
    verify_ssl: bool = True,
) -> str:
    """The local file of a URL: nothing is downloaded here.

    Args:
        url: an address; of ``file://...`` or of a plain path the file itself is copied.
        path: the file, or its folder (default: the current one, with the name that ends the URL).
        overwrite: copies a local file anew.
        sha1_hash: the hash that the file has to have.
        retries, verify_ssl: for MXNet's sake.

    Returns:
        The file's name.

    Raises:
        CheckError: the URL has no file name and ``path`` is None, or ``retries`` is negative.
        FileNotFoundError: the file is not there; the message says where to put it.
        ValueError: its hash is another one.
    """
    if retries < 0:
        raise CheckError(f"download: retries: expected at least 0, got {retries}")
    name = url.split("/")[-1]
    if path is None and not name:
        raise CheckError(f"download: {url!r} has no file name; give path")
    file = name if path is None else os.path.expanduser(path)
    if path is not None and os.path.isdir(file):
        file = os.path.join(file, name)
    source = _local(url)
    if source is not None and (overwrite or not os.path.exists(file)):
        os.makedirs(os.path.dirname(os.path.abspath(file)), exist_ok=True)
        _copy(source, file)
    if not os.path.exists(file):
        raise FileNotFoundError(
            f"download: nothing is downloaded here; get {url} yourself and put it at "
            f"{os.path.abspath(file)}"
        )
    if sha1_hash and not check_sha1(file, sha1_hash):
        raise ValueError(f"download: {file} has another SHA-1 hash than {sha1_hash}")
    return file


def _local(url: str) -> str | None:
    """The path of a URL that is a local file's."""
    parsed = urlparse(url)
    if parsed.scheme == "file":
        return unquote(parsed.path)
    return url if not parsed.scheme and os.path.isfile(url) else None


def _copy(source: str, file: str) -> None:
    if os.path.exists(file) and os.path.samefile(source, file):
        return
    part = f"{file}.{os.getpid()}.part"
    with open(source, "rb") as read, open(part, "wb") as write:
        while data := read.read(1 << 20):
            write.write(data)
    replace_file(part, file)


def shape_is_known(shape: Any) -> bool:
    """Is every size of the shape known (not 0), and is there any?

    Raises:
        CheckError: a size is negative.
    """
    if shape is None:
        return False
    if any(size < 0 for size in shape):
        raise CheckError(f"shape_is_known: expected sizes of at least 0, got {tuple(shape)}")
    return len(shape) > 0 and all(size > 0 for size in shape)
