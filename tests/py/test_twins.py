"""Functions of plain cells are entered as twins: recorded, and as Python has them otherwise."""

from __future__ import annotations

import numpy as np
import pytest
from cells import Shell


@pytest.fixture
def shell():
    shell = Shell()
    shell.run("import numpy as np\nx = np.arange(4.0)")
    return shell


def whole(shell: Shell, body: str) -> None:
    shell.hybridize(body, "--view none --force")
    report = shell.report
    shell.run("")
    assert not report.graph_breaks
    assert any(node.kind == "op" for s in report.segments for node in s.graph.nodes)


def test_a_function_is_recorded_and_keeps_its_code(shell):
    shell.run("def f(a, k=2):\n    b = a * k\n    b[0] = 7\n    return b")
    code = shell.ns["f"].__code__
    whole(shell, "y = f(x) + 1")
    assert shell.ns["f"].__code__ is code
    np.testing.assert_array_equal(shell.ns["y"], [8.0, 3.0, 5.0, 7.0])


def test_closures_methods_and_mangled_names(shell):
    shell.run(
        "def make(k):\n    def inner(a):\n        return a * k\n    return inner\n"
        "class Scale:\n    def __init__(self, k):\n        self.__k = k\n"
        "    def __call__(self, a):\n        self.__k += 1\n        return a * self.__k\n"
        "    def twice(self, a):\n        return self(self(a))\n"
        "class Sub(Scale):\n    def __init__(self):\n        super().__init__(2)\n"
        "g = make(3)"
    )
    whole(shell, "s = Sub()\ny = g(x) + s.twice(x)")
    np.testing.assert_array_equal(shell.ns["y"], np.arange(4.0) * (3 + 3 * 4))
    assert vars(shell.ns["s"]) == {"_Scale__k": 4}


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        ("f.__defaults__ = (5,)", 5.0),
        ("f.__code__ = (lambda a, k: a * k * 10).__code__", 20.0),
        ("def f(a, k=7): return a * k", 7.0),
    ],
)
def test_a_function_that_changes(shell, change, wanted):
    shell.run("def f(a, k=2): return a * k")
    shell.hybridize("y = f(x)", "--view none")
    shell.run(change)
    shell.hybridize("y = f(x)", "--view none")
    np.testing.assert_array_equal(shell.ns["y"], np.arange(4.0) * wanted)


def test_an_init_that_returns_something(shell):
    shell.run("class Wrong:\n    def __init__(self, a):\n        return a * 2")
    error = shell.hybridize("w = Wrong(x)", "--view none", fails=True).error
    assert isinstance(error, TypeError)
    assert str(error) == "__init__() should return None, not 'ndarray'"


def test_unseen_functions_get_real_arrays(shell):
    shell.run(
        "kinds = []\ndef gen(a):\n    kinds.append(type(a))\n    yield a\n"
        "look = lambda a: kinds.append(type(a))"
    )
    shell.hybridize("y = x * 2\nlook(y)\nlist(gen(y + 1))", "--view none")
    assert shell.ns["kinds"] == [np.ndarray, np.ndarray]


def test_a_cell_under_a_trace_function_runs_as_written(shell):
    shell.run("import sys\nsys.setprofile(lambda *args: None)")
    try:
        shell.hybridize("y = x + 1", "--view none")
    finally:
        shell.run("sys.setprofile(None)")
    assert shell.report.mode == "imperative"
    assert "profiler" in str(shell.report)
