"""Trainer and SGD against NumPy; several devices equal one; real training lowers the loss."""

from __future__ import annotations

import numpy as np
import pytest

import jupyter_hybrid as mx
from jupyter_hybrid import MXNetError, autograd, gluon, init, nd
from jupyter_hybrid.gluon import Parameter, Trainer, nn, utils


@pytest.fixture
def gpus():
    """Two virtual GPUs for one test."""
    yield mx.virtual_gpus(2)
    nd.waitall()
    mx.virtual_gpus(0)


def weight(value):
    p = Parameter("w", shape=value.shape)
    p.initialize()
    p.set_data(nd.array(value))
    return p


def backward(p, factor):
    with autograd.record():
        y = (p.data() * nd.array(factor)).sum()
    y.backward()


@pytest.mark.parametrize("momentum", [0.0, 0.9])
@pytest.mark.parametrize("wd", [0.0, 0.1])
@pytest.mark.parametrize("clip", [None, 0.2])
def test_sgd(momentum, wd, clip):
    rng = np.random.default_rng(2)
    value = rng.normal(size=(3, 4))
    p = weight(value)
    options = {"learning_rate": 0.5, "momentum": momentum, "wd": wd, "clip_gradient": clip}
    trainer = Trainer([p], "sgd", options)
    state = np.zeros_like(value)
    for step in range(4):
        gradient = rng.normal(size=value.shape)
        backward(p, gradient)
        trainer.step(2)
        scaled = gradient / 2 if clip is None else np.clip(gradient / 2, -clip, clip)
        state = momentum * state - trainer.learning_rate * (scaled + wd * value)
        value = value + state
        np.testing.assert_allclose(p.data().asnumpy(), value, rtol=1e-5, atol=1e-6)
        if step == 1:
            trainer.set_learning_rate(0.1)
    assert trainer.learning_rate == 0.1


def test_factors_of_a_parameter():
    p = weight(np.ones(2))
    p.lr_mult, p.wd_mult = 0.5, 2.0
    trainer = Trainer([p], "sgd", {"learning_rate": 0.1, "wd": 0.2})
    backward(p, np.array([3.0, 4.0]))
    trainer.step(1)
    expected = 1 - 0.1 * 0.5 * (np.array([3.0, 4.0]) + 0.2 * 2.0 * 1)
    np.testing.assert_allclose(p.data().asnumpy(), expected, rtol=1e-6)


def test_rescale_grad_multiplies():
    p = weight(np.zeros(1))
    trainer = Trainer([p], "sgd", {"learning_rate": 1.0, "rescale_grad": 10.0})
    backward(p, np.array([4.0]))
    trainer.step(2)
    assert p.data().asscalar() == -20


def test_stale_gradients_are_an_error():
    p = weight(np.zeros(1))
    trainer = Trainer([p], "sgd", {"learning_rate": 1.0})
    message = r"gradient of w on cpu\(0\) was not written by backward\(\) since the last step"
    with pytest.raises(UserWarning, match=message):
        trainer.step(1)
    backward(p, np.array([4.0]))
    trainer.step(1)
    with pytest.raises(UserWarning, match="pass ignore_stale_grad=True"):
        trainer.step(1)
    trainer.step(1, ignore_stale_grad=True)
    assert p.data().asscalar() == -4


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="cannot find optimizer 'adagrat'; known: adadelta"):
        Trainer([weight(np.zeros(1))], "adagrat")
    with pytest.raises(ValueError, match="Trainer: expected Parameters, got int"):
        Trainer([1], "sgd")
    with pytest.raises(MXNetError, match="not initialized"):
        Trainer([Parameter("w", shape=(1,))], "sgd").step(1)


