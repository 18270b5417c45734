"""AlexNet (Krizhevsky 2014, one column)."""

from __future__ import annotations

from typing import Any

from ....context import cpu
from ... import nn
from ..model_store import ROOT
from .net import FeaturesAndOutput, loaded

_CPU = cpu()


class AlexNet(FeaturesAndOutput):
    """For images of 224 x 224."""

    def __init__(self, classes: int = 1000, **kwargs: Any):
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = nn.HybridSequential(prefix="")
            with self.features.name_scope():
                self.features.add(*_layers())
            self.output = nn.Dense(classes)


def _layers() -> list[Any]:
    return [
        nn.Conv2D(64, kernel_size=11, strides=4, padding=2, activation="relu"),
        nn.MaxPool2D(pool_size=3, strides=2),
        nn.Conv2D(192, kernel_size=5, padding=2, activation="relu"),
        nn.MaxPool2D(pool_size=3, strides=2),
        *(nn.Conv2D(c, kernel_size=3, padding=1, activation="relu") for c in (384, 256, 256)),
        nn.MaxPool2D(pool_size=3, strides=2),
        nn.Flatten(),
        nn.Dense(4096, activation="relu"),
        nn.Dropout(0.5),
        nn.Dense(4096, activation="relu"),
        nn.Dropout(0.5),
    ]


def alexnet(pretrained: bool = False, ctx: Any = _CPU, root: str = ROOT, **kwargs: Any) -> AlexNet:
    """AlexNet; ``pretrained`` reads ``alexnet-....params`` of the folder ``root``."""
    return loaded(AlexNet(**kwargs), "alexnet", pretrained, ctx, root)
