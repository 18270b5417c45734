"""Batches of images with boxes."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from .. import nd
from .._core import NDArray
from .detection import CreateDetAugmenter
from .iterator import ImageIter

__all__ = ["ImageDetIter"]

_NO_OBJECT = -1


class ImageDetIter(ImageIter):
    """Batches of augmented images and their boxes, (batch_size, most objects, numbers an object).

    A label is a row of numbers: how many come before the objects (2 or more), how many an object
    has (5 or more), whatever else; then for each object its class, left, top, right and bottom as
    parts of the image, and whatever else. Rows without an object are -1. The arguments are
    :class:`ImageIter`'s; others go to ``CreateDetAugmenter``. Samples without a valid box are
    skipped.
    """

    def __init__(
        self,
        batch_size: int,
        data_shape: Any,
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
        label_name: str = "label",
        last_batch_handle: str = "pad",
        **kwargs: Any,
    ):
        super().__init__(
            batch_size=batch_size,
            data_shape=data_shape,
            path_imgrec=path_imgrec,
            path_imglist=path_imglist,
            path_root=path_root,
            path_imgidx=path_imgidx,
            shuffle=shuffle,
            part_index=part_index,
            num_parts=num_parts,
            aug_list=[],
            imglist=imglist,
            data_name=data_name,
            label_name=label_name,
            last_batch_handle=last_batch_handle,
        )
        self.auglist = CreateDetAugmenter(data_shape, **kwargs) if aug_list is None else aug_list
        self.label_shape = self._estimate_label_shape()
        self.provide_label = [(label_name, (self.batch_size, *self.label_shape))]

    def _estimate_label_shape(self) -> tuple[int, int]:
        """The most objects of a sample, and the numbers of one: all labels are read."""
        most, label = 0, None
        self.reset()
        try:
            while True:
                label = self._parse_label(self.next_sample()[0])
                most = max(most, label.shape[0])
        except StopIteration:
            pass
        self.reset()
        if label is None:
            raise RuntimeError("ImageDetIter: there are no samples")
        return most, label.shape[1]

    def _parse_label(self, label: Any) -> np.ndarray:
        raw = (label.asnumpy() if isinstance(label, NDArray) else np.asarray(label)).ravel()
        if raw.size < 7:
            raise RuntimeError(f"Label shape is invalid: {raw.shape}, expected 7 numbers or more")
        before, width = int(raw[0]), int(raw[1])
        if before < 2 or width < 5 or (raw.size - before) % width:
            raise RuntimeError(
                f"Label of {raw.size} numbers, {before} before objects of {width} numbers each"
            )
        objects = raw[before:].reshape(-1, width)
        valid = (objects[:, 3] > objects[:, 1]) & (objects[:, 4] > objects[:, 2])
        if not valid.any():
            raise RuntimeError("Encounter sample with no valid label.")
        return objects[valid]

    def _check_valid_label(self, label: np.ndarray) -> None:
        if label.ndim != 2 or label.shape[1] < 5:
            raise RuntimeError(f"Label with shape (1+, 5+) required, {label.shape} received.")
        valid = (label[:, 0] >= 0) & (label[:, 3] > label[:, 1]) & (label[:, 4] > label[:, 2])
        if not valid.any():
            raise RuntimeError("Invalid label occurs.")

    def _batchify(self, batch_data: NDArray, batch_label: NDArray, start: int = 0) -> int:
        """Fills a batch from sample ``start`` on; how many it then has."""
        i = start
        try:
            while i < self.batch_size:
                label, content = self.next_sample()
                data = self.imdecode(content)
                try:
                    self.check_valid_image([data])
                    data, label = self.augmentation_transform(data, self._parse_label(label))
                    self._check_valid_label(label)
                except RuntimeError as error:
                    logging.debug("Invalid image, skipping: %s", error)
                    continue
                batch_data[i] = self.postprocess_data(data)
                rows = np.full(batch_label.shape[1:], _NO_OBJECT, np.float32)
                rows[: label.shape[0]] = label
                batch_label[i] = nd.array(rows)
                i += 1
        except StopIteration:
            if not i:
                raise
        batch_label[i:] = _NO_OBJECT
        return i

    def augmentation_transform(  # type: ignore[override]
        self, data: NDArray, label: Any
    ) -> tuple[NDArray, Any]:
        """Image and boxes through all augmenters."""
        for augmenter in self.auglist:
            data, label = augmenter(data, label)
        return data, label

    def reshape(self, data_shape: Any = None, label_shape: Any = None) -> None:
        """Other sizes of images, room for more objects."""
        if data_shape is not None:
            self.check_data_shape(data_shape)
            self.provide_data = [(self.provide_data[0][0], (self.batch_size, *data_shape))]
            self.data_shape = data_shape
        if label_shape is not None:
            self.check_label_shape(label_shape)
            self.provide_label = [(self.provide_label[0][0], (self.batch_size, *label_shape))]
            self.label_shape = label_shape

    def check_label_shape(self, label_shape: Any) -> None:
        """Raises ValueError for fewer objects than there are, or other numbers an object."""
        if len(label_shape) != 2:
            raise ValueError(f"label_shape is {label_shape}, expected two sizes")
        if label_shape[0] < self.label_shape[0]:
            raise ValueError(f"room for {label_shape[0]} objects, but {self.label_shape[0]} occur")
        if label_shape[1] != self.label_shape[1]:
            raise ValueError(f"{label_shape[1]} numbers an object, not {self.label_shape[1]}")

    def sync_label_shape(self, it: ImageDetIter, verbose: bool = False) -> ImageDetIter:
        """Gives two iterators room for as many objects as the one with more has."""
        assert isinstance(it, ImageDetIter), "Synchronize with invalid iterator."
        assert self.label_shape[1] == it.label_shape[1], "object width mismatch."
        most = max(self.label_shape[0], it.label_shape[0])
        for each in (self, it):
            if most > each.label_shape[0]:
                each.reshape(None, (most, each.label_shape[1]))
        if verbose:
            logging.info("label_shape is %s", self.label_shape)
        return it
