"""Rematerialization from Python: blocks, cells, budgets; bit for bit what keeping gives."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from cells import Shell

import jupyter_hybrid as mx
from jupyter_hybrid import MXNetError, _core, autograd, gluon, nd, sym


def deep(layers: int, width: int = 32) -> Any:
    net = gluon.nn.HybridSequential()
    for _ in range(layers):
        net.add(gluon.nn.Dense(width, activation="tanh"), gluon.nn.Dropout(0.2))
    net.add(gluon.nn.Dense(3))
    mx.random.seed(5)
    net.initialize()
    return net


def gradients(net: Any, x: Any, label: Any) -> list[bytes]:
    """The loss and every gradient of one training step, as bytes."""
    mx.random.seed(11)
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    with autograd.record():
        loss = loss_of(net(x), label)
    loss.backward()
    found = [loss, *(p.grad() for p in net.collect_params().values())]
    return [a.asnumpy().tobytes() for a in found]


@pytest.fixture
def batch() -> tuple[Any, Any]:
    draw = np.random.RandomState(0)
    return nd.array(draw.standard_normal((64, 20))), nd.array(draw.randint(0, 3, 64))


def test_a_block_computes_again_bit_for_bit(batch: tuple[Any, Any]) -> None:
    net = deep(12)
    net(batch[0])
    expected = gradients(net, *batch)
    net.hybridize()
    assert gradients(net, *batch) == expected
    net.hybridize(remat="sqrt")
    assert gradients(net, *batch) == expected
    assert gradients(net, *batch) == expected  # the programs found again


def test_a_block_keeps_less(batch: tuple[Any, Any]) -> None:
    net = deep(25, width=256)
    x, label = nd.ones((256, 20)), nd.zeros(256)

    def kept() -> int:
        loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
        net(x)
        nd.waitall()
        before = int(mx.engine.pool_stats()["used"])
        with autograd.record():
            loss = loss_of(net(x), label)
        nd.waitall()
        held = int(mx.engine.pool_stats()["used"]) - before
        loss.backward()
        nd.waitall()
        return held

    net.hybridize()
    everything = kept()
    net.hybridize(remat="sqrt")
    assert kept() < everything / 2


def test_a_block_within_a_budget_or_refused(batch: tuple[Any, Any]) -> None:
    net = deep(12)
    net(batch[0])
    expected = gradients(net, *batch)
    net.hybridize(remat=300_000)
    assert gradients(net, *batch) == expected
    net.hybridize(remat=1_000)
    with pytest.raises(MXNetError, match="a budget of 1000 bytes was given, the least"):
        gradients(net, *batch)
    net(batch[0])  # without a gradient there is nothing to keep


@pytest.mark.parametrize("remat", ["cube", 0, -5, 1.5, True])
def test_other_values_are_refused(remat: Any, batch: tuple[Any, Any]) -> None:
    net = deep(2)
    net.hybridize(remat=remat)
    with pytest.raises(MXNetError, match="remat: expected 'sqrt' or a budget in bytes"):
        net(batch[0])


CELL = """
x = nd.arange(48).reshape((6, 8)) / 50
w = nd.arange(64).reshape((8, 8)) / 100 - 0.3
w.attach_grad()
with autograd.record():
    y = x
    for _ in range(36):
        y = nd.tanh(nd.dot(y, w))
    loss = (y * y).sum()
loss.backward()
g = w.grad
"""


def test_a_cell_computes_again_bit_for_bit() -> None:
    setup = "from jupyter_hybrid import autograd, nd\n"
    found = []
    for options in ("", "--remat sqrt"):
        shell = Shell()
        shell.run(setup)
        shell.hybridize(CELL, options)
        stages = {s.name: s for s in shell.report.stages}
        assert stages["remat"].changed == bool(options)
        found.append((shell.ns["loss"].asnumpy(), shell.ns["g"].asnumpy()))
    assert np.array_equal(found[0][0], found[1][0])
    assert np.array_equal(found[0][1], found[1][1])


def test_a_cell_with_a_budget_that_is_too_small_says_the_least() -> None:
    shell = Shell()
    shell.run("from jupyter_hybrid import autograd, nd\n")
    result = shell.hybridize(CELL, "--remat 100", fails=True)
    assert "a budget of 100 bytes was given, the least" in str(result.error)


@pytest.mark.parametrize("value", ["cube", "-3", "0", ""])
def test_a_wrong_option_is_named(value: str) -> None:
    shell = Shell()
    result = shell.hybridize("a = 1", f"--remat {value}", fails=True)
    assert "--remat" in str(result.error)


def test_settings_of_passes_go_by_name():
    graph = (sym.var("x") + 1).graph()
    known = {name for row in _core.pass_table() for name in row["settings"]}
    assert known == {"fold_limit", "remat"}
    with pytest.raises(TypeError, match="no pass has a setting 'color'"):
        _core.compile(graph, [(2,)], color=1)
    with pytest.raises(MXNetError, match=r"fold_limit: expected bytes; .*, got 'big'"):
        _core.compile(graph, [(2,)], fold_limit="big")
    for wrong in (True, 0, 2.5, "root", [1]):
        expected = f"remat: expected 'sqrt' or a budget in bytes, got {wrong!r}"
        with pytest.raises(MXNetError, match=re.escape(expected)):
            _core.compile(graph, [(2,)], remat=wrong)
