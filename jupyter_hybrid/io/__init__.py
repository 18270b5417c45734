"""Iterators of batches, as ``mxnet.io``: over arrays, over files, and around each other."""

from __future__ import annotations

from .arrays import NDArrayIter
from .base import DataBatch, DataDesc, DataIter
from .files import CSVIter, MNISTIter, MXDataIter
from .wrapping import PrefetchingIter, ResizeIter

__all__ = [
    "CSVIter",
    "DataBatch",
    "DataDesc",
    "DataIter",
    "MNISTIter",
    "MXDataIter",
    "NDArrayIter",
    "PrefetchingIter",
    "ResizeIter",
]
