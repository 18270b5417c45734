"""Genuine MXNet 1.9.1 loads what we export: equal outputs, equal gradients, and back again."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest
from genuine import run_script

from jupyter_hybrid import autograd, gluon, init, native, nd, random
from jupyter_hybrid.gluon import nn

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]
RNG = np.random.default_rng(21)


def normal(*shape):
    return RNG.normal(size=shape).astype(np.float32)


def integers(most, *shape):
    return RNG.integers(0, most, size=shape).astype(np.float32)


def my_mlp():
    net = nn.HybridSequential()
    net.add(nn.Dense(256, activation="relu"), nn.Dense(128, activation="relu"), nn.Dense(2))
    return net, {"data": normal(3, 512)}


def lenet():
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(6, kernel_size=5, padding=2, activation="sigmoid"),
        nn.AvgPool2D(pool_size=2, strides=2),
        nn.Conv2D(16, kernel_size=5, groups=2, use_bias=False, activation="softrelu"),
        nn.MaxPool2D(pool_size=3, strides=2, padding=1),
        nn.Flatten(),
        nn.Dropout(0.5),
        nn.Dense(84, activation="tanh"),
        nn.Dense(10, use_bias=False),
    )
    return net, {"data": normal(2, 1, 28, 28)}


class Mixed(nn.HybridBlock):
    """Operators of every family between layers; two inputs, two outputs."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Dense(6, flatten=False, activation="softsign")
        self.gain = self.params.get("gain", shape=(6,), init=init.Uniform(1))

    def hybrid_forward(self, F, a, b, gain):
        h = F.broadcast_mul(self.layer(a), gain) + 1
        left, right = F.split(h, num_outputs=2, axis=2)
        joined = F.concat(
            F.transpose(left, axes=(0, 2, 1)), F.transpose(right, axes=(0, 2, 1)), dim=2
        )
        weights = F.softmax(F.batch_dot(joined, joined, transpose_a=True) / 2, axis=-1)
        chosen = F.where(weights > 0.1, F.sqrt(weights), F.square(weights) - 3 * weights)
        top = F.slice_axis(chosen, axis=1, begin=1, end=-1)
        scaled = F.broadcast_div(F.exp(-F.abs(b)), 1 + F.clip(b, -0.5, 0.5) ** 2)
        return F.reshape(top, shape=(0, -1)), F.sum(scaled, axis=1, keepdims=True) - F.max(b)


def mixed():
    return Mixed(), {"data0": normal(2, 4, 5), "data1": normal(3, 7)}


class Residual(nn.HybridBlock):
    """Two convolutions with BatchNorm, around them the input, normalized in the second form."""

    def __init__(self, channels):
        super().__init__()
        self.first = nn.Conv2D(channels, kernel_size=3, padding=1, use_bias=False)
        self.norm = nn.BatchNorm(scale=False)
        self.second = nn.Conv2D(channels, kernel_size=3, padding=1, groups=channels)
        self.third = nn.BatchNorm(axis=1, epsilon=1e-3, center=False)

    def hybrid_forward(self, F, x):
        h = F.Activation(self.norm(self.first(x)), act_type="relu")
        return F.LeakyReLU(self.third(self.second(h)) + x, act_type="elu", slope=0.3)


