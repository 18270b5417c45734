"""Breaks within cells: known programs, merged segments, memory let go, pending work bounded."""

from __future__ import annotations

import numpy as np
import pytest
from cells import Shell, imperative

from jupyter_hybrid import MXNetError
from jupyter_hybrid.views import spec_of
from jupyter_hybrid.views.pictures import of_report

LOADER = """
import weakref
import numpy as np
alive = []
def load(i):
    made = np.full(50, float(i))
    alive.append(weakref.ref(made))
    return made
"""
READING = """
total = 0.0
for batch in map(load, range(40)):
    doubled = batch * 2
    total += float(doubled.sum())
    if total < 0:
        break
"""


@pytest.fixture
def shell() -> Shell:
    return Shell()


def test_equal_segments_of_one_place_are_one_entry_with_a_count(shell):
    start = "import numpy as np\nx = np.arange(6.0)\nread = []\n"
    body = "y = x\nwhile len(read) < 30:\n    y = y * 0.5 + 1\n    read.append(float(y.sum()))\n"
    shell.run(start)
    shell.hybridize(body, "--force")  # patience looks at the clock
    again = [s for s in shell.report.segments if s.count > 1]
    assert sum(s.count for s in shell.report.segments) >= 30
    assert len(again) == 1 and len(shell.report.segments) <= 3
    expected, _ = imperative(start + body)
    np.testing.assert_allclose(shell.ns["read"], expected["read"], rtol=1e-14)
    np.testing.assert_allclose(shell.ns["y"], expected["y"], rtol=1e-14)
    (label,) = [t for t in of_report(shell.report).segments if "times" in t]
    assert label.endswith(f"({again[0].count} times)")
    assert spec_of(shell.report)["stages"][0]["name"] == "written"


def test_a_break_finds_its_program_in_a_later_run(shell):
    shell.run("import numpy as np\nx = np.arange(6.0)")
    body = "a = float((x * 3).sum())\nb = float((x + 4).max())"
    shell.hybridize(body)
    assert not shell.report.cached
    shell.run("x = x + 1")
    shell.hybridize(body)
    assert shell.report.cached and (shell.ns["a"], shell.ns["b"]) == (63.0, 10.0)


def test_the_same_work_read_at_two_lines_has_two_entries(shell):
    shell.run("import numpy as np\nx = np.arange(6.0)")
    shell.hybridize("def f():\n    return x * 2\na = float(f()[1])\nb = float(f()[1])")
    assert [s.line for s in shell.report.segments if s.line] == [4, 5]


def test_another_attribute_or_constant_is_another_program(shell):
    shell.run("import numpy as np\nx = np.arange(12.0).reshape(3, 4)\nread = []")
    shell.hybridize(
        "for axis in (0, 1, 0, 1):\n    for k in (2.0, 3.0):\n"
        "        read.append(float((x.sum(axis=axis) * k)[-1]))\n        if not read: break"
    )
    plain = np.arange(12.0).reshape(3, 4)
    assert shell.ns["read"] == [plain.sum(axis=a)[-1] * k for a in (0, 1, 0, 1) for k in (2.0, 3.0)]


def test_arrays_that_the_cell_has_read_are_let_go(shell):
    shell.run(LOADER)
    shell.hybridize(READING)
    assert shell.ns["total"] == sum(2 * 50 * float(i) for i in range(40))
    assert sum(ref() is not None for ref in shell.ns["alive"]) <= 1


def test_an_element_does_not_keep_its_array(shell):
    shell.run(LOADER + "kept = []")
    shell.hybridize(
        "for batch in map(load, range(20)):\n    doubled = batch * 2\n    first = doubled[0]\n"
        "    kept.append(first)\n    if first < 0: break"
    )
    assert sum(ref() is not None for ref in shell.ns["alive"]) <= 1
    assert [float(k) for k in shell.ns["kept"]] == [2.0 * i for i in range(20)]


def test_work_does_not_wait_without_end(shell):
    shell.run("import numpy as np\nfrom itertools import count\nmade = iter(count())")
    shell.run("def load():\n    return np.full(2_000_000, float(next(made)))")
    body = (
        "def total():\n    t = np.zeros(2_000_000)\n    for step in range(60):\n"
        "        t = t + load() * 2\n    return t\nt = total()"
    )
    shell.hybridize(body, "--force")  # else the loop is left to Python: it does not pay
    assert any("enough work waits" in reason for _, reason in shell.report.cuts)
    assert len(shell.report.segments) < 60
    np.testing.assert_array_equal(shell.ns["t"], np.full(2_000_000, 2.0 * sum(range(60))))


