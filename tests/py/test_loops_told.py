"""What is told of a cell's loops: their units in words and pictures, what left or was refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from cells import Shell

import jupyter_hybrid as mx
from jupyter_hybrid.capture.source import compiled
from jupyter_hybrid.cells import ways
from jupyter_hybrid.views import spec_of, svg, text

NESTED = """g = np.zeros((4, 5))
for i in range(4):
    for j in range(1, 5):
        g[i, j] = g[i, j - 1] + i
"""
PRINTS = "s = 0\nfor i in range(300):\n    s += i\n    if i % 100 == 50:\n        print(i)\n"
REFUSED = "t = []\nfor i in range(3):\n    t.append(str(i))\n"
TRIES = "for i in range(3):\n    try:\n        s = i\n    finally:\n        pass\n"


@pytest.fixture
def shell(steps: list[int]) -> Shell:
    made = Shell()
    made.run("import numpy as np")
    return made


@pytest.fixture
def auto(shell: Shell) -> Iterator[Shell]:
    shell.run("%hybrid mode auto")
    yield shell
    shell.run("%hybrid mode imperative")


def told() -> list[str]:
    """Of each loop: without figures of time."""
    lines = [line for line in repr(mx.report()).splitlines() if line.startswith("unit ")]
    return [line.removeprefix("unit").strip() for line in lines]


def test_a_loop_that_ran_compiled(shell):
    shell.hybridize(NESTED)
    (line,) = told()
    assert line.startswith("lines 3-5: 4 steps ran compiled, in ")
    (loop,) = mx.report().units
    assert (loop.steps, loop.left, loop.refused) == (4, [], None)
    assert "lines 3-5: 4 steps ran compiled as a unit, in " in shell.run("%hybrid explain").out


def test_where_a_unit_left_and_how_often(shell):
    shell.hybridize(PRINTS)
    assert told()[0].endswith("; left at line 6 (a call of print(), 3 times)")
    assert mx.report().units[0].left == [("line 6", "a call of print(), 3 times")]
    said = shell.run("%hybrid explain").out
    assert "It left at line 6 (a call of print(), 3 times): Python took these steps." in said


def test_why_a_value_can_not_be_had(shell):
    """What only a run finds: an index, a zero, a number of more bits."""
    shell.run("x = np.zeros(5)\nb = [3, 2, 0]")
    shell.hybridize("for i in range(9):\n    x[i] = i", fails=True)
    assert "left at line 3 (an index out of range" in told()[0]
    shell.hybridize("for n in b:\n    n = 6 // n", fails=True)
    assert "left at line 3 (a division by zero" in told()[0]
    shell.hybridize("n = 3\nfor i in range(7):\n    n = n * n * n")
    assert "left at line 4 (an integer beyond 64 bits" in told()[0]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (REFUSED, "lines 3-4: no unit, line 4: a call of str()"),
        ("for i in {1: 2}:\n    k = i", "lines 2-3: no unit, line 2: it goes through a dict"),
        ("for i in range(3):\n    d[i] = i", "lines 2-3: no unit, line 3: d is no array"),
        ("for i in range(3):\n    k = d.get(i)", "lines 2-3: no unit, line 3: d holds no number"),
    ],
)  # fmt: skip
def test_the_first_statement_that_has_no_unit(shell, body, why):
    shell.run("import contextlib\nd = {}\nc = contextlib.nullcontext()")
    shell.hybridize(body)
    assert [line[: len(why)] for line in told()] == [why]
    line, _, reason = why.partition("no unit, ")[2].partition(": ")
    assert f"It ran as written, since {line} can't be compiled: {reason}" in mx.report().explain()


def test_a_short_loop_is_not_worth_a_line(shell, monkeypatch):
    monkeypatch.setattr(compiled, "HOT_S", 1e3)
    shell.hybridize(REFUSED)
    assert told() == []


def test_a_function_of_another_cell(shell):
    """Lines that are not the cell's have their function's name."""
    shell.run(
        "def scaled(v):\n\n    return v * 2\n\n"
        "def summed(n):\n    s = 0\n    for k in range(n):\n        s += k\n    return s"
    )
    shell.hybridize("r = summed(9)")
    assert told()[0].startswith("lines 7-8 of summed(): 9 steps ran compiled")
    shell.run(
        "def texts(n):\n    return [0 for k in range(n)]\n\ndef shown(k):\n    return len(repr(k))"
    )
    shell.hybridize("for k in range(4):\n    r = shown(k)")
    assert told() == ["lines 2-3: no unit, line 5 of shown(): a call of repr()"]
    shell.hybridize("for k in range(4):\n    r = scaled(k)")
    rows = spec_of(mx.report())["units"][0]["rows"]
    assert [(row["line"], row["of"], row["own"]) for row in rows][-1] == (3, "scaled", False)
    assert rows[-1]["code"] == "    return v * 2"


def test_with_check_it_is_told_too(shell):
    shell.hybridize(NESTED + PRINTS, "--check")
    nested, prints = told()
    assert nested == "lines 3-5: 4 steps ran compiled, checked"
    assert prints.startswith("lines 7-10: 177 steps ran compiled, checked; left at line 10")
    assert "177 steps ran compiled as a unit, checked. It left" in shell.run("%hybrid explain").out


def test_mode_auto_tells_when_it_is_asked(auto):
    result = auto.run(PRINTS + REFUSED)
    assert result.out == "50\n150\n250\n" and not result.shown
    first, second = told()
    assert first.startswith("lines 2-5: 177 steps ran compiled, in ")
    assert first.endswith("; left at line 5 (a call of print(), 3 times)")
    assert second == "lines 7-8: no unit, line 8: a call of str()"
    said = mx.report().explain().splitlines()
    assert said[0] == "no graph was recorded: loops ran compiled, the rest as written"
    assert (
        said[2] == "lines 7-8: It ran as written, since line 8 can't be compiled: a call of str()."
    )


def test_what_no_unit_goes_through(auto):
    auto.run("for k in {1: 2, 3: 4}:\n    n = k + 1\n")
    assert told() == ["lines 1-2: no unit, line 1: it goes through a dict"]


def test_a_later_run_that_asks_nobody_knows_it_still(auto):
    for _ in range(ways._TWICE + 2):
        auto.run(REFUSED)
        assert told() == ["lines 2-3: no unit, line 3: a call of str()"]


def test_loops_that_nobody_times_are_told_of_where_the_cell_is_long(auto, monkeypatch):
    """One look at their text tells that these have no unit; so they run without a hook."""
    auto.run("def called(n):\n    for k in range(n):\n        with c:\n            pass")
    auto.run("import contextlib\nc = contextlib.nullcontext()")
    body = f"{TRIES}called(3)\n"
    auto.run(body)
    assert told() == []
    now = iter(range(100))
    monkeypatch.setattr(ways, "clock", lambda: float(next(now)))
    auto.run(body + "#")
    assert told() == [
        "lines 1-5: no unit, line 2: a try statement",
        "lines 2-4 of called(): no unit, line 3 of called(): a with statement",
    ]


def test_what_was_given_up(auto):
    auto.run(NESTED)
    (loop,) = mx.report().units
    for _ in range(3):
        loop.ran.place.pace.note(gained=False)
    assert loop.text.endswith("; given up, as written it takes no longer")
    assert "Its unit was no faster than Python, so it runs as written." in mx.report().explain()


def test_the_picture_of_a_unit(shell):
    shell.run("def twice(v):\n    return v * 2\nx = np.arange(20.0)\nimport math")
    body = """s = 0
