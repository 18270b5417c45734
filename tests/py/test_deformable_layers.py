"""Deformable convolutions as layers: at first plain ones; their operators by hand."""

from __future__ import annotations

import numpy as np
import pytest

from jupyter_hybrid import autograd, nd
from jupyter_hybrid.gluon.checks import CheckError
from jupyter_hybrid.gluon.contrib.cnn import (
    DeformableConvolution,
    ModulatedDeformableConvolution,
)

X = np.sin(np.arange(2 * 4 * 5 * 6)).reshape(2, 4, 5, 6).astype("float32")


@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize("kind", [DeformableConvolution, ModulatedDeformableConvolution])
@pytest.mark.parametrize("bias", [False, True])
def test_without_offsets_it_is_a_convolution(kind: type, bias: bool, hybrid: bool) -> None:
    layer = kind(6, (3, 2), 1, (1, 0), groups=2, use_bias=bias, activation="relu")
    layer.initialize()
    if hybrid:
        layer.hybridize()
    x = nd.array(X)
    y = layer(x)
    weight = layer.deformable_conv_weight.data()
    assert weight.shape == (6, 2, 3, 2) and layer.prefix.rstrip("_0123456789") == layer._alias()
    more = [layer.deformable_conv_bias.data()] if bias else []
    plain = nd.Convolution(
        x, weight, *more, num_filter=6, kernel=(3, 2), pad=(1, 0), num_group=2, no_bias=not bias
    )
    np.testing.assert_allclose(y.asnumpy(), np.maximum(plain.asnumpy(), 0), atol=1e-5)
    assert ("bias=False" in repr(layer)) is not bias and "2 -> 6" in repr(layer)


def test_offsets_and_weights_of_taps_are_learned() -> None:
    layer = ModulatedDeformableConvolution(
        3, 2, in_channels=4, num_deformable_group=2, offset_weight_initializer="normal"
    )
    layer.initialize()
    assert layer.offset_weight.shape == (2 * 3 * 4, 4, 2, 2)
    x = nd.array(X)
    with autograd.record():
        y = layer(x)
    y.backward()
    given = nd.Convolution(
        x, layer.offset_weight.data(), layer.offset_bias.data(), num_filter=24, kernel=(2, 2)
    )
    offset, mask = given.slice_axis(1, 0, 16), given.slice_axis(1, 16, None).sigmoid() * 2
    weights = [layer.deformable_conv_weight.data(), layer.deformable_conv_bias.data()]
    wanted = nd.contrib.ModulatedDeformableConvolution(
        x, offset, mask, *weights, num_filter=3, kernel=(2, 2), num_deformable_group=2
    )
    assert np.array_equal(y.asnumpy(), wanted.asnumpy())
    for parameter in layer.collect_params().values():
        assert parameter.grad().abs().sum().asscalar() > 0
    with pytest.raises(CheckError, match="layout: expected NCHW"):
        DeformableConvolution(3, layout="NHWC")
