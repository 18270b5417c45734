"""Functions of the user's in loops that run compiled: their statements are the unit's."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from cells import Shell, imperative

SETUP = "import numpy as np\nimport math\nx = np.arange(6.0)\nk = 3\n"


@pytest.fixture
def shell() -> Iterator[Shell]:
    made = Shell()
    made.run(SETUP)
    yield made
    made.run("%hybrid mode imperative")


IN_UNITS = {
    "returns": (
        "def f(v):\n    if v > 2:\n        return v * 2\n    if v < 0:\n        return 0\n"
        "    return -v\n",
        "s = 0\nfor i in range(6):\n    s += f(x[i]) + f(i - 3)\n",
    ),
    "several values": (
        "def f(a, b):\n    return a + b, a * b\n",
        "s = t = 0.0\nfor i in range(6):\n    s, t = f(s + 1, x[i])\n",
    ),
    "defaults and names": (
        "def f(a, b=2, c=0.5):\n    return a * b + c\n",
        "s = 0\nfor i in range(6):\n    s += f(i) + f(i, 3) + f(b=i, a=1) + f(c=2, a=i)\n",
    ),
    "loops in it": (
        "def f(z, c):\n    n = 0\n    while abs(z) < 2 and n < 20:\n        z = z * z + c\n"
        "        n += 1\n    return n\n",
        "for i in range(6):\n    x[i] = f(0.1, i / 4)\n",
    ),
    "returns out of loops": (
        "def f(v, n):\n    for p in range(n):\n        for q in range(n):\n"
        "            if p * q == v:\n                return p\n    return -1\n",
        "for i in range(6):\n    x[i] = f(i * 2, 4)\n",
    ),
    "functions in functions": (
        "def g(a):\n    return a * k\ndef f(a):\n    return g(a) + g(a + 1)\n",
        "s = 0\nfor i in range(6):\n    s += f(i)\n",
    ),
    "a global that the loop binds": (
        "def f():\n    return k * 2\n",
        "s = 0\nfor k in range(6):\n    s += f()\n",
    ),
    "writes": (
        "def put(a, i, v):\n    a[i] = v\n",
        "for i in range(6):\n    put(x, i, i * i)\n",
    ),
    "what is read before a write stays": (
        "def put(a, i):\n    a[i] = 9\n    return 1\n",
        "s = 0\nfor i in range(6):\n    s += x[i] * 2 + put(x, i) + x[i]\n",
    ),
    "arguments in order": (
        "def put(a, i):\n    a[i] += 9\n    return 1\ndef f(a, b, c):\n    return a - b * c\n",
        "s = 0\nfor i in range(6):\n    s += f(x[i], put(x, i), x[i])\n",
    ),
    "whole arrays": (
        "def f(u, c):\n    right = u[2:] * c\n    return u[1:-1] + right - u[:-2]\n",
        "for i in range(4):\n    x[1:-1] = f(x, 0.1)\n",
    ),
    "no value": (
        "def f(v):\n    if v > 3:\n        return\n    return v\n",
        "s = 0\nfor i in range(6):\n    s += 1 if f(i) is None else 2\n",
    ),
    "a lambda": ("f = lambda a: a + k\n", "s = 0\nfor i in range(6):\n    s += f(i)\n"),
    "functions that are passed": (
        "def g(v):\n    return v * v - k\ndef h(v, w=2):\n    return v / w\n"
        "def step(f, v, dt):\n    a = f(v)\n    b = f(v + dt * a)\n    return v + dt * (a + b)\n"
        "def both(one, other, v):\n    return step(one, v, 0.1) - other(v)\n",
        "s = 0\nfor i in range(6):\n"
        "    s += step(g, x[i], 0.5) + both(g, h, i) - both(h, h, 1.5)\n",
    ),
    "functions with cells that are passed": (
        "def made(n):\n    def f(v):\n        return v * n + g(v)\n"
        "    def g(v):\n        return v - n\n"
        "    return f\ndef twice(f, v):\n    return f(f(v))\none, two = made(2), made(3)\n",
        "s = 0\nfor i in range(6):\n    s += twice(one, x[i]) - twice(f=two, v=i)\n",
    ),
    "NumPy's and math's that are passed": (
        "def at(f, v):\n    return f(v) + f(v + 1)\n",
        "s = 0\nfor i in range(6):\n    s += at(np.sqrt, x[i]) * at(math.sin, i)\n",
    ),
    "one of several values": (
        "def f(a, b):\n    return a + b, a * b\n",
        "s = 0\nfor i in range(6):\n    s += f(i, 2)[1] - f(x[i], s)[0]\n",
    ),
}


@pytest.mark.parametrize("what", IN_UNITS)
def test_statements_of_functions_run_compiled(shell, steps, what):
    functions, loop = IN_UNITS[what]
    wanted = imperative(SETUP + functions + loop)[0]
    shell.run(functions)
    shell.run("%hybrid mode auto")  # in a recorded cell whole arrays are
    shell.run(loop)
    assert sum(steps) == (4 if what == "whole arrays" else 6)
    for name in ("s", "t", "x", "i", "k"):
        assert repr(shell.ns.get(name)) == repr(wanted.get(name))
        assert type(shell.ns.get(name)) is type(wanted.get(name))


IN_PYTHON = {
    "calls itself": "def f(v):\n    return v if v < 1 else f(v - 1) + 1\n",
    "has variables of another": "def made(q):\n    def f(v):\n        return v + q\n    return f\n"
    "f = made(2)\n",
    "a generator": "def f(v):\n    yield v\n",
    "is decorated": "import functools\n@functools.lru_cache\ndef f(v):\n    return v + 1\n",
    "takes any": "def f(*v):\n    return v[0]\n",
    "sets globals": "def f(v):\n    global k\n    k += 1\n    return k\n",
    "catches": "def f(v):\n    try:\n        return v / 0\n    except ZeroDivisionError:\n"
    "        return 1\n",
    "one or several": "def f(v):\n    if v:\n        return v\n    return v, v\n",
    "another variable": "def f(v):\n    if v > 8:\n        w = 1\n    return w\n",
    "too many": "def f(v, w):\n    return v\n",
    "of another module": "import colorsys\nf = colorsys.rgb_to_yiq\n",
}


@pytest.mark.parametrize("what", IN_PYTHON)
def test_other_functions_are_called_by_python(shell, what):
    names: dict = {}
    body = "s = 0\nfor i in range(6):\n    if i > 3:\n        last = f(i)\n    s += i\n"
    errors = []
    for run in (
        lambda: exec(SETUP + IN_PYTHON[what] + body, names),
        lambda: shell.run("%%hybridize\n" + IN_PYTHON[what] + body),
    ):
        try:
            run()
            errors.append(None)
        except Exception as error:
            errors.append((type(error), str(error)))
    assert errors[0] == errors[1]
    for name in ("s", "i", "k"):
        assert repr(shell.ns[name]) == repr(names[name])


@pytest.mark.parametrize("test", ["f(x)", "n < 20 and f(x)", "f(x) if n < 4 else False"])
def test_a_condition_writes_once(shell, steps, test):
    """Python tests a `while` again that a unit has ended."""
    body = (
        "def f(v):\n    v[0] += 1\n    return v[0] < 50\n"
        f"n = 0\nwhile {test}:\n    n += 1\nelse:\n    n += 1000\n"
    )
    wanted = imperative(SETUP + body)[0]
    shell.run("%hybrid mode auto")
    shell.run(body)
    assert shell.ns["n"] == wanted["n"]
    assert repr(shell.ns["x"]) == repr(wanted["x"])
    assert sum(steps) > 2


def test_another_function_is_passed(shell, steps):
    shell.run(
        "def at(f, v):\n    return f(v)\ndef g(v):\n    return v * 2\nh = abs\n%hybrid mode auto"
    )
    for name, wanted in (("g", 30), ("h", 15), ("str", None), ("g", 30), ("lambda v: v", 15)):
        start = "''" if wanted is None else "0"
        shell.run(f"f, s = {name}, {start}\nfor i in range(6):\n    s += at(f, i)\n")
        assert shell.ns["s"] == (wanted if wanted is not None else "012345")


def test_a_function_defined_anew_is_the_new_one(shell, steps):
    loop = "%%hybridize\ns = 0\nfor i in range(6):\n    s += f(i)\n"
    for factor in (2, 5):
        shell.run(f"def f(v):\n    return v * {factor}\n")
        shell.run(loop)
        assert shell.ns["s"] == 15 * factor
    shell.run("f = math.floor\n")
    shell.run(loop)
    assert shell.ns["s"] == 15 and steps == [6, 6, 6]


def test_a_function_that_the_loop_binds_is_pythons(shell):
    shell.run(
        "%%hybridize\ndef f(v):\n    return 1\ndef g(v):\n    return 2\n"
        "s = 0\nfor i in range(6):\n    s += f(i)\n    if i == 2:\n        f = g\n"
    )
    assert shell.ns["s"] == 9


def test_a_variable_has_the_name_of_a_global(shell, steps):
    shell.run(
        "%%hybridize\ndef scaled(v):\n    return v * k\n"
        "def total(n):\n    k = 100\n    s = 0\n    for i in range(n):\n"
        "        s += scaled(i) + k\n    return s\n"
        "s = total(6)\n"
    )
    assert shell.ns["s"] == 15 * 3 + 600 and steps == [6]


def test_an_error_inside_is_raised_by_the_function(shell, steps):
    shell.run("def f(a, i):\n    a[i] = i\n    return a[i + 1]\n")
    result = shell.run("%%hybridize\nfor i in range(9):\n    f(x, i)\n", fails=True)
    assert type(result.error) is IndexError
    assert steps and shell.ns["x"].tolist() == [0, 1, 2, 3, 4, 5]
    last = result.error.__traceback__
    while last.tb_next is not None:
        last = last.tb_next
    assert (last.tb_frame.f_code.co_name, last.tb_lineno) == ("f", 3)


def test_numpys_numbers_stay_numpys(shell, steps):
    shell.run("def half(v):\n    return v / 2\n")
    shell.run("%%hybridize\nfor i in range(6):\n    s = half(x[i])\n")
    assert type(shell.ns["s"]) is np.float64 and steps == [6]