for i in range(20):
    s += x[i - 1] + twice(i)
    if s > 1e9:
        print(math.sqrt(s))
"""
    result = shell.hybridize(body)
    (unit,) = spec_of(mx.report())["units"]
    assert unit["title"].startswith("lines 3–6 × 20 steps") and unit["compiled"]
    rows = {row["line"]: row for row in unit["rows"] if row["own"]}
    assert list(rows) == [3, 4, 5, 6]
    assert rows[4]["code"] == "    s += x[i - 1] + twice(i)"
    assert [v["kinds"] for v in rows[4]["versions"]][1:] == ["s: int", "s: float64"]
    assert rows[4]["versions"][0]["instructions"][:1] == ["v = i"]
    assert rows[4]["versions"][2]["instructions"][:2] == ["t1 = i - 1", "t2 = x[t1]"]
    assert rows[6]["refused"] == "a call of print()"
    (why,) = rows[6]["reasons"]
    assert (why["id"], [(a["name"], a["text"]) for a in why["args"]]) == (
        "a call of {name}()", [("name", "print")],
    )  # fmt: skip
    assert dict(unit["variables"]) == {"i": "int", "s": "int, then float64"}
    assert "x: float64 array, 1-D" in unit["guards"] and "s: int" in unit["guards"]
    assert "print, math, twice()" in unit["guards"][-1]
    picture: Any = svg(spec_of(mx.report()))
    assert "lines 3–6 × 20 steps" in picture and "t2 = x[t1]" in picture
    assert "t2 = x[t1]" in text(spec_of(mx.report()))
    shown = [form for output in result.shown for form in output.data]
    assert "image/svg+xml" in shown and "application/vnd.jupyter-hybrid.graph.v1+json" in shown


def test_the_picture_of_a_loop_without_a_unit(auto):
    auto.run(REFUSED)
    (unit,) = spec_of(mx.report())["units"]
    assert [(row["line"], row["refused"]) for row in unit["rows"]] == [
        (2, ""),
        (3, "a call of str()"),
    ]
    assert (unit["variables"], unit["guards"], unit["compiled"]) == ([], [], False)
    data, _ = mx.report()._repr_mimebundle_()
    assert "a call of str()" in data["image/svg+xml"]


@pytest.mark.parametrize(
    ("line", "instruction"),
    [
        ("s = x[i] ** 2", "t1 = x[i]"), ("m[0, i] = 1", "m[0, i] = 1.0"), ("s = -i", "s = -i"),
        ("s = math.atan2(i, 2)", "t2 = atan2(t1, 2.0)"), ("m[i, 1:] += 1", "t1 = m[i, 1:]"),
        ("s = m.sum()", "add.reduce(m)"), ("m.T[...] = 3", "h5 = m.T"), ("s = m @ m", "s = m @ m"),
        ("s = np.median(x)", "s = median(t1)"), ("s = len(l)", "s = length of l, axis 0"),
        ("l[i] = i", "l[i] = i"), ("out.append(i)", "append i"), ("s = int(x[i])", "s = int(t1)"),
        ("s = complex(i, 1)", "complex("), ("s = min(i, 2)", "if "), ("s = b[i] + b[i]", "check "),
        ("s = np.zeros(3)", "s = new array of 0.0"), ("s = i << 2", "s = i << 2"),
    ],
)  # fmt: skip
def test_instructions_in_words(shell, line, instruction):
    shell.run(
        "x = np.arange(4.0)\nm = np.ones((4, 4))\nl = [1, 2, 3, 4]\nout = []\n"
        "import math\nb = np.arange(4, dtype='uint8')"
    )
    shell.run("%hybrid mode auto")
    shell.run(f"for i in range(4):\n    {line}\n")
    shell.run("%hybrid mode imperative")
    (unit,) = spec_of(mx.report())["units"]
    found = [t for row in unit["rows"] for v in row["versions"] for t in v["instructions"]]
    assert any(instruction in text for text in found), found


def test_comprehensions(auto):
    auto.run("x = np.arange(4000.0)")
    auto.run("y = [v * 2 for v in x]\nz = [len(repr(v)) for v in x]")
    first, second = told()
    assert first.startswith("line 1: 4,000 steps ran compiled")
    assert second == "line 2: no unit, line 2: a call of repr()"
    assert np.array_equal(auto.ns["y"], auto.ns["x"] * 2)
    variables = dict(spec_of(mx.report())["units"][0]["variables"])
    assert variables == {"v": "float64"}
