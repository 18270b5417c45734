"""Transforms that mirror and turn images."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..... import image
from ....block import Block
from ....hybrid_block import HybridBlock


class RandomFlipLeftRight(HybridBlock):
    """In the mirror, with probability 1/2."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.image.random_flip_left_right(x)


class RandomFlipTopBottom(HybridBlock):
    """Upside down, with probability 1/2."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.image.random_flip_top_bottom(x)


class Rotate(Block):
    """A tensor, or each of a batch, turned about its middle; see :func:`image.imrotate`.

    Args:
        rotation_degrees: the angle.
        zoom_in: enlarged until nothing outside is seen. zoom_out: until all of it is seen.

    Raises TypeError for what is not float32: it stands after :class:`ToTensor`.
    """

    def __init__(self, rotation_degrees: float, zoom_in: bool = False, zoom_out: bool = False):
        super().__init__()
        self._args = (rotation_degrees, zoom_in, zoom_out)

    def forward(self, x: Any) -> Any:
        _require_float32(self, x)
        return image.imrotate(x, *self._args)


class RandomRotation(Block):
    """:class:`Rotate` by a random angle between two limits, with a probability.

    Raises:
        ValueError: the limits are not in order, or the probability is not from 0 to 1.
        TypeError: for what is not float32.
    """

    def __init__(
        self,
        angle_limits: Any,
        zoom_in: bool = False,
        zoom_out: bool = False,
        rotate_with_proba: float = 1.0,
    ):
        super().__init__()
        lower, upper = angle_limits
        if lower >= upper:
            raise ValueError(f"angle_limits are {angle_limits}, expected the smaller one first")
        if not 0 <= rotate_with_proba <= 1:
            raise ValueError(f"rotate_with_proba is {rotate_with_proba}, expected 0 to 1")
        self._args = (angle_limits, zoom_in, zoom_out)
        self._rotate_with_proba = rotate_with_proba

    def forward(self, x: Any) -> Any:
        if np.random.random() > self._rotate_with_proba:
            return x
        _require_float32(self, x)
        return image.random_rotate(x, *self._args)


def _require_float32(transform: Block, x: Any) -> None:
    if x.dtype is not np.float32:
        raise TypeError(
            f"{type(transform).__name__}: given {np.dtype(x.dtype).name}, expected float32: it "
            "stands after ToTensor"
        )
