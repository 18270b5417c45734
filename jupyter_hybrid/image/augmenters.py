"""Augmenters: objects that change an image, most of them at random, and say how as JSON.

Random numbers come from Python's ``random`` and, for :class:`LightingAug`, NumPy's global
generator. Colour augmenters write to the image that they are given, of float32.
"""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np

from .. import nd
from .._core import NDArray
from .crops import (
    center_crop,
    color_normalize,
    interpolation,
    random_crop,
    random_size_crop,
    resize_short,
)
from .pixels import imresize

__all__ = [
    "Augmenter",
    "CastAug",
    "CenterCropAug",
    "ColorNormalizeAug",
    "Described",
    "ForceResizeAug",
    "HorizontalFlipAug",
    "RandomCropAug",
    "RandomGrayAug",
    "RandomOrderAug",
    "RandomSizedCropAug",
    "ResizeAug",
    "SequentialAug",
]


class Described:
    """Keeps its keyword arguments and tells them as JSON."""

    def __init__(self, **kwargs: Any):
        self._kwargs = {name: _plain(value) for name, value in kwargs.items()}

    def dumps(self) -> Any:
        """The class's name in lower case and its arguments, as JSON."""
        return json.dumps([type(self).__name__.lower(), self._kwargs])


class Augmenter(Described):
    """The base: subclasses have ``__call__(src)``; :meth:`dumps` tells the keyword arguments."""

    def __call__(self, src: NDArray) -> NDArray:
        raise NotImplementedError("Must override implementation.")


def _plain(value: Any) -> Any:
    if isinstance(value, NDArray):
        value = value.asnumpy()
    return value.tolist() if isinstance(value, np.ndarray) else value


class SequentialAug(Augmenter):
    """Augmenters one after the other."""

    def __init__(self, ts: list[Augmenter]):
        super().__init__()
        self.ts = ts

    def dumps(self) -> Any:
        """The class's name and what each augmenter tells."""
        return [type(self).__name__.lower(), [t.dumps() for t in self.ts]]

    def __call__(self, src: NDArray) -> NDArray:
        for t in self.ts:
            src = t(src)
        return src


class RandomOrderAug(SequentialAug):
    """Augmenters in random order."""

    def __call__(self, src: NDArray) -> NDArray:
        random.shuffle(self.ts)
        return super().__call__(src)


class ResizeAug(Augmenter):
    """The shorter edge gets the length ``size``."""

    def __init__(self, size: int, interp: int = 2):
        super().__init__(size=size, interp=interp)
        self.size = size
        self.interp = interp

    def __call__(self, src: NDArray) -> NDArray:
        return resize_short(src, self.size, self.interp)


class ForceResizeAug(Augmenter):
    """To ``size`` (width, height), whatever the proportions."""

    def __init__(self, size: Any, interp: int = 2):
        super().__init__(size=size, interp=interp)
        self.size = size
        self.interp = interp

    def __call__(self, src: NDArray) -> NDArray:
        w, h = self.size
        sizes = (src.shape[0], src.shape[1], h, w)
        return imresize(src, w, h, interp=interpolation(self.interp, sizes))


class RandomCropAug(Augmenter):
    """:func:`random_crop`."""

    def __init__(self, size: Any, interp: int = 2):
        super().__init__(size=size, interp=interp)
        self.size = size
        self.interp = interp

    def __call__(self, src: NDArray) -> NDArray:
        return random_crop(src, self.size, self.interp)[0]


class CenterCropAug(Augmenter):
    """:func:`center_crop`."""

    def __init__(self, size: Any, interp: int = 2):
        super().__init__(size=size, interp=interp)
        self.size = size
        self.interp = interp

    def __call__(self, src: NDArray) -> NDArray:
        return center_crop(src, self.size, self.interp)[0]


class RandomSizedCropAug(Augmenter):
    """:func:`random_size_crop`."""

    def __init__(self, size: Any, area: Any, ratio: Any, interp: int = 2, **kwargs: Any):
        super().__init__(size=size, area=area, ratio=ratio, interp=interp)
        self.size = size
        self.area = kwargs.pop("min_area", area)  # its old name
        self.ratio = ratio
        self.interp = interp
        assert not kwargs, f"RandomSizedCropAug: unexpected arguments {sorted(kwargs)}"

    def __call__(self, src: NDArray) -> NDArray:
        return random_size_crop(src, self.size, self.area, self.ratio, self.interp)[0]


class ColorNormalizeAug(Augmenter):
    """(src - mean) / std; what is None is left out."""

    def __init__(self, mean: Any, std: Any):
        super().__init__(mean=mean, std=std)
        self.mean = mean if mean is None or isinstance(mean, NDArray) else nd.array(mean)
        self.std = std if std is None or isinstance(std, NDArray) else nd.array(std)

    def __call__(self, src: NDArray) -> NDArray:
        return color_normalize(src, self.mean, self.std)


class RandomGrayAug(Augmenter):
    """Grey in all three channels, with probability ``p``."""

    def __init__(self, p: float):
        super().__init__(p=p)
        self.p = p
        self.mat = nd.array([[0.21] * 3, [0.72] * 3, [0.07] * 3])

    def __call__(self, src: NDArray) -> NDArray:
        return nd.dot(src, self.mat) if random.random() < self.p else src


class HorizontalFlipAug(Augmenter):
    """In the mirror, with probability ``p``."""

    def __init__(self, p: float):
        super().__init__(p=p)
        self.p = p

    def __call__(self, src: NDArray) -> NDArray:
        return nd.flip(src, axis=1) if random.random() < self.p else src


class CastAug(Augmenter):
    """Another dtype: float32, unless ``typ`` says otherwise."""

    def __init__(self, typ: Any = "float32"):
        super().__init__(type=typ)
        self.typ = typ

    def __call__(self, src: NDArray) -> NDArray:
        return src.astype(self.typ)
