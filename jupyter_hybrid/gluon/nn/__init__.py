"""Layers."""

from __future__ import annotations

from .. import own_nets
from ..block import Block
from ..hybrid_block import HybridBlock
from .basic import Activation, Dense, Dropout, Embedding, Flatten, HybridLambda, Lambda
from .batch_norm import BatchNorm
from .containers import HybridSequential, Sequential
from .conv import (
    AvgPool2D,
    Conv2D,
    Conv2DTranspose,
    GlobalAvgPool2D,
    GlobalMaxPool2D,
    MaxPool2D,
)
from .layer_norm import LayerNorm

__all__ = [
    "Activation",
    "AvgPool2D",
    "BatchNorm",
    "Block",
    "Conv2D",
    "Conv2DTranspose",
    "Dense",
    "Dropout",
    "Embedding",
    "Flatten",
    "GlobalAvgPool2D",
    "GlobalMaxPool2D",
    "HybridBlock",
    "HybridLambda",
    "HybridSequential",
    "Lambda",
    "LayerNorm",
    "MaxPool2D",
    "Sequential",
]

own_nets.register(Activation, AvgPool2D, BatchNorm, Conv2D, Conv2DTranspose, Dense, Dropout)
own_nets.register(Embedding, Flatten, GlobalAvgPool2D, GlobalMaxPool2D, HybridSequential)
own_nets.register(LayerNorm, MaxPool2D, Sequential)
