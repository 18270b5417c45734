"""Lists of augmenters for images with boxes (see ``boxes.py``)."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from .._core import NDArray
from .augmenters import Augmenter, ForceResizeAug, ResizeAug
from .boxes import DetAugmenter, DetHorizontalFlipAug, DetRandomCropAug, DetRandomPadAug
from .colours import MEAN, STD, CreateAugmenter

__all__ = [
    "CreateDetAugmenter",
    "CreateMultiRandCropAugmenter",
    "DetBorrowAug",
    "DetRandomSelectAug",
]


class DetBorrowAug(DetAugmenter):
    """An augmenter of images alone, which leaves boxes where they are."""

    def __init__(self, augmenter: Augmenter):
        if not isinstance(augmenter, Augmenter):
            raise TypeError(
                f"DetBorrowAug: given {type(augmenter).__name__}, expected an image.Augmenter"
            )
        super().__init__(augmenter=augmenter.dumps())
        self.augmenter = augmenter

    def dumps(self) -> Any:
        """The class's name and what the augmenter tells."""
        return [type(self).__name__.lower(), self.augmenter.dumps()]

    def __call__(self, src: NDArray, label: Any) -> tuple[NDArray, Any]:
        return self.augmenter(src), label


class DetRandomSelectAug(DetAugmenter):
    """One of several augmenters at random; with probability ``skip_prob`` none."""

    def __init__(self, aug_list: Any, skip_prob: float = 0):
        super().__init__(skip_prob=skip_prob)
        if not isinstance(aug_list, (list, tuple)):
            aug_list = [aug_list]
        for augmenter in aug_list:
            if not isinstance(augmenter, DetAugmenter):
                raise ValueError(
                    f"DetRandomSelectAug: given {type(augmenter).__name__}, expected DetAugmenters"
                )
        self.aug_list = aug_list
        self.skip_prob = skip_prob if aug_list else 1

    def dumps(self) -> Any:
        """The class's name and what each augmenter tells."""
        return [type(self).__name__.lower(), [a.dumps() for a in self.aug_list]]

    def __call__(self, src: NDArray, label: Any) -> tuple[NDArray, Any]:
        if random.random() < self.skip_prob:
            return src, label
        random.shuffle(self.aug_list)
        return self.aug_list[0](src, label)


def CreateMultiRandCropAugmenter(
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = (0.75, 1.33),
    area_range: Any = (0.05, 1.0),
    min_eject_coverage: Any = 0.3,
    max_attempts: Any = 50,
    skip_prob: float = 0,
) -> DetRandomSelectAug:
    """One of several :class:`DetRandomCropAug` at random: their arguments, lists for several."""
    given = (min_object_covered, aspect_ratio_range, area_range, min_eject_coverage, max_attempts)
    lists = [value if isinstance(value, list) else [value] for value in given]
    count = max(map(len, lists))
    assert all(len(values) in (1, count) for values in lists), (
        "CreateMultiRandCropAugmenter: lists of several lengths"
    )
    rows = zip(*(values * count if len(values) == 1 else values for values in lists))
    return DetRandomSelectAug([DetRandomCropAug(*row) for row in rows], skip_prob=skip_prob)


def CreateDetAugmenter(
    data_shape: Any,
    resize: int = 0,
    rand_crop: float = 0,
    rand_pad: float = 0,
    rand_gray: float = 0,
    rand_mirror: bool = False,
    mean: Any = None,
    std: Any = None,
    brightness: float = 0,
    contrast: float = 0,
    saturation: float = 0,
    pca_noise: float = 0,
    hue: float = 0,
    inter_method: int = 2,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = (0.75, 1.33),
    area_range: Any = (0.05, 3.0),
    min_eject_coverage: Any = 0.3,
    max_attempts: Any = 50,
    pad_val: Any = (127, 127, 127),
) -> list[DetAugmenter]:
    """The augmenters of a training on boxes, in their order.

    ``rand_crop`` and ``rand_pad`` are how often parts and margins are taken; the arguments from
    ``min_object_covered`` on are :class:`DetRandomCropAug`'s and :class:`DetRandomPadAug`'s, others
    :func:`CreateAugmenter`'s.
    """
    made: list[DetAugmenter] = []
    if resize > 0:
        made.append(DetBorrowAug(ResizeAug(resize, inter_method)))
    if rand_crop > 0:
        made.append(
            CreateMultiRandCropAugmenter(
                min_object_covered, aspect_ratio_range, area_range, min_eject_coverage,
                max_attempts, skip_prob=1 - rand_crop,
            )
        )  # fmt: skip
    if rand_mirror > 0:
        made.append(DetHorizontalFlipAug(0.5))
    if rand_pad > 0:
        pad = DetRandomPadAug(aspect_ratio_range, (1.0, area_range[1]), max_attempts, pad_val)
        made.append(DetRandomSelectAug([pad], 1 - rand_pad))
    made.append(DetBorrowAug(ForceResizeAug((data_shape[2], data_shape[1]), inter_method)))
    for given in (mean, std):
        assert given is None or given is True or isinstance(given, np.ndarray), (
            f"CreateDetAugmenter: mean or std is {given!r}, expected True or a NumPy array"
        )
    mean = np.array(MEAN) if mean is True else mean
    std = np.array(STD) if std is True else std
    colours = CreateAugmenter(
        data_shape, mean=mean, std=std, brightness=brightness, contrast=contrast,
        saturation=saturation, hue=hue, pca_noise=pca_noise, rand_gray=rand_gray,
    )  # fmt: skip
    return made + [DetBorrowAug(augmenter) for augmenter in colours[1:]]  # without its crop
