"""Parts of an image, fixed and random, brought to a size. Sizes are (width, height)."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np

from .._core import NDArray
from ..base import numeric_types
from .pixels import imresize

__all__ = [
    "center_crop",
    "color_normalize",
    "fixed_crop",
    "interpolation",
    "random_crop",
    "random_size_crop",
    "resize_short",
    "scale_down",
]

_TRIES = 10
_CUBIC, _AREA, _LINEAR = 2, 3, 1
_AUTO, _RANDOM = 9, 10


def interpolation(interp: int, sizes: tuple[int, ...] = ()) -> int:
    """OpenCV's number of an interpolation: 9 chooses by the sizes, 10 at random.

    ``sizes``: height and width before, height and width after. Larger: bicubic (2), smaller: area
    (3), else bilinear (1).
    """
    if interp == _AUTO:
        if not sizes:
            return _CUBIC
        old_h, old_w, new_h, new_w = sizes
        if new_h > old_h and new_w > old_w:
            return _CUBIC
        return _AREA if new_h < old_h and new_w < old_w else _LINEAR
    if interp == _RANDOM:
        return random.randint(0, 4)
    if interp not in range(5):
        raise ValueError(f"interp is {interp}, expected 0 to 4, 9 or 10")
    return interp


def scale_down(src_size: tuple[int, int], size: tuple[int, int]) -> tuple[int, int]:
    """``size``, smaller in its own proportions where it does not fit into ``src_size``.

    >>> scale_down((640, 480), (720, 120))
    (640, 106)
    """
    w: float
    h: float
    w, h = size
    source_w, source_h = src_size
    if source_h < h:
        w, h = float(w * source_h) / h, source_h
    if source_w < w:
        w, h = source_w, float(h * source_w) / w
    return int(w), int(h)


def resize_short(src: NDArray, size: int, interp: int = 2) -> NDArray:
    """The image with its shorter edge of that length, its proportions as they are."""
    h, w, _ = src.shape
    new_h, new_w = (size * h // w, size) if h > w else (size, size * w // h)
    return imresize(src, new_w, new_h, interp=interpolation(interp, (h, w, new_h, new_w)))


def fixed_crop(
    src: NDArray, x0: int, y0: int, w: int, h: int, size: Any = None, interp: int = 2
) -> NDArray:
    """The part of w x h pixels at (x0, y0), resized to ``size`` where that is given."""
    out = src[y0 : y0 + h, x0 : x0 + w]
    if size is not None and (w, h) != size:
        out = imresize(
            out, size[0], size[1], interp=interpolation(interp, (h, w, size[1], size[0]))
        )
    return out


def random_crop(src: NDArray, size: Any, interp: int = 2) -> tuple[NDArray, tuple[int, ...]]:
    """A random part of that size, and where it was: x, y, width, height.

    Where the image is smaller, a part of the same proportions, enlarged.
    """
    h, w, _ = src.shape
    new_w, new_h = scale_down((w, h), size)
    x0 = random.randint(0, w - new_w)
    y0 = random.randint(0, h - new_h)
    return fixed_crop(src, x0, y0, new_w, new_h, size, interp), (x0, y0, new_w, new_h)


def center_crop(src: NDArray, size: Any, interp: int = 2) -> tuple[NDArray, tuple[int, ...]]:
    """:func:`random_crop` in the middle."""
    h, w, _ = src.shape
    new_w, new_h = scale_down((w, h), size)
    x0 = int((w - new_w) / 2)
    y0 = int((h - new_h) / 2)
    return fixed_crop(src, x0, y0, new_w, new_h, size, interp), (x0, y0, new_w, new_h)


def random_size_crop(
    src: NDArray, size: Any, area: Any, ratio: Any, interp: int = 2, **kwargs: Any
) -> tuple[NDArray, tuple[int, ...]]:
    """A part of random size and proportions, resized to ``size``; and where it was.

    Args:
        area: least and largest part of the image's area, or the least alone.
        ratio: least and largest width / height.

    The middle, where ten draws do not fit into the image.
    """
    h, w, _ = src.shape
    if "min_area" in kwargs:
        warnings.warn("min_area is deprecated; use area", DeprecationWarning, stacklevel=2)
        area = kwargs.pop("min_area")
    assert not kwargs, f"random_size_crop: unexpected arguments {sorted(kwargs)}"
    if isinstance(area, numeric_types):
        area = (area, 1.0)
    for _ in range(_TRIES):
        target = random.uniform(area[0], area[1]) * h * w
        drawn = np.exp(random.uniform(np.log(ratio[0]), np.log(ratio[1])))
        new_w = round(np.sqrt(target * drawn))
        new_h = round(np.sqrt(target / drawn))
        if new_w <= w and new_h <= h:
            x0 = random.randint(0, w - new_w)
            y0 = random.randint(0, h - new_h)
            return fixed_crop(src, x0, y0, new_w, new_h, size, interp), (x0, y0, new_w, new_h)
    return center_crop(src, size, interp)


def color_normalize(src: NDArray, mean: Any, std: Any = None) -> NDArray:
    """(src - mean) / std, written to ``src``; what is None is left out."""
    if mean is not None:
        src -= mean
    if std is not None:
        src /= std
    return src
