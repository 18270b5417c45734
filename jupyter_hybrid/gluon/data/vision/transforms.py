"""What is done to images before a net sees them, as blocks.

Images are (height, width, channels); :class:`ToTensor` makes (channels, height, width) of them.
"""

from __future__ import annotations

import random
from typing import Any

from .... import image, nd
from ....base import numeric_types
from ...block import Block
from ...hybrid_block import HybridBlock
from ...nn import HybridSequential, Sequential

__all__ = [
    "Cast",
    "CenterCrop",
    "Compose",
    "Normalize",
    "RandomApply",
    "RandomFlipLeftRight",
    "RandomFlipTopBottom",
    "RandomResizedCrop",
    "Resize",
    "ToTensor",
]


class Compose(Sequential):
    """Transforms one after the other; hybrid ones beside each other become one program."""

    def __init__(self, transforms: list[Any]):
        super().__init__()
        together: list[HybridBlock] = []
        for transform in [*transforms, None]:
            if isinstance(transform, HybridBlock):
                together.append(transform)
                continue
            if len(together) == 1:
                self.add(together[0])
            elif together:
                joined = HybridSequential()
                joined.add(*together)
                joined.hybridize()
                self.add(joined)
            together = []
            if transform is not None:
                self.add(transform)


class Cast(HybridBlock):
    """Another dtype."""

    def __init__(self, dtype: Any = "float32"):
        super().__init__()
        self._dtype = dtype

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.cast(x, self._dtype)


class ToTensor(HybridBlock):
    """An image or a batch as float32 in [0, 1], channels first."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.image.to_tensor(x)


class Normalize(HybridBlock):
    """(x - mean) / std of a tensor, by channel; a number is for all channels."""

    def __init__(self, mean: Any = 0.0, std: Any = 1.0):
        super().__init__()
        self._mean = mean
        self._std = std

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.image.normalize(x, self._mean, self._std)


class RandomFlipLeftRight(HybridBlock):
    """In the mirror, with probability 1/2."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.image.random_flip_left_right(x)


class RandomFlipTopBottom(HybridBlock):
    """Upside down, with probability 1/2."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.image.random_flip_top_bottom(x)


class Resize(Block):
    """An image, or each of a batch, resized.

    OpenCV does it, so it is no part of a program, and needs the extra ``[image]``.

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

    def forward(self, x: Any) -> Any:
        w, h = self._new_size(*x.shape[-3:-1])
        if len(x.shape) == 3:
            return image.imresize(x, w, h, self._interpolation)
        return nd.stack(*(image.imresize(one, w, h, self._interpolation) for one in x))

    def _new_size(self, height: int, width: int) -> tuple[int, int]:
        if not isinstance(self._size, numeric_types):
            return self._size[0], self._size[-1]
        size = int(self._size)
        if not self._keep:
            return size, size
        if height > width:
            return size, size * height // width
        return size * width // height, size


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


class RandomApply(Sequential):
    """A transform, with probability ``p``."""

    def __init__(self, transforms: Any, p: float = 0.5):
        super().__init__()
        self.transforms = transforms
        self.p = p

    def forward(self, x: Any) -> Any:
        return x if self.p < random.random() else self.transforms(x)


def _pair(size: Any) -> Any:
    return (size, size) if isinstance(size, numeric_types) else size
