"""Batches with descriptions, and the base of what gives them."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

__all__ = ["DataBatch", "DataDesc", "DataIter"]


class DataDesc(namedtuple("DataDesc", ["name", "shape"])):
    """Name and shape of an array of a batch; its ``dtype`` and ``layout`` beside them.

    The layout has a letter an axis: N samples, C channels, H height, W width, T time.
    """

    dtype: Any
    layout: Any

    def __new__(cls, name: str, shape: Any, dtype: Any = np.float32, layout: Any = "NCHW") -> Any:
        made = super().__new__(cls, name, shape)
        made.dtype = dtype
        made.layout = layout
        return made

    def __repr__(self) -> str:
        return f"DataDesc[{self.name},{self.shape},{self.dtype},{self.layout}]"

    @staticmethod
    def get_batch_axis(layout: str | None) -> int:
        """The axis of the samples: -1 where the layout has none, 0 without a layout."""
        return 0 if layout is None else layout.find("N")

    @staticmethod
    def get_list(shapes: Any, types: Any) -> list[DataDesc]:
        """Descriptions from (name, shape) and, unless that is None, (name, dtype)."""
        if types is None:
            return [DataDesc(name, shape) for name, shape in shapes]
        dtypes = dict(types)
        return [DataDesc(name, shape, dtypes[name]) for name, shape in shapes]


class DataBatch:
    """A batch: lists of arrays, and how many of its last samples only fill it up (``pad``)."""

    def __init__(
        self,
        data: Any,
        label: Any = None,
        pad: int | None = None,
        index: Any = None,
        bucket_key: Any = None,
        provide_data: Any = None,
        provide_label: Any = None,
    ):
        for name, given in (("data", data), ("label", label)):
            assert given is None or isinstance(given, (list, tuple)), (
                f"DataBatch: {name} is of type {type(given).__name__}, expected a list of NDArrays"
            )
        self.data = data
        self.label = label
        self.pad = pad
        self.index = index
        self.bucket_key = bucket_key
        self.provide_data = provide_data
        self.provide_label = provide_label

    def __str__(self) -> str:
        data = [array.shape for array in self.data]
        labels = [array.shape for array in self.label] if self.label else None
        return f"{type(self).__name__}: data shapes: {data} label shapes: {labels}"


class DataIter:
    """The base of iterators of batches: subclasses have ``next``, or what it is made of."""

    def __init__(self, batch_size: int = 0):
        self.batch_size = batch_size

    def __iter__(self) -> DataIter:
        return self

    def __next__(self) -> DataBatch:
        return self.next()

    def reset(self) -> None:
        """Back to the first batch."""

    def next(self) -> DataBatch:
        """The next batch. Raises StopIteration after the last one."""
        if not self.iter_next():
            raise StopIteration
        return DataBatch(self.getdata(), self.getlabel(), self.getpad(), self.getindex())

    def iter_next(self) -> Any:
        """Moves to the next batch; False where there is none."""

    def getdata(self) -> Any:
        """The arrays of the batch."""

    def getlabel(self) -> Any:
        """Its labels."""

    def getindex(self) -> Any:
        """The numbers of its samples, or None."""
        return None

    def getpad(self) -> Any:
        """How many of its last samples only fill it up."""
