"""Layers."""

from __future__ import annotations

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
