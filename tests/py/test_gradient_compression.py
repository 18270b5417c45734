"""Gradient compression: what is sent, what is left for the next time, and that nets still learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jupyter_hybrid as mx
from jupyter_hybrid import MXNetError, autograd, gluon, kv, nd

RNG = np.random.default_rng(3)
CONTEXTS = [mx.cpu(0), mx.cpu(1)]


def two_bits(wanted: np.ndarray, t: float) -> np.ndarray:
    return np.where(wanted >= t, t, np.where(wanted <= -t, -t, 0))


def one_bit(wanted: np.ndarray, t: float) -> np.ndarray:
    return np.where(wanted > t, 1, -1)


def half(wanted: np.ndarray, t: float) -> np.ndarray:
    return wanted.astype(np.float16)


@pytest.mark.parametrize(
    ("params", "sent"),
    [
        ({"type": "2bit"}, two_bits),
        ({"type": "2bit", "threshold": 0.125}, two_bits),
        ({"type": "1bit"}, one_bit),
        ({"type": "1bit", "threshold": -0.25}, one_bit),
        ({"type": "fp16"}, half),
    ],
)
def test_what_is_lost_goes_with_the_next(params: dict[str, Any], sent: Any) -> None:
    store = kv.create("device")
    store.set_gradient_compression(params)
    store.init("w", nd.zeros((5,)))
    threshold = params.get("threshold", 0.5 if sent is two_bits else 0.0)
    residuals = [np.zeros(5, "float32") for _ in CONTEXTS]
    for _ in range(6):
        gradients = [RNG.normal(0, 0.4, 5).astype("float32") for _ in CONTEXTS]
        total = np.zeros(5, "float32")
        for i, gradient in enumerate(gradients):
            wanted = gradient + residuals[i]
            given = sent(wanted, threshold).astype("float32")
            residuals[i] = wanted - given
            total += given
        arrays = [nd.array(g, ctx=c) for g, c in zip(gradients, CONTEXTS)]
        out = nd.zeros((5,))
        store.pushpull("w", arrays, out=out)
        np.testing.assert_array_equal(out.asnumpy(), total)
        np.testing.assert_array_equal(arrays[0].asnumpy(), gradients[0])  # they stay as they are


def test_one_device_sends_nothing() -> None:
    store = kv.create("device")
    store.set_gradient_compression({"type": "1bit"})
    store.init(0, nd.zeros((2,)))
    out = nd.zeros((2,))
    store.pushpull(0, nd.array([0.25, 3]), out=out)
    np.testing.assert_array_equal(out.asnumpy(), [0.25, 3])


def test_halves_have_no_infinities() -> None:
    store = kv.create("device")
    store.set_gradient_compression({"type": "fp16"})
    store.init(0, nd.zeros((1,)))
    out = nd.zeros((1,))
    store.pushpull(0, [nd.array([1e5]), nd.array([0])], out=out)
    assert out.asscalar() == 65504
    store.pushpull(0, [nd.array([0]), nd.array([0])], out=out)
    assert out.asscalar() == 34496  # the rest, as float16 has it


@pytest.mark.parametrize(
    ("params", "why"),
    [
        ({"type": "3bit"}, "expected one of 2bit, 1bit, fp16, got '3bit'"),
        ({"threshold": 0.5}, "got None"),
        ({"type": "2bit", "threshold": 0}, "a number above 0, got 0"),
        ({"type": "2bit", "treshold": 1}, "2bit has no argument 'treshold'"),
        ({"type": "fp16", "threshold": 1}, "fp16 has no argument 'threshold'"),
    ],
)
def test_misuse_is_named(params: dict[str, Any], why: str) -> None:
    with pytest.raises(mx.MXNetError, match=why):
        kv.create("device").set_gradient_compression(params)
    with pytest.raises(mx.MXNetError, match=why):  # at once
        gluon.Trainer([gluon.Parameter("p", shape=(1,))], "sgd", compression_params=params)


@pytest.mark.parametrize("in_store", [True, False])
@pytest.mark.parametrize("params", [{"type": "2bit", "threshold": 32}, {"type": "fp16"}])
def test_a_net_on_two_devices_learns(params: dict[str, Any], in_store: bool) -> None:
    x = RNG.normal(size=(64, 4)).astype("float32")
    y = x @ np.array([[1.0], [-2], [3], [0.5]], "float32")
    net = gluon.nn.Dense(1)
    net.initialize("zeros", ctx=CONTEXTS)
    trainer = gluon.Trainer(
        net.collect_params(),
        "sgd",
        {"learning_rate": 0.1},
        compression_params=params,
        update_on_kvstore=in_store,
    )
    loss_of = gluon.loss.L2Loss()
    losses = []
    for _ in range(300):
        parts = [gluon.utils.split_and_load(nd.array(a), CONTEXTS) for a in (x, y)]
        with autograd.record():
            part = [loss_of(net(a), b) for a, b in zip(*parts)]
        autograd.backward(part)
        losses.append(sum(float(p.mean().asscalar()) for p in part) / 2)
        trainer.step(64)
    assert losses[-1] < 0.02 * losses[0]
    first, second = (net.weight.data(c).asnumpy() for c in CONTEXTS)
    np.testing.assert_array_equal(first, second)


def test_parameters_are_a_dict():
    store = mx.kv.create("device")
    with pytest.raises(MXNetError, match=r"expected a dict such as .*, got '2bit'"):
        store.set_gradient_compression("2bit")


def test_what_did_not_arrive_leaves_the_residuals() -> None:
    def pushed(failing: bool) -> float:
        store = kv.create("device")
        store.set_gradient_compression({"type": "2bit", "threshold": 1.0})
        store.init(0, nd.zeros((2,)))
        updates = []

        def update(key: Any, total: Any, stored: Any) -> None:
            updates.append(key)
            if failing and len(updates) == 2:
                raise MXNetError("no room")
            stored += total

        store._set_updater(update)
        gradients = [nd.full((2,), 0.6, ctx=c) for c in CONTEXTS]
        store.push(0, gradients)
        if failing:
            with pytest.raises(MXNetError, match="no room"):
                store.push(0, gradients)
        store.push(0, gradients)
        out = nd.zeros((2,))
        store.pull(0, out=out)
        return out[0].asscalar()

    assert pushed(True) == pushed(False) == 2
