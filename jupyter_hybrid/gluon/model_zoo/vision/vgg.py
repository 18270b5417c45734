"""VGG (Simonyan and Zisserman 2015), with and without batch normalization."""

from __future__ import annotations

from typing import Any

from ....context import cpu
from ....initializer import Xavier
from ... import nn
from ...checks import CheckError
from ..model_store import ROOT
from .net import FeaturesAndOutput, loaded

_CPU = cpu()
_FILTERS = [64, 128, 256, 512, 512]
_LAYERS = {11: [1, 1, 2, 2, 2], 13: [2] * 5, 16: [2, 2, 3, 3, 3], 19: [2, 2, 4, 4, 4]}


class VGG(FeaturesAndOutput):
    """For images of 224 x 224.

    Args:
        layers: convolutions of each stage.
        filters: channels of each stage.
        classes: number of scores.
        batch_norm: a batch normalization behind each convolution.

    Raises:
        CheckError: layers and filters are not as many.
    """

    def __init__(
        self,
        layers: list[int],
        filters: list[int],
        classes: int = 1000,
        batch_norm: bool = False,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        if len(layers) != len(filters):
            raise CheckError(f"VGG: got {len(layers)} layers and {len(filters)} filters")
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="")
            for count, channels in zip(layers, filters, strict=True):
                for _ in range(count):
                    self._add_convolution(channels, batch_norm)
                self.features.add(nn.MaxPool2D(strides=2))
            for _ in range(2):
                self.features.add(_dense(4096, activation="relu"), nn.Dropout(0.5))
            self.output = _dense(classes)

    def _add_convolution(self, channels: int, batch_norm: bool) -> None:
        init = Xavier(rnd_type="gaussian", factor_type="out", magnitude=2)
        self.features.add(nn.Conv2D(channels, kernel_size=3, padding=1, weight_initializer=init))
        if batch_norm:
            self.features.add(nn.BatchNorm())
        self.features.add(nn.Activation("relu"))


def _dense(units: int, **options: Any) -> nn.Dense:
    return nn.Dense(units, weight_initializer="normal", **options)


def get_vgg(
    num_layers: int, pretrained: bool = False, ctx: Any = _CPU, root: str = ROOT, **kwargs: Any
) -> VGG:
    """VGG of 11, 13, 16 or 19 layers; ``batch_norm=True`` for the nets with ``_bn``.

    Raises:
        CheckError: for another number.
    """
    if num_layers not in _LAYERS:
        raise CheckError(f"get_vgg: num_layers: expected one of {list(_LAYERS)}, got {num_layers}")
    net = VGG(_LAYERS[num_layers], _FILTERS, **kwargs)
    name = f"vgg{num_layers}" + ("_bn" if kwargs.get("batch_norm") else "")
    return loaded(net, name, pretrained, ctx, root)


def vgg11(**kwargs: Any) -> VGG:
    """VGG of 11 layers; see :func:`get_vgg`."""
    return get_vgg(11, **kwargs)


def vgg13(**kwargs: Any) -> VGG:
    """VGG of 13 layers; see :func:`get_vgg`."""
    return get_vgg(13, **kwargs)


def vgg16(**kwargs: Any) -> VGG:
    """VGG of 16 layers; see :func:`get_vgg`."""
    return get_vgg(16, **kwargs)


def vgg19(**kwargs: Any) -> VGG:
    """VGG of 19 layers; see :func:`get_vgg`."""
    return get_vgg(19, **kwargs)


def vgg11_bn(**kwargs: Any) -> VGG:
    """VGG of 11 layers with batch normalization; see :func:`get_vgg`."""
    return get_vgg(11, **{**kwargs, "batch_norm": True})


def vgg13_bn(**kwargs: Any) -> VGG:
    """VGG of 13 layers with batch normalization; see :func:`get_vgg`."""
    return get_vgg(13, **{**kwargs, "batch_norm": True})


def vgg16_bn(**kwargs: Any) -> VGG:
    """VGG of 16 layers with batch normalization; see :func:`get_vgg`."""
    return get_vgg(16, **{**kwargs, "batch_norm": True})


def vgg19_bn(**kwargs: Any) -> VGG:
    """VGG of 19 layers with batch normalization; see :func:`get_vgg`."""
    return get_vgg(19, **{**kwargs, "batch_norm": True})
