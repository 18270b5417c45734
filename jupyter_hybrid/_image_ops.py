"""nd.image and sym.image of operators that exist: one definition for both faces.

Images are (height, width, channels) or batches of them; tensors (channels, height, width).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from ._core import MXNetError

__all__ = ["make"]


def make(F: ModuleType, constant: Callable[[list[float], Any], Any]) -> list[Callable[..., Any]]:
    """The functions of a face.

    Args:
        F: ``nd`` or ``sym``; its functions are looked up when they are called.
        constant: numbers as a float32 array of the face, on the device of another one.
    """

    def to_tensor(data: Any) -> Any:
        """Images as tensors: float32 in [0, 1], channels first."""
        _size("to_tensor", data)
        scaled = F.cast(data, dtype="float32") / 255
        return F.swapaxes(F.swapaxes(scaled, dim1=-1, dim2=-2), dim1=-2, dim2=-3)

    def normalize(data: Any, mean: Any = (0.0,), std: Any = (1.0,)) -> Any:
        """(data - mean) / std of tensors, by channel; one number is for all channels."""
        _size("normalize", data)
        centred = F.broadcast_sub(data, by_channel(mean, data))
        return F.broadcast_div(centred, by_channel(std, data))

    def by_channel(numbers: float | Sequence[float], data: Any) -> Any:
        values = [numbers] if isinstance(numbers, (int, float)) else list(numbers)
        return F.reshape(constant([float(v) for v in values], data), shape=(-1, 1, 1))

    def flip_left_right(data: Any) -> Any:
        """Images in the mirror. (MXNet leaves the middle column of odd widths unwritten.)"""
        _size("flip_left_right", data)
        return F.reverse(data, axis=-2)

    def flip_top_bottom(data: Any) -> Any:
        """Images upside down. (MXNet leaves the middle row of odd heights unwritten.)"""
        _size("flip_top_bottom", data)
        return F.reverse(data, axis=-3)

    def random_flip_left_right(data: Any, p: float = 0.5) -> Any:
        """:func:`flip_left_right` with probability ``p``, of a whole batch at once."""
        return sometimes(flip_left_right(data), data, p)

    def random_flip_top_bottom(data: Any, p: float = 0.5) -> Any:
        """:func:`flip_top_bottom` with probability ``p``, of a whole batch at once."""
        return sometimes(flip_top_bottom(data), data, p)

    def sometimes(changed: Any, data: Any, p: float) -> Any:
        drawn = F.random.uniform(0, 1, shape=(1, 1, 1)) < p
        return F.where(F.broadcast_like(drawn, data), changed, data)

    def crop(data: Any, x: int, y: int, width: int, height: int) -> Any:
        """The part of images of ``width`` x ``height`` pixels that begins at (x, y)."""
        size = _size("crop", data)
        fits = size is None or (y + height <= size[0] and x + width <= size[1])
        if min(x, y) < 0 or min(width, height) < 1 or not fits:
            raise MXNetError(
                f"crop: {width} x {height} pixels at ({x}, {y}), expected a part of the image"
                + (f" of {size[1]} x {size[0]}" if size else "")
            )
        rows = F.slice_axis(data, axis=-3, begin=y, end=y + height)
        return F.slice_axis(rows, axis=-2, begin=x, end=x + width)

    return [
        to_tensor, normalize, flip_left_right, flip_top_bottom, random_flip_left_right,
        random_flip_top_bottom, crop,
    ]  # fmt: skip


def _size(name: str, data: Any) -> tuple[int, int] | None:
    """Height and width of an image; None of a symbol. Raises MXNetError for another rank."""
    shape = getattr(data, "shape", None)
    if not isinstance(shape, tuple):
        return None
    if len(shape) not in (3, 4):
        raise MXNetError(f"image.{name}: given shape {shape}, expected three or four dimensions")
    return shape[-3], shape[-2]
