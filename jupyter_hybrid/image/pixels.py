"""Image files and sizes of images: what OpenCV does, on NDArrays (height, width, channels)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import nd
from .._core import MXNetError, NDArray
from ..image_files import codec

__all__ = ["copyMakeBorder", "imdecode", "imread", "imresize"]


def imdecode(buf: Any, flag: int = 1, to_rgb: int = 1, out: NDArray | None = None) -> NDArray:
    """The pixels of an image file's bytes: uint8, (height, width, 3), or (..., 1) for ``flag`` 0.

    Args:
        buf: bytes, bytearray, or an array of uint8.
        flag: 1 three channels, 0 grey, -1 as stored.
        to_rgb: channels red to blue; 0: blue to red, as OpenCV has them.
        out: where the pixels go.

    Raises:
        ValueError: ``buf`` is of another type.
        MXNetError: the bytes are no image, or one that claims more than they can hold.
    """
    if isinstance(buf, NDArray):
        buf = buf.asnumpy()
    if not isinstance(buf, (bytes, bytearray, np.ndarray)):
        raise ValueError(
            f"imdecode: buf is of type {type(buf).__name__}, expected bytes, bytearray or an array"
        )
    pixels = _with_channels(codec.decode(buf, flag))
    if to_rgb and pixels.shape[2] >= 3:
        pixels = pixels[:, :, [2, 1, 0, *range(3, pixels.shape[2])]]
    return _given(_array(pixels), out)


def imread(
    filename: str | os.PathLike[str], flag: int = 1, to_rgb: int = 1, out: NDArray | None = None
) -> NDArray:
    """:func:`imdecode` of a file. Raises MXNetError where it can't be read."""
    try:
        with open(filename, "rb") as file:
            content = file.read()
    except OSError as error:
        raise MXNetError(f"imread: can't open {os.fspath(filename)!r}: {error.strerror}") from error
    return imdecode(content, flag, to_rgb, out)


def imresize(src: NDArray, w: int, h: int, interp: int = 1, out: NDArray | None = None) -> NDArray:
    """An image of another size: (h, w, channels), of the dtype of ``src``.

    ``interp`` is OpenCV's: 0 nearest, 1 bilinear, 2 bicubic, 3 area, 4 Lanczos.
    """
    made = nd.image.resize(_image(src, "imresize"), (w, h), interp=interp)
    return _given(made, out)


def copyMakeBorder(
    src: NDArray,
    top: int,
    bot: int,
    left: int,
    right: int,
    type: int = 0,
    value: float = 0.0,
    values: Sequence[float] | float = (),
    out: NDArray | None = None,
) -> NDArray:
    """An image with a margin, in pixels on each side.

    Args:
        type: what is in it, OpenCV's: 0 a colour, 1 the mirror image, 2 that without the outermost
            pixel, 3 the outermost pixel, 4 the other side.
        value, values: the colour, one number or one a channel.
    """
    cv2 = codec.opencv()
    pixels = _image(src, "copyMakeBorder").asnumpy()
    colour = (values,) if isinstance(values, (int, float)) else tuple(values)
    # MXNet's detection augmenter gives 16, a flag of OpenCV's that changes nothing here.
    try:
        made = cv2.copyMakeBorder(
            pixels, top, bot, left, right, type & ~16, value=colour or (value,) * 4
        )
    except cv2.error as error:
        raise MXNetError(f"copyMakeBorder: margins {top, bot, left, right}: {error}") from error
    return _given(_array(_with_channels(made)), out)


def _image(src: NDArray, name: str) -> NDArray:
    if not isinstance(src, NDArray) or len(src.shape) != 3:
        given = src.shape if isinstance(src, NDArray) else type(src).__name__
        raise MXNetError(f"{name}: given {given}, expected an NDArray (height, width, channels)")
    return src


def _with_channels(pixels: np.ndarray) -> np.ndarray:
    return pixels[:, :, None] if pixels.ndim == 2 else pixels


def _given(made: NDArray, out: NDArray | None) -> NDArray:
    if out is None:
        return made
    out[:] = made
    return out


def _array(pixels: np.ndarray) -> NDArray:
    return nd.array(pixels, dtype=pixels.dtype)
