"""Images turned about their middle. Images are (channels, height, width), or a batch of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import nd
from .._core import NDArray
from ..base import numeric_types

__all__ = ["imrotate", "random_rotate"]


def imrotate(
    src: NDArray, rotation_degrees: Any, zoom_in: bool = False, zoom_out: bool = False
) -> NDArray:
    """Images turned about their middle, of the same size, 0 where nothing comes from inside.

    Args:
        src: float32.
        rotation_degrees: a number; of a batch also an NDArray of one for each image.
        zoom_in: enlarged until nothing outside the image is seen.
        zoom_out: made smaller until all of the image is seen.

    Raises:
        TypeError: ``src`` is not of float32, or an image is to have several angles.
        ValueError: both zooms, another number of dimensions, or of angles than of images.
    """
    if zoom_in and zoom_out:
        raise ValueError("imrotate: zoom_in and zoom_out are both True, expected one at most")
    if src.dtype is not np.float32:
        raise TypeError(f"imrotate: given {np.dtype(src.dtype).name}, expected float32")
    if len(src.shape) not in (3, 4):
        raise ValueError(f"imrotate: given shape {src.shape}, expected three or four dimensions")
    one = len(src.shape) == 3
    if one and not isinstance(rotation_degrees, numeric_types):
        raise TypeError("imrotate: several angles for one image, expected a number")
    batch = src.expand_dims(axis=0) if one else src
    if isinstance(rotation_degrees, numeric_types):
        rotation_degrees = nd.full((len(batch),), float(rotation_degrees), ctx=src.context)
    if len(batch) != len(rotation_degrees):
        raise ValueError(
            f"imrotate: {len(rotation_degrees)} angles for {len(batch)} images, expected as many"
        )
    angles = rotation_degrees.as_in_context(src.context).reshape((-1, 1, 1)) * np.pi / 180
    height, width = batch.shape[2:]
    grid = _grid(angles, height, width) * _scale(angles, height, width, zoom_in, zoom_out)
    turned = nd.BilinearSampler(batch, grid)
    return turned[0] if one else turned


def _grid(angles: NDArray, height: int, width: int) -> NDArray:
    """Where each pixel comes from: (n, 2, height, width), x and y from -1 to 1."""
    context = angles.context
    # An edge of one pixel has no extent to divide by; its pixel lies in the middle (NaN in MXNet).
    half_h, half_w = max(height - 1, 1) / 2, max(width - 1, 1) / 2
    rows, columns = (np.arange(size, dtype=np.float32) for size in (height, width))
    y = nd.array(rows - (height - 1) / 2, context).reshape((1, height, 1))
    x = nd.array(columns - (width - 1) / 2, context).reshape((1, 1, width))
    cos, sin = nd.cos(angles), nd.sin(angles)
    across = nd.broadcast_sub(nd.broadcast_mul(cos, x), nd.broadcast_mul(sin, y)) / half_w
    down = nd.broadcast_add(nd.broadcast_mul(sin, x), nd.broadcast_mul(cos, y)) / half_h
    return nd.stack(across, down, axis=1)


def _scale(angles: NDArray, height: int, width: int, zoom_in: bool, zoom_out: bool) -> Any:
    """By how much the places are stretched, for each image; by the corners' places when turned."""
    if not zoom_in and not zoom_out:
        return 1
    radius, corner = np.hypot(height, width), np.arctan2(height, width)
    turn = nd.abs(angles)
    max_x = nd.maximum(
        nd.abs(radius * nd.cos(corner + turn)), nd.abs(radius * nd.cos(corner - turn))
    )
    max_y = nd.maximum(
        nd.abs(radius * nd.sin(corner + turn)), nd.abs(radius * nd.sin(corner - turn))
    )
    if zoom_out:
        scale = nd.maximum(max_x / width, max_y / height)
    else:
        scale = nd.minimum(width / max_x, height / max_y)
    return scale.expand_dims(axis=3)


def random_rotate(
    src: NDArray, angle_limits: Any, zoom_in: bool = False, zoom_out: bool = False
) -> NDArray:
    """:func:`imrotate` by angles drawn evenly between two limits, by NumPy's random numbers."""
    low, high = angle_limits
    if len(src.shape) == 3:
        return imrotate(src, np.random.uniform(low, high), zoom_in, zoom_out)
    degrees = nd.array(np.random.uniform(low, high, len(src)))
    return imrotate(src, degrees, zoom_in, zoom_out)
