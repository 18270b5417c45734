"""Transforms that cut and resize images."""

from __future__ import annotations

from typing import Any

from ..... import image
from .....base import numeric_types
from ....block import Block
from ....hybrid_block import HybridBlock


class Resize(HybridBlock):
    """An image, or each of a batch, resized.

    Args:
        size: (width, height), or a number for both edges.
        keep_ratio: a number is the shorter edge's length; the proportions stay.
        interpolation: OpenCV's number.
    """

    def __init__(self, size: Any, keep_ratio: bool = False, interpolation: int = 1):
        super().__init__()
        self._keep = keep_ratio
        self._size = size
        self._interpolation = interpolation

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.image.resize(x, self._size, self._keep, self._interpolation)


class CropResize(HybridBlock):
    """A part of an image, or of each of a batch, resized where a size is given.

    Args:
        x, y: the part's first column and row.
        width, height: its size.
        size: (width, height), or a number for both edges; None: as it is.
        interpolation: OpenCV's number; None: 1 (which fails in MXNet).
    """

    def __init__(
        self,
        x: int,
        y: int,
        width: int,
        height: int,
        size: Any = None,
        interpolation: int | None = None,
    ):
        super().__init__()
        self._part = (x, y, width, height)
        self._size = size
        self._interpolation = 1 if interpolation is None else interpolation

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        out = F.image.crop(x, *self._part)
        return F.image.resize(out, self._size, False, self._interpolation) if self._size else out


class CenterCrop(Block):
    """The middle of an image: (width, height), or a number for both; enlarged where it is small."""

    def __init__(self, size: Any, interpolation: int = 1):
        super().__init__()
        self._args = (_pair(size), interpolation)

    def forward(self, x: Any) -> Any:
        return image.center_crop(x, *self._args)[0]


class RandomResizedCrop(Block):
    """A part of an image of random area and proportions, resized.

    Args:
        size: (width, height), or a number for both.
        scale: least and largest part of the image's area.
        ratio: least and largest width / height.
        interpolation: OpenCV's number.
    """

    def __init__(
        self,
        size: Any,
        scale: Any = (0.08, 1.0),
        ratio: Any = (3.0 / 4.0, 4.0 / 3.0),
        interpolation: int = 1,
    ):
        super().__init__()
        self._args = (_pair(size), scale, ratio, interpolation)

    def forward(self, x: Any) -> Any:
        return image.random_size_crop(x, *self._args)[0]


def _pair(size: Any) -> Any:
    return (size, size) if isinstance(size, numeric_types) else size
