"""Layers."""

from __future__ import annotations

from ..block import Block
from ..hybrid_block import HybridBlock
from .basic import Activation, Dense, Dropout, Flatten, HybridLambda, Lambda
from .batch_norm import BatchNorm
from .containers import HybridSequential, Sequential
from .conv import AvgPool2D, Conv2D, GlobalAvgPool2D, GlobalMaxPool2D, MaxPool2D

__all__ = [
    "Activation",
    "AvgPool2D",
    "BatchNorm",
    "Block",
    "Conv2D",
    "Dense",
    "Dropout",
    "Flatten",
    "GlobalAvgPool2D",
    "GlobalMaxPool2D",
    "HybridBlock",
    "HybridLambda",
    "HybridSequential",
    "Lambda",
    "MaxPool2D",
    "Sequential",
]