class Branches(nn.HybridBlock):
    """Inception's pattern: branches of one input, joined along the channels."""

    def __init__(self):
        super().__init__()
        self.branches = []
        for kernel in (1, 3, 5):
            branch = nn.Conv2D(4, kernel_size=kernel, padding=kernel // 2)
            self.register_child(branch)
            self.branches.append(branch)

    def hybrid_forward(self, F, x):
        pooled = F.Pooling(
            x, kernel=(3, 3), stride=(1, 1), pad=(1, 1), pool_type="avg", count_include_pad=False
        )
        return F.Concat(*[branch(x) for branch in self.branches], pooled, dim=1)


def convolutional():
    net = nn.HybridSequential()
    net.add(
        nn.BatchNorm(),
        nn.Conv2D(6, kernel_size=3, padding=1),
        Residual(6),
        nn.MaxPool2D(pool_size=3, strides=2, ceil_mode=True),
        Branches(),
        nn.BatchNorm(use_global_stats=True),
        nn.GlobalAvgPool2D(),
        nn.Dropout(0.3),
        nn.Dense(5),
    )
    return net, {"data": normal(3, 2, 10, 10)}


class Words(nn.HybridBlock):
    """Embedding, attention, what is chosen by indices, and an output layer with its label."""

    def __init__(self):
        super().__init__()
        self.table = self.params.get("table", shape=(11, 6), init=init.Uniform(1))
        self.query, self.key = (
            nn.Dense(6, flatten=False),
            nn.Dense(6, flatten=False, use_bias=False),
        )
        self.norm = nn.LayerNorm(epsilon=1e-3)
        self.last = nn.Dense(4)

    def hybrid_forward(self, F, words, label, table):
        h = F.Embedding(words, table, input_dim=11, output_dim=6)
        scores = F.batch_dot(self.query(h), self.key(h), transpose_b=True)
        h = h + F.batch_dot(F.softmax(scores / 2.5), h)
        h = F.broadcast_add(h, F.take(table, F.slice_axis(words, axis=1, begin=0, end=1)))
        chosen = F.pick(h, F.broadcast_lesser(words, F.ones_like(words) * 5), axis=-1)
        rows = F.stack(F.max(h, axis=2), F.mean(h, axis=-1), F.norm(h, axis=2), chosen, axis=2)
        rows = self.norm(rows)
        h = self.last(F.Concat(rows, F.one_hot(words, 11), F.tile(rows, reps=(1, 1, 2)), dim=2))
        return F.SoftmaxOutput(h, label), F.log_softmax(F.swapaxes(rows, 1, 2), axis=1)


def words():
    return Words(), {"data0": integers(11, 3, 5), "data1": integers(4, 3)}


def upward():
    # Not padding, stride and dilation at once: there MXNet's own kernel differs from its oneDNN one
    # and from the definition.
    net = nn.HybridSequential()
    net.add(
        nn.Conv2DTranspose(4, (3, 2), (2, 3), (1, 0), (1, 2), groups=2),
        nn.LayerNorm(axis=1),
        nn.HybridLambda(lambda F, x: F.UpSampling(x, scale=2, sample_type="nearest")),
        nn.Conv2DTranspose(3, 2, dilation=2, use_bias=False, activation="tanh"),
    )
    return net, {"data": normal(2, 6, 3, 4)}


class Rows(nn.HybridBlock):
    """A choice between rows, of as many as there are columns."""

    def __init__(self):
        super().__init__()
        self.one, self.other = nn.Dense(5), nn.Dense(5)

    def hybrid_forward(self, F, x):
        return F.where(F.sum(x, axis=1) > 0, self.one(x), self.other(x))


def rows():
    return Rows(), {"data": normal(5, 3)}


NETS = [my_mlp, lenet, mixed, convolutional, words, upward, rows]


@pytest.mark.parametrize("make", NETS, ids=lambda f: f.__name__)
def test_mxnet_computes_the_same(make, mxnet_python, tmp_path):
    random.seed(5)
    net, arrays = make()
    net.initialize(init.Normal(0.3))
    net.hybridize()
    inputs = [nd.array(a) for a in arrays.values()]
    net(*inputs)
    for _ in range(2):  # moves statistics
        with autograd.record():
            net(*inputs)
    with autograd.record(train_mode=False):
        outputs = net(*inputs)
        outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        total = sum((out * out).sum() for out in outputs)
    total.backward(train_mode=False)

    start = str(tmp_path / "net")
    net.export(start)
    np.savez(start + "-inputs.npz", **arrays)
    run_script(mxnet_python, "run_in_mxnet.py", start, ",".join(arrays), folder=tmp_path)
    genuine = np.load(start + "-genuine.npz")
    for i, out in enumerate(outputs):
        np.testing.assert_allclose(out.asnumpy(), genuine[f"out{i}"], rtol=1e-5, atol=1e-5)
    params = net.collect_params()
    assert {k.split(":")[1] for k in genuine if ":" in k} == set(params)
    for name, param in params.items():
        if "aux:" + name in genuine:
            np.testing.assert_array_equal(param.data().asnumpy(), genuine["aux:" + name])
        if param.grad_req == "null":  # a factor that is fixed, too
            continue
        theirs = genuine["grad:" + name]
        scale = max(1.0, float(np.abs(theirs).max()))
        np.testing.assert_allclose(param.grad().asnumpy() / scale, theirs / scale, atol=2e-5)

    again = start + "-again"
    for name, array in arrays.items():
        np.save(f"{start}-{name}.npy", array)
    for files in (start, again):  # our files and MXNet's, without Python
        words = [f"{files}-symbol.json", f"{files}-0000.params", "-o", f"{files}-out.npy"]
        words += [f"{name}={start}-{name}.npy" for name in arrays]
        subprocess.run([native.program(), *words], check=True)
        for i, out in enumerate(outputs):
            found = np.load(f"{files}-out{f'-{i}' if len(outputs) > 1 else ''}.npy")
            np.testing.assert_array_equal(found, out.asnumpy())
            np.testing.assert_allclose(found, genuine[f"out{i}"], rtol=1e-5, atol=1e-5)

    back = gluon.SymbolBlock.imports(again + "-symbol.json", list(arrays), again + "-0000.params")
    results = back(*inputs)
    for out, expected in zip(
        results if isinstance(results, (list, tuple)) else [results], outputs, strict=True
    ):
        np.testing.assert_array_equal(out.asnumpy(), expected.asnumpy())
