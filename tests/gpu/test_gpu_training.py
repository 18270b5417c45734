"""Training on a physical GPU against the CPU."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import jupyter_hybrid as mx
from jupyter_hybrid import autograd, gluon, nd
from jupyter_hybrid.gluon import nn


def net_of(kind):
    net = nn.HybridSequential()
    if kind == "mlp":
        net.add(nn.Dense(64, activation="relu"), nn.Dense(32, activation="tanh"), nn.Dense(10))
    else:
        net.add(
            nn.Conv2D(6, kernel_size=5, activation="relu"),
            nn.MaxPool2D(),
            nn.Conv2D(16, kernel_size=3, activation="relu"),
            nn.MaxPool2D(),
            nn.Dense(84, activation="relu"),
            nn.Dense(10),
        )
    return net


def losses(kind, ctx, hybrid, steps):
    mx.random.seed(11)
    net = net_of(kind)
    net.initialize(mx.init.Xavier(), ctx=mx.cpu())
    shape = (32, 20) if kind == "mlp" else (16, 1, 20, 20)
    rng = np.random.default_rng(0)
    x = rng.standard_normal(shape).astype("float32")
    y = rng.integers(0, 10, shape[0]).astype("float32")
    net(nd.array(x))
    net.collect_params().reset_ctx(ctx)
    if hybrid:
        net.hybridize()
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(
        net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9, "wd": 1e-4}
    )
    data, label = nd.array(x, ctx=ctx), nd.array(y, ctx=ctx)
    result = []
    for _ in range(steps):
        with autograd.record():
            loss = loss_of(net(data), label)
        loss.backward()
        trainer.step(shape[0])
        result.append(float(loss.mean().asscalar()))
    return result


@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize(("kind", "steps"), [("mlp", 50), ("lenet", 10)])
def test_losses_are_those_of_the_cpu(kind, hybrid, steps):
    expected = losses(kind, mx.cpu(), hybrid, steps)
    found = losses(kind, mx.gpu(0), hybrid, steps)
    assert expected[-1] < 0.9 * expected[0]
    np.testing.assert_allclose(found, expected, rtol=2e-3)


@pytest.mark.parametrize("hybrid", [False, True])
@pytest.mark.parametrize("kind", ["mlp", "lenet"])
def test_training_does_not_leave_the_gpu(kind, hybrid):
    # In a process of its own, where nothing has been said yet.
    code = "import jupyter_hybrid as mx, test_gpu_training as t; "
    code += f"print(t.losses({kind!r}, mx.gpu(0), {hybrid}, 3))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(Path(__file__).parent), **os.environ},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "has no kernel" not in done.stderr
