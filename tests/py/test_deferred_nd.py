"""Deferred nd values: they wait, and are computed just before an input of theirs is overwritten."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from cells import Shell

CELL = "c = b * a\nd = c + 1\n"


@pytest.fixture
def shell() -> Shell:
    made = Shell()
    made.run(
        "import jupyter_hybrid as mx\nfrom jupyter_hybrid import nd, autograd\n"
        "a, b = nd.array([1.0, 2.0]), nd.array([3.0, 4.0])"
    )
    return made


def test_a_consumed_value_of_nd_inputs_is_deferred_and_priced(shell):
    shell.hybridize(CELL)
    assert [name for name, _ in shell.report.deferred] == ["c"]
    assert len(shell.report.kernels) == 1
    np.testing.assert_array_equal(shell.ns["d"].asnumpy(), [4, 9])
    np.testing.assert_array_equal(shell.ns["c"].asnumpy(), [3, 8])


WRITES = {
    "in place": "a += 100",
    "element": "a[0] = 100",
    "slice": "a[:] = 7",
    "a view": "v = a[0:1]\nv[:] = 7",
    "out=": "nd.add(b, b, out=a)",
    "copyto": "b.copyto(a)",
    "gradient": (
        "x = nd.array([1.0, 2.0])\nx.attach_grad(grad_req='write')\na2 = x\n"
        "with autograd.record():\n    y = (x * x).sum()\ny.backward()"
    ),
    "an optimizer": "nd.sgd_update(a, b, lr=0.5, out=a)",
    "a donation": "%%hybridize --donate a\nz = a + 1",
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_write_to_an_input_computes_it_first(shell, write):
    shell.hybridize(CELL)
    shell.run(write)
    np.testing.assert_array_equal(shell.ns["c"].asnumpy(), [3, 8])
    np.testing.assert_array_equal(shell.ns["d"].asnumpy(), [4, 9])


def test_a_gradient_buffer_as_input(shell):
    shell.run(
        "x = nd.array([1.0, 2.0])\nx.attach_grad()\n"
        "with autograd.record():\n    y = (x * x).sum()\ny.backward()\ng = x.grad"
    )
    shell.hybridize("c = g * 2\nd = c + 1\n")
    assert [name for name, _ in shell.report.deferred] == ["c"]
    shell.run("with autograd.record():\n    y = (x * 10).sum()\ny.backward()")
    np.testing.assert_array_equal(shell.ns["g"].asnumpy(), [10, 10])
    np.testing.assert_array_equal(shell.ns["c"].asnumpy(), [4, 8])


def test_numpys_memory_is_not_waited_for(shell):
    shell.run("import numpy as np\nraw = np.ones(3, 'float32')\na = nd.from_numpy(raw)")
    shell.hybridize("c = a * 2\nd = c + 1\n")
    assert shell.report.deferred == []
    shell.run("raw.flags.writeable = True  # from_numpy() took it\nraw[:] = 50")
    np.testing.assert_array_equal(shell.ns["c"].asnumpy(), [2, 2, 2])


@pytest.mark.parametrize("options", ["", "--out d"])
def test_cells_run_again_and_again_keep_nothing(shell, options):
    from jupyter_hybrid import _core

    source = "import numpy as np\na = np.ones(10)\nb = np.ones(10) * 2\nc = b * a\nd = c + 1\n"
    counts = []
    for _ in range(4):
        for _ in range(5):
            shell.hybridize(source, options)
        gc.collect()
        counts.append(len(_core.live_traced()))
    assert counts[0] == counts[-1]


@pytest.mark.parametrize("hybrid", [False, True])
def test_a_broadcast_result_has_memory_of_its_own(shell, hybrid):
    shell.run("v = nd.array([1.0])")
    source = "y = nd.broadcast_to(v, shape=(3,))\nz = nd.zeros((3,))\nz[:] = v\n"
    (shell.hybridize if hybrid else shell.run)(source)
    for name in ("y", "z"):
        array = shell.ns[name]
        array[0] = 5
        np.testing.assert_array_equal(array.asnumpy(), [5, 1, 1])
    np.testing.assert_array_equal(shell.ns["v"].asnumpy(), [1])


def test_training_in_a_cell_gives_the_imperative_weights(shell):
    source = (
        "from jupyter_hybrid import gluon\nfrom jupyter_hybrid.gluon import nn\n"
        "mx.random.seed(1)\nnet = nn.Dense(2)\nnet.initialize()\n"
        "trainer = gluon.Trainer(net.collect_params(), 'sgd', "
        "{'learning_rate': 0.1, 'momentum': 0.9})\n"
        "x, t = nd.random.normal(shape=(8, 3)), nd.random.normal(shape=(8, 2))\n"
        "for i in range(3):\n    with autograd.record():\n"
        "        loss = gluon.loss.L2Loss()(net(x), t)\n    loss.backward()\n    trainer.step(8)\n"
        "weights = [p.data().asnumpy() for p in net.collect_params().values()]\n"
    )
    shell.run(source)
    expected = shell.ns["weights"]
    shell.hybridize(source)
    for got, want in zip(shell.ns["weights"], expected, strict=True):
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("make", ["nd.zeros((1,)", "nd.random.uniform(shape=(1,)", "nd.arange(3"])
def test_a_device_that_is_not_there_is_an_error_at_its_line(shell, make):
    cell = f"""
try:
    device = mx.gpu(60)
    {make}, ctx=device)
except mx.MXNetError as error:
    device, why = mx.cpu(), str(error)
x = nd.ones((2,), ctx=device) * 2
"""
    shell.run(cell)
    wanted = shell.ns["why"]
    shell.hybridize(cell)
    assert shell.ns["why"] == wanted and "gpu(60) does not exist" in wanted
    assert shell.ns["x"].asnumpy().tolist() == [2, 2]
