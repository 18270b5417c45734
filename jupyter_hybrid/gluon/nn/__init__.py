"""Layers."""

from __future__ import annotations

from .. import own_nets
from ..block import Block
from ..hybrid_block import HybridBlock
from ..symbol_block import SymbolBlock
from .activations import ELU, GELU, SELU, Activation, LeakyReLU, PReLU, Swish
from .basic import Dense, Dropout, Flatten
from .batch_norm import BatchNorm, BatchNormReLU
from .containers import HybridSequential, Sequential
from .conv import Conv1D, Conv2D, Conv3D
from .conv_transpose import Conv1DTranspose, Conv2DTranspose, Conv3DTranspose
from .embedding import Embedding
from .functions import HybridLambda, Lambda
from .global_pooling import (
    GlobalAvgPool1D,
    GlobalAvgPool2D,
    GlobalAvgPool3D,
    GlobalMaxPool1D,
    GlobalMaxPool2D,
    GlobalMaxPool3D,
)
from .norms import GroupNorm, InstanceNorm, LayerNorm
from .padding import ReflectionPad2D
from .pooling import AvgPool1D, AvgPool2D, AvgPool3D, MaxPool1D, MaxPool2D, MaxPool3D

__all__ = [
    "Activation",
    "AvgPool1D",
    "AvgPool2D",
    "AvgPool3D",
    "BatchNorm",
    "BatchNormReLU",
    "Block",
    "Conv1D",
    "Conv1DTranspose",
    "Conv2D",
    "Conv2DTranspose",
    "Conv3D",
    "Conv3DTranspose",
    "Dense",
    "Dropout",
    "ELU",
    "Embedding",
    "Flatten",
    "GELU",
    "GlobalAvgPool1D",
    "GlobalAvgPool2D",
    "GlobalAvgPool3D",
    "GlobalMaxPool1D",
    "GlobalMaxPool2D",
    "GlobalMaxPool3D",
    "GroupNorm",
    "HybridBlock",
    "HybridLambda",
    "HybridSequential",
    "InstanceNorm",
    "Lambda",
    "LayerNorm",
    "LeakyReLU",
    "MaxPool1D",
    "MaxPool2D",
    "MaxPool3D",
    "PReLU",
    "ReflectionPad2D",
    "SELU",
    "Sequential",
    "Swish",
    "SymbolBlock",
]

# Layers of one operator, of several, and those that call their children.
own_nets.register(
    Activation, Dense, Dropout, ELU, Embedding, Flatten, GELU, GroupNorm, InstanceNorm, LayerNorm,
    LeakyReLU, PReLU, ReflectionPad2D, SELU, HybridSequential, Sequential
)  # fmt: skip
own_nets.register(Conv1D, Conv2D, Conv3D, Conv1DTranspose, Conv2DTranspose, Conv3DTranspose)
own_nets.register(AvgPool1D, AvgPool2D, AvgPool3D, MaxPool1D, MaxPool2D, MaxPool3D, BatchNorm)
own_nets.register(GlobalAvgPool1D, GlobalAvgPool2D, GlobalAvgPool3D)
own_nets.register(GlobalMaxPool1D, GlobalMaxPool2D, GlobalMaxPool3D)
own_nets.register(BatchNormReLU, Swish, several=True)
