"""MobileNet (Howard et al. 2017) and MobileNetV2 (Sandler et al. 2018)."""

from __future__ import annotations

from typing import Any

from ....context import cpu
from ... import nn
from ...hybrid_block import HybridBlock
from ..model_store import ROOT
from .net import FeaturesAndOutput, loaded

_CPU = cpu()
# Channels and stride of MobileNet's separable convolutions.
_SEPARABLE = (
    (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2),
    (512, 1), (512, 1), (512, 1), (512, 1), (512, 1), (1024, 2), (1024, 1),
)  # fmt: skip
# Expansion, channels, repeats and first stride of MobileNetV2's bottlenecks.
_BOTTLENECKS = (
    (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
    (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1),
)  # fmt: skip


class RELU6(HybridBlock):
    """``min(max(x, 0), 6)``."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.clip(x, a_min=0, a_max=6, name="relu6")


def _add(
    out: Any,
    channels: int,
    kernel: int = 1,
    stride: int = 1,
    pad: int = 0,
    groups: int = 1,
    act: Any = None,
) -> None:
    """A convolution, a batch normalization and perhaps an activation."""
    out.add(nn.Conv2D(channels, kernel, stride, pad, groups=groups, use_bias=False))
    out.add(nn.BatchNorm(scale=True))
    if act is not None:
        out.add(act())


def _relu() -> nn.Activation:
    return nn.Activation("relu")


class LinearBottleneck(HybridBlock):
    """Expands the channels ``t`` times, convolves each by itself, and projects them."""

    def __init__(self, in_channels: int, channels: int, t: int, stride: int, **kwargs: Any):
        super().__init__(**kwargs)
        self.use_shortcut = stride == 1 and in_channels == channels
        inside = in_channels * t
        with self.name_scope():
            self.out = nn.HybridSequential()
            _add(self.out, inside, act=RELU6)
            _add(self.out, inside, 3, stride, 1, inside, RELU6)
            _add(self.out, channels)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        out = self.out(x)
        return F.elemwise_add(out, x) if self.use_shortcut else out


class MobileNet(FeaturesAndOutput):
    """For images of any size from 32 x 32.

    Args:
        multiplier: on the numbers of channels.
        classes: number of scores.
    """

    def __init__(self, multiplier: float = 1.0, classes: int = 1000, **kwargs: Any):
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="")
            with self.features.name_scope():
                before = int(32 * multiplier)
                _add(self.features, before, 3, 2, 1, act=_relu)
                for width, stride in _SEPARABLE:
                    channels = int(width * multiplier)
                    _add(self.features, before, 3, stride, 1, before, _relu)
                    _add(self.features, channels, act=_relu)
                    before = channels
                self.features.add(nn.GlobalAvgPool2D(), nn.Flatten())
            self.output = nn.Dense(classes)


class MobileNetV2(FeaturesAndOutput):
    """For images of any size from 32 x 32.

    Args:
        multiplier: on the numbers of channels.
        classes: number of scores.
    """

    def __init__(self, multiplier: float = 1.0, classes: int = 1000, **kwargs: Any):
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="features_")
            with self.features.name_scope():
                self._add_features(multiplier)
            self.output = nn.HybridSequential(prefix="output_")
            with self.output.name_scope():
                self.output.add(nn.Conv2D(classes, 1, use_bias=False, prefix="pred_"))
                self.output.add(nn.Flatten())

    def _add_features(self, multiplier: float) -> None:
        before = int(32 * multiplier)
        _add(self.features, before, 3, 2, 1, act=RELU6)
        for expansion, width, repeats, first in _BOTTLENECKS:
            channels = int(width * multiplier)
            for i in range(repeats):
                block = LinearBottleneck(before, channels, expansion, 1 if i else first)
                self.features.add(block)
                before = channels
        _add(self.features, int(1280 * max(multiplier, 1.0)), act=RELU6)
        self.features.add(nn.GlobalAvgPool2D())


def _version(multiplier: float) -> str:
    text = f"{multiplier:.2f}"
    return text[:-1] if text in ("1.00", "0.50") else text


def get_mobilenet(
    multiplier: float, pretrained: bool = False, ctx: Any = _CPU, root: str = ROOT, **kwargs: Any
) -> MobileNet:
    """MobileNet of a width; ``pretrained`` reads the file of the folder ``root``."""
    net = MobileNet(multiplier, **kwargs)
    return loaded(net, f"mobilenet{_version(multiplier)}", pretrained, ctx, root)


def get_mobilenet_v2(
    multiplier: float, pretrained: bool = False, ctx: Any = _CPU, root: str = ROOT, **kwargs: Any
) -> MobileNetV2:
    """MobileNetV2 of a width; ``pretrained`` reads the file of the folder ``root``."""
    net = MobileNetV2(multiplier, **kwargs)
    return loaded(net, f"mobilenetv2_{_version(multiplier)}", pretrained, ctx, root)


def mobilenet1_0(**kwargs: Any) -> MobileNet:
    """MobileNet of width 1; see :func:`get_mobilenet`."""
    return get_mobilenet(1.0, **kwargs)


def mobilenet0_75(**kwargs: Any) -> MobileNet:
    """MobileNet of width 0.75; see :func:`get_mobilenet`."""
    return get_mobilenet(0.75, **kwargs)


def mobilenet0_5(**kwargs: Any) -> MobileNet:
    """MobileNet of width 0.5; see :func:`get_mobilenet`."""
    return get_mobilenet(0.5, **kwargs)


def mobilenet0_25(**kwargs: Any) -> MobileNet:
    """MobileNet of width 0.25; see :func:`get_mobilenet`."""
    return get_mobilenet(0.25, **kwargs)


def mobilenet_v2_1_0(**kwargs: Any) -> MobileNetV2:
    """MobileNetV2 of width 1; see :func:`get_mobilenet_v2`."""
    return get_mobilenet_v2(1.0, **kwargs)


def mobilenet_v2_0_75(**kwargs: Any) -> MobileNetV2:
    """MobileNetV2 of width 0.75; see :func:`get_mobilenet_v2`."""
    return get_mobilenet_v2(0.75, **kwargs)


def mobilenet_v2_0_5(**kwargs: Any) -> MobileNetV2:
    """MobileNetV2 of width 0.5; see :func:`get_mobilenet_v2`."""
    return get_mobilenet_v2(0.5, **kwargs)


def mobilenet_v2_0_25(**kwargs: Any) -> MobileNetV2:
    """MobileNetV2 of width 0.25; see :func:`get_mobilenet_v2`."""
    return get_mobilenet_v2(0.25, **kwargs)
