"""Inception v3 (Szegedy et al. 2016)."""

from __future__ import annotations

from typing import Any

from ....context import cpu
from ... import nn
from ...contrib.nn import HybridConcurrent
from ..model_store import ROOT
from .net import FeaturesAndOutput, loaded

_CPU = cpu()
_Conv = tuple[Any, ...]  # channels, window, stride, padding


def _convolved(
    channels: int, kernel_size: Any, strides: Any = 1, padding: Any = 0
) -> nn.HybridSequential:
    out = nn.HybridSequential(prefix="")
    out.add(nn.Conv2D(channels, kernel_size, strides, padding, use_bias=False))
    out.add(nn.BatchNorm(epsilon=0.001), nn.Activation("relu"))
    return out


def _branch(*layers: Any) -> nn.HybridSequential:
    """Layers in a row; a tuple is a convolution."""
    out = nn.HybridSequential(prefix="")
    for layer in layers:
        out.add(_convolved(*layer) if isinstance(layer, tuple) else layer)
    return out


def _branches(prefix: str, *branches: Any) -> HybridConcurrent:
    """Branches side by side, each made inside the scope of the names."""
    out = HybridConcurrent(axis=1, prefix=prefix)
    with out.name_scope():
        for branch in branches:
            out.add(branch())
    return out


def _average() -> nn.AvgPool2D:
    return nn.AvgPool2D(pool_size=3, strides=1, padding=1)


def _maximum() -> nn.MaxPool2D:
    return nn.MaxPool2D(pool_size=3, strides=2)


def _a(pooled: int, prefix: str) -> HybridConcurrent:
    return _branches(
        prefix,
        lambda: _branch((64, 1)),
        lambda: _branch((48, 1), (64, 5, 1, 2)),
        lambda: _branch((64, 1), (96, 3, 1, 1), (96, 3, 1, 1)),
        lambda: _branch(_average(), (pooled, 1)),
    )


def _b(prefix: str) -> HybridConcurrent:
    return _branches(
        prefix,
        lambda: _branch((384, 3, 2)),
        lambda: _branch((64, 1), (96, 3, 1, 1), (96, 3, 2)),
        lambda: _branch(_maximum()),
    )


def _wide(channels: int) -> _Conv:
    return channels, (1, 7), 1, (0, 3)


def _high(channels: int) -> _Conv:
    return channels, (7, 1), 1, (3, 0)


def _c(inside: int, prefix: str) -> HybridConcurrent:
    return _branches(
        prefix,
        lambda: _branch((192, 1)),
        lambda: _branch((inside, 1), _wide(inside), _high(192)),
        lambda: _branch((inside, 1), _high(inside), _wide(inside), _high(inside), _wide(192)),
        lambda: _branch(_average(), (192, 1)),
    )


def _d(prefix: str) -> HybridConcurrent:
    return _branches(
        prefix,
        lambda: _branch((192, 1), (320, 3, 2)),
        lambda: _branch((192, 1), _wide(192), _high(192), (192, 3, 2)),
        lambda: _branch(_maximum()),
    )


def _split(*first: _Conv) -> nn.HybridSequential:
    """Convolutions, then one of 1 x 3 and one of 3 x 1 side by side."""
    out = nn.HybridSequential(prefix="")
    out.add(_branch(*first))
    sides = HybridConcurrent(axis=1, prefix="")
    sides.add(_branch((384, (1, 3), 1, (0, 1))), _branch((384, (3, 1), 1, (1, 0))))
    out.add(sides)
    return out


def _e(prefix: str) -> HybridConcurrent:
    return _branches(
        prefix,
        lambda: _branch((320, 1)),
        lambda: _split((384, 1)),
        lambda: _split((448, 1), (384, 3, 1, 1)),
        lambda: _branch(_average(), (192, 1)),
    )


class Inception3(FeaturesAndOutput):
    """For images of 299 x 299."""

    def __init__(self, classes: int = 1000, **kwargs: Any):
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="")
            self.features.add(_convolved(32, 3, 2), _convolved(32, 3), _convolved(64, 3, 1, 1))
            self.features.add(_maximum(), _convolved(80, 1), _convolved(192, 3), _maximum())
            self.features.add(_a(32, "A1_"), _a(64, "A2_"), _a(64, "A3_"), _b("B_"))
            for i, inside in enumerate((128, 160, 160, 192)):
                self.features.add(_c(inside, f"C{i + 1}_"))
            self.features.add(_d("D_"), _e("E1_"), _e("E2_"))
            self.features.add(nn.AvgPool2D(pool_size=8), nn.Dropout(0.5))
            self.output = nn.Dense(classes)


def inception_v3(
    pretrained: bool = False, ctx: Any = _CPU, root: str = ROOT, **kwargs: Any
) -> Inception3:
    """Inception v3; ``pretrained`` reads ``inceptionv3-....params`` of the folder ``root``."""
    return loaded(Inception3(**kwargs), "inceptionv3", pretrained, ctx, root)
