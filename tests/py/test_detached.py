"""Cells in which arrays share memory and have gradients, or don't: as without a cell."""

from __future__ import annotations

import pytest
from cells import Shell, imperative

START = """
from jupyter_hybrid import autograd, nd, sym, cpu
import numpy as np
a = nd.array([[0.3, -0.2, 0.5], [0.1, 0.7, -0.4]])
b = nd.array([[1.5, 0.5, -1.0], [0.25, -0.75, 2.0]])
w = nd.array([[0.2, 0.4, -0.6], [0.8, -1.0, 1.2]])
v = nd.array([[1.0, -2.0, 3.0], [0.5, 0.4, 0.3]])
w.attach_grad()
v.attach_grad()
out = []
"""
STEP = "with autograd.record():\n    l = (%s).sum()\nl.backward()\nout += [l, w.grad.copy()]\n"
PROGRAMS = {
    "the whole of a variable": ["x = w[0:2]", STEP % "w * x * 7"],
    "the whole in one cell": ["x = w[:, 0:3]\n" + STEP % "w * x"],
    "it gets a gradient": ["x = w[0:2]", "x.attach_grad()\n" + STEP % "x * x + w * 5"],
    "a batch of all": ["for i in range(0, 2, 2):\n    y = w[i:i + 2]\n" + STEP % "y * w"],
    "a detached alias of what is written": ["x = w.detach()", "w -= 0.5\n" + STEP % "w * x"],
    "steps with it": ["x = w.detach()", f"for i in range(3):\n    w -= 0.1\n{STEP % 'w * x'}"],
    "all in a cell": ["x = a * 1\nx.attach_grad()\ny = x.detach()\nx += 1\nout = [y * 1]"],
    "the alias is written": ["x = a * 1\nx.attach_grad()\ny = x.detach()\ny -= 1\nout = [x * 1]"],
    "a window of it": ["x = a * 1\nx.attach_grad()\ny = x.detach()[0:1]\nx += 1\nout += [y * 1]"],
    "executors": [
        "e = (sym.var('x') * 2).simple_bind(cpu(), x=(1, 2))\ne.arg_dict['x'][:] = 5\n"
        "y = e.forward(is_train=True)[0]\ne.backward(nd.ones((1, 2)))\n"
        "out += [y, e.grad_dict['x'].copy()]"
    ],
    "read before it is there": [
        f"w[:] = b\nwith autograd.record():\n    x = w.detach()\n{STEP % 'a * w + v * w'}"
        "with autograd.record():\n    s = b.asnumpy().sum()\n    l = (x * w + v * v).sum()\n"
        "out += [l]"
    ],
    "a window of a written variable": [
        f"x = w.reshape((2, 3))\n{STEP % 'w * w'}",
        "w[:] = w - 0.01 * w.grad\nx[:] = a\nx = w.reshape((2, 3))",
        "nd.tanh(w, out=x)\nout += [w * 1]",
    ],
}  # fmt: skip
REFUSED = {
    "a recorded array": ["with autograd.record():\n    x = a * w\nx[1] = 0.5", STEP % "x * w"],
    "a recorded window": ["with autograd.record():\n    x = w[0:2]", "w += v\n" + STEP % "x * w"],
    "of a window": ["with autograd.record():\n    x = w.reshape((2, 3))\nx *= b", STEP % "x * w"],
}


def values(names: dict) -> list:
    arrays = [*(names[n] for n in "abwv"), *names["out"]]
    return [
        [x.asnumpy().round(5).tolist() for x in arrays],
        names["w"].grad.asnumpy().round(5).tolist(),
    ]


@pytest.mark.parametrize("options", ["", "--force"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_as_without_a_cell(name: str, options: str) -> None:
    cells = PROGRAMS[name]
    plain = imperative("\n".join([START, *cells]))[0]
    shell = Shell()
    for run in range(3):
        shell.run(START)
        for cell in cells:
            shell.hybridize(cell, f"--view none {options}")
        assert values(shell.ns) == values(plain), run


@pytest.mark.parametrize("name", REFUSED)
def test_what_needs_an_overwritten_array_is_refused(name: str) -> None:
    shell = Shell()
    shell.run(START)
    *first, last = REFUSED[name]
    for cell in first:
        shell.hybridize(cell, "--force --view none")
    error = shell.hybridize(last, "--force --view none", fails=True).error
    assert "overwritten" in str(error)
