"""``set_data`` between ``record()`` and ``backward()``: gradients see what was recorded."""

from __future__ import annotations

import numpy as np
import pytest
from cells import Shell

from jupyter_hybrid import _core, autograd, gluon, nd

SETUP = """
import numpy as np
import jupyter_hybrid as mx
from jupyter_hybrid import autograd, gluon, nd

class Normed(gluon.Block):
    '''Weights by their spectral norm, whose vector is replaced at every call.'''

    def __init__(self, look):
        super().__init__()
        self.look = look
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(4, 5))
            self.u = self.params.get("u", shape=(1, 4))

    def forward(self, x):
        w = self.weight.data()
        u = self.look(self.u.data())
        v = nd.L2Normalization(nd.dot(u, w))
        new = nd.L2Normalization(nd.dot(v, w.T))
        sigma = nd.sum(nd.dot(new, w) * v) + nd.sum(nd.dot(u, w))
        with autograd.pause():
            self.u.set_data(new)
        return nd.dot(x, (w / sigma).T)

def train(look, steps=3):
    net = Normed(look)
    net.initialize()
    net.weight.set_data(nd.array(np.arange(20).reshape(4, 5) % 7 - 3.0))
    net.u.set_data(nd.array([[1.0, 2, 3, 4]]))
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    x = nd.array(np.arange(10).reshape(2, 5) / 10)
    found = []
    for _ in range(steps):
        with autograd.record():
            loss = (net(x) ** 2).sum() + (net(x + 1) ** 2).sum()
        loss.backward()
        found += [loss, net.weight.grad().copy()]
        trainer.step(2)
    return found
"""
LOOKS = {"itself": "lambda u: u", "a view": "lambda u: u.reshape((1, -1))"}


def arrays(found):
    return [a.asnumpy() for a in found]


@pytest.mark.parametrize("look", LOOKS)
def test_a_spectral_norm_learns_plainly_and_in_cells(look):
    shell = Shell()
    shell.run(SETUP)
    shell.run(f"kept = train(lambda u: u.copy())\nplain = train({LOOKS[look]})")
    for _ in range(3):
        shell.hybridize(f"found = train({LOOKS[look]})\nNone")
        for kept, plain, found in zip(*(arrays(shell.ns[n]) for n in ("kept", "plain", "found"))):
            np.testing.assert_allclose(plain, kept, rtol=1e-5)  # gradients may add up in any order
            np.testing.assert_allclose(found, kept, rtol=1e-5)


def test_each_recorded_use_has_the_value_that_it_saw():
    p = gluon.Parameter("p", shape=(2,))
    p.initialize()
    p.set_data(nd.array([2, 3]))
    with autograd.record():
        first = p.data() * p.data()
    p.set_data(nd.array([5, 7]))
    with autograd.record():
        both = (first + p.data() * p.data() * 10).sum()
    p.set_data(nd.array([0, 0]))
    both.backward()
    np.testing.assert_array_equal(p.grad().asnumpy(), [4 + 100, 6 + 140])
    np.testing.assert_array_equal(p.data().asnumpy(), [0, 0])


def test_views_see_the_new_contents():
    p = gluon.Parameter("p", shape=(3,))
    p.initialize()
    data, view = p.data(), p.data()[1:]
    with autograd.record():
        y = (p.data() ** 2).sum()
    p.set_data(nd.array([1, 2, 3]))
    y.backward()
    assert p.data() is data
    np.testing.assert_array_equal(view.asnumpy(), [2, 3])


def test_nothing_is_kept_that_no_gradient_needs():
    p = gluon.Parameter("p", shape=(1000,))
    p.initialize()
    before = _core.pool_stats()["used"]
    for value in range(3):
        p.set_data(nd.full((1000,), value))
        with autograd.record():
            y = (p.data() ** 2).sum()
        y.backward()
        del y
        p.set_data(nd.zeros((1000,)))
        nd.waitall()
        assert _core.pool_stats()["used"] < before + 4000


def test_other_writes_are_still_refused():
    p = gluon.Parameter("p", shape=(2,))
    p.initialize()
    with autograd.record():
        y = (p.data() ** 2).sum()
    p.data()[:] = 1
    p.set_data(nd.array([5, 7]))
    with pytest.raises(Exception, match="overwritten after it was recorded"):
        y.backward()
