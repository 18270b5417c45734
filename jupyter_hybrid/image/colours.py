"""Augmenters of colours, and the list of augmenters that a training takes."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from .. import nd
from .._core import NDArray
from .augmenters import (
    Augmenter,
    CastAug,
    CenterCropAug,
    ColorNormalizeAug,
    HorizontalFlipAug,
    RandomCropAug,
    RandomGrayAug,
    RandomOrderAug,
    RandomSizedCropAug,
    ResizeAug,
)

__all__ = [
    "BrightnessJitterAug",
    "ColorJitterAug",
    "ContrastJitterAug",
    "CreateAugmenter",
    "HueJitterAug",
    "LightingAug",
    "SaturationJitterAug",
]

_LUMA = [[[0.299, 0.587, 0.114]]]  # ITU-R BT.601
# Principal components of ImageNet's colours (Krizhevsky and others, 2012).
_EIGENVALUES = np.array([55.46, 4.794, 1.148])
_EIGENVECTORS = np.array(
    [[-0.5675, 0.7192, 0.4009], [-0.5808, -0.0045, -0.8140], [-0.5836, -0.6948, 0.4203]]
)
MEAN = [123.68, 116.28, 103.53]  # of ImageNet
STD = [58.395, 57.12, 57.375]


class BrightnessJitterAug(Augmenter):
    """Times a number from 1 - ``brightness`` to 1 + ``brightness``."""

    def __init__(self, brightness: float):
        super().__init__(brightness=brightness)
        self.brightness = brightness

    def __call__(self, src: NDArray) -> NDArray:
        src *= 1.0 + random.uniform(-self.brightness, self.brightness)
        return src


class ContrastJitterAug(Augmenter):
    """From or to the image's mean grey, by a part of up to ``contrast``."""

    def __init__(self, contrast: float):
        super().__init__(contrast=contrast)
        self.contrast = contrast
        self.coef = nd.array(_LUMA)

    def __call__(self, src: NDArray) -> NDArray:
        alpha = 1.0 + random.uniform(-self.contrast, self.contrast)
        grey = nd.broadcast_mul(src, self.coef)
        grey = (3.0 * (1.0 - alpha) / grey.size) * nd.sum(grey)
        src *= alpha
        src += grey.reshape((1, 1, 1))
        return src


class SaturationJitterAug(Augmenter):
    """From or to each pixel's grey, by a part of up to ``saturation``."""

    def __init__(self, saturation: float):
        super().__init__(saturation=saturation)
        self.saturation = saturation
        self.coef = nd.array(_LUMA)

    def __call__(self, src: NDArray) -> NDArray:
        alpha = 1.0 + random.uniform(-self.saturation, self.saturation)
        grey = nd.sum(nd.broadcast_mul(src, self.coef), axis=2, keepdims=True)
        grey *= 1.0 - alpha
        src *= alpha
        src += grey
        return src


class HueJitterAug(Augmenter):
    """Turned in the plane of colours of YIQ, by up to ``hue`` * 180 degrees."""

    def __init__(self, hue: float):
        super().__init__(hue=hue)
        self.hue = hue
        self.tyiq = np.array(
            [[0.299, 0.587, 0.114], [0.596, -0.274, -0.321], [0.211, -0.523, 0.311]]
        )
        self.ityiq = np.array([[1.0, 0.956, 0.621], [1.0, -0.272, -0.647], [1.0, -1.107, 1.705]])

    def __call__(self, src: NDArray) -> NDArray:
        alpha = random.uniform(-self.hue, self.hue)
        u, w = np.cos(alpha * np.pi), np.sin(alpha * np.pi)
        turn = np.array([[1.0, 0.0, 0.0], [0.0, u, -w], [0.0, w, u]])
        return nd.dot(src, nd.array(np.dot(np.dot(self.ityiq, turn), self.tyiq).T))


class ColorJitterAug(RandomOrderAug):
    """Brightness, contrast and saturation, those above 0, in random order."""

    def __init__(self, brightness: float, contrast: float, saturation: float):
        ts: list[Augmenter] = []
        if brightness > 0:
            ts.append(BrightnessJitterAug(brightness))
        if contrast > 0:
            ts.append(ContrastJitterAug(contrast))
        if saturation > 0:
            ts.append(SaturationJitterAug(saturation))
        super().__init__(ts)


class LightingAug(Augmenter):
    """Plus a colour: components ``eigvec``, ``eigval``, with weights of deviation ``alphastd``."""

    def __init__(self, alphastd: float, eigval: Any, eigvec: Any):
        super().__init__(alphastd=alphastd, eigval=eigval, eigvec=eigvec)
        self.alphastd = alphastd
        self.eigval = eigval
        self.eigvec = eigvec

    def __call__(self, src: NDArray) -> NDArray:
        alpha = np.random.normal(0, self.alphastd, size=(3,))
        src += nd.array(np.dot(self.eigvec * alpha, self.eigval))
        return src


def CreateAugmenter(
    data_shape: Any,
    resize: int = 0,
    rand_crop: bool = False,
    rand_resize: bool = False,
    rand_mirror: bool = False,
    mean: Any = None,
    std: Any = None,
    brightness: float = 0,
    contrast: float = 0,
    saturation: float = 0,
    hue: float = 0,
    pca_noise: float = 0,
    rand_gray: float = 0,
    inter_method: int = 2,
) -> list[Augmenter]:
    """The augmenters of a training, in their order.

    Args:
        data_shape: (channels, height, width) of what comes out.
        resize: the shorter edge's length before the crop; 0: as it is.
        rand_crop: crops anywhere; else the middle. rand_resize: of random size, too.
        rand_mirror: in the mirror half of the time.
        mean, std: of the channels; True: ImageNet's.
        brightness, contrast, saturation, hue, pca_noise: how far they may change.
        rand_gray: how often it is grey.
        inter_method: OpenCV's interpolation; 9 by the sizes, 10 at random.
    """
    size = (data_shape[2], data_shape[1])
    augmenters: list[Augmenter] = [ResizeAug(resize, inter_method)] if resize > 0 else []
    if rand_resize:
        assert rand_crop, "CreateAugmenter: rand_resize needs rand_crop"
        ratio = (3.0 / 4.0, 4.0 / 3.0)
        augmenters.append(RandomSizedCropAug(size, 0.08, ratio, inter_method))
    elif rand_crop:
        augmenters.append(RandomCropAug(size, inter_method))
    else:
        augmenters.append(CenterCropAug(size, inter_method))
    if rand_mirror:
        augmenters.append(HorizontalFlipAug(0.5))
    augmenters.append(CastAug())
    if brightness or contrast or saturation:
        augmenters.append(ColorJitterAug(brightness, contrast, saturation))
    if hue:
        augmenters.append(HueJitterAug(hue))
    if pca_noise > 0:
        augmenters.append(LightingAug(pca_noise, _EIGENVALUES, _EIGENVECTORS))
    if rand_gray > 0:
        augmenters.append(RandomGrayAug(rand_gray))
    mean, std = _by_channel(mean, MEAN), _by_channel(std, STD)
    if mean is not None or std is not None:
        augmenters.append(ColorNormalizeAug(mean, std))
    return augmenters


def _by_channel(given: Any, usual: list[float]) -> Any:
    if given is True:
        return nd.array(usual)
    if given is not None:
        assert isinstance(given, (np.ndarray, NDArray)) and given.shape[0] in (1, 3), (
            f"CreateAugmenter: mean or std is {given!r}, expected True or one or three numbers"
        )
    return given
