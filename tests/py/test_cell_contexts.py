"""Cells that name the second CPU context: what they make stays there."""

from __future__ import annotations

import pytest
from cells import Shell

from jupyter_hybrid import cpu

SETUP = """
import jupyter_hybrid as mx
from jupyter_hybrid import autograd, gluon, nd
places = [mx.cpu(0), mx.cpu(1)]
"""


@pytest.fixture
def shell() -> Shell:
    made = Shell()
    made.run(SETUP)
    return made


@pytest.mark.parametrize(
    "made",
    [
        "nd.ones((2,), ctx=places[1])",
        "nd.arange(4).as_in_context(places[1]) * 2",
        "gluon.utils.split_and_load(nd.arange(4), places)[1]",
        "nd.zeros(3).copyto(places[1])",
    ],
)
def test_an_array_stays_on_its_context(shell, made) -> None:
    shell.run(f"wanted = {made}")
    wanted = shell.ip.user_ns["wanted"]
    shell.run(f"%%hybridize\nx = {made}\ntwice = x + x")
    for name, value in (("x", wanted), ("twice", wanted * 2)):
        got = shell.ip.user_ns[name]
        assert got.context == cpu(1) == wanted.context
        assert got.asnumpy().tolist() == value.asnumpy().tolist()


def test_a_copy_on_another_context_is_memory_of_its_own(shell) -> None:
    shell.run("%%hybridize\nx = nd.zeros(2)\ny = x.as_in_context(places[1])")
    shell.run("y += 1")
    assert shell.ip.user_ns["x"].asnumpy().tolist() == [0, 0]


def test_training_on_both(shell) -> None:
    shell.run(
        "%%hybridize\n"
        "net = gluon.nn.Dense(1, in_units=2)\n"
        "net.initialize(mx.init.One(), ctx=places)\n"
        "inputs = gluon.utils.split_and_load(nd.array([[1, 1], [2, 2]]), places)"
    )
    shell.run(
        "%%hybridize\n"
        "trainer = gluon.Trainer(net.collect_params(), 'sgd', {'learning_rate': 0.1})\n"
        "for _ in range(2):\n"
        "    with autograd.record():\n"
        "        losses = [net(x).sum() for x in inputs]\n"
        "    for loss in losses:\n"
        "        loss.backward()\n"
        "    trainer.step(1)"
    )
    weight = shell.ip.user_ns["net"].weight
    assert [g.asnumpy().tolist() for g in weight.list_grad()] == [[[1, 1]], [[2, 2]]]
    assert [w.context for w in weight.list_data()] == [cpu(0), cpu(1)]
    assert weight.data(cpu(0)).asnumpy() == pytest.approx(weight.data(cpu(1)).asnumpy())
    assert weight.data(cpu(1)).asnumpy() == pytest.approx(1 - 2 * 0.1 * 3)
