"""Loops that run compiled: what they may hold, what they leave to Python, what is told of them."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
import pytest
from cells import Shell

import jupyter_hybrid as mx
from jupyter_hybrid.capture.units import Unit, check
from jupyter_hybrid.capture.units import unit as units
from jupyter_hybrid.views import spec_of

EDIT_DISTANCE = """
def distance(a, b):
    d = np.zeros((len(a) + 1, len(b) + 1), dtype=int)
    for i in range(len(a) + 1):
        d[i, 0] = i
    for j in range(len(b) + 1):
        d[0, j] = j
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            if a[i - 1] == b[j - 1]:
                d[i, j] = d[i - 1, j - 1]
            else:
                d[i, j] = 1 + min(d[i - 1, j], d[i, j - 1], d[i - 1, j - 1])
    return d[len(a), len(b)]
"""


@pytest.fixture
def shell() -> Shell:
    made = Shell()
    made.run("import numpy as np")
    return made


@pytest.fixture
def compiled(steps: list[int]) -> list[int]:
    return steps


def test_a_function_of_loops(shell, compiled):
    shell.run("%%hybridize\n" + EDIT_DISTANCE + "result = distance('kitten', 'sitting')")
    assert shell.ns["result"] == 3
    assert type(shell.ns["result"]) is np.int64
    assert compiled == [7, 8, 6]
    text = repr(mx.report())
    assert "unit      lines 9-14: 6 steps ran compiled, in " in text
    told = [unit["title"] for unit in spec_of(mx.report())["units"]]
    assert told == ["lines 5–6 × 7 steps", "lines 7–8 × 8 steps", "lines 9–14 × 6 steps"]


def test_an_element_is_a_scalar_of_numpy(shell, compiled):
    """A sum that begins as an int goes on as NumPy's scalar, which is what Python gives."""
    shell.run("x = np.arange(4.0)")
    shell.run("%%hybridize\ns = 0\nfor i in range(4):\n    s += x[i]")
    assert type(shell.ns["s"]) is np.float64
    assert (shell.ns["s"], shell.ns["i"], compiled) == (6.0, 3, [4])


def test_a_long_list_is_gone_through(shell, compiled):
    """As many items as steps are worth a look; a `while` may take as many."""
    shell.run("v = [k / 2 for k in range(5_000)]")
    shell.run(
        "%%hybridize\ns = k = 0\nfor x in v:\n    s += x\nwhile k < 4_000:\n    s += v[k]; k += 1"
    )
    assert shell.ns["s"] == 2499.5 * 2500 + 1999.5 * 2000
    assert compiled == [5_000, 4_000]


def test_a_float_is_compared_with_an_integer_that_no_float_is(shell, compiled):
    shell.run("x = 9007199254740992.0\nn = 0")
    shell.run(
        "%%hybridize\nfor i in range(9):\n    if x == 9007199254740993:\n        n += 1\n"
        "    if x < 9007199254740993:\n        n += 100"
    )
    assert shell.ns["n"] == 900


def test_an_index_error_is_pythons(shell, compiled):
    """The steps before the one that fails have been taken, and no more."""
    shell.run("x = np.zeros(5)")
    result = shell.run("%%hybridize\nfor i in range(9):\n    x[i] = i + 1", fails=True)
    assert type(result.error) is IndexError
    assert shell.ns["x"].tolist() == [1, 2, 3, 4, 5]
    assert shell.ns["i"] == 5
    assert sum(compiled) < 6


def test_what_prints_now_and_then(shell, compiled):
    shell.run("x = np.arange(100_000.0)\ns = 0.0")
    result = shell.run(
        "%%hybridize --view none\n"
        "for i in range(len(x)):\n    s += x[i]\n    if i % 40_000 == 0:\n        print(i, s)"
    )
    assert result.out == "0 0.0\n40000 800020000.0\n80000 3200040000.0\n"
    assert shell.ns["s"] == np.arange(100_000.0).sum()
    assert sum(compiled) > 90_000


