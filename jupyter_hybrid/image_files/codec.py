"""Image files as NumPy arrays, through OpenCV: an optional package.

A file's size is asked for and judged before anything is decoded: a hundred bytes may claim to be
50,000 x 50,000 pixels.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from .._core import MXNetError
from . import header

__all__ = ["decode", "encode", "opencv"]


@cache
def opencv() -> Any:
    """The module cv2. Raises ImportError that says how to get it."""
    try:
        import cv2  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(
            "images need OpenCV, which is not installed: pip install 'jupyter_hybrid[image]'"
        ) from error
    return cv2


def decode(content: Any, flag: int = 1) -> np.ndarray:
    """The pixels of an image file, uint8 (height, width, channels), blue to red.

    ``flag`` is OpenCV's: 1 three channels, 0 grey, of shape (height, width), -1 as stored.

    Raises:
        MXNetError: it is no image that can be read, or claims more pixels than its bytes can hold.
    """
    cv2 = opencv()
    if isinstance(content, np.ndarray):
        content = np.asarray(content)  # the stand-in of a recorded cell has no buffer
    stored = np.frombuffer(content, np.uint8)
    if stored.size == 0:
        raise MXNetError("imdecode: the image has no bytes")
    header.check(stored.data)
    try:
        image = cv2.imdecode(stored, flag)
    except cv2.error as error:
        raise MXNetError(f"imdecode: not an image that can be read: {error}") from error
    if image is None:
        raise MXNetError(f"imdecode: {stored.size} bytes that are not an image that can be read")
    return image


def encode(image: np.ndarray, kind: str, quality: int) -> bytes:
    """An image, channels blue to red, as the bytes of a ".jpg", ".png" or another file of OpenCV's.

    ``quality``: of ".jpg" 1 to 100; of ".png" how much it is compressed, 0 to 9.
    """
    cv2 = opencv()
    options = {
        ".JPG": [cv2.IMWRITE_JPEG_QUALITY, quality],
        ".JPEG": [cv2.IMWRITE_JPEG_QUALITY, quality],
        ".PNG": [cv2.IMWRITE_PNG_COMPRESSION, min(max(quality, 0), 9)],
    }.get(kind.upper(), [])
    try:
        done, content = cv2.imencode(kind, np.asarray(image), options)
    except cv2.error as error:
        raise MXNetError(f"pack_img: can't encode this array as {kind!r}: {error}") from error
    if not done:
        raise MXNetError(f"pack_img: can't encode this array as {kind!r}")
    return content.tobytes()
