"""Augmenters of images with boxes: mirror, random parts, random margins.

A label has a row for each object: class, then left, top, right and bottom as parts of the image's
width and height, then whatever else.
"""

from __future__ import annotations

import math
import random
import warnings
from typing import Any

import numpy as np

from .. import nd
from .._core import NDArray
from .augmenters import Described
from .crops import fixed_crop
from .pixels import copyMakeBorder

__all__ = ["DetAugmenter", "DetHorizontalFlipAug", "DetRandomCropAug", "DetRandomPadAug"]


class DetAugmenter(Described):
    """The base: subclasses have ``__call__(src, label)``, which gives both."""

    def __call__(self, src: NDArray, label: Any) -> tuple[NDArray, Any]:
        raise NotImplementedError("Must override implementation.")


class DetHorizontalFlipAug(DetAugmenter):
    """In the mirror, with probability ``p``; the label is written to."""

    def __init__(self, p: float):
        super().__init__(p=p)
        self.p = p

    def __call__(self, src: NDArray, label: Any) -> tuple[NDArray, Any]:
        if random.random() < self.p:
            src = nd.flip(src, axis=1)
            left = 1.0 - label[:, 3]
            label[:, 3] = 1.0 - label[:, 1]
            label[:, 1] = left
        return src, label


class DetRandomCropAug(DetAugmenter):
    """A random part of the image that covers enough of its objects.

    Args:
        min_object_covered: how much of each object that it touches has to be in it.
        aspect_ratio_range: of its width / height.
        area_range: of its area, as a part of the image's.
        min_eject_coverage: objects of which less is left go.
        max_attempts: parts that are tried; then the image stays whole.
    """

    def __init__(
        self,
        min_object_covered: float = 0.1,
        aspect_ratio_range: Any = (0.75, 1.33),
        area_range: Any = (0.05, 1.0),
        min_eject_coverage: float = 0.3,
        max_attempts: int = 50,
    ):
        aspect_ratio_range, area_range = _range(aspect_ratio_range), _range(area_range)
        super().__init__(
            min_object_covered=min_object_covered,
            aspect_ratio_range=aspect_ratio_range,
            area_range=area_range,
            min_eject_coverage=min_eject_coverage,
            max_attempts=max_attempts,
        )
        self.min_object_covered = min_object_covered
        self.min_eject_coverage = min_eject_coverage
        self.max_attempts = max_attempts
        self.aspect_ratio_range = aspect_ratio_range
        self.area_range = area_range
        valid = area_range[1] > 0 and area_range[0] <= area_range[1]
        self.enabled = _is_valid(self, valid, area_range, aspect_ratio_range)

    def __call__(self, src: NDArray, label: Any) -> tuple[NDArray, Any]:
        height, width = src.shape[:2]
        for _ in range(self.max_attempts if self.enabled and height > 0 and width > 0 else 0):
            size = self._draw_size(height, width)
            if size is None:
                continue
            w, h = size
            y = random.randint(0, max(0, height - h))
            x = random.randint(0, max(0, width - w))
            if self._covers_enough(label, x, y, w, h, width, height):
                new_label = self._cut_label(label, x / width, y / height, w / width, h / height)
                if new_label is not None:
                    return fixed_crop(src, x, y, w, h), new_label
        return src, label

    def _draw_size(self, height: int, width: int) -> tuple[int, int] | None:
        least, most = (part * height * width for part in self.area_range)
        ratio = random.uniform(*self.aspect_ratio_range)
        if ratio <= 0:
            return None
        h = round(math.sqrt(least / ratio))
        max_h = round(math.sqrt(most / ratio))
        if round(max_h * ratio) > width:
            max_h = int((width + 0.4999999) / ratio)
        max_h = min(max_h, height)
        h = min(h, max_h)
        if h < max_h:
            h = random.randint(h, max_h)
        w = round(h * ratio)
        if w * h < least:  # rounded
            h += 1
            w = round(h * ratio)
        if w * h > most:
            h -= 1
            w = round(h * ratio)
        fits = least <= w * h <= most and 0 <= w <= width and 0 <= h <= height
        return (w, h) if fits else None

    def _covers_enough(
        self, label: Any, x: int, y: int, w: int, h: int, width: int, height: int
    ) -> bool:
        if w * h < 2:
            return False
        areas = _areas(label[:, 1:5])
        valid = np.where(areas * width * height > 2)[0]
        if valid.size < 1:
            return False
        box = np.array([x / width, y / height, (x + w) / width, (y + h) / height])
        boxes = label[valid, 1:5]
        common = np.concatenate(
            [np.maximum(boxes[:, :2], box[:2]), np.minimum(boxes[:, 2:], box[2:])], axis=1
        ).astype(label.dtype)
        covered = _areas(common) / areas[valid]
        covered = covered[covered > 0]
        return bool(covered.size > 0 and covered.min() > self.min_object_covered)

    def _cut_label(self, label: Any, x: float, y: float, w: float, h: float) -> Any:
        out = label.copy()
        out[:, (1, 3)] -= x
        out[:, (2, 4)] -= y
        out[:, (1, 3)] /= w
        out[:, (2, 4)] /= h
        out[:, 1:5] = np.minimum(1, np.maximum(0, out[:, 1:5]))
        with np.errstate(divide="ignore", invalid="ignore"):  # objects without an area go
            coverage = _areas(out[:, 1:5]) * w * h / _areas(label[:, 1:5])
        valid = (out[:, 3] > out[:, 1]) & (out[:, 4] > out[:, 2])
        valid &= coverage > self.min_eject_coverage
        return out[valid] if valid.any() else None


