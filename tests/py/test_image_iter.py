"""ImageIter: broken images, and arguments that contradict.

That its batches are MXNet's says tests/interop/test_recorded_data.py.
"""

from __future__ import annotations

import pytest

from jupyter_hybrid import image, io, nd


def test_a_broken_image_is_named(tmp_path):
    (tmp_path / "bad.png").write_bytes(b"no image")
    rows = image.ImageIter(1, (3, 2, 2), imglist=[[1.0, "bad.png"]], path_root=str(tmp_path))
    with pytest.raises(RuntimeError, match=r"Broken image filename: bad\.png"):
        rows.next()


def test_arguments_that_contradict():
    with pytest.raises(AssertionError, match="needs path_imgrec"):
        image.ImageIter(1, (3, 2, 2))
    for shape in ((3, 2), (1, 2, 2)):
        with pytest.raises(ValueError, match="data_shape is"):
            image.ImageIter(1, shape, imglist=[[1.0, "a.png"]])
    with pytest.raises(AssertionError, match="labels of dtype float16"):
        image.ImageIter(1, (3, 2, 2), imglist=[[1.0, "a.png"]], dtype="float16")
    with pytest.raises(AssertionError, match="expected a list of NDArrays"):
        io.DataBatch(nd.ones(2))


def test_an_iterator_of_parts():
    class Counts(io.DataIter):
        def __init__(self):
            super().__init__(2)
            self.at = 0

        def iter_next(self):
            self.at += 1
            return self.at < 3

        def getdata(self):
            return [nd.full((2,), self.at)]

    batches = list(Counts())
    assert [b.data[0].tolist() for b in batches] == [[1, 1], [2, 2]]
    assert batches[0].label is None and batches[0].index is None


def test_boxes_that_are_not_valid(tmp_path):
    def rows(*label):
        listed = [[list(label), "a.png"]]
        return image.ImageDetIter(1, (3, 2, 2), imglist=listed, path_root=str(tmp_path))

    (tmp_path / "a.png").write_bytes(b"")
    with pytest.raises(RuntimeError, match="expected 7 numbers"):
        rows(2, 5, 0, 0, 0)
    with pytest.raises(RuntimeError, match="no valid label"):
        rows(2, 5, 0, 0.5, 0.5, 0.1, 0.9)
    for before, width in ((2, 0), (2, 4), (-3, 5), (2, 6)):
        with pytest.raises(RuntimeError, match="before objects of"):
            rows(before, width, 0, 0.1, 0.1, 0.5, 0.9)
    made = rows(2, 5, 0, 0.1, 0.1, 0.5, 0.9)
    assert made.label_shape == (1, 5)
    for shape, why in {(1,): "two sizes", (0, 5): "room for 0", (2, 6): "6 numbers"}.items():
        with pytest.raises(ValueError, match=why):
            made.reshape(label_shape=shape)
