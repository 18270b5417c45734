"""Contributed layers."""

from __future__ import annotations

from .basic import Concurrent, HybridConcurrent, Identity, SparseEmbedding, SyncBatchNorm
from .pixel_shuffle import PixelShuffle1D, PixelShuffle2D, PixelShuffle3D

__all__ = [
    "Concurrent",
    "HybridConcurrent",
    "Identity",
    "PixelShuffle1D",
    "PixelShuffle2D",
    "PixelShuffle3D",
    "SparseEmbedding",
    "SyncBatchNorm",
]
