"""Operators that MXNet has under older or internal names, too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from jupyter_hybrid import image, nd, sym
from jupyter_hybrid.base import MXNetError

PICTURE = Path(__file__).parents[1] / "data" / "mxnet" / "picture.jpg"


def test_the_parameters_of_a_recurrent_layer_as_mxnet_joins_them():
    parts = [sym.var("a", shape=(2,)), sym.var("b", shape=(3,))]
    text = sym.concat(*parts, dim=0).tojson()
    read = sym.load_json(text.replace('"Concat"', '"_rnn_param_concat"'))
    assert read.infer_shape()[1] == [(5,)]
    assert nd._internal._rnn_param_concat(nd.ones(2), nd.zeros(1), dim=0).shape == (3,)


def test_pooling_of_the_first_version_counts_the_padding():
    x = nd.arange(16).reshape((1, 1, 4, 4))
    attrs = {"kernel": (3, 3), "stride": (2, 2), "pad": (1, 1), "pool_type": "avg"}
    expected = nd.Pooling(x, count_include_pad=True, **attrs)
    assert np.array_equal(nd.Pooling_v1(x, **attrs).asnumpy(), expected.asnumpy())


def test_attributes_that_mxnet_takes_without_a_meaning():
    assert nd.broadcast_maximum(nd.ones((2, 1)), nd.zeros((1, 3)), axis=1).shape == (2, 3)
    assert nd.contrib.uniform(2, 3, shape=(4,)).shape == (4,)


def test_imdecode():
    pytest.importorskip("cv2")
    content = PICTURE.read_bytes()
    pixels = image.imdecode(content).asnumpy().transpose(2, 0, 1)
    assert np.array_equal(nd.imdecode(content).asnumpy(), pixels)
    part = nd.imdecode(content, clip_rect=(2, 1, 8, 6), mean=nd.full((1,), 3))
    assert np.array_equal(part.asnumpy(), pixels[:, 1:6, 2:8].astype(np.float32) - 3)
    grey = nd.zeros((2, 1, *pixels.shape[1:]))
    assert nd.imdecode(content, channels=1, out=grey, index=1) is grey
    assert not grey[0].asnumpy().any() and grey[1].asnumpy().any()
    for message, given in (
        ("2 channels", {"channels": 2}),
        ("clip_rect", {"clip_rect": (0, 0, 999, 1)}),
    ):
        with pytest.raises(MXNetError, match=message):
            nd.imdecode(content, **given)
