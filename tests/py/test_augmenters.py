"""Augmenters: their base, the list that is made, and what contradicts.

That they compute what MXNet does says tests/interop/test_recorded_data.py.
"""

from __future__ import annotations

import json

import numpy as np
import pytest

from jupyter_hybrid import image, nd


def test_an_augmenter_of_ones_own_tells_its_arguments():
    class Mine(image.Augmenter):
        def __init__(self, a, b):
            super().__init__(a=a, b=b)

    told = json.loads(Mine(nd.array([1.0, 2]), np.arange(3)).dumps())
    assert told == ["mine", {"a": [1, 2], "b": [0, 1, 2]}]
    with pytest.raises(NotImplementedError):
        Mine(1, 2)(nd.ones((2, 2, 3)))


def test_the_list_of_augmenters():
    names = [type(a).__name__ for a in image.CreateAugmenter((3, 4, 5), rand_mirror=True, std=True)]
    assert names == ["CenterCropAug", "HorizontalFlipAug", "CastAug", "ColorNormalizeAug"]
    src = nd.ones((9, 9, 3), dtype="uint8")
    for augmenter in image.CreateAugmenter((3, 4, 5), resize=6):
        src = augmenter(src)
    assert src.shape == (4, 5, 3) and src.dtype is np.float32


def test_arguments_that_contradict():
    with pytest.raises(AssertionError, match="needs rand_crop"):
        image.CreateAugmenter((3, 4, 5), rand_resize=True)
    with pytest.raises(AssertionError, match="one or three numbers"):
        image.CreateAugmenter((3, 4, 5), mean=np.ones(2))
    with pytest.raises(ValueError, match="interp is 7"):
        image.ForceResizeAug((3, 3), 7)(nd.ones((5, 5, 3)))
    with pytest.raises(AssertionError, match=r"unexpected arguments \['other'\]"):
        image.RandomSizedCropAug((3, 3), 0.5, (1, 1), other=1)


def test_random_interpolation():
    small = [image.resize_short(nd.array(np.eye(9)[:, :, None]), 4, 10) for _ in range(20)]
    assert len({str(x.tolist()) for x in small}) > 1


def test_detection_augmenters_that_contradict():
    with pytest.warns(UserWarning, match="DetRandomCropAug does nothing"):
        whole = image.DetRandomCropAug(area_range=(0.5, 0.1))
    src, label = nd.ones((4, 4, 3)), np.array([[0, 0.1, 0.1, 0.5, 0.5]])
    assert whole(src, label)[0] is src
    with pytest.warns(UserWarning, match="DetRandomPadAug does nothing"):
        image.DetRandomPadAug(aspect_ratio_range=(0, 1))
    with pytest.raises(TypeError, match=r"expected an image\.Augmenter"):
        image.DetBorrowAug(whole)
    with pytest.raises(ValueError, match="expected DetAugmenters"):
        image.DetRandomSelectAug([image.CastAug()])
    with pytest.raises(AssertionError, match="several lengths"):
        image.CreateMultiRandCropAugmenter([0.1, 0.2], max_attempts=[1, 2, 3])
