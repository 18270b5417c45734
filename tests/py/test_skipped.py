"""Cells that run again without their body leave what the body leaves: values, objects, memory."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
import pytest
from cells import Shell
from left_behind import cleared, compare, state

import jupyter_hybrid as mx
from jupyter_hybrid.cells import reads

SETUP = """
import numpy as np
import math
x = np.arange(12.0).reshape(3, 4) + 1
v = np.linspace(0.5, 2.0, 4)
u = np.ones(4)
q = np.arange(6, dtype=np.float32)
k, n, name = 2.0, 3, "add"
pair = (x * 2, [v + 1, {"b": np.ones(4)}])
scale = 0.5
def shift(a, by=1.0):
    return a * scale + by
def loops(a, steps):
    out = np.zeros_like(a)
    for i in range(steps):
        if i % 2:
            out += a / (i + 1)
            continue
        out[1:] = out[:-1] + a[1:]
        if i > 4:
            break
    return out, out.sum()
def choose(way, a):
    if way == "add":
        return shift(a) + shift(a, by=2)
    elif way == "twice":
        return 2 * a
    raise ValueError(way)
def apply(f, a):
    return f(a) + np.sin(a)
def write(a, b):
    a[1:-1] = 0.5 * (b[2:] + b[:-2])
    b[:] = a
