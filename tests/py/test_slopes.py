"""LeakyReLU of the kinds prelu and rrelu: slopes that are learnt, or drawn in training."""

from __future__ import annotations

import json

import numpy as np
import pytest
from cells import Shell

import jupyter_hybrid as jh
from jupyter_hybrid import autograd, nd, sym
from jupyter_hybrid.base import MXNetError
from jupyter_hybrid.gluon import nn

X = np.random.default_rng(4).normal(size=(2, 3, 4)).astype(np.float32)


@pytest.mark.parametrize(
    ("shape", "gamma", "beside"),
    [
        ((2, 3, 4), (3,), (3, 1)),
        ((2, 3, 4), (1,), (1,)),
        ((2, 3), (3,), (3,)),
        ((5,), (5,), (5,)),
        ((5,), (1,), (1,)),
        ((2, 3, 4), (1, 1), (1,)),
        ((), (1,), (1,)),
        ((2, 0, 4), (0,), (0, 1)),
        ((0, 3), (3,), (3,)),
    ],
)
def test_slopes_stand_along_axis_1(shape, gamma, beside):
    rng = np.random.default_rng(0)
    x, slope = rng.normal(size=shape).astype("f"), rng.normal(size=gamma).astype("f")
    found = nd.LeakyReLU(nd.array(x), nd.array(slope), act_type="prelu").asnumpy()
    np.testing.assert_array_equal(found, np.where(x > 0, x, x * slope.reshape(beside)))
    assert found.shape == shape


def test_windows_of_arrays_are_read_where_they_lie():
    x, slope = nd.array(X), nd.array(np.arange(6).reshape(3, 2) / 10)
    found = nd.LeakyReLU(x.transpose((2, 1, 0)), slope[:, 1], act_type="prelu").asnumpy()
    steps = (np.arange(6, dtype="f").reshape(3, 2) / 10).astype("f")[:, 1].reshape(3, 1)
    np.testing.assert_array_equal(found, np.where(X.T > 0, X.T, X.T * steps))


@pytest.mark.parametrize(
    ("gamma", "message"),
    [
        ([1.0, 2.0, 3.0, 4.0], r"gamma.*4.*data.*2"),
        (np.ones((3, 4)), "gamma|expected"),
    ],
)
def test_slopes_of_another_shape_are_refused(gamma, message):
    with pytest.raises(MXNetError, match=message):
        nd.LeakyReLU(nd.array(X), nd.array(gamma), act_type="prelu").wait_to_read()


def test_slopes_that_are_missing_or_too_many():
    with pytest.raises(TypeError, match="LeakyReLU: input 'gamma': expected an NDArray, got None"):
        nd.LeakyReLU(nd.array(X), act_type="prelu")
    with pytest.raises(MXNetError, match=r"LeakyReLU.*1"):
        nd.LeakyReLU(nd.array(X), nd.ones(3), act_type="leaky")
    with pytest.raises(MXNetError, match=r"lower_bound 0\.5 above upper_bound 0\.2"):
        nd.LeakyReLU(nd.array(X), act_type="rrelu", lower_bound=0.5, upper_bound=0.2)


def test_a_symbol_makes_its_slopes_and_is_written_as_mxnets():
    made = sym.LeakyReLU(sym.var("x"), act_type="prelu", name="p")
    assert made.list_arguments() == ["x", "p_gamma"]
    assert made.infer_shape(x=(2, 3, 4))[0] == [(2, 3, 4), (3,)]
    node = json.loads(made.tojson())["nodes"][-1]
    assert (node["op"], node["attrs"]) == ("LeakyReLU", {"act_type": "prelu"})
    made = sym.LeakyReLU(sym.var("x"), act_type="rrelu", upper_bound=0.5, name="r")
    assert made.list_outputs() == ["r_output", "r_mask"]
    again = sym.load_json(made.tojson())
    found = again.eval(x=nd.array(X))[0].asnumpy()
    np.testing.assert_allclose(found, np.where(X > 0, X, X * np.float32(0.3125)), rtol=1e-6)


def test_slopes_are_drawn_in_training_alone():
    x = nd.array(np.full(2000, -1.0))
    x.attach_grad()
    resting, factors = nd.LeakyReLU(x, act_type="rrelu")
    assert set(resting.asnumpy()) == {np.float32(-0.2295)} == set(-factors.asnumpy())
    with autograd.record():
        drawn, factors = nd.LeakyReLU(x, act_type="rrelu", lower_bound=0.25, upper_bound=0.75)
    drawn.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), factors.asnumpy())
    np.testing.assert_array_equal(drawn.asnumpy(), -factors.asnumpy())
    values = factors.asnumpy()
    assert values.min() >= 0.25 and values.max() < 0.75 and abs(values.mean() - 0.5) < 0.02
    assert len(set(values)) > 1900


def test_a_cell_draws_what_the_lines_draw():
    body = """
x = nd.array(X)
x.attach_grad()
with autograd.record():
    y = nd.LeakyReLU(x, act_type="rrelu")[0] * 2
y.backward()
"""
    shell = Shell()
    shell.ns.update(nd=nd, autograd=autograd, X=X)
    found = []
    for run in (shell.run, shell.hybridize):
        jh.random.seed(3)
        run(body)
        found.append((shell.ns["y"].asnumpy(), shell.ns["x"].grad.asnumpy()))
    np.testing.assert_array_equal(found[0], found[1])


@pytest.mark.parametrize("active", [False, True])
def test_the_layer_learns_its_slopes(active):
    net = nn.PReLU(in_channels=3)
    net.initialize()
    net.hybridize(active)
    with autograd.record():
        y = net(nd.array(X))
    y.backward()
    np.testing.assert_allclose(
        net.alpha.grad().asnumpy(), np.minimum(X, 0).sum(axis=(0, 2)), rtol=1e-5
    )
    assert net.alpha.data().asnumpy().tolist() == [0.25] * 3
