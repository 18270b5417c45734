"""Batches of files: numbers in CSV, MNIST's images."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import nd
from .._core import MXNetError
from .base import DataBatch, DataDesc, DataIter
from .idx import read_idx

__all__ = ["CSVIter", "MNISTIter", "MXDataIter"]


class MXDataIter(DataIter):
    """What the iterators of files are (in MXNet, the wrapper of those written in C++).

    Args:
        handle: called, it begins an epoch: it gives an iterator of batches.
        data_name, label_name: names of the batches' arrays.
    """

    def __init__(
        self, handle: Any, data_name: str = "data", label_name: str = "softmax_label", **_: Any
    ):
        super().__init__()
        self.handle = handle
        self._epoch: Iterator[DataBatch] = handle()
        self._batch: Any = None
        # The first batch tells the shapes; it is given again by `next`.
        self.first_batch: Any = next(self._epoch, None)
        if self.first_batch is None:
            raise MXNetError(f"{type(self).__name__}: the files have no batch")
        data, label = self.first_batch.data[0], self.first_batch.label[0]
        self.provide_data = [DataDesc(data_name, data.shape, data.dtype)]
        self.provide_label = [DataDesc(label_name, label.shape, label.dtype)]
        self.batch_size = data.shape[0]

    def reset(self) -> None:
        self.first_batch = None
        self._epoch = self.handle()

    def iter_next(self) -> bool:
        given = self.first_batch or next(self._epoch, None)
        self.first_batch = None
        self._batch = given or self._batch
        return given is not None

    def next(self) -> DataBatch:
        if not self.iter_next():
            raise StopIteration
        return self._batch

    def getdata(self) -> Any:
        return self._batch.data[0]

    def getlabel(self) -> Any:
        return self._batch.label[0]

    def getindex(self) -> Any:
        return self._batch.index

    def getpad(self) -> Any:
        return self._batch.pad


def _batch(data: np.ndarray, label: np.ndarray, rows: np.ndarray, pad: int) -> DataBatch:
    arrays = [nd.array(of[rows], dtype=of.dtype) for of in (data, label)]
    return DataBatch(arrays[:1], arrays[1:], pad, rows.astype(np.uint64))


class CSVIter(MXDataIter):
    """Batches of lines of numbers, commas between them; one sample a line.

    Args:
        data_csv: a file, or a folder all of whose files are read.
        data_shape: shape of a sample.
        label_csv, label_shape: likewise of labels; without a file they are 0.
        batch_size: samples in a batch.
        round_batch: the first samples fill the last batch up, and the next epoch goes on after
            them; False: samples of the batch before do.
        prefetch_buffer, ctx: without a meaning here.
        dtype: float32, int32 or int64.

    Raises:
        MXNetError: a file can't be read, or its lines are no numbers or not of the shape.
    """

    def __init__(
        self,
        *,
        data_csv: str,
        data_shape: Any,
        batch_size: int,
        label_csv: str | None = None,
        label_shape: Any = (1,),
        round_batch: bool = True,
        prefetch_buffer: int = 4,
        ctx: str = "gpu",
        dtype: Any = None,
        **kwargs: Any,
    ):
        numbers = np.dtype("float32" if dtype in (None, "None") else dtype)
        if numbers.name not in ("float32", "int32", "int64"):
            raise MXNetError(f"CSVIter: dtype {numbers.name}, expected float32, int32 or int64")
        _require_size("CSVIter", batch_size)
        self._data = _read_lines(data_csv, data_shape, numbers)
        self._labels = np.zeros(len(self._data), numbers)
        if label_csv not in (None, "NULL"):
            labels = _read_lines(label_csv, label_shape, numbers)
            self._labels = labels[:, 0] if tuple(label_shape) == (1,) else labels
        if len(self._labels) < len(self._data):
            raise MXNetError(
                f"CSVIter: {len(self._data)} samples in {data_csv!r}, but {len(self._labels)} "
                f"labels in {label_csv!r}"
            )
        self._first = 0  # sample of the next epoch
        self._size, self._round = batch_size, round_batch
        super().__init__(self._batches, **kwargs)

    def _batches(self) -> Iterator[DataBatch]:
        begin, self._first = self._first, 0
        rows = np.zeros(self._size, np.int64)
        while begin < len(self._data):
            end = begin + self._size
            pad = max(0, end - len(self._data))
            if self._round:
                rows = np.arange(begin, end) % len(self._data)
                self._first = pad % len(self._data)
            else:
                rows = np.concatenate([np.arange(begin, end - pad), rows[self._size - pad :]])
            yield _batch(self._data, self._labels, rows, pad)
            begin = end


def _require_size(kind: str, batch_size: int) -> None:
    if batch_size < 1:
        raise MXNetError(f"{kind}: batch_size {batch_size}, expected at least 1")


def _read_lines(path: Any, shape: Any, dtype: np.dtype) -> np.ndarray:
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    try:
        whole = os.path.isdir(path)
        files = sorted(os.path.join(path, f) for f in os.listdir(path)) if whole else [path]
        parts = [
            np.loadtxt(f, dtype, comments=None, delimiter=",", ndmin=2)
            for f in files
            if os.path.getsize(f)
        ]
    except (OSError, ValueError) as error:
        raise MXNetError(f"CSVIter: can't read {path!r}: {error}") from error
    width = int(np.prod(shape))
    for part in parts:
        if part.shape[1] != width:
            raise MXNetError(
                f"CSVIter: {part.shape[1]} numbers a line in {path!r}, expected {width} for the "
                f"shape {shape}"
            )
    if not parts:
        raise MXNetError(f"CSVIter: {path!r} has no lines")
    return np.concatenate(parts).reshape(-1, *shape)


class MNISTIter(MXDataIter):
    """Batches of images (batch, 1, height, width) from 0 to 1 (255 is 255/256, as in MXNet) from
    MNIST's files; what fills no batch is left out.

    Args:
        image, label: the files, plain or in gzip's format.
        batch_size: images in a batch.
        shuffle: in one random order, the same in every epoch; it is drawn by ``seed``.
        flat: batches (batch, height * width).
        seed: of the order, which is NumPy's, not that of MXNet's generator.
        num_parts, part_index: the images in so many equal parts, and which of them is read.
        silent, prefetch_buffer, ctx: without a meaning here. dtype: float32.

    Raises:
        MXNetError: a file can't be read or is none of MNIST's.
    """

    def __init__(
        self,
        *,
        image: str = "./train-images-idx3-ubyte",
        label: str = "./train-labels-idx1-ubyte",
        batch_size: int = 128,
        shuffle: bool = True,
        flat: bool = False,
        seed: int = 0,
        silent: bool = False,
        num_parts: int = 1,
        part_index: int = 0,
        prefetch_buffer: int = 4,
        ctx: str = "gpu",
        dtype: Any = None,
        **kwargs: Any,
    ):
        _require_size("MNISTIter", batch_size)
        if not 0 <= part_index < num_parts:
            raise MXNetError(f"MNISTIter: part_index {part_index}, expected 0 to {num_parts - 1}")
        if dtype not in (None, "None", "float32", np.float32):
            raise MXNetError(f"MNISTIter: dtype {dtype!r}, expected float32")
        images, labels = read_idx(image, 3), read_idx(label, 1)
        if len(images) != len(labels):
            raise MXNetError(
                f"MNISTIter: {len(images)} images in {image!r}, but {len(labels)} labels in "
                f"{label!r}"
            )
        order = np.arange(len(images))
        if shuffle:
            np.random.RandomState(seed).shuffle(order)
        part = len(images) // num_parts
        self._order = order[part_index * part : (part_index + 1) * part]
        shape = (-1,) if flat else (1, *images.shape[1:])
        self._images = images.reshape(len(images), *shape)
        self._labels = labels.astype(np.float32)
        self._size = batch_size
        super().__init__(self._batches, **kwargs)

    def _batches(self) -> Iterator[DataBatch]:
        for begin in range(0, len(self._order) - self._size + 1, self._size):
            rows = self._order[begin : begin + self._size]
            images = self._images[rows].astype(np.float32) / 256
            yield DataBatch(
                [nd.array(images)], [nd.array(self._labels[rows])], 0, rows.astype(np.uint64)
            )