def test_python_warns_of_what_overflows(shell, compiled):
    shell.run("x = np.array([200, 100], dtype=np.uint8)")
    with pytest.warns(RuntimeWarning, match="overflow encountered in scalar add"):
        shell.run("%%hybridize\ns = np.uint8(0)\nfor i in range(2):\n    s = s + x[i]")
    assert shell.ns["s"] == 44


@pytest.fixture
def whole(compiled: list[int], monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The same for loops of whole arrays, which are recorded first otherwise."""
    monkeypatch.setattr(units.Made, "whole", False)
    return compiled


LOOP = "%%hybridize\ny = x\nfor i in range(3):\n    y = y * 2 + i\nprint(y)"


def test_numpy_warns_of_a_float_that_is_too_large_for_what_it_is_compared_with(shell, compiled):
    shell.run("y = np.arange(4, dtype=np.float32)\nc = 1e308\nn = 0")
    with pytest.warns(RuntimeWarning, match="overflow encountered in cast"):
        shell.run("%%hybridize\nfor i in range(4):\n    if c != y[i]:\n        n += 1")
    assert shell.ns["n"] == 4


def test_a_loop_of_arrays_is_recorded(shell, compiled):
    shell.run("x = np.arange(4.0)")
    shell.run(LOOP)
    assert not compiled
    assert not mx.report().units
    assert mx.report().segments


def test_a_unit_gives_up_large_arrays(shell, whole):
    """Programs make one kernel of several operators."""
    shell.run("x = np.arange(4.0)")
    shell.run(LOOP)
    assert whole == [3]
    shell.run("x = np.ones(300_000)")
    for _ in range(2):
        shell.run(LOOP)
        assert whole == [3, 0]
    assert mx.report().segments


ARRAYS = """
def steps(x, y, n):
    total = 0.0
    for i in range(1, n):
        part = x[i:]
        x[i - 1, 1:] += y[:-1] * i
        z = np.exp(-part) @ y
        y = y + x[i] / (1.0 + np.sum(z**2))
        x[:, 0] = 0.5
        total += y.dot(x[0]) + z.max()
    return total, part, z, y
"""


def test_whole_arrays_and_parts_of_them(shell, whole):
    setup = "x = np.arange(20.0).reshape(4, 5) / 10\ny0 = y = np.linspace(0, 1, 5)\n" + ARRAYS
    shell.run(setup + "wanted = (*steps(x, y, 4), x)")
    wanted = shell.ns["wanted"]
    shell.run(setup)
    shell.run("%%hybridize\nresult = (*steps(x, y, 4), x)")
    assert whole == [3]
    for got, expected in zip(shell.ns["result"], wanted, strict=True):
        assert type(got) is type(expected)
        assert np.asarray(got).tobytes() == np.asarray(expected).tobytes()
    part, z, y, x = shell.ns["result"][1:]
    assert part.base is x
    assert z.base is None and y.base is None and y.flags.owndata


def test_a_step_that_fails_has_written_what_python_writes(shell, whole):
    """The unit takes the step back, then Python takes it until it raises."""
    shell.run("x = np.zeros((3, 4)); y = np.ones(4)")
    text = "%%hybridize\nfor i in range(3):\n    x[i] = i + 1\n    y += x[i, i:]"
    result = shell.run(text, fails=True)
    assert "could not be broadcast" in str(result.error)
    assert shell.ns["x"].tolist() == [[1] * 4, [2] * 4, [0] * 4]
    assert shell.ns["y"].tolist() == [2] * 4


def test_names_of_one_array_stay_one(shell, whole):
    shell.run("x = np.arange(4.0)")
    shell.run("%%hybridize\nfor i in range(3):\n    a = b = x + i\n    b += 1\n    v = b[1:]\n")
    ns = shell.ns
    assert whole == [3]
    assert ns["a"] is ns["b"] and ns["v"].base is ns["a"]
    assert ns["a"].tolist() == [3, 4, 5, 6]


def test_a_module_that_has_another_number_now(shell, compiled):
    """What a loop reads of modules is looked at before each run; of classes it reads nothing."""
    shell.run("import types\nx = np.arange(4.0)\nbox = types.ModuleType('box')")
    shell.run("class Box:\n    k = 2.0")
    for text, taken in (("box.k", [4, 4]), ("Box.k", [])):
        compiled.clear()
        for k in (2.0, 3.0):
            shell.run(f"{text} = {k}\ns = 0.0")
            shell.run(f"%%hybridize\nfor i in range(4):\n    s += x[i] * {text}")
            assert shell.ns["s"] == 6 * k
        assert compiled == taken


def test_a_handler_that_does_more_than_raise_waits_for_the_end_of_a_step(shell, compiled):
    """It may read and write whatever the loop does."""
    shell.run("import signal\nx = np.zeros(3)\nbefore = signal.getsignal(signal.SIGALRM)")
    shell.run(
        "def ended(*_):\n    ns['seen'] = x[1] - x[2]\n    x[0] = 1.0\n"
        "ns = {}\nsignal.signal(signal.SIGALRM, ended)\nsignal.setitimer(signal.ITIMER_REAL, 0.2)"
    )
    try:
        shell.run("%%hybridize\nwhile x[0] == 0:\n    x[1] += 1\n    x[2] += 1")
    finally:
        shell.run("signal.signal(signal.SIGALRM, before)")
    assert shell.ns["ns"]["seen"] in (0.0, 1.0) and sum(compiled) > 1000
    assert shell.ns["x"][1] == shell.ns["x"][2] > 1000


def test_nobody_waits_for_a_thread_for_ever(shell, compiled):
    shell.run("import threading, time\nx = np.zeros(1)")
    shell.run("def end():\n    time.sleep(0.3)\n    x[0] = 1.0")
    shell.run(
        "%%hybridize\ndef wait():\n    threading.Thread(target=end).start()\n"
        "    while x[0] == 0:\n        pass\nwait()"
    )
    assert not compiled


def test_no_unit_where_numpy_tells_of_underflow(shell, compiled):
    shell.run("x = np.array([1e-200, 1e-200])")
    with pytest.warns(RuntimeWarning, match="underflow"):
        shell.run(
            "%%hybridize\nwith np.errstate(under='warn'):\n    p = np.float64(1)\n"
            "    for i in range(2):\n        p = p * x[i]"
        )
    assert not compiled


def test_force_records(shell, compiled):
    shell.run("x = np.arange(4.0)")
    shell.run("%%hybridize --force\ns = 0\nfor i in range(4):\n    s += x[i]")
    assert not compiled
    assert shell.ns["s"] == 6.0


def test_arrays_that_share_memory(shell, compiled):
    shell.run("x = np.arange(6.0)\ny = x[1:]")
    shell.run("%%hybridize\nfor i in range(5):\n    y[i] = y[i] + x[i]")
    assert shell.ns["x"].tolist() == [0, 1, 3, 6, 10, 15]
    assert compiled == [5]


def test_a_list_keeps_the_items_that_nobody_wrote(shell, compiled):
    shell.run("numbers = [1000, 2000, 3000]\nbefore = numbers[2]")
    shell.run("%%hybridize\nfor i in range(2):\n    numbers[i] = numbers[i + 1] + 1")
    assert shell.ns["numbers"] == [2001, 3001, 3000]
    assert shell.ns["numbers"][2] is shell.ns["before"]


def test_check_finds_a_unit_that_is_wrong(shell, monkeypatch):
    monkeypatch.setattr(check, "ALWAYS", False)
    run = units.Made.run

    def wrong(made: units.Made, *given: Any) -> units.Outcome:
        outcome = run(made, *given)
        outcome.bound["s"] = np.float64(7.0)
        return outcome

    monkeypatch.setattr(units.Made, "run", wrong)
    shell.run("x = np.arange(4.0)")
    cell = "s = 0\nfor i in range(4):\n    s += x[i]"
    result = shell.run(f"%%hybridize --check\n{cell}", fails=True)
    assert "the unit says np.float64(7.0)" in str(result.error)
    shell.run(cell)
    assert shell.ns["s"] == 6.0


def test_why_a_loop_is_none():
    node = ast.parse("for i in range(3):\n    with open(i) as f:\n        pass").body[0]

    class Frame:
        f_locals = f_globals = {"open": open}

    unit = Unit(node)
    assert not unit.fits(Frame, range(3))
    assert unit.refused == ("a with statement", 2, None)
