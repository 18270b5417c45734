"""Pictures of training steps name the numbers that change from step to step."""

from __future__ import annotations

import re
from typing import Any

import pytest
from cells import Shell

from jupyter_hybrid.views import spec_of

NET = """
from jupyter_hybrid import autograd, gluon, nd
net = gluon.nn.HybridSequential()
net.add(gluon.nn.Dense(4, activation="relu"), gluon.nn.BatchNorm(), gluon.nn.Dense(2))
net.initialize()
x, label = nd.arange(12).reshape((3, 4)) / 10, nd.array([0, 1, 1])
loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
net(x)
"""
STEP = """
with autograd.record():
    loss = loss_of(net(x), label)
loss.backward()
trainer.step(3)
"""
RATES = {
    "sgd": ({"learning_rate": 0.1, "momentum": 0.9}, {"scaled_learning_rate"}),
    "nag": ({"learning_rate": 0.1}, {"learning_rate", "rescale_grad"}),
    "adam": (
        {"learning_rate": 0.1, "wd": 0.01},
        {"corrected_learning_rate", "weight_decay", "rescale_grad"},
    ),
    "adadelta": ({"wd": 0.01}, {"weight_decay", "rescale_grad"}),
    "lamb": (
        {"learning_rate": 0.1},
        {"learning_rate", "rescale_grad", "correction_of_mean", "correction_of_var"},
    ),
}


def nodes_of(shell: Shell) -> list[Any]:
    return list(spec_of(shell.report)["stages"][0]["graph"]["nodes"])


@pytest.mark.parametrize("hybridized", [False, True])
@pytest.mark.parametrize("kind", RATES)
def test_a_step_has_named_numbers(kind, hybridized):
    options, expected = RATES[kind]
    shell = Shell()
    more = "net.hybridize()\n" if hybridized else ""
    shell.run(f"{NET}{more}trainer = gluon.Trainer(net.collect_params(), {kind!r}, {options})")
    shell.hybridize(STEP * 2)
    nodes = nodes_of(shell)
    named = {n["name"] for n in nodes if n["kind"] == "input"}
    states = {n for n in named if re.search(r"_state\d$", n)}
    parameters = {n for n in named - states if "dense" in n or "batchnorm" in n}
    assert len(parameters) == 8
    assert {n.rpartition("_state")[0] for n in states} <= parameters
    # Numbers that change with the step come once a step.
    assert named - parameters - states - {"x", "label"} == expected
