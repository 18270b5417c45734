"""Batches of arrays that are in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import nd
from .._core import NDArray
from .base import DataBatch, DataDesc, DataIter

__all__ = ["NDArrayIter"]


class NDArrayIter(DataIter):
    """Batches of consecutive samples, along the layout's axis N.

    Args:
        data: an array, a list of them, or a dictionary name -> array; what is no NDArray becomes
            one, of float32. Batches have them in the order of their names.
        label: likewise, or None.
        batch_size: samples in a batch.
        shuffle: the samples in another order in every epoch, by NumPy's random numbers; this makes
            float32 of all arrays, as in MXNet.
        last_batch_handle: what becomes of samples that fill no batch. "pad": the first samples fill
            it up, ``batch.pad`` of them; "discard"; "roll_over": the next epoch begins with them.
        data_name, label_name: names of arrays without one; of several ``_0_data``, ``_1_data``.
        layout: a letter for each axis; N is that of the samples (MXNet counts these along axis 0
            whatever the layout).

    Raises:
        TypeError: data or label is no array, or no list or dictionary of arrays.
        AssertionError: there is no data.
    """

    def __init__(
        self,
        data: Any,
        label: Any = None,
        batch_size: int = 1,
        shuffle: bool = False,
        last_batch_handle: str = "pad",
        data_name: str = "data",
        label_name: str = "softmax_label",
        layout: str = "NCHW",
    ):
        super().__init__(batch_size)
        self.data = _named(data, False, data_name)
        self.label = _named(label, True, label_name)
        self.layout = layout
        self.num_data = self.data[0][1].shape[self._axis]
        self.idx = np.arange(self.num_data)
        self.shuffle = shuffle
        self.last_batch_handle = last_batch_handle
        self.cursor = -batch_size
        self._kept: tuple[Any, Any] | None = None  # samples that roll over
        self.reset()
        self.data_list = [array for _, array in [*self.data, *self.label]]
        self.num_source = len(self.data_list)

    @property
    def provide_data(self) -> list[DataDesc]:
        """Names and shapes of a batch's arrays."""
        return self._described(self.data)

    @property
    def provide_label(self) -> list[DataDesc]:
        """Names and shapes of a batch's labels."""
        return self._described(self.label)

    def _described(self, sources: Any) -> list[DataDesc]:
        axis = self._axis
        return [
            DataDesc(
                name,
                (*array.shape[:axis], self.batch_size, *array.shape[axis + 1 :]),
                array.dtype,
                layout=self.layout,
            )
            for name, array in sources
        ]

    @property
    def _axis(self) -> int:
        return self.layout.find("N")

    def hard_reset(self) -> None:
        """Back to the first sample; nothing rolls over."""
        if self.shuffle:
            self._shuffle_data()
        self.cursor = -self.batch_size
        self._kept = None

    def reset(self) -> None:
        if self.shuffle:
            self._shuffle_data()
        left = self.num_data - self.cursor
        rolls = self.last_batch_handle == "roll_over" and 0 < left < self.batch_size
        self.cursor = (-left if rolls else 0) - self.batch_size

    def _shuffle_data(self) -> None:
        np.random.shuffle(self.idx)
        self.data, self.label = (
            [
                (name, nd.array(array.asnumpy().take(self.idx, self._axis), array.context))
                for name, array in sources
            ]
            for sources in (self.data, self.label)
        )

    def iter_next(self) -> bool:
        self.cursor += self.batch_size
        return self.cursor < self.num_data

    def next(self) -> DataBatch:
        if not self.iter_next():
            raise StopIteration
        data, label = self.getdata(), self.getlabel()
        if data[0].shape[self._axis] != self.batch_size:
            self._kept = (data, label)
            raise StopIteration
        return DataBatch(data=data, label=label, pad=self.getpad(), index=None)

    def getdata(self) -> list[NDArray]:
        return self._batch(self.data, 0)

    def getlabel(self) -> list[NDArray]:
        return self._batch(self.label, 1)

    def getpad(self) -> int:
        """Samples that only fill the batch up; where samples rolled over, how many did."""
        if self.last_batch_handle == "pad":
            return max(0, self.cursor + self.batch_size - self.num_data)
        rolled = self.last_batch_handle == "roll_over" and -self.batch_size < self.cursor < 0
        return -self.cursor if rolled else 0

    def _batch(self, sources: Any, part: int) -> list[NDArray]:
        assert self.cursor < self.num_data, "NDArrayIter: the epoch is over: call reset()"
        end = self.cursor + self.batch_size
        parts = [_slices(sources, max(self.cursor, 0), min(end, self.num_data), self._axis)]
        if self.cursor < 0 and self._kept is not None:
            parts.insert(0, self._kept[part])
        if self.last_batch_handle == "pad":
            missing = end - self.num_data
            while missing > 0:
                parts.append(_slices(sources, 0, min(missing, self.num_data), self._axis))
                missing -= self.num_data
        if len(parts) == 1:
            return parts[0]
        return [nd.concat(*pieces, dim=self._axis) for pieces in zip(*parts, strict=True)]


def _slices(sources: Any, begin: int, end: int, axis: int) -> list[NDArray]:
    return [nd.slice_axis(array, axis=axis, begin=begin, end=end) for _, array in sources]


def _named(given: Any, may_be_none: bool, name: str) -> list[tuple[str, NDArray]]:
    """Arrays with their names, in the order of these."""
    assert given is not None or may_be_none, "NDArrayIter: data is None, expected arrays"
    if given is None:
        given = []
    if isinstance(given, (np.ndarray, NDArray)):
        given = [given]
    if isinstance(given, list):
        assert given or may_be_none, "NDArrayIter: data is an empty list, expected arrays"
        several = len(given) > 1
        given = {f"_{i}_{name}" if several else name: array for i, array in enumerate(given)}
    if not isinstance(given, dict):
        raise TypeError(
            f"NDArrayIter: given {type(given).__name__}, expected an NDArray, a NumPy array, or a "
            "list or dictionary of them"
        )
    return sorted((key, _array(key, value)) for key, value in given.items())


def _array(name: str, value: Any) -> NDArray:
    if isinstance(value, NDArray):
        return value
    try:
        return nd.array(value)
    except Exception as error:
        raise TypeError(
            f"NDArrayIter: {name} is of type {type(value).__name__}, expected an NDArray or a "
            "NumPy array"
        ) from error
