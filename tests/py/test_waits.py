"""``%engine report``: which lines waited, for which operators of which lines."""

from __future__ import annotations

import pytest
from cells import Shell

from jupyter_hybrid import engine, live, nd

CELL = "x = nd.ones(8)\ny = nd.exp(x)\nz = nd.sqrt(x)\nfor _ in range(3):\n    w = y.asnumpy()"


@pytest.fixture
def shell(queueing: Shell) -> Shell:
    return queueing


def test_a_wait_names_its_line_the_operator_and_the_line_that_pushed_it(shell):
    with engine.using(slow=0.05):
        shell.run(CELL)
        shell.run("nd.waitall()")
    nd.waitall()
    shell.run(CELL)  # whose waits are short
    with engine.using(slow=0.05):
        shell.run(CELL)
        told = shell.run("%engine report").out
        assert shell.run("%engine report").out == told  # who looks is not the last cell
    first, second, *rest = told.splitlines()
    assert first.startswith("since the last cell began ") and first.endswith(
        " were waited for the engine"
    )
    assert "line 5, `w = y.asnumpy()`, waited " in second
    assert " for `exp` pushed at " in second and second.endswith("line 2, `y = nd.exp(x)`")
    assert not rest


def test_a_wait_for_everything_names_no_operator(shell):
    with engine.using(slow=0.05):
        shell.run("x = nd.exp(nd.ones(8))\nnd.waitall()")
        told = shell.run("%engine report").out
    assert "line 2, `nd.waitall()`, waited " in told and told.endswith(" for what was queued\n")


def test_that_nothing_waited_is_said(shell):
    shell.run("a = 1")
    told = shell.run("%engine report").out
    assert told == "since the last cell began nothing has waited for the engine\n"
    assert live.report(0.0).startswith("since the last cell began ")