"""
BODIES = [
    "y = x * 2\nz = y\n",
    "y = x * 2\nz = y[1:]\nw = z[:, ::-1]\nlast = z\nz\n",
    "y = x\nz = x + 1\n",
    "y = x + 1\ny += 1\n",
    "y = x + 1\nx[0] = 5\nx += y\n",
    "y = np.add(x, x, x)\nz = y\n",
    "y = np.add(x, 1, out=x)\nz = y * 2\n",
    "y = [a for a in (1, 2)]\ny = y[0]\nz = x + y\n",
    "y = x[np.array([0, 2])]\nz = y.T\n",
    "y = x.T * 2\nz = y + 1\n",
    "import math as m\ny = x * m.pi\nz = y.mean(axis=0)\n",
    "import numpy as np\ndef f(a):\n    return a * k\ny = f(x) + f(v)\n",
    "y = shift(x)\nz = shift(y, by=k)\n",
    "scale = 3.0\ny = shift(x)\n",
    "y = shift(x)\nscale = 3.0\n",
    "y, total = loops(x, 7)\nresult = y, total, (y, n)\n",
    "y = choose(name, x) if n > 2 else x\n",
    "y = apply(np.cos, x) - apply(shift, v)\n",
    "y = pair[0] + pair[1][0] * pair[1][1]['b']\n",
    "for step in range(3):\n    v = v * 0.5 + step\ntotal = v.sum() + v.max()\n",
    "write(v, u)\nlast = v[1:3]\n",
    "write(v, u[::-1])\n",
    "a = np.zeros((3, 4))\na[1] = v\na.T[2] = 7\nb = a @ a.T\nb\n",
    "s = x.sum()\nt = s\nu = (s, float(n), None, 'text')\n",
    "y = np.where(x > k, x, -x).reshape(4, 3)\nz = np.broadcast_to(v, (3, 4))\n",
    "def g(a, b=2):\n    c = a\n    c *= b\n    return c\ny = g(x) + 1\n",
    "x[0], x[1] = x[1] * 2, x[0] + 1\ny = x.sum(axis=1)\n",
    "d = {'a': x + 1}\ny = d['a'] * 2\nd = 0\n",
    "y = math.sqrt(n) * x\nz = y.astype(np.float32)\nw = np.float32(2) * z\n",
    "def h(a):\n    def inner(b, c=2):\n        return b * c + a\n"
    "    f = lambda d: inner(d) - n\n    return f(a) + inner(v, c=k)\ny = h(x)\n",
    "def both(*several):\n    return several\ny = both(*pair[:1], x + 1)\n",
    "both = (x, v)\ny = np.add(*both)\nz = max(*(n, 7), 2) * x\n",
    "if k > 1:\n    y = x - 1\nelse:\n    y = x + 1\nz = sum(v[i] * i for i in range(4))\n",
]


def outcome(shell: Shell, body: str, magic: str = "") -> Any:
    cleared(shell.ns)
    shell.run("%%imperative\n" + SETUP)
    value = shell.run(f"{magic}{body}").value
    shell.ns["shown"] = value
    found = state(shell.ns)
    del shell.ns["shown"]
    return found


@pytest.mark.parametrize("body", BODIES)
def test_what_it_leaves(body):
    shell = Shell()
    wanted = outcome(shell, body)
    replays = []
    for _ in range(4):
        compare(outcome(shell, body, "%%hybridize --view none\n"), wanted)
        replays.append(mx.report().replay)
    assert "skipped" in replays[1:], mx.report().not_skipped


@pytest.mark.parametrize(
    "change",
    [
        "scale = 0.25",
        "def shift(a, by=1.0):\n    return a - by",
        "shift.__defaults__ = (4.0,)",
        "choose = lambda way, a: a",
        "name = 'twice'",
        "x = x.astype(np.float32)",
        "x = np.asfortranarray(x)",
        "x = x[:, ::-1]",
        "n = 2",
        "n = np.int64(3)",
        "del scale; import builtins; builtins.scale = 7",
        "v = x[0]",
    ],
)
def test_what_it_read_has_changed(change):
    body = "y = choose(name, x) if n > 2 else x\nz = apply(shift, v)\nw = y.sum()\n"
    shell, magic = Shell(), "%%hybridize --view none\n"
    for _ in range(3):
        outcome(shell, body, magic)
    assert mx.report().replay == "skipped"

    def changed(magic: str) -> Any:
        cleared(shell.ns)
        shell.run("%%imperative\n" + SETUP)
        shell.run("%%imperative\n" + change)
        shell.run(magic + body)
        shell.run("%%imperative\nimport builtins; vars(builtins).pop('scale', None)")
        return state(shell.ns)

    wanted = changed("%%imperative\n")
    for _ in range(3):
        compare(changed(magic), wanted)


def test_names_come_in_the_order_in_which_the_body_binds_them():
    shell, body = Shell(), "p = x + 1\nq = x * 2\np = q - p\ns = p.reshape(-1)\n"
    shell.run("%%imperative\nimport numpy as np\nx = np.arange(4.0)\nq = s = x")
    for before in ("pass", "pass", "pass", "del p, q, s"):
        shell.run(f"%%imperative\n{before}")
        shell.hybridize(body, "--view none")
    assert mx.report().replay == "skipped", mx.report().not_skipped
    assert [name for name in shell.ns if name in ("p", "q", "s")] == ["p", "q", "s"]


def test_what_is_written_may_not_be_read_by_another_name():
    shell = Shell()
    body = "x[1:] = z[:-1] * 2\ny = z + 1\n"
    for overlap in (False, False, False, True, True, False, False):
        shell.run("%%imperative\nimport numpy as np\nbase = np.arange(9.0)\nx = base[:5]")
        shell.run(f"%%imperative\nz = {'base[2:7]' if overlap else 'np.arange(2.0, 7)'}")
        x, z = shell.ns["base"].copy()[:5], np.arange(2.0, 7)
        if overlap:
            z = (whole := np.arange(9.0))[2:7]
            x = whole[:5]
        x[1:] = z[:-1] * 2
        shell.hybridize(body, "--view none")
        assert not (overlap and mx.report().replay == "skipped")
        np.testing.assert_array_equal(shell.ns["x"], x)
        np.testing.assert_array_equal(shell.ns["y"], z + 1)
    assert mx.report().replay == "skipped"


def test_a_warning_is_given_by_every_run(recwarn):
    shell = Shell()
    shell.run(
        "%%imperative\nimport numpy as np\nx = np.array([1.0, 0.0])\ndef f(a):\n    return 1 / a"
    )
    texts = []
    for _ in range(4):
        recwarn.clear()
        shell.hybridize("y = f(x)\nz = y * 2\n", "--view none")
        texts.append([(str(w.message), w.lineno) for w in recwarn])
    assert texts[0] == [("divide by zero encountered in divide", 5)]
    assert len(set(map(str, texts))) == 1
    assert mx.report().replay == "skipped"


@pytest.mark.parametrize("body", ["y = x * np.float32(1e40)\n", "y = f(x, 10.0)\n"])
def test_what_the_body_warns_of_is_warned_of_again(body):
    """NumPy's scalars compute in the body, not in the program."""
    shell = Shell()
    setup = "def f(a, k):\n    return a * (np.float32(3e38) * np.float32(k))\n"
    shell.run(f"%%imperative\nimport numpy as np\nx = np.ones(3)\n{setup}")
    for action in ("ignore", "ignore", "ignore", "always", "always"):
        with warnings.catch_warnings(record=True) as met:
            warnings.simplefilter(action)
            shell.hybridize(body, "--view none")
        assert len(met) == (action == "always")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = shell.run("%%hybridize --view none\n" + body, fails=True)
    assert type(result.error) is RuntimeWarning


