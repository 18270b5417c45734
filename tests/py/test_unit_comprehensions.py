"""List comprehensions and what sum() and the like go through, where nothing is recorded."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from typing import Any

import pytest
from cells import Shell, imperative

from jupyter_hybrid.capture.source import compiled
from jupyter_hybrid.capture.source.loops import may_try
from jupyter_hybrid.capture.source.with_units import as_loop, with_units

SETUP = "import numpy as np\nx = np.arange(40.0) - 20\nv = [0.5 * k for k in range(40)]\nq = 3\n"


@pytest.fixture
def shell() -> Iterator[Shell]:
    made = Shell()
    made.run(SETUP)
    made.run("%hybrid mode auto")
    yield made
    made.run("%hybrid mode imperative")


def agree(shell: Shell, body: str) -> None:
    wanted = imperative(SETUP + body)[0]
    shell.run(body)
    for name in ("h", "k", "q", "x", "v"):
        one, other = shell.ns.get(name), wanted.get(name)
        assert type(one) is type(other) and repr(one) == repr(other)
        if isinstance(one, (list, tuple)):
            assert list(map(type, one)) == list(map(type, other))


@pytest.mark.parametrize(
    "body",
    [
        "h = [k * k + q for k in range(40)]\n",
        "h = [k * q for k in x if k > 0]\n",
        "h = [a * b for a in range(40) for b in range(a)]\n",
        "def f(k):\n    return k % 3\nh = [f(q) + f(k) for k in range(40)]\n",
        "h = sum(k * k for k in range(40)), max(k % 7 for k in range(40)), min(-k for k in v)\n",
        "h = sorted(-(k % 7) for k in range(40))\nq = tuple(k + 1 for k in range(40))\n",
        "h = [x * k for k in range(40)]\n",
        "h = [q + 0 for q in range(40)]\n",
        "def g(n):\n    return [[a * b for a in range(40)] for b in range(n)]\nh = g(5)\n",
        "def g(n):\n    z = 2\n    return [z * k + n for k in range(40)]\nh = g(5)\n",
    ],
)
def test_they_run_compiled(shell, steps, body):
    agree(shell, body)
    assert sum(steps) >= 36


@pytest.mark.parametrize(
    "body",
    [
        "h = [k for k in v]\nq = h[3] is v[3]\n",
        "h = [str(k) for k in range(9)]\n",
        "h = [[a * b for a in range(4)] for b in range(4)]\n",
        "h = [(k, k + 1) for k in range(9)]\nq = [w := k + 1 for k in range(9)]\n",
        "h = [1 / k if k else 'none' for k in x]\n",
        "class A:\n    z = 4\n    h = [k + 1 for k in range(z)]\nh = A.h\n",
        "def sum(g):\n    return type(g).__name__\nh = sum(k + 1 for k in range(40))\n",
        "h = [q * i + w for i, w in zip(range(3), x)]\n",
        "h = any(k > 3 for k in range(40)), sum((k + 1 for k in range(9)), 5)\n",
        "def g():\n    yield from range(9)\nh = [k + 1 for k in g()]\n",
        "class S:\n    __hash__ = None\n    def __eq__(s, o):\n        raise KeyError\n"
        "    def __call__(s, g):\n        return 1\nsum = S()\n"
        "h = sum(k * 2 for k in range(9))\ndel sum\n",
        "def f():\n    d = locals()\n    z = 1\n    y = [k * 2 for k in range(9)]\n"
        "    for i in range(9):\n        z += i\n    return sorted(d)\nh = f()\n",
        "try:\n    h = [k + 1 for k in np.array(3)]\nexcept TypeError as e:\n    h = str(e)\n",
        "try:\n    h = [v[k] for k in range(2**63)]\nexcept IndexError as e:\n    h = str(e)\n",
        "h = [k + 1 for k in iter(v)]\nq = list(zip(v, [k * 2 for k in v]))\n",
    ],
)
def test_others_are_pythons(shell, body):
    agree(shell, body)


@pytest.mark.parametrize("given", ["sum(f(k) for k in x)", "max(f(k) for k in range(40))"])
@pytest.mark.parametrize("result", ["(q, 1)", "x[:2] * q"])
def test_who_fails_early_leaves_the_rest(shell, steps, given, result):
    f = f"def f(k):\n    v[int(k)] += 1.5\n    return {result}\n"
    agree(shell, f"{f}try:\n    h = {given}\nexcept (TypeError, ValueError) as e:\n    h = 1\n")


def test_what_a_unit_leaves_is_taken_as_written(shell, steps):
    agree(
        shell, "w = [1, 2, 3, 0.5, 'a'] * 3\nh = [k * 2 for k in range(9)] + [k * 2 for k in w]\n"
    )
    agree(shell, "h = [k ** 30 for k in range(40)]\n")  # beyond 64 bits
    assert 0 < sum(steps) < 80


@pytest.mark.parametrize("hot_s", [0.0, 1e9])
@pytest.mark.parametrize(
    "body", ["h = [1 // (5 - k) for k in range(9)]\n", "h = sum(v[k] for k in range(99))\n"]
)
def test_an_error_is_pythons(shell, monkeypatch, steps, hot_s, body):
    monkeypatch.setattr(compiled, "HOT_S", hot_s)
    names: dict[str, Any] = {}
    exec(SETUP, names)
    with pytest.raises((ZeroDivisionError, IndexError)) as wanted:
        exec(compile(body, "<plain>", "exec"), names)
    found = shell.run(body, fails=True).error
    assert (type(found), str(found)) == (wanted.type, str(wanted.value))
    places = [
        [f.name for f in traceback.extract_tb(e.__traceback__) if "/" not in f.filename]
        for e in (wanted.value, found)
    ]
    assert [n for n in places[1] if n != "<module>"] == [n for n in places[0] if n != "<module>"]


def test_small_ones_are_left_alone(shell, monkeypatch):
    monkeypatch.setattr(compiled, "HOT_S", 1e9)
    before = len(may_try)
    body = "h = 0\nfor n in range(40):\n    h += sum([k + n for k in (1, 2)])\n"
    agree(shell, body + "    h += sum(k[0] * n for k in zip(v, v))\n")
    tried = may_try[before:]
    assert tried.count(False) >= 2


def test_names_of_a_comprehension_are_its_own():
    import ast

    node: Any = ast.parse("[x + y for x in x if x]").body[0]
    loop = as_loop(node.value)
    assert loop is not None
    assert ast.unparse(loop.target) == "<x>" and "y" in ast.unparse(loop)
    text = ast.unparse(with_units(ast.parse("h = [k + 1 for k in s]"), "<cell>"))
    assert text.count("[k + 1 for k in") == 2  # with hooks, and without