# Splitting and devices ----------------------------------------------------------------------------
def test_split_data():
    x = nd.array(np.arange(14).reshape(7, 2))
    parts = utils.split_data(x, 3, even_split=False)
    assert [len(p) for p in parts] == [3, 2, 2]
    np.testing.assert_array_equal(np.concatenate([p.asnumpy() for p in parts]), x.asnumpy())
    assert [p.shape for p in utils.split_data(x, 2, batch_axis=1)] == [(7, 1)] * 2
    with pytest.raises(ValueError, match="7 along axis 0 can't be split evenly into 3 parts"):
        utils.split_data(x, 3)
    with pytest.raises(ValueError, match="can't be split into 8 parts: give fewer devices"):
        utils.split_data(x, 8, even_split=False)
    with pytest.raises(ValueError, match="given no contexts"):
        utils.split_and_load(nd.ones((7, 2)), [])
    for empty in (lambda p: p.initialize(ctx=[]), lambda p: p.reset_ctx([])):
        with pytest.raises(MXNetError, match="expected one device or more, got none"):
            empty(Parameter("w", shape=(2,)))


def digits(count=96, side=16, seed=0):
    """Pictures of ten patterns with noise, and their labels."""
    rng = np.random.default_rng(seed)
    patterns = rng.normal(size=(10, 1, side, side))
    labels = rng.integers(0, 10, count)
    pictures = patterns[labels] + 0.5 * rng.normal(size=(count, 1, side, side))
    return pictures.astype(np.float32), labels.astype(np.float32)


def lenet():
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(6, kernel_size=5, padding=2, activation="relu"),
        nn.AvgPool2D(pool_size=2, strides=2),
        nn.Conv2D(16, kernel_size=5, activation="relu"),
        nn.MaxPool2D(pool_size=2, strides=2),
        nn.Dense(60, activation="relu"),
        nn.Dense(10),
    )
    return net


def mlp():
    net = nn.HybridSequential()
    net.add(nn.Dense(64, activation="relu"), nn.Dropout(0.2), nn.Dense(10))
    return net


def train(make, ctxs, steps, hybridized=True, momentum=0.9):
    mx.random.seed(4)
    net, loss = make(), gluon.loss.SoftmaxCrossEntropyLoss()
    net.initialize(init.Xavier(), ctx=ctxs)
    if hybridized:
        net.hybridize()
        loss.hybridize()
    options = {"learning_rate": 0.05, "momentum": momentum, "wd": 1e-4}
    trainer = Trainer(net.collect_params(), "sgd", options)
    x, y = digits()
    for ctx in ctxs:
        net(nd.array(x[:1], ctx=ctx))  # shapes become known, weights are drawn
    mx.random.seed(5)  # the same masks of Dropout, however the weights were drawn
    history = []
    for _ in range(steps):
        xs, ys = utils.split_and_load(x, ctxs), utils.split_and_load(y, ctxs)
        with autograd.record():
            losses = [loss(net(a), b) for a, b in zip(xs, ys)]
        autograd.backward(losses)
        trainer.step(len(x))
        history.append(np.concatenate([v.asnumpy() for v in losses]).mean())
    return np.array(history), net


@pytest.mark.parametrize("make", [lenet, mlp])
def test_training_lowers_the_loss(make):
    history, net = train(make, [mx.cpu()], 25)
    assert history[0] > 2 and history[-1] < 0.3 * history[0]
    x, y = digits()
    right = net(nd.array(x)).asnumpy().argmax(1) == y
    assert right.mean() > 0.95


@pytest.mark.parametrize("make", [lenet, mlp])
def test_hybridized_training_is_the_same_bit_for_bit(make):
    imperative, first = train(make, [mx.cpu()], 6, hybridized=False)
    compiled, second = train(make, [mx.cpu()], 6, hybridized=True)
    np.testing.assert_array_equal(imperative, compiled)
    for a, b in zip(first.collect_params().values(), second.collect_params().values()):
        np.testing.assert_array_equal(a.data().asnumpy(), b.data().asnumpy())


def test_two_devices_equal_one(gpus):
    single, first = train(lenet, gpus[:1], 5)
    double, second = train(lenet, gpus, 5)
    np.testing.assert_allclose(single, double, rtol=1e-4)
    for a, b in zip(first.collect_params().values(), second.collect_params().values()):
        copies = [array.asnumpy() for array in b.list_data()]
        np.testing.assert_array_equal(copies[0], copies[1])
        np.testing.assert_allclose(copies[0], a.data().asnumpy(), rtol=1e-3, atol=1e-5)
