"""Cells that write nd arrays of earlier cells, run again: the writes are done each time."""

from __future__ import annotations

import pytest
from cells import Shell, imperative

START = """
from jupyter_hybrid import autograd, nd
import numpy as np
a = nd.arange(9).reshape((3, 3))
b = nd.ones((3, 3))
c = nd.array(np.eye(3) * 2)
d = a * 0.1
e = v = None
"""
HELD = {
    "by a name": "",
    "by a list and a dict": "r, g = [c], {'c': c}\n",
    "by a view": "v = c[1]\n",
}
WRITES = [
    "c[:] = d", "c[:] = d + 0", "c[:] = a.T", "c[:] = d\ne = c * 2", "c[:] = d\nd[:] = b",
    "c[0] = 5", "c[:] = 3", "c += 1", "c *= d", "c[:] += 1", "c[:, 1] = d[0]", "x = c\nx[:] = d",
    "nd.sin(d, out=c)", "d.copyto(c)", "e = c * 2\nc[:] = e", "c[:] = np.ones((3, 3)) * 7",
]  # fmt: skip
VIEWS = [
    "e = c.reshape((9,))", "e = c[1]", "e = c[0:2]", "e = c[1]\nx = e * 2",
    "e = c.reshape((3, 3))\na.attach_grad()\nwith autograd.record():\n    l = (a * e).sum()\n"
    "l.backward()",
]  # fmt: skip
AFTER = ["c[:] = b * 7", "c += 7", "n = c.asnumpy()\nn[0] = 7\nc[:] = n", "e[:] = 5\ns = c.sum()"]


def values(names: dict) -> dict:
    return {n: names[n].asnumpy().tolist() for n in "abcdev" if names[n] is not None}


def check(cells: list[str], start: str, options: str) -> None:
    plain = imperative("\n".join([start, *cells]))[0]
    shell = Shell()
    for run in range(3):
        shell.run(start)
        for cell in cells:
            shell.hybridize(cell, f"--view none {options}")
        assert values(shell.ns) == values(plain), run


@pytest.mark.parametrize("options", ["", "--force"])
@pytest.mark.parametrize("held", HELD)
def test_what_was_there_is_written_each_time(held: str, options: str) -> None:
    for cell in WRITES:
        check([cell], START + HELD[held], options)


@pytest.mark.parametrize("options", ["", "--force"])
@pytest.mark.parametrize("view", VIEWS)
def test_views_of_an_earlier_cell_share_memory_each_time(view: str, options: str) -> None:
    for after in AFTER:
        check([view, after], START, options)


def test_a_view_that_gets_a_gradient_still_shares_memory() -> None:
    view = (
        "e = c.reshape((3, 3))\ne.attach_grad()\nwith autograd.record():\n    l = (e * a).sum()\n"
    )
    check([view + "l.backward()", "c[:] = b * 7"], START, "")


def test_a_recorded_array_that_was_overwritten_is_recorded_again() -> None:
    """The tape goes on from it with the new contents, as it does without a cell."""
    recorded = "a.attach_grad()\nwith autograd.record():\n    e = a * 2\n"
    again = (
        "v = e[1]\ne[:] = 1.5\nwith autograd.record():\n    b = nd.relu(e) + a\n    l = b.sum()\n"
        "l.backward()\nd = a.grad"
    )
    check([recorded, again], START, "--force")


def test_a_picture_names_what_is_written() -> None:
    shell = Shell()
    shell.run(
        START + "from jupyter_hybrid import gluon\np = gluon.Parameter('p', shape=(3, 3))\n"
        "p.initialize()\ntrainer = gluon.Trainer([p], 'sgd', {'momentum': 0.9})"
    )
    step = "with autograd.record():\n    l = (p.data() * a).sum()\nl.backward()\ntrainer.step(1)"
    shell.hybridize(step, "--force --view none")
    lines = str(shell.report.segments[0].graph).splitlines()
    written = [line.split(" = ")[0] for line in lines if " = identity(" in line]
    assert any(name.startswith("p_state0_") for name in written), lines
    assert not [name for name in written if name.startswith("_output")]
