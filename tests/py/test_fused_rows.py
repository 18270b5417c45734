"""Kernels that end in a reduction of rows, and windows read in place: the same bits as apart."""

from __future__ import annotations

import numpy as np
import pytest
from cells import Shell

import jupyter_hybrid as mx


@pytest.fixture
def shell() -> Shell:
    shell = Shell()
    shell.run("import numpy as np\nfrom jupyter_hybrid import nd")
    return shell


SHAPES = [(64, 2), (100, 7), (1000, 8), (70, 4096), (3, 50, 16), (5, 40, 3, 4)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "prod"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_reduced_rows_have_the_bits_of_the_reduction_alone(shell, shape, name, dtype):
    rng = np.random.default_rng(len(shape))
    shell.ns.update(x=rng.normal(size=shape).astype(dtype), y=rng.normal(size=shape[-1:]))
    shell.ns["y"] = shell.ns["y"].astype(dtype)
    body = f"z = ((x - y) ** 2 * 0.5).{name}(axis=-1)\n"
    shell.hybridize(body, "--view none")
    (kernel,) = shell.report.kernels
    assert name in kernel.text and "square" in kernel.text
    together = shell.ns["z"].copy()
    shell.hybridize(body, "--no-fuse --view none")
    assert len(shell.report.kernels) > 1
    assert together.tobytes() == shell.ns["z"].tobytes()
    assert together.dtype == dtype


def test_keepdims_and_an_input_of_the_results_shape(shell):
    x, y = np.arange(512.0).reshape(64, 8), np.arange(64.0).reshape(64, 1)
    shell.ns.update(x=x, y=y)
    shell.hybridize("z = (x * y + 1).sum(axis=1, keepdims=True)\nw = (x + y[:8, 0]).max(axis=1)\n")
    np.testing.assert_array_equal(shell.ns["z"], (x * y + 1).sum(axis=1, keepdims=True))
    np.testing.assert_array_equal(shell.ns["w"], (x + y[:8, 0]).max(axis=1))


def test_a_donated_input_is_not_overwritten_row_by_row(shell):
    row = np.arange(64.0)
    shell.ns.update(row=row.copy(), x=np.ones((64, 64)))
    shell.hybridize("z = (x * row).sum(axis=1)\n", "--donate row")
    np.testing.assert_array_equal(shell.ns["z"], np.full(64, row.sum()))


def test_what_somebody_else_reads_is_not_taken_in(shell):
    shell.ns["x"] = np.ones((100, 8))
    shell.hybridize("y = x * 2\nz = y.sum(axis=1)\nw = y + 1\n", "--view none")
    np.testing.assert_array_equal(shell.ns["z"], np.full(100, 16.0))
    np.testing.assert_array_equal(shell.ns["w"], np.full((100, 8), 3.0))
    np.testing.assert_array_equal(np.asarray(shell.ns["y"]), np.full((100, 8), 2.0))


def test_what_is_reduced_is_never_stored(shell):
    shell.ns.update(p=np.ones((1000, 8)), c=np.ones((16, 8)))
    shell.hybridize("d = ((p[:, None, :] - c) ** 2).sum(axis=2)\n", "--view none")
    assert shell.report.bytes_planned == 1000 * 16 * 8
    assert len(shell.report.kernels) == 1
    for stage in shell.report.stages:
        np.testing.assert_array_equal(stage.run()["d"].asnumpy(), np.zeros((1000, 16)))


def test_nd_modes_agree_bit_for_bit(shell):
    mx.random.seed(4)
    shell.run("x = nd.random.normal(shape=(300, 33))\ny = nd.random.normal(shape=(33,))")
    body = (
        "z = nd.mean(nd.exp(x) * y.reshape((1, 33)) + 1, axis=1)\nw = nd.sum(x * x, axis=(0, 1))\n"
    )
    shell.run("%%imperative\n" + body)
    kept = [shell.ns[n].asnumpy().tobytes() for n in "zw"]
    shell.hybridize(body)
    assert [shell.ns[n].asnumpy().tobytes() for n in "zw"] == kept


@pytest.mark.parametrize("columns", [300, 1023, 3000])
def test_windows_with_long_rows(shell, columns):
    x = np.random.default_rng(columns).normal(size=(9, columns))
    shell.ns["x"] = x.copy()
    body = (
        "a = x[1:-1, 1:-1] * 2 + x[:-2, 1:-1] - x[2:, 1:-1] * x[1:-1, :-2]\n"
        "b = x[::2, 3:] + x[:5, 3:] * x[0, 3:]\nc = x[:, ::2] * 2 + x[:, 1:2]\n"
        "x[1:-1, 1:-1] = 0.25 * (x[:-2, 1:-1] + x[2:, 1:-1])\n"
    )
    plain = {"x": x}
    exec(body, plain)
    shell.hybridize(body, "--view none")
    for name in "abcx":
        np.testing.assert_array_equal(shell.ns[name], plain[name])


def test_long_chains_are_one_kernel_and_exact(shell):
    x = np.linspace(-1, 1, 5001)
    shell.ns["x"] = x
    body = "a = x\nfor i in range(30):\n    a = np.where(a * a + x > 2, x, a * a + x)\n"
    plain = {"x": x, "np": np}
    exec(body, plain)
    shell.hybridize(body, "--view none")
    assert len(shell.report.kernels) == 1
    np.testing.assert_array_equal(shell.ns["a"], plain["a"])


WRITES = {
    "a stencil": "u = x.copy()\nfor i in range(7):\n"
    "    u[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] "
    "+ u[1:-1, :-2] + u[1:-1, 2:])\n",
    "columns": "u = x + 0\nu[:, 3:] = u[:, 3:] * 2 + u[:, :-3]\n",
    "rows": "u = x + 0\nu[5:] = u[5:] * 2 + u[:-5]\nv = u[0] + 1\n",
    "an existing array": "x[1:, 1:] = x[1:, 1:] - x[:-1, :-1] * 0.5\ny = x * 2\n",
    "the old array is wanted too": "u = x + 0\nv = u * 1\nu[1:] = v[1:] * 3 + 1\nw = u + v\n",
    "steps": "u = x + 0\nu[::1, 1::2] = u[:, 1::2] * 2 + 1\n",
    "three axes": "u = x.reshape(10, 15, 140) * 1\n"
    "u[1:-1, 1:-1, 2:] = u[1:-1, 1:-1, 2:] * 2 + u[:-2, 2:, :-2]\n",
}


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("options", ["", "--no-plan", "--no-fuse"])
def test_results_written_into_a_window(shell, name, options):
    x = np.random.default_rng(3).normal(size=(150, 140))
    shell.ns["x"] = x.copy()
    plain = {"x": x}
    exec(WRITES[name], plain)
    shell.hybridize(WRITES[name], f"--view none {options}")
    for key in set("uvwxy") & plain.keys():
        np.testing.assert_array_equal(np.asarray(shell.ns[key]), plain[key])
    if name == "a stencil" and not options:
        texts = [k.text for k in shell.report.kernels]
        assert sum("slice_assign" in t and "mul_scalar" in t for t in texts) == 7
