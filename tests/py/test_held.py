"""``%engine memory``: what is in memory now, and which names hold it."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from cells import Shell
from test_cell_training import MLP, SETUP

import jupyter_hybrid as mx
from jupyter_hybrid import _core, live, nd


@pytest.fixture
def shell() -> Shell:
    return Shell()


def held(namespace):
    return {h.names: h.bytes for h in live.memory(namespace).held if h.pooled}


def test_views_share_a_block_and_bytes_are_the_pools():
    before = _core.pool_stats()["used"]
    x = nd.ones((100, 10))
    names = {"x": x, "part": x[2:4], "_": x, "n": 3, "empty": None}
    found = live.memory(names)
    assert held(names) == {("part", "x", "_"): 4032}  # rounded up to 64
    (pool,) = (p for p in found.pools if p.device.startswith("cpu"))
    assert pool.used - before == 4032
    assert found.by_no_name(pool) == before
    assert "part, x, _" in str(found)


def test_what_no_name_holds_is_told_apart():
    attribute = nd.ones((1000, 10))
    found = live.memory({})
    assert found.held == []
    assert found.by_no_name(found.pools[0]) == found.pools[0].used >= attribute.size * 4
    assert "held by no name" in str(found)


def test_lists_and_dicts_are_looked_into():
    a, b, c = nd.ones(64), nd.ones(128), nd.ones(256)
    names = {"xs": [1, a], "of": {"b": b, 2: b}, "deep": ([c],)}
    assert held(names) == {("of['b']", "of[2]"): 512, ("xs[1]",): 256}


def test_a_net_its_gradients_and_its_trainer(shell):
    shell.run(
        SETUP + MLP + "trainer = gluon.Trainer(net.collect_params(), 'sgd', {'momentum': 0.9})\n"
        "with autograd.record():\n    loss = loss_of(net(x), label)\n"
        "loss.backward()\ntrainer.step(3)\nlater = gluon.nn.Dense(3)\nlater.initialize()"
    )
    names = {name for h in live.memory(shell.ns).held for name in h.names}
    weight = shell.ns["net"][0].weight.name
    assert {
        f"net: {weight}",
        f"gradient of net: {weight}",
        f"trainer: state of {weight}",
        "x",
        "loss",
    } <= names
    assert not [name for name in names if "later" in name and "weight" in name]


def test_arrays_that_numpy_cells_computed(shell):
    shell.run("import numpy as np\na = np.ones((300, 300))")
    shell.hybridize("b = np.exp(a) @ a", "--view none --force")
    shell.run("c = b.T\nd = b * 2")
    found = {name: h for h in live.memory(shell.ns).held for name in h.names}
    assert found["b"] is found["c"]
    assert found["b"].bytes == 720_000
    assert not {"a", "d"} & set(found)  # NumPy's own
    gc.collect()
    before = _core.pool_stats()["used"]
    shell.run("del b, c")
    gc.collect()
    assert before - _core.pool_stats()["used"] == 720_000


def test_memory_that_is_numpys_is_told_apart():
    array = np.ones(1000)
    found = live.memory({"x": nd.from_numpy(array, zero_copy=True)})
    assert [(h.names, h.pooled) for h in found.held] == [(("x",), False)]
    assert "of NumPy's, shared by x" in str(found)


def test_a_deferred_value_is_not_computed(shell):
    shell.run(SETUP + "x = nd.ones((30, 40))")
    shell.hybridize("y = x * 2\nz = y + 1", "--view none")
    assert shell.ns["y"]._traced
    found = live.memory({"y": shell.ns["y"], "x": shell.ns["x"]})
    assert [h.names for h in found.held] == [("x",)]
    assert shell.ns["y"]._traced


def test_the_magic_tells(shell):
    shell.run("from jupyter_hybrid import nd\nweights = nd.ones((512, 512))")
    told = shell.run("%engine memory").out
    assert told.startswith("cpu: ")
    assert "1 MB  weights\n" in told


def test_a_virtual_gpu_is_called_so(shell):
    mx.virtual_gpus(1)
    shell.ns.update(x=nd.ones((200, 100), ctx=mx.gpu(0)))
    told = shell.run("%engine memory").out
    assert told.startswith("cpu: ") and "\ngpu(0), virtual: 78.1 KB in use, " in told
    mx.virtual_gpus(0)