class DetRandomPadAug(DetAugmenter):
    """A random margin.

    Args:
        aspect_ratio_range: of width / height with the margin.
        area_range: of the area with the margin, as a multiple of the image's.
        max_attempts: sizes that are tried; then there is no margin.
        pad_val: the colour.
    """

    def __init__(
        self,
        aspect_ratio_range: Any = (0.75, 1.33),
        area_range: Any = (1.0, 3.0),
        max_attempts: int = 50,
        pad_val: Any = (128, 128, 128),
    ):
        aspect_ratio_range, area_range = _range(aspect_ratio_range), _range(area_range)
        super().__init__(
            aspect_ratio_range=aspect_ratio_range,
            area_range=area_range,
            max_attempts=max_attempts,
            pad_val=pad_val,
        )
        self.pad_val = pad_val
        self.aspect_ratio_range = aspect_ratio_range
        self.area_range = area_range
        self.max_attempts = max_attempts
        valid = area_range[1] > 1.0 and area_range[0] <= area_range[1]
        self.enabled = _is_valid(self, valid, area_range, aspect_ratio_range)

    def __call__(self, src: NDArray, label: Any) -> tuple[NDArray, Any]:
        height, width = src.shape[:2]
        for _ in range(self.max_attempts if self.enabled and height > 0 and width > 0 else 0):
            size = self._draw_size(height, width)
            if size is None:
                continue
            w, h = size
            y = random.randint(0, max(0, h - height))
            x = random.randint(0, max(0, w - width))
            out = label.copy()
            out[:, (1, 3)] = (out[:, (1, 3)] * width + x) / w
            out[:, (2, 4)] = (out[:, (2, 4)] * height + y) / h
            margins = (y, h - y - height, x, w - x - width)
            return copyMakeBorder(src, *margins, values=self.pad_val), out
        return src, label

    def _draw_size(self, height: int, width: int) -> tuple[int, int] | None:
        least, most = (part * height * width for part in self.area_range)
        ratio = random.uniform(*self.aspect_ratio_range)
        if ratio <= 0:
            return None
        h = round(math.sqrt(least / ratio))
        max_h = round(math.sqrt(most / ratio))
        if round(h * ratio) < width:
            h = int((width + 0.499999) / ratio)
        h = min(max(h, height), max_h)
        if h < max_h:
            h = random.randint(h, max_h)
        w = round(h * ratio)
        return None if h - height < 2 or w - width < 2 else (w, h)


def _range(given: Any) -> Any:
    return given if isinstance(given, (tuple, list)) else (given, given)


def _is_valid(augmenter: DetAugmenter, valid: bool, area: Any, ratio: Any) -> bool:
    if valid and 0 < ratio[0] <= ratio[1]:
        return True
    warnings.warn(
        f"{type(augmenter).__name__} does nothing: area_range {area}, aspect_ratio_range {ratio}",
        stacklevel=3,
    )
    return False


def _areas(boxes: Any) -> Any:
    """Of boxes (n, 4): left, top, right, bottom."""
    heights = np.maximum(0, boxes[:, 3] - boxes[:, 1])
    return heights * np.maximum(0, boxes[:, 2] - boxes[:, 0])