def test_a_cell_that_somebody_watches_has_its_body():
    shell, lines = Shell(), []
    shell.run("%%imperative\nimport numpy as np\nx = np.ones(3)\ndef f(a):\n    return a + 1\n")
    for _ in range(3):
        shell.hybridize("y = f(x)\n", "--view none")
    assert mx.report().replay == "skipped"

    def trace(frame, event, _):
        lines.append(frame.f_code.co_name)

    sys.settrace(trace)
    try:
        shell.hybridize("y = f(x)\n", "--view none")
    finally:
        sys.settrace(None)
    assert "f" in lines


@pytest.mark.parametrize(
    ("setup", "body", "change"),
    [
        # A comprehension's variable is no name of the cell's, which a function would find.
        ("i = 5\ndef f(a):\n    return a * i\n", "y = sum(f(x) for i in range(3))\n", "i = 6"),
        ("w = x.copy()\n", "b = x is w\ny = x + w\n", "w = x"),
        # Contents that were there before are looked at without a break.
        ("", "s = f'{v}'\ny = x + 1\n", "v += 1"),
        ("", "s = '%s' % (pair[1],)\ny = v + 1\n", "pair[1][0][:] = 7"),
        ("o = np.ones(1)\n", "y = x + 1\nif o:\n    y = x + 2\n", "o[0] = 0"),
        ("o = np.ones(1)\n", "b = bool(o)\nc = o and 3\ny = x + 1\n", "o[0] = 0"),
        # Functions that no name means.
        ("def g(a, f=shift):\n    return f(a)\n", "y = g(x)\n", "scale = 7.0"),
        (
            "log = []\ndef put(a):\n    log.append(1)\n    return a\n"
            "def g(a, f=[put]):\n    return f[0](a) + 1\n",
            "y = g(x)\n",
            "x += 1",
        ),
        (
            "fs = [shift]\ndef g(a, f):\n    return f(a)\n",
            "y = [g(x, f) for f in fs]\ny = y[0]\n",
            "scale = 7.0",
        ),
        # What a function, a list or a dict has besides what it was guarded by.
        ("def g(a, b=np.ones(4)):\n    return a * b\n", "y = g(x)\n", "g.__defaults__[0][:] = 5"),
        (
            "def g(a, *, b=[np.ones(4)]):\n    return a * b[0]\n",
            "y = g(x)\n",
            "g.__kwdefaults__['b'][0][:] = 5",
        ),
        ("shift.size = 3\n", "y = x * shift.size\n", "shift.size = 4"),
        ("d = {1: 2}\nb = v > 1\n", "for key in d:\n    y = key * b\n", "d = {True: 2}"),
        (
            "import types\ntold = []\nmade = types.ModuleType('made')\n"
            "made.sum = lambda: told.append(1) or 1\ndef g(a, m=made):\n    return a + m.sum()\n",
            "y = g(x)\n",
            "made.sum = lambda: 7",
        ),
        # Another array of the same kind in the place of one.
        ("d = {'a': np.zeros((3, 4))}\n", "d['a'] = x + 1\ny = x * 2\n", "x += 1"),
        ("", "pair[1][0] = v + 2\ny = x * 2\n", "v += 1"),
        # Tuples that were there before are bound themselves.
        ("pair = (1, (2.5, 'a'))\n", "y = pair\nz = (pair[1], x + 1)\n", "x += 1"),
        ("z = (1, 2)\n", "if k > 5:\n    z = 1\ny = x + 1\n", "z = (3, 4)"),
        # Names that no branch and no step has bound.
        ("z = 5\n", "if k > 3:\n    z = 1\ny = x + 1\n", "z = 7"),
        ("z = i = 5\nn = 0\n", "for i in range(n):\n    z = i\ny = x + 1\n", "z = 7; i = 'a'"),
        ("", "if k > 3:\n    z = 1\ny = x + 1\n", "z = None"),
        # A module may make what it has not, whenever it is asked.
        (
            "import sys, types\nmade, told = types.ModuleType('made_up'), []\n"
            "made.__getattr__ = lambda name: told.append(name) or len(told)\n"
            "sys.modules['made_up'] = made\n",
            "from made_up import lazy\ny = x + lazy\n",
            "x += 1",
        ),
        (
            "import types\nmade, told = types.ModuleType('made_up'), []\n"
            "made.__getattr__ = lambda name: told.append(name) or len(told)\n",
            "y = x + made.count\n",
            "x += 1",
        ),
        ("t = (1, 2)\ndef g(a, d=t):\n    return d\n", "z = g(x)\ny = x + 1\n", "x += 1"),
        # Neither is a variable of a function inside.
        (
            "i = 5\ndef g(a):\n    return a * i\n",
            "y = x + 1\nf = lambda a, i=2: g(a)\nz = f(x)\nf = 0\n",
            "i = 6",
        ),
        (
            "i = 5\ndef g(a):\n    return a * i\n",
            "y = x + 1\ndef f(a):\n    i = 3\n    return g(a)\nz = f(x)\nf = 0\n",
            "i = 6",
        ),
        ("z = v\n", "if k > 3:\n    z = 1\ny = x + v\n", "z = x"),
        ("z = v\n", "for i in range(n - 3):\n    z = x\ny = x + v\n", "z = x"),
        # Further ones are added above.
    ],
)
def test_nothing_is_taken_for_what_it_was(setup, body, change, monkeypatch):
    monkeypatch.setitem(sys.modules, "made_up", np)  # which is not there afterwards

    def states(magic: str) -> list[Any]:
        cleared(shell.ns)
        shell.run(f"%%imperative\n{SETUP}{setup}")
        found = []
        for line in ("", "", "", change, "", ""):
            shell.run(f"%%imperative\n{line}")
            shell.ns["shown"] = shell.run(f"{magic}\n{body}").value
            found.append(state(shell.ns))
        return found

    shell = Shell()
    wanted = states("%%imperative")
    for found, one in zip(states("%%hybridize --view none"), wanted, strict=True):
        compare(found, one)


