"""Units over names that hold tuples and dicts, and over indices of several arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cells import Shell, imperative

SETUP = """
import numpy as np
x = np.arange(30.0).reshape(5, 6) % 7
y = np.array([3, 0, 2, 4, 1])
w, p, m, seen, r = np.ones(3), (1, 2.5), {'a': 1, 'w': None}, [], 0
def add(q, by=1):
    return q[0] + q[1] * by
"""


@pytest.fixture
def shell(auto_shell: Shell) -> Shell:
    return auto_shell


def state(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return type(value), [state(v) for v in value]
    if isinstance(value, dict):
        return [(k, state(v)) for k, v in value.items()]
    return type(value), repr(value), getattr(value, "strides", None)


def agree(shell: Shell, body: str) -> None:
    wanted = imperative(SETUP + body)[0]
    shell.run(SETUP)
    shell.run(body)
    for name in ("x", "y", "w", "p", "m", "r", "t", "seen"):
        assert state(shell.ns.pop(name, None)) == state(wanted.get(name)), name


COMPILED = [
    "for i in range(5):\n    p = i, i * 0.5\n    r += p[0] + p[1]\n",
    "for i in range(5):\n    t = i, y[i]\n    x[t] = x[t] + 1\n    r += x[t]\n",
    "for i in range(5):\n    p = (i, r)\n    a, b = p\n    r = b - a\n",
    "for i in range(5):\n    if i > 2:\n        p = i, w\n    w = w + i\n",
    "for i in range(5):\n    w = w * 2\n    m = {'a': i, 'w': w}\n    r += m['a']\n",
    "for i in range(5):\n    p = p[1], p[0]\n    r += p[0] * i\n",
    "for i in range(5):\n    p = i, 2\n    r += add(p, 3) + add((i, r))\n",
    "for i in range(5):\n    m = {'w': w, 'r': r}\n    r = m['r'] + i\n    w += 1\n",
    "for i in range(9):\n    x[range(5), y] -= i\n    r += x[range(5), y].sum()\n",
    "for i in range(9):\n    x[np.arange(5), y] = i\n    r = r + x[np.arange(5), y]\n",
    "for i in range(9):\n    x[y[:1], y[:1]] *= 2\n    r = r + x[y[1:3], 1:4]\n",
    "for i in range(5):\n    x[x[:, 0] > i, 1] = i\n    r += x[y > i, i].sum()\n",
    "for i in range(5):\n    x[[0, 2]] += 1\n    x[[1, 3], i] = -i\n    r += x[i, [1, 2]].sum()\n",
]
LEFT = [
    "for i in range(5):\n    x[y][0] -= x[y][1]\n    r = r + x[y][i % 5]\n",
    "for i in range(5):\n    x[y > 1][0] += i\n    x[y - 1][0] = 5\n",
    "for i in range(9):\n    x[:, y[:3]] *= 2\n    r = x[1:3, y].copy()\n",
    "for i in range(5):\n    p = i, i\n    seen.append(p)\n",
    "for i in range(5):\n    p = i, i\n    r += len(p)\n",
    "for i in range(5):\n    p = (i, i) if i else (1, 2, 3)\n    r += p[0]\n",
    "for i in range(5):\n    m = {'a': i}\n    m['b'] = 2\n    r += m['a']\n",
    "for i in range(5):\n    m = {'a': i, 'a': 2}\n    r += m['a']\n",
    "for i in range(5):\n    q = p\n    p = i, i\n    r += q[0]\n",
    "for i in range(5):\n    x[[0.5, 1]] = 2\n",
    "for i in range(5):\n    r += x[range(5), y[:3]].sum()\n",
]


@pytest.mark.parametrize("body", COMPILED)
def test_what_runs_compiled(shell: Shell, steps: list[int], body: str) -> None:
    agree(shell, body)
    assert sum(steps) > 0


@pytest.mark.parametrize("body", COMPILED)
def test_the_same_checked(shell: Shell, body: str) -> None:
    agree(shell, body)


@pytest.mark.parametrize("body", LEFT)
def test_what_is_pythons(shell: Shell, body: str) -> None:
    try:
        imperative(SETUP + body)
    except (IndexError, ValueError) as error:
        shell.run(SETUP)
        assert str(shell.run(body, fails=True).error) == str(error)
    else:
        agree(shell, body)


def test_what_is_made_is_new_and_holds_the_arrays(shell: Shell, steps: list[int]) -> None:
    shell.run(SETUP + "old, kept = m, p\nm = {'w': w, 'r': r}\nsame = m\n")
    shell.run("for i in range(9):\n    w = w + 1\n    m = {'w': w, 'r': r}\n    p = (w, 2)")
    ns = shell.ns
    assert ns["m"] is not ns["same"] and ns["m"]["w"] is ns["w"] is ns["p"][0]
    assert ns["kept"] == (1, 2.5) and np.array_equal(ns["w"], [10.0, 10, 10])
    shell.run("for i in range(9):\n    if i > 99:\n        m = {'w': w, 'r': r}\n    r += i")
    assert ns["m"]["w"] is ns["w"] and sum(steps) > 9
