"""Batches of images from RecordIO files, lists and folders, as the classic interface has them."""

from __future__ import annotations

import logging
import os
import random
from typing import Any

from .. import io, nd, recordio
from .._core import NDArray
from ..base import numeric_types
from .colours import CreateAugmenter
from .pixels import imdecode

__all__ = ["ImageIter"]


class ImageIter(io.DataIter):
    """Batches of augmented images (batch_size, channels, height, width) and their labels.

    Args:
        batch_size: samples a batch.
        data_shape: (3, height, width).
        label_width: labels a sample.
        path_imgrec, path_imgidx: a RecordIO file and, to shuffle or part it, its index.
        path_imglist: a list of images: lines of key, labels and file, with tabs between them.
        imglist: the same as a Python list: [label or labels, file].
        path_root: the folder in which the files of a list stand.
        shuffle: another order after each reset.
        part_index, num_parts: of the samples only one part.
        aug_list: the augmenters; otherwise ``CreateAugmenter(data_shape, **kwargs)``.
        data_name, label_name: names in ``provide_data`` and ``provide_label``.
        dtype: of the labels in a list.
        last_batch_handle: "pad" fills the last batch with the first samples, "discard" drops it,
            "roll_over" begins the next round with it.

    Raises RuntimeError for an image that can't be decoded, with its file or number.
    """

    def __init__(
        self,
        batch_size: int,
        data_shape: Any,
        label_width: int = 1,
        path_imgrec: str | None = None,
        path_imglist: str | None = None,
        path_root: str | None = None,
        path_imgidx: str | None = None,
        shuffle: bool = False,
        part_index: int = 0,
        num_parts: int = 1,
        aug_list: Any = None,
        imglist: Any = None,
        data_name: str = "data",
        label_name: str = "softmax_label",
        dtype: str = "float32",
        last_batch_handle: str = "pad",
        **kwargs: Any,
    ):
        super().__init__()
        assert path_imgrec or path_imglist or isinstance(imglist, list), (
            "ImageIter: needs path_imgrec, path_imglist or a list as imglist"
        )
        assert dtype in ("int32", "float32", "int64", "float64"), (
            f"ImageIter: labels of dtype {dtype}, expected int32, float32, int64 or float64"
        )
        self.imgrec: Any = None
        self.imgidx: Any = None
        if path_imgrec and path_imgidx:
            self.imgrec = recordio.MXIndexedRecordIO(path_imgidx, path_imgrec, "r")
            self.imgidx = list(self.imgrec.keys)
        elif path_imgrec:
            self.imgrec = recordio.MXRecordIO(path_imgrec, "r")
        self.imglist: Any = None
        if path_imglist:
            self.imglist = _read_list(path_imglist, dtype)
        elif isinstance(imglist, list):
            self.imglist = {str(i): _listed(row, dtype) for i, row in enumerate(imglist, 1)}
        self.path_root = path_root
        self.check_data_shape(data_shape)
        self.provide_data: Any = [(data_name, (batch_size, *data_shape))]
        width = (label_width,) if label_width > 1 else ()
        self.provide_label: Any = [(label_name, (batch_size, *width))]
        self.batch_size = batch_size
        self.data_shape = data_shape
        self.label_width = label_width
        self.shuffle = shuffle
        self.seq: Any = None
        if self.imgrec is None:
            self.seq = list(self.imglist)
        elif shuffle or num_parts > 1 or path_imgidx:
            assert self.imgidx is not None, "ImageIter: shuffle and num_parts need path_imgidx"
            self.seq = self.imgidx
        if num_parts > 1:
            assert part_index < num_parts, f"ImageIter: part {part_index} of {num_parts}"
            size = len(self.seq) // num_parts
            self.seq = self.seq[part_index * size : (part_index + 1) * size]
        self.auglist: list[Any] = (
            CreateAugmenter(data_shape, **kwargs) if aug_list is None else aug_list
        )
        self.cur = 0
        self._allow_read = True
        self.last_batch_handle = last_batch_handle
        self.num_image = None if self.seq is None else len(self.seq)
        self._kept: tuple[NDArray, NDArray, int] | None = None  # rolled over
        self.reset()

    def reset(self) -> None:
        """Back to the first sample; what is to be rolled over stays."""
        if self.seq is not None and self.shuffle:
            random.shuffle(self.seq)
        if self.last_batch_handle != "roll_over" or self._kept is None:
            self._begin()

    def hard_reset(self) -> None:
        """Back to the first sample; what is to be rolled over is forgotten."""
        if self.seq is not None and self.shuffle:
            random.shuffle(self.seq)
        self._kept = None
        self._begin()

    def _begin(self) -> None:
        if self.imgrec is not None:
            self.imgrec.reset()
        self.cur = 0
        self._allow_read = True

    def next_sample(self) -> tuple[Any, bytes]:
        """Label and file content of the next sample."""
        if not self._allow_read:
            raise StopIteration
        if self.seq is None:
            content = self.imgrec.read()
            if content is None:
                if self.last_batch_handle != "discard":
                    self.imgrec.reset()
                raise StopIteration
            header, image = recordio.unpack(content)
            return header.label, image
        if self.cur >= len(self.seq):
            if self.last_batch_handle != "discard":
                self.cur = 0
            raise StopIteration
        key = self.seq[self.cur]
        self.cur += 1
        if self.imgrec is None:
            label, name = self.imglist[key]
            return label, self.read_image(name)
        header, image = recordio.unpack(self.imgrec.read_idx(key))
        return (header.label if self.imglist is None else self.imglist[key][0]), image

    def _batchify(self, batch_data: NDArray, batch_label: NDArray, start: int = 0) -> int:
        """Fills a batch from sample ``start`` on; how many it then has."""
        i = start
        try:
            while i < self.batch_size:
                label, content = self.next_sample()
                data = self.imdecode(content)
                try:
                    self.check_valid_image([data])
                except RuntimeError as error:
                    logging.debug("Invalid image, skipping: %s", error)
                    continue
                batch_data[i] = self.postprocess_data(self.augmentation_transform(data))
                batch_label[i] = label
                i += 1
        except StopIteration:
            if not i:
                raise
        return i

    def next(self) -> io.DataBatch:
        """The next batch."""
        if self._kept is not None:
            data, label, count = self._kept
        else:
            data = nd.zeros((self.batch_size, *self.data_shape))
            label = nd.zeros(self.provide_label[0][1])
            count = self._batchify(data, label)
        pad = self.batch_size - count
        if pad:
            self._fill(data, label, count)
        return io.DataBatch([data], [label], pad=pad)

    def _fill(self, data: NDArray, label: NDArray, count: int) -> None:
        if self.last_batch_handle == "discard":
            raise StopIteration
        if self.last_batch_handle == "roll_over" and self._kept is None:
            self._kept = (data, label, count)
            raise StopIteration
        self._batchify(data, label, count)
        if self.last_batch_handle == "pad":
            self._allow_read = False
        else:
            self._kept = None

    def check_data_shape(self, data_shape: Any) -> None:
        """Raises ValueError for anything but (3, height, width)."""
        if len(data_shape) != 3:
            raise ValueError(f"data_shape is {data_shape}, expected three sizes: C, H, W")
        if data_shape[0] != 3:
            raise ValueError(f"data_shape is {data_shape}, expected 3 channels")

    def check_valid_image(self, data: Any) -> None:
        """Raises RuntimeError for an image without a shape."""
        if len(data[0].shape) == 0:
            raise RuntimeError("Data shape is wrong")

    def imdecode(self, s: bytes) -> NDArray:
        """The pixels of a file's content."""
        try:
            return imdecode(s)
        except Exception as error:
            raise RuntimeError(f"Broken image {self._place()}, {error}") from error

    def _place(self) -> str:
        if self.seq is None:
            return "in a record"
        key = self.seq[self.cur - 1]
        return f"index: {key}" if self.imglist is None else f"filename: {self.imglist[key][1]}"

    def read_image(self, fname: str) -> bytes:
        """The content of a file below ``path_root``."""
        with open(os.path.join(self.path_root or "", fname), "rb") as file:
            return file.read()

    def augmentation_transform(self, data: NDArray) -> NDArray:
        """The image through all augmenters."""
        for augmenter in self.auglist:
            data = augmenter(data)
        return data

    def postprocess_data(self, datum: NDArray) -> NDArray:
        """Channels first."""
        return nd.transpose(datum, axes=(2, 0, 1))


def _read_list(path: str, dtype: str) -> dict[int, tuple[NDArray, str]]:
    found = {}
    with open(path) as file:
        for line in file:
            words = line.strip().split("\t")
            labels = nd.array([float(word) for word in words[1:-1]], dtype=dtype)
            found[int(words[0])] = (labels, words[-1])
    return found


def _listed(row: Any, dtype: str) -> tuple[NDArray, str]:
    labels = row[:-1] if len(row) > 2 or isinstance(row[0], numeric_types) else row[0]
    return nd.array(labels, dtype=dtype), row[-1]