@pytest.mark.parametrize("between", ["\n    ", " "])
def test_it_is_cut_where_a_line_begins(shell, between):
    """Parts of an expression are held while it is evaluated: they are not to be outputs."""
    shell.run("import numpy as np\nx = np.linspace(0.0, 1.0, 5_000_000)")
    shell.hybridize(f"for step in range(12):{between}x = x + 0.01 * (1 - x)", "--force")
    cut = [s for s in shell.report.segments if s.reason == "enough work waits"]
    assert cut and all(len(s.outputs) == 1 for s in cut)
    expected = np.linspace(0.0, 1.0, 5_000_000)
    for _ in range(12):
        expected = expected + 0.01 * (1 - expected)
    np.testing.assert_allclose(shell.ns["x"], expected, rtol=1e-14)


@pytest.mark.parametrize("made", ["x * 0.99", "x * 0.99 + 0.01"])
def test_a_loop_with_all_its_operators_at_one_place_is_cut(shell, made):
    shell.run("import numpy as np\nx = np.linspace(0.0, 1.0, 2_000_000)")
    shell.hybridize(f"for step in range(200):\n    x = {made}", "--force")
    cut = [s for s in shell.report.segments if s.reason == "enough work waits"]
    assert cut and all(len(s.outputs) == 1 for s in cut)
    plain, _ = imperative(
        "import numpy as np\nx = np.linspace(0.0, 1.0, 2_000_000)\n"
        f"for step in range(200): x = {made}"
    )
    np.testing.assert_allclose(shell.ns["x"], plain["x"], rtol=1e-13)


def test_a_contact_computes_what_reads_memory_and_nothing_else(shell):
    shell.run("import numpy as np\nfrom collections import deque\nx = np.arange(4.0)")
    shell.run("keep = deque(maxlen=1).append")
    body = (
        "def f():\n    global x\n    own = np.full(3, 2.0) + 1\n    y = x * 2\n"
        "    keep(own.shape)\n    x += 1\n    keep(y)\n    return y, x * 3\ny, z = f()"
    )
    for _ in range(2):  # found again in the second run
        shell.run("x = np.arange(4.0)")
        shell.hybridize(body, "--force")
        found = [(s.line, [v.shape for v in s.outputs]) for s in shell.report.segments]
        assert (6, [(4,)]) in found
        np.testing.assert_array_equal(shell.ns["y"], np.arange(4.0) * 2)
        np.testing.assert_array_equal(shell.ns["z"], (np.arange(4.0) + 1) * 3)
        assert not [shapes for line, shapes in found if line in (6, 8) and (3,) in shapes]


def test_what_a_text_says_once_is_not_cut(shell):
    lines = [f"x{i + 1} = x{i} * 1.5 + 1" for i in range(12)]
    shell.run("import numpy as np\nx0 = np.zeros(2_000_000)")
    shell.hybridize("\n".join(lines))
    assert len(shell.report.segments) == 1 and not shell.report.cuts
    assert np.all(shell.ns["x12"] == shell.ns["x12"][0])


def test_an_array_written_by_others_is_read_again_after_a_break(shell):
    shell.run("import numpy as np\nbase = np.arange(4.0)\nx = base[::-1]\ny = base[1:]")
    shell.run("x.flags.writeable = y.flags.writeable = False\ndef bump():\n    base[1] += 100.0")
    shell.hybridize(
        "v = x[1:]\na = float(x.sum()) + float(y.sum())\nbump()\n"
        "b = float(x.sum()), float(y.sum()), float(v.sum()), float((y * 1)[0])"
    )
    assert (shell.ns["a"], shell.ns["b"]) == (12.0, (106.0, 106.0, 103.0, 101.0))


def test_a_kernel_that_fails_leaves_the_other_values(shell):
    shell.run("import numpy as np\nx = np.arange(4.0)\nread = []")
    shell.hybridize(
        "for k in range(3):\n    y = x * 2\n    read.append(float(y[1]))\n    if k > 5: break\n"
        "z = x + 1\nw = np.linalg.inv(np.zeros((2, 2)))",
        fails=True,
    )
    np.testing.assert_array_equal(shell.ns["z"], np.arange(4.0) + 1)
    assert shell.ns["read"] == [2.0, 2.0, 2.0] and "w" not in shell.ns


def test_what_a_failed_kernel_did_not_make_has_its_value(shell):
    shell.run(
        "import numpy as np\nfrom jupyter_hybrid import nd\nx, n = nd.ones(2), np.arange(3.0)"
    )
    shell.hybridize(
        "d = n + 1\nb = x + 1\na = nd.take(x, nd.array([7]), mode='raise')\nc = a + 1", fails=True
    )
    assert shell.ns["b"].tolist() == [2.0, 2.0] and shell.ns["d"].tolist() == [1.0, 2.0, 3.0]
    for name in "ac":
        with pytest.raises(MXNetError, match="take"):
            shell.ns[name].asnumpy()
