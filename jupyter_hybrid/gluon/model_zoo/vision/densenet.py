"""DenseNet (Huang et al. 2017)."""

from __future__ import annotations

from typing import Any

from ....context import cpu
from ... import nn
from ...checks import CheckError
from ...contrib.nn import HybridConcurrent, Identity
from ..model_store import ROOT
from .net import FeaturesAndOutput, loaded

_CPU = cpu()
_NETS = {
    121: (64, 32, [6, 12, 24, 16]),
    161: (96, 48, [6, 12, 36, 24]),
    169: (64, 32, [6, 12, 32, 32]),
    201: (64, 32, [6, 12, 48, 32]),
}


class DenseNet(FeaturesAndOutput):
    """For images of 224 x 224.

    Args:
        num_init_features: channels of the first convolution.
        growth_rate: channels that each layer adds.
        block_config: layers of each block.
        bn_size: channels inside a layer are so many times the growth rate.
        dropout: probability of 0 behind each layer.
        classes: number of scores.
    """

    def __init__(
        self,
        num_init_features: int,
        growth_rate: int,
        block_config: list[int],
        bn_size: int = 4,
        dropout: float = 0,
        classes: int = 1000,
        **kwargs: Any,
    ):
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="")
            self.features.add(
                nn.Conv2D(num_init_features, kernel_size=7, strides=2, padding=3, use_bias=False),
                nn.BatchNorm(),
                nn.Activation("relu"),
                nn.MaxPool2D(pool_size=3, strides=2, padding=1),
            )
            channels = num_init_features
            for i, count in enumerate(block_config):
                self.features.add(_block(count, bn_size * growth_rate, growth_rate, dropout, i + 1))
                channels += count * growth_rate
                if i + 1 < len(block_config):
                    channels //= 2
                    self.features.add(_transition(channels))
            self.features.add(nn.BatchNorm(), nn.Activation("relu"))
            self.features.add(nn.AvgPool2D(pool_size=7), nn.Flatten())
            self.output = nn.Dense(classes)


def _block(count: int, inside: int, growth: int, dropout: float, stage: int) -> nn.HybridSequential:
    out = nn.HybridSequential(prefix=f"stage{stage}_")
    with out.name_scope():
        for _ in range(count):
            out.add(_layer(inside, growth, dropout))
    return out


def _layer(inside: int, growth: int, dropout: float) -> HybridConcurrent:
    """New channels beside those that come in."""
    new = nn.HybridSequential(prefix="")
    new.add(nn.BatchNorm(), nn.Activation("relu"))
    new.add(nn.Conv2D(inside, kernel_size=1, use_bias=False))
    new.add(nn.BatchNorm(), nn.Activation("relu"))
    new.add(nn.Conv2D(growth, kernel_size=3, padding=1, use_bias=False))
    if dropout:
        new.add(nn.Dropout(dropout))
    out = HybridConcurrent(axis=1, prefix="")
    out.add(Identity(), new)
    return out


def _transition(channels: int) -> nn.HybridSequential:
    out = nn.HybridSequential(prefix="")
    out.add(nn.BatchNorm(), nn.Activation("relu"))
    out.add(nn.Conv2D(channels, kernel_size=1, use_bias=False))
    out.add(nn.AvgPool2D(pool_size=2, strides=2))
    return out


def get_densenet(
    num_layers: int, pretrained: bool = False, ctx: Any = _CPU, root: str = ROOT, **kwargs: Any
) -> DenseNet:
    """DenseNet of 121, 161, 169 or 201 layers.

    Raises:
        CheckError: for another number.
    """
    if num_layers not in _NETS:
        raise CheckError(f"get_densenet: expected one of {list(_NETS)} layers, got {num_layers}")
    net = DenseNet(*_NETS[num_layers], **kwargs)
    return loaded(net, f"densenet{num_layers}", pretrained, ctx, root)


def densenet121(**kwargs: Any) -> DenseNet:
    """DenseNet of 121 layers; see :func:`get_densenet`."""
    return get_densenet(121, **kwargs)


def densenet161(**kwargs: Any) -> DenseNet:
    """DenseNet of 161 layers; see :func:`get_densenet`."""
    return get_densenet(161, **kwargs)


def densenet169(**kwargs: Any) -> DenseNet:
    """DenseNet of 169 layers; see :func:`get_densenet`."""
    return get_densenet(169, **kwargs)


def densenet201(**kwargs: Any) -> DenseNet:
    """DenseNet of 201 layers; see :func:`get_densenet`."""
    return get_densenet(201, **kwargs)
