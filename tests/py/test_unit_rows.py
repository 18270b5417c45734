"""Units over lists of lists, tuples, and lists that are given numbers of another kind."""

from __future__ import annotations

from typing import Any

import pytest
from cells import Shell, imperative

SETUP = (
    "import numpy as np\ng = [[i * j % 7 for i in range(5)] for j in range(4)]\n"
    "m = [[0.5 * i for i in range(3)] for _ in range(3)]\nw = [0] * 5\nr = g[1]\nt = (1, 2, 3)\n"
    "p = [(1.5, 2.0), (0.5, -1.0), (3.0, 3.0), (0.5, -1.0)]\n"
    "q = ((0, 1), (1, 0), (0, -1), (-1, 0))\n"
    "h = (w, [1, 2, 3, 4, 5])\n"
)


@pytest.fixture
def shell(auto_shell: Shell) -> Shell:
    return auto_shell


def typed(value: Any) -> Any:
    return [typed(v) for v in value] if isinstance(value, (list, tuple)) else (type(value), value)


def agree(shell: Shell, body: str) -> None:
    """The names and the rows are the same, and the same rows are the same objects."""
    wanted = imperative(SETUP + body)[0]
    shell.run(SETUP)
    rows = [*shell.ns["g"], *shell.ns["m"], shell.ns["w"]]
    kept = list(map(id, rows))
    shell.run(body)
    for name in "gmwrtskpqh":
        assert typed(shell.ns.get(name)) == typed(wanted.get(name))
        for number in range(len(wanted["g"])):
            for rows in "gpq":
                same = wanted.get(name) is wanted[rows][number]
                assert (shell.ns.get(name) is shell.ns[rows][number]) == same
    if "g[" not in body.replace("g[i][", ""):
        assert kept == list(map(id, [*shell.ns["g"], *shell.ns["m"], shell.ns["w"]]))


@pytest.mark.parametrize(
    "body",
    [
        "for i in range(4):\n    for j in range(5):\n        g[i][j] += g[i - 1][j - 1]\n",
        "s = 0\nfor row in g:\n    for v in row:\n        s += v\n",
        "s = 0.0\nfor i in range(3):\n    for j in range(3):\n        s += m[i][j] * m[j][i]\n",
        "for i, row in enumerate(g):\n    row[i] = -1\n    w[i] = len(row)\n",
        "for i in range(4):\n    r = g[i]\n    r[0] = 5\n    s = r[-1] + len(g) + len(g[0])\n",
        "for i in range(4):\n    r[i] += 1\n    g[1][i] *= 2\n    s = r[i]\n",
        "for i in range(4):\n    k, r = r, g[i]\n",
        "def f(n, i):\n    n[i][i] = 9\n    return n[i]\nfor i in range(4):\n    s = f(g, i)\n",
        "s = 0\nfor i in range(len(t)):\n    s += t[i] * t[-1]\n",
        "s = 0\nfor k in t:\n    s += k\n",
        "sh = np.zeros((3, 4)).shape\ns = 0\nfor i in range(sh[0]):\n    for j in range(sh[1]):\n"
        "        s += i * j\n",
        "for i in range(5):\n    w[i] = i * 0.5\n",
        "for i in range(3):\n    for j in range(3):\n        m[i][j] = i > j\n",
        "for i in range(5):\n    w[i] = 0.0\n    w[i] = 7\n",
        "s = 0.0\nfor x, y in p:\n    s += x * y\n",
        "s = 0\nfor i in range(4):\n    for x, y in q:\n        s += g[(i + x) % 4][(i + y) % 5]\n",
        "s = 0.0\nfor i in range(4):\n    for j in range(i):\n        s += p[i][0] - p[j][1]\n",
        "for k in p:\n    s = k[0]\n",
        "for i in range(4):\n    k = q[i]\n    r = k\n    s = len(k) + k[-1]\n",
        "s = 0\nfor (x, y), (dx, dy) in zip(p, q):\n    s += x * dx + y * dy\n",
        "for i in range(5):\n    h[1][i] += h[0][i] + i\n    h[0][i] = 2\n",
        "s = 0.0\nfor i in range(4):\n    s += sum(x * i for x, _ in p) + max(y for x, y in q)\n",
    ],
)
def test_they_run_compiled(shell, steps, body):
    agree(shell, body)
    assert sum(steps) > 2


@pytest.mark.parametrize(
    "body",
    [
        "for i in range(3):\n    g[i] = [1, 2]\n",  # another row
        "g[1] = g[0]\nfor i in range(2):\n    g[i][i] = 8\n",  # one row, twice
        "g[2] = [1]\nfor i in range(3):\n    g[i][0] = 8\n",  # of several lengths
        "k = [g[0], [1, 2, 3, 4, 5]]\nfor i in range(2):\n    k[i][1] = 3\n    g[i][0] = 4\n",
        "for i in range(5):\n    w[i] = w[i - 1] + 0.5\n",  # which it then reads
        "for i in range(2):\n    w[i] = 'a'\n",
        "for i in range(2):\n    w[i] = np.float64(2)\n",
        "for i in range(3):\n    s = g[i] == g[1]\n",
        "for i in range(2):\n    m[i][1:] = [1.5, 2.5]\n",
    ],
)
def test_others_are_pythons(shell, body):
    agree(shell, body)


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("for i in range(9):\n    g[i][0] = i\n", IndexError),
        ("for i in range(9):\n    g[0][i] = i\n", IndexError),
        ("for i in range(3):\n    g[i, 0] = 1\n", TypeError),
        ("for i in range(3):\n    t[i] = 1\n", TypeError),
        ("for i in range(3):\n    s = g[i][0.5]\n", TypeError),
        ("for i in range(3):\n    p[i][0] = 1\n", TypeError),
        ("for i in range(3):\n    s = q[i, 0]\n", TypeError),
        ("for i in range(3):\n    x, y, z = q[i]\n", ValueError),
        ("for i in range(3):\n    q[i] = (1, 2)\n", TypeError),
    ],
)
def test_errors_are_pythons(shell, body, error):
    names: dict[str, Any] = {}
    exec(SETUP, names)
    with pytest.raises(error) as wanted:
        exec(body, names)
    shell.run(SETUP)
    found = shell.run(body, fails=True)
    assert (type(found.error), str(found.error)) == (error, str(wanted.value))
    for name in "gmwti":
        assert typed(shell.ns[name]) == typed(names[name])


def test_a_condition_that_is_not_known_is_pythons(shell):
    """Its second comparison calls what writes, in an index."""
    body = (
        "n = 0\ndef f(v):\n    w[0] += 0\n    return 0\n"
        "while 0 <= g[1][f(n)] < 3 and n < 5:\n    n += 1\n"
    )
    shell.run(SETUP)
    shell.run(body)
    assert shell.ns["n"] == imperative(SETUP + body)[0]["n"] == 5
