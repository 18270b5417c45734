"""Functions of floats take integers: computed as floats, the fraction cut off, as MXNet's."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jupyter_hybrid as mx
from jupyter_hybrid import gluon, nd

INTEGERS = ("int8", "uint8", "int32", "int64")


def test_elementwise_functions():
    x = nd.array([1, 3, 100], dtype="int32")
    for name in ("sin", "exp", "log", "sqrt", "cbrt", "rcbrt", "degrees", "erf", "sigmoid"):
        expected = np.trunc(getattr(nd, name)(nd.array([1, 3, 100]))[:2].asnumpy())
        made = getattr(nd, name)(x)
        assert made.dtype == np.int32
        assert made.asnumpy()[:2].tolist() == expected.tolist(), name


@pytest.mark.parametrize("dtype", INTEGERS)
def test_reductions(dtype):
    x = nd.array([[100, 120, 7], [5, 3, 2]], dtype=dtype)
    # 227 is more than int8 holds: a mean that overflows, as MXNet's does, is none.
    assert nd.mean(x, axis=1).asnumpy().tolist() == [75, 3]
    assert nd.mean(x, axis=1).dtype == np.dtype(dtype)
    assert nd.nansum(x[1]).asscalar() == 10 and nd.nanprod(x[1]).asscalar() == 30
    assert nd.norm(x[1]).asscalar() == 6
    assert nd.broadcast_hypot(x[1], x[1]).asnumpy().tolist() == [7, 4, 2]


def test_in_every_mode():
    class Net(gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.exp(F.sqrt(x)) + F.mean(x), F.smooth_l1(x)

    net, x = Net(), nd.array([0, 1, 9, 16], dtype="int32")
    plain = [y.asnumpy() for y in net(x)]
    net.hybridize()
    cell = mx.hybridize(lambda x: (nd.exp(nd.sqrt(x)) + nd.mean(x), nd.smooth_l1(x)))
    assert plain[0].tolist() == [7, 8, 26, 60]
    for made in (net(x), cell(x)):
        for y, z in zip(made, plain, strict=True):
            assert y.dtype == np.int32 and y.asnumpy().tolist() == z.tolist()


def test_numpy_keeps_its_result_types():
    cell = mx.hybridize(lambda x: (np.exp(x), np.mean(x)))
    exp, mean = cell(np.array([0, 1], np.int32))
    assert exp.dtype == np.float64 and exp[1] == math.e and mean == 0.5
