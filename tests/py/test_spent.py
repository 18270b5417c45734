"""Where a cell's time goes, as its report tells: recording, settling, code left to Python."""

from __future__ import annotations

import copy
import time

import numpy as np
import pytest
from cells import Shell

from jupyter_hybrid import engine
from jupyter_hybrid.capture.units import check
from jupyter_hybrid.reports.listing import Break
from jupyter_hybrid.views import spec_of

HELD_S = 0.2


@pytest.fixture
def shell() -> Shell:
    made = Shell()
    made.run("from jupyter_hybrid import nd\nimport numpy as np\na = nd.ones((40, 40))")
    made.ns["x"] = np.arange(12.0)
    return made


def timed(shell: Shell, body: str, options: str = "") -> float:
    start = time.perf_counter()
    shell.hybridize(body, options)
    return time.perf_counter() - start


@pytest.mark.parametrize(
    "body",
    [
        "y = x * 2",
        "y = x * 2\nprint(y.sum())\nz = y + 1",
        "n = 0\nfor i in range(60):\n    if (x + i).sum() > 70:\n        n += 1",
        "n = 0\nfor i in range(3000):\n    n += i",
        "y = sorted(x, key=lambda v: -v)\nz = np.sort(x)",
    ],
)
def test_no_moment_is_counted_twice(shell, body):
    for _ in range(2):
        wall = timed(shell, body)
        report = shell.report
        parts = (report.record_s, report.settle_s, report.compile_s, report.python_s)
        assert min(parts) >= 0 and sum(parts) <= wall


def test_waiting_for_a_value_is_the_price_of_the_line_that_reads_it(shell):
    with engine.using(inline=False, slow=HELD_S):
        wall = timed(shell, "b = nd.dot(a, a)\nc = b.asnumpy()\nd = nd.dot(a, a)")
        report = shell.report
        (read,) = report.graph_breaks
        assert read == (3, "a value is read")
        assert HELD_S <= read.seconds <= report.settle_s + report.compile_s
        assert report.record_s <= wall - HELD_S


def test_waiting_at_the_end_is_not_recording(shell):
    with engine.using(inline=False, slow=HELD_S):
        wall = timed(shell, "y = x * 2")  # a cell with NumPy's values waits for them
        report = shell.report
        assert not report.running and not report.graph_breaks
        assert report.record_s + report.settle_s <= wall - HELD_S


def test_code_that_is_left_to_python_is_not_recording(shell):
    shell.run(f"import time\ndef rest(n):\n    for i in range(n):\n        time.sleep({HELD_S})")
    wall = timed(shell, "y = x * 2\nfor i in range(1):\n    rest(1)")
    report = shell.report
    assert report.python_s + report.settle_s + report.record_s <= wall
    assert report.settle_s <= wall - HELD_S


def test_a_loop_left_to_python_keeps_the_count_and_the_price_of_what_it_asked_for(shell):
    # A slice of an array is nothing for a unit.
    body = "n = 0\nfor i in range(4000):\n    if x[i % 12 : i % 12 + 1].sum() > 5:\n        n += 1"
    shell.hybridize(body)
    assert shell.ns["n"] == 1998
    report = shell.report
    by_line = {line: b for b in report.graph_breaks for line in (b[0],)}
    assert by_line[4].count > 1 and by_line[4].seconds > 0
    assert by_line[3][1].startswith("lines 3-5 left to Python")
    text = repr(report)
    assert f"break     {by_line[4].text}" in text and "line 3: lines" not in text
    assert text.count("\nbreak ") == len(report.graph_breaks) == 2


def test_a_place_says_its_count_and_a_price_that_matters():
    once = Break((3, "print shows a value"), 1, 1e-5)
    often = Break((3, "print shows a value"), 7884, 20.0)
    assert once == often == (3, "print shows a value")
    assert once.text == "line 3: print shows a value"
    assert often.text == "line 3: print shows a value, 7,884 times, 20 s"
    assert copy.copy(often).count == 7884
    loop = Break((3, "lines 3-5 left to Python: no use"))
    assert loop.text == "lines 3-5 left to Python: no use"
    assert Break((None, "a debugger watches")).text == "a debugger watches"


def test_pictures_and_comparisons_tell_it_too(shell):
    shell.hybridize("for i in range(3):\n    print((x + i).sum())", "--force")
    spec = spec_of(shell.report)
    assert spec["totals"]["record_s"] == shell.report.record_s > 0
    assert spec["totals"]["settle_s"] == shell.report.settle_s > 0
    (told,), (known,) = spec["breaks"], shell.report.graph_breaks
    assert (told["line"], told["count"], told["seconds"]) == (3, 3, known.seconds)
    shell.hybridize("y = x * 2\nz = float(y.sum())", "--compare --seconds 0.1")
    compared = shell.report.compare
    assert compared.data["record_s"] == compared.record_s > 0
    assert compared.data["breaks"][0]["count"] == 1 and compared.settle_s > 0
    assert "a run records for" in repr(compared)


def test_code_that_was_recorded_did_not_run_as_written(shell):
    shell.hybridize("n = sum(range(5))")
    assert "recorded no array" in repr(shell.report)
    for text in (repr(shell.report), shell.report.explain()):
        assert "imperative" not in text


LOOP = "n = 0\nfor v in values:\n    n += v * v\n"


@pytest.mark.parametrize("body", [LOOP, LOOP + "y = x.reshape(3, 4)"])
def test_loops_that_run_compiled_are_not_left_to_python(shell, body, monkeypatch):
    monkeypatch.setattr(check, "ALWAYS", False)  # else the steps as written count
    shell.run("values = [float(i) for i in range(20000)]")
    timed(shell, body)
    report, totals = shell.report, spec_of(shell.report)["totals"]
    assert report.units and 0 < report.loops_s < report.took_s
    assert sum((report.record_s, report.settle_s, report.python_s)) <= report.took_s
    assert (totals["took_s"], totals["loops_s"]) == (report.took_s, report.loops_s)
    assert "compiled loops " in repr(report)
    explained = report.explain()
    assert " in all: " in explained and "captured whole" not in explained
    assert ("captured but for loops that ran compiled" in explained) == bool(report.segments)
