"""SqueezeNet (Iandola et al. 2016)."""

from __future__ import annotations

from typing import Any

from ....context import cpu
from ... import nn
from ...checks import CheckError
from ...contrib.nn import HybridConcurrent
from ..model_store import ROOT
from .net import FeaturesAndOutput, loaded

_CPU = cpu()
_POOL = 0  # among the fire modules' channels: a pooling
_VERSIONS = {
    "1.0": (96, 7, (_POOL, 16, 16, 32, _POOL, 32, 48, 48, 64, _POOL, 64)),
    "1.1": (64, 3, (_POOL, 16, 16, _POOL, 32, 32, _POOL, 48, 48, 64, 64)),
}


class SqueezeNet(FeaturesAndOutput):
    """For images of 224 x 224.

    Args:
        version: "1.0" or "1.1".
        classes: number of scores.

    Raises:
        CheckError: for another version.
    """

    def __init__(self, version: str, classes: int = 1000, **kwargs: Any):
        super().__init__(**kwargs)
        if version not in _VERSIONS:
            raise CheckError(f"SqueezeNet: version: expected '1.0' or '1.1', got {version!r}")
        channels, kernel, fires = _VERSIONS[version]
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="")
            self.features.add(nn.Conv2D(channels, kernel, strides=2), nn.Activation("relu"))
            for squeezed in fires:
                self.features.add(
                    _fire(squeezed) if squeezed else nn.MaxPool2D(3, 2, ceil_mode=True)
                )
            self.features.add(nn.Dropout(0.5))
            self.output = nn.HybridSequential(prefix="")
            self.output.add(nn.Conv2D(classes, kernel_size=1), nn.Activation("relu"))
            self.output.add(nn.AvgPool2D(13), nn.Flatten())


def _fire(squeezed: int) -> nn.HybridSequential:
    """A fire module: squeezed channels, expanded to four times as many by two windows each."""
    out = nn.HybridSequential(prefix="")
    out.add(_convolved(squeezed, 1))
    paths = HybridConcurrent(axis=1, prefix="")
    paths.add(_convolved(4 * squeezed, 1), _convolved(4 * squeezed, 3, 1))
    out.add(paths)
    return out


def _convolved(channels: int, kernel: int, padding: int = 0) -> nn.HybridSequential:
    out = nn.HybridSequential(prefix="")
    out.add(nn.Conv2D(channels, kernel, padding=padding), nn.Activation("relu"))
    return out


def get_squeezenet(
    version: str, pretrained: bool = False, ctx: Any = _CPU, root: str = ROOT, **kwargs: Any
) -> SqueezeNet:
    """SqueezeNet of a version; ``pretrained`` reads the file of the folder ``root``."""
    net = SqueezeNet(version, **kwargs)
    return loaded(net, f"squeezenet{version}", pretrained, ctx, root)


def squeezenet1_0(**kwargs: Any) -> SqueezeNet:
    """SqueezeNet 1.0; see :func:`get_squeezenet`."""
    return get_squeezenet("1.0", **kwargs)


def squeezenet1_1(**kwargs: Any) -> SqueezeNet:
    """SqueezeNet 1.1; see :func:`get_squeezenet`."""
    return get_squeezenet("1.1", **kwargs)
