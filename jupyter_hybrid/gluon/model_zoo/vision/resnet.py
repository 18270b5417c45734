"""ResNet, version 1 (He et al. 2015) and version 2 (He et al. 2016)."""

from __future__ import annotations

from typing import Any

from ....context import cpu
from ... import nn
from ...checks import CheckError
from ..model_store import ROOT
from .net import FeaturesAndOutput, loaded
from .resnet_blocks import BasicBlockV1, BasicBlockV2, BottleneckV1, BottleneckV2, conv3x3

_CPU = cpu()
_NARROW, _WIDE = [64, 64, 128, 256, 512], [64, 256, 512, 1024, 2048]
# Whether blocks are bottlenecks, their number in each stage, channels.
_NETS = {
    18: (False, [2, 2, 2, 2], _NARROW),
    34: (False, [3, 4, 6, 3], _NARROW),
    50: (True, [3, 4, 6, 3], _WIDE),
    101: (True, [3, 4, 23, 3], _WIDE),
    152: (True, [3, 8, 36, 3], _WIDE),
}


class _ResNet(FeaturesAndOutput):
    """Common to both versions: the first convolution and the stages."""

    def _add_start(self, channels: int, thumbnail: bool) -> None:
        if thumbnail:
            self.features.add(conv3x3(channels, 1, 0))
            return
        self.features.add(nn.Conv2D(channels, 7, 2, 3, use_bias=False), nn.BatchNorm())
        self.features.add(nn.Activation("relu"), nn.MaxPool2D(3, 2, 1))

    def _add_stages(self, block: Any, layers: list[int], channels: list[int]) -> None:
        if len(layers) != len(channels) - 1:
            raise CheckError(
                f"{type(self).__name__}: expected one number of channels more than of layers, got "
                f"{len(channels)} and {len(layers)}"
            )
        for i, count in enumerate(layers):
            before, after = channels[i], channels[i + 1]
            stage = nn.HybridSequential(prefix=f"stage{i + 1}_")
            with stage.name_scope():
                stride = 2 if i else 1
                stage.add(block(after, stride, after != before, in_channels=before, prefix=""))
                for _ in range(count - 1):
                    stage.add(block(after, 1, False, in_channels=after, prefix=""))
            self.features.add(stage)


class ResNetV1(_ResNet):
    """For images of any size from 32 x 32.

    Args:
        block: BasicBlockV1 or BottleneckV1.
        layers: blocks of each stage.
        channels: of the first convolution and of each stage.
        classes: number of scores.
        thumbnail: for small images: the first convolution keeps the size.

    Raises:
        CheckError: the numbers of layers and channels don't agree.
    """

    def __init__(
        self,
        block: Any,
        layers: list[int],
        channels: list[int],
        classes: int = 1000,
        thumbnail: bool = False,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="")
            self._add_start(channels[0], thumbnail)
            self._add_stages(block, layers, channels)
            self.features.add(nn.GlobalAvgPool2D())
            self.output = nn.Dense(classes, in_units=channels[-1])


class ResNetV2(_ResNet):
    """For images of any size from 32 x 32; see :class:`ResNetV1` for the arguments."""

    def __init__(
        self,
        block: Any,
        layers: list[int],
        channels: list[int],
        classes: int = 1000,
        thumbnail: bool = False,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="")
            self.features.add(nn.BatchNorm(scale=False, center=False))
            self._add_start(channels[0], thumbnail)
            self._add_stages(block, layers, channels)
            self.features.add(nn.BatchNorm(), nn.Activation("relu"))
            self.features.add(nn.GlobalAvgPool2D(), nn.Flatten())
            self.output = nn.Dense(classes, in_units=channels[-1])


_VERSIONS = {
    1: (ResNetV1, BasicBlockV1, BottleneckV1),
    2: (ResNetV2, BasicBlockV2, BottleneckV2),
}


def get_resnet(
    version: int,
    num_layers: int,
    pretrained: bool = False,
    ctx: Any = _CPU,
    root: str = ROOT,
    **kwargs: Any,
) -> Any:
    """ResNet of version 1 or 2 and of 18, 34, 50, 101 or 152 layers.

    Raises:
        CheckError: for others.
    """
    if num_layers not in _NETS:
        raise CheckError(f"get_resnet: expected one of {list(_NETS)} layers, got {num_layers}")
    if version not in _VERSIONS:
        raise CheckError(f"get_resnet: version: expected 1 or 2, got {version}")
    wide, layers, channels = _NETS[num_layers]
    kind, basic, bottleneck = _VERSIONS[version]
    net = kind(bottleneck if wide else basic, layers, channels, **kwargs)
    return loaded(net, f"resnet{num_layers}_v{version}", pretrained, ctx, root)


def resnet18_v1(**kwargs: Any) -> ResNetV1:
    """ResNet of version 1 and 18 layers; see :func:`get_resnet`."""
    return get_resnet(1, 18, **kwargs)


def resnet34_v1(**kwargs: Any) -> ResNetV1:
    """ResNet of version 1 and 34 layers; see :func:`get_resnet`."""
    return get_resnet(1, 34, **kwargs)


def resnet50_v1(**kwargs: Any) -> ResNetV1:
    """ResNet of version 1 and 50 layers; see :func:`get_resnet`."""
    return get_resnet(1, 50, **kwargs)


def resnet101_v1(**kwargs: Any) -> ResNetV1:
    """ResNet of version 1 and 101 layers; see :func:`get_resnet`."""
    return get_resnet(1, 101, **kwargs)


def resnet152_v1(**kwargs: Any) -> ResNetV1:
    """ResNet of version 1 and 152 layers; see :func:`get_resnet`."""
    return get_resnet(1, 152, **kwargs)


def resnet18_v2(**kwargs: Any) -> ResNetV2:
    """ResNet of version 2 and 18 layers; see :func:`get_resnet`."""
    return get_resnet(2, 18, **kwargs)


def resnet34_v2(**kwargs: Any) -> ResNetV2:
    """ResNet of version 2 and 34 layers; see :func:`get_resnet`."""
    return get_resnet(2, 34, **kwargs)


def resnet50_v2(**kwargs: Any) -> ResNetV2:
    """ResNet of version 2 and 50 layers; see :func:`get_resnet`."""
    return get_resnet(2, 50, **kwargs)


def resnet101_v2(**kwargs: Any) -> ResNetV2:
    """ResNet of version 2 and 101 layers; see :func:`get_resnet`."""
    return get_resnet(2, 101, **kwargs)


def resnet152_v2(**kwargs: Any) -> ResNetV2:
    """ResNet of version 2 and 152 layers; see :func:`get_resnet`."""
    return get_resnet(2, 152, **kwargs)
