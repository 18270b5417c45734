"""Genuine MXNet 1.9.1 loads what we export: equal outputs, equal gradients, and back again."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from jupyter_hybrid import autograd, gluon, init, native, nd
from jupyter_hybrid.gluon import nn

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]
RNG = np.random.default_rng(21)


def my_mlp():
    net = nn.HybridSequential()
    net.add(nn.Dense(256, activation="relu"), nn.Dense(128, activation="relu"), nn.Dense(2))
    return net, {"data": (3, 512)}


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
    return net, {"data": (2, 1, 28, 28)}


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
    return Mixed(), {"data0": (2, 4, 5), "data1": (3, 7)}


@pytest.mark.parametrize("make", [my_mlp, lenet, mixed], ids=lambda f: f.__name__)
def test_mxnet_computes_the_same(make, mxnet_python, tmp_path):
    net, shapes = make()
    net.initialize(init.Normal(0.3))
    net.hybridize()
    arrays = {k: RNG.normal(size=shape).astype(np.float32) for k, shape in shapes.items()}
    inputs = [nd.array(a) for a in arrays.values()]
    net(*inputs)
    with autograd.record(train_mode=False):
        outputs = net(*inputs)
        outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        total = sum((out * out).sum() for out in outputs)
    total.backward(train_mode=False)

    start = str(tmp_path / "net")
    net.export(start)
    np.savez(start + "-inputs.npz", **arrays)
    script = str(Path(__file__).parent / "run_in_mxnet.py")
    command = [mxnet_python, script, start, ",".join(shapes)]
    # With its oneDNN kernels MXNet 1.9.1 computes wrong gradients of overlapping max pooling: they
    # disagree with finite differences and with its own kernels, which are used here.
    env = {**os.environ, "MXNET_MKLDNN_ENABLED": "0"}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=300, cwd=tmp_path, env=env
    )
    assert done.returncode == 0, done.stderr

    genuine = np.load(start + "-genuine.npz")
    for i, out in enumerate(outputs):
        np.testing.assert_allclose(out.asnumpy(), genuine[f"out{i}"], rtol=1e-5, atol=1e-5)
    params = net.collect_params()
    assert {k[5:] for k in genuine if k.startswith("grad:")} == set(params)
    for name, param in params.items():
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

    back = gluon.SymbolBlock.imports(again + "-symbol.json", list(shapes), again + "-0000.params")
    results = back(*inputs)
    for out, expected in zip(
        results if isinstance(results, (list, tuple)) else [results], outputs, strict=True
    ):
        np.testing.assert_array_equal(out.asnumpy(), expected.asnumpy())
