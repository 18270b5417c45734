"""Functions that are not rewritten (of plain cells) and memory they reach: order as written."""

from __future__ import annotations

import numpy as np
from cells import Shell, imperative

SETUP = """
import numpy as np

def reads(t):
    buf = np.zeros(3)
    y = buf + t
    buf[0] = 100
    return y

def writes(t):
    buf = np.zeros(3)
    buf += t
    buf[0] = 7
    return buf

def copies(t):
    buf = np.zeros(3)
    np.copyto(buf, t)
    buf[0] = 7
    return buf

def adds(t):
    buf = np.zeros(3)
    np.add.at(buf, [0, 1], t[:2])
    buf[0] = 7
    return buf

def outs(t):
    buf = np.zeros(3)
    np.add(t, 1, out=buf)
    return buf.sum() + buf[0], buf

def masks(t):
    mask = np.array([True, False, True])
    y = t * 1
    y[mask] = 5
    z = t * mask
    mask[:] = False
    return y, z

def gelu(t):
    return 0.5 * t * (1 + np.tanh(t))

class Model:
    def __init__(self):
        self.w, self.seen = np.ones(3), np.zeros(3)

    def total(self):
        return self.seen.sum()

    def see(self, t):
        self.seen += t
        self.seen[0] += 1
        return self.seen * 2

    def scale(self):
        self.w *= 2

    def __call__(self, t):
        return t * self.w

model = Model()
shared = [np.ones(3)]

def double(arrays):
    for a in arrays:
        a *= 2
"""


def run(cell: str) -> Shell:
    """Both ways: equal values of every name that the cell binds."""
    wanted, _ = imperative(SETUP + cell)
    shell = Shell()
    shell.run(SETUP)
    shell.hybridize(cell, "--view none")
    breaks = shell.report.graph_breaks
    shell.run("")
    for name, value in wanted.items():
        if isinstance(value, (np.ndarray, np.generic, tuple)):
            for want, got in zip(np.atleast_1d(value), np.atleast_1d(shell.ns[name]), strict=True):
                np.testing.assert_array_equal(np.asarray(got), want, err_msg=name)
    shell.breaks = [why for _, why in breaks]  # type: ignore[attr-defined]
    return shell


def test_buffers_of_a_helper():
    run(
        "x = np.arange(3.0) + 1\n"
        "a, b, c, d = reads(x), writes(x), copies(x), adds(x)\n"
        "e, f = outs(x)\n"
        "g, h = masks(x)\n"
    )


def test_memory_of_an_object():
    run(
        "x = np.arange(3.0) + 1\n"
        "model.seen += x\n"
        "a = model.total()\n"
        "b = model.see(x)\n"
        "c = model.seen + 0\n"
        "d = x * model.w\n"
        "model.scale()\n"
        "e = x * model.w\n"
    )


def test_memory_in_a_list():
    run("x = np.arange(3.0) + 1\na = x * shared[0]\ndouble(shared)\nb = x * shared[0]\n")


def test_helpers_that_write_nothing_stay_in_the_graph():
    shell = run("x = np.arange(3.0) + 1\ny = x * model.w\nz = gelu(y) + model(x)\n")
    assert not shell.breaks


def test_linspace_between_computed_ends():
    run("x = np.arange(3.0) + 1\ny = np.linspace(x[0] * 2, x[1] * 3, 5)\n")


def test_a_window_computed_with_its_base_reads_nothing_more():
    shell = Shell()
    shell.run(
        "from jupyter_hybrid import nd\n"
        "def scaled(v, k):\n"
        "    w = v * k\n"
        "    w += 1\n"
        "    return w\n"
        "a = nd.arange(4)\n"
        "b = nd.arange(4) - 1.5\n"
        "d = nd.array([-2, -1, 0, 1], dtype='int32')\n"
    )
    shell.hybridize(
        "v1 = d[0:1]\n"
        "v2 = v1[0:1]\n"
        "if int(v1.asnumpy().sum()) > 0:\n"
        "    b[0] = 0.5\n"
        "v3 = scaled(a, 0.5)\n"
        "for i in range(9):\n"
        "    b = b + (b + b)\n"
        "a[0] = 0.5\n",
        "--force",
    )
    assert shell.ns["b"].asnumpy().tolist() == [v * 3**9 for v in (-1.5, -0.5, 0.5, 1.5)]
    assert shell.ns["a"].asnumpy().tolist() == [0.5, 1, 2, 3]
    assert shell.ns["v2"].asnumpy().tolist() == [-2]
    assert shell.ns["v3"].asnumpy().tolist() == [1, 1.5, 2, 2.5]
