"""Residual blocks: of two or three convolutions, with the normalization behind (V1, He et al.
2015) or before them (V2, He et al. 2016)."""

from __future__ import annotations

from typing import Any

from ... import nn
from ...hybrid_block import HybridBlock


def conv3x3(channels: int, stride: int, in_channels: int) -> nn.Conv2D:
    """A convolution that keeps the size, but for its stride."""
    return nn.Conv2D(
        channels, kernel_size=3, strides=stride, padding=1, use_bias=False, in_channels=in_channels
    )


class _V1(HybridBlock):
    """``relu(body(x) + x)``.

    Args of its blocks:
        channels: of the output.
        stride: of the first convolution.
        downsample: the input is convolved, too, to the output's shape.
        in_channels: 0 learns it from the first call.
    """

    body: nn.HybridSequential

    def _make(self, layers: list[Any], channels: int, stride: int, down: bool, into: int) -> None:
        self.body = nn.HybridSequential(prefix="")
        self.body.add(*layers)
        self.downsample: Any = None
        if down:
            self.downsample = nn.HybridSequential(prefix="")
            self.downsample.add(
                nn.Conv2D(channels, 1, stride, use_bias=False, in_channels=into), nn.BatchNorm()
            )

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        residual = x if self.downsample is None else self.downsample(x)
        return F.Activation(self.body(x) + residual, act_type="relu")


class BasicBlockV1(_V1):
    """Two convolutions of 3 x 3."""

    def __init__(
        self,
        channels: int,
        stride: int,
        downsample: bool = False,
        in_channels: int = 0,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        layers = [conv3x3(channels, stride, in_channels), nn.BatchNorm(), nn.Activation("relu")]
        layers += [conv3x3(channels, 1, channels), nn.BatchNorm()]
        self._make(layers, channels, stride, downsample, in_channels)


class BottleneckV1(_V1):
    """A convolution of 3 x 3 of a quarter of the channels, between two of 1 x 1."""

    def __init__(
        self,
        channels: int,
        stride: int,
        downsample: bool = False,
        in_channels: int = 0,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        inside = channels // 4
        layers = [nn.Conv2D(inside, 1, stride), nn.BatchNorm(), nn.Activation("relu")]
        layers += [conv3x3(inside, 1, inside), nn.BatchNorm(), nn.Activation("relu")]
        layers += [nn.Conv2D(channels, 1, 1), nn.BatchNorm()]
        self._make(layers, channels, stride, downsample, in_channels)


class _V2(HybridBlock):
    """Convolutions of what was normalized and rectified, plus the input."""

    def _downsample(self, channels: int, stride: int, down: bool, into: int) -> Any:
        if not down:
            return None
        return nn.Conv2D(channels, 1, stride, use_bias=False, in_channels=into)

    def _run(self, F: Any, x: Any, *pairs: tuple[Any, Any]) -> Any:
        residual, shortcut = x, self.downsample  # type: ignore[attr-defined]
        for normalize, convolve in pairs:
            x = F.Activation(normalize(x), act_type="relu")
            if shortcut is not None:
                residual, shortcut = shortcut(x), None
            x = convolve(x)
        return x + residual


class BasicBlockV2(_V2):
    """Two convolutions of 3 x 3."""

    def __init__(
        self,
        channels: int,
        stride: int,
        downsample: bool = False,
        in_channels: int = 0,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        self.bn1 = nn.BatchNorm()
        self.conv1 = conv3x3(channels, stride, in_channels)
        self.bn2 = nn.BatchNorm()
        self.conv2 = conv3x3(channels, 1, channels)
        self.downsample = self._downsample(channels, stride, downsample, in_channels)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self._run(F, x, (self.bn1, self.conv1), (self.bn2, self.conv2))


class BottleneckV2(_V2):
    """A convolution of 3 x 3 of a quarter of the channels, between two of 1 x 1."""

    def __init__(
        self,
        channels: int,
        stride: int,
        downsample: bool = False,
        in_channels: int = 0,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        inside = channels // 4
        self.bn1 = nn.BatchNorm()
        self.conv1 = nn.Conv2D(inside, kernel_size=1, strides=1, use_bias=False)
        self.bn2 = nn.BatchNorm()
        self.conv2 = conv3x3(inside, stride, inside)
        self.bn3 = nn.BatchNorm()
        self.conv3 = nn.Conv2D(channels, kernel_size=1, strides=1, use_bias=False)
        self.downsample = self._downsample(channels, stride, downsample, in_channels)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        pairs = (self.bn1, self.conv1), (self.bn2, self.conv2), (self.bn3, self.conv3)
        return self._run(F, x, *pairs)