def test_a_list_that_holds_itself_is_not_looked_through_for_ever():
    shell = Shell()
    shell.run("%%imperative\nimport numpy as np\nx = np.ones(3)\nrow = [1]\nrow.append(row)\n")
    shell.run("%%imperative\nfor i in range(60):\n    row = [row, row]\n")
    for _ in range(2):
        shell.hybridize("y = x + len(row)\n", "--view none")
    np.testing.assert_array_equal(shell.ns["y"], np.full(3, 3.0))
    del shell.ns["row"]


def test_a_module_has_arrays_of_its_own(tmp_path, monkeypatch):
    """Which are read and written by its functions, and found in its globals."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    text = "import numpy as np\nG = np.ones(4)\ndef f(a):\n    G[:] = a + 1\n    return a * G\n"
    (tmp_path / "weighing.py").write_text(text)
    shell, body = Shell(), "y = weigh(v)\n"
    shell.run(f"%%imperative\n{SETUP}import weighing\nfrom weighing import f as weigh\n")
    for overlaps in (False, False, False, True, False, False):
        shell.run("%%imperative\nv = " + ("weighing.G[:]" if overlaps else "np.arange(4.0)"))
        v = np.array(shell.ns["v"])
        shell.hybridize(body, "--view none")
        assert not (overlaps and mx.report().replay == "skipped")
        held = v + 1
        np.testing.assert_array_equal(shell.ns["weighing"].G, held)
        np.testing.assert_array_equal(shell.ns["y"], held * held if overlaps else v * held)
    assert mx.report().replay == "skipped"
    sys.modules.pop("weighing")


def test_long_lists_are_not_looked_through():
    """Whether their items are numbers or not: nothing is guarded by them."""
    for many in ([0.5] * 1000, dict.fromkeys(range(1000), "")):
        assert reads._inside(many) is reads._TOO_MANY and reads.guard_of([many]) is None
