"""Code that is nested more deeply than its readers may go: it runs as written, whole."""

from __future__ import annotations

import ast

import pytest
from cells import Shell

import jupyter_hybrid as mx
from jupyter_hybrid.capture.source.nodes import is_too_deep

SUM = "for i in range(300):\n    s = {}\n"
ELSE = "for i in range(300):\n    if i == 0: r = 0\n{}"


def nested(count: int) -> dict[str, str]:
    """Cells with so many nodes in each other, at least."""
    branches = [f"    elif i == {k}: r = {k}\n" for k in range(1, count)]
    return {
        "sum": SUM.format(" + ".join(["i"] * count)),
        "branches": ELSE.format("".join(branches)),
        "calls": "d = 'a'\nfor i in range(9):\n    q = d" + ".strip()" * (count // 2),
        "function": "def f(i):\n    if i == 0: return 0\n" + "".join(branches) + "s = f(3)",
    }


@pytest.mark.parametrize("mode", ["auto", "symbolic"])
@pytest.mark.parametrize("count", [60, 110, 150, 240, 480])
def test_deep_cells_run_whole(mode, count):
    shell = Shell()
    shell.run(f"done = []\n%hybrid mode {mode}")
    try:
        for name, text in nested(count).items():
            for _ in range(7):
                shell.ns["done"].clear()
                shell.run(f"done.append(1)\n{text}\ndone.append(2)")
                assert shell.ns["done"] == [1, 2], name
    finally:
        shell.run("%hybrid mode imperative")


def test_a_deep_cell_says_why_it_is_not_recorded(shell):
    shell.hybridize("y = " + " + ".join(["x"] * 300))
    assert mx.report().mode == "imperative"
    assert "nested too deeply to be read: it ran imperatively" in repr(mx.report())
    error = shell.hybridize("y = " + " + ".join(["x"] * 300), "--compare", fails=True).error
    assert "nested too deeply" in str(error)


def test_a_deep_function_is_called_as_it_is(shell):
    chain = " + ".join(["v"] * 400)
    shell.run(f"def f(v):\n    return {chain}\n")
    shell.hybridize("y = f(x)\ns = 0.0\nfor i in range(500):\n    s += f(i)")
    assert shell.ns["s"] == 400.0 * sum(range(500)) and (shell.ns["y"] == 400).all()


def test_the_room_is_what_the_stack_has_left():
    tree = ast.parse(" + ".join(["x"] * 60))
    assert not is_too_deep(tree)

    def deeper(levels: int) -> bool:
        return is_too_deep(tree) if levels == 0 else deeper(levels - 1)

    assert deeper(700)


@pytest.fixture
def shell() -> Shell:
    made = Shell()
    made.run("import numpy as np\nx = np.ones(3)")
    return made
