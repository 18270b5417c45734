"""Blocks in which a shape depends on values run imperatively when they are hybridized."""

from __future__ import annotations

import numpy as np
import pytest

from jupyter_hybrid import autograd, gluon, nd, sym
from jupyter_hybrid.base import MXNetError


class Masked(gluon.HybridBlock):
    def hybrid_forward(self, F, data, index):
        return F.contrib.boolean_mask(data, index)


class Net(gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.dense, self.masked = gluon.nn.Dense(2), Masked()

    def hybrid_forward(self, F, data, index):
        return self.masked(self.dense(data), index) * 2


def test_a_mask_in_a_hybridized_block():
    net = Net()
    net.initialize("normal")
    data, index = nd.array(np.arange(9).reshape(3, 3)), nd.array([0, 1, 1])
    data.attach_grad()
    wanted = net(data, index).asnumpy()
    net.hybridize()
    with pytest.warns(UserWarning, match="runs imperatively: boolean_mask"):
        net(data, index)
    for mask in ([0, 1, 1], [1, 1, 1]):
        with autograd.record():
            out = net(data, nd.array(mask))
        out.backward()
        assert out.shape == (sum(mask), 2)
        assert (data.grad.asnumpy() != 0).any(1).tolist() == [bool(m) for m in mask]
    np.testing.assert_allclose(net(data, index).asnumpy(), wanted, rtol=1e-6)
    layers = {layer.kind: layer for layer in net._report("")}
    assert not layers["Net"].compiled and "depends on values" in layers["Net"].why
    assert layers["Dense"].compiled
    with pytest.raises(MXNetError, match="depends on the values"):
        sym.contrib.boolean_mask(sym.var("x"), sym.var("i"))
