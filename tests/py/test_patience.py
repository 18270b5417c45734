"""Loops and functions that are left to Python, what the report says of them, and ``--force``."""

from __future__ import annotations

import statistics
import sys

import numpy as np
import pytest
from cells import Clock, Shell, imperative

from jupyter_hybrid.capture.options import Options
from jupyter_hybrid.capture.source import budget, patience
from jupyter_hybrid.capture.source.loops import Place
from jupyter_hybrid.capture.source.nodes import Rewriting
from jupyter_hybrid.cells import magics, ways

READS = "import numpy as np\nx = np.linspace(-1.0, 1.0, 300)\n"
# A slice of an array is nothing for a unit.
LOOP = READS + "n = 0\nfor v in x:\n    if (v * x[:1]).itemsize and v * 2 > 0.5:\n        n += 1\n"


@pytest.fixture
def shell() -> Shell:
    return Shell()


def breaks(shell: Shell) -> list[str]:
    return [b[1] for b in shell.report.graph_breaks for _ in range(b.count)]


def test_a_loop_that_keeps_asking_for_values_is_left(shell):
    shell.hybridize(LOOP)
    assert shell.ns["n"] == imperative(LOOP)[0]["n"]
    (text,) = [t for t in breaks(shell) if "left to Python" in t]
    assert text.startswith("lines 5-7 left to Python: 32 times in 32 steps a value was needed")
    assert len(breaks(shell)) <= patience.CONTACTS + 1


TWICE = [  # a unit leaves now and then, also while steps as written are timed
    "s = 0\nfor i in range(2000):\n    s += x[i]\n    if i % 500 == 0:\n        print(i)\n",
    "def f():\n    s, out = 0, []\n    for i in range(2000):\n        s += x[i]\n"
    "        if i % 300 == 0:\n            out.append(str(i))\n    return out\nprint(*f())\n",
    "s = i = 0\nwhile i < 2000:\n    s += x[i]\n    if i % 250 == 0:\n        print(i)\n"
    "    i += 1\n",
]


@pytest.mark.parametrize("magic", ["%%hybridize\n", "%%hybridize --check\n", ""])
@pytest.mark.parametrize("cell", TWICE)
def test_no_step_runs_twice(shell, cell, magic, monkeypatch):
    monkeypatch.undo()  # units run as they do for people
    monkeypatch.setattr(magics, "show", lambda *_: None)  # which takes longer than all the rest
    shell.run("import numpy as np\nx = np.random.RandomState(0).rand(3000)\n")
    if not magic:
        shell.run("%hybrid mode auto")
    out = shell.run("%%imperative\n" + cell).out
    outs = [shell.run(magic + cell).out for _ in range(14)]
    assert outs == [out] * 14


def test_it_stays_left_in_later_runs(shell):
    shell.hybridize(LOOP)
    shell.hybridize(LOOP)
    assert len([t for t in breaks(shell) if t.startswith("lines 5-7 left to Python")]) == 1
    assert not [t for t in breaks(shell) if t == "a condition reads a value"]


def test_force_records_all_of_it(shell):
    shell.hybridize(LOOP, "--force")
    assert not [t for t in breaks(shell) if "left to Python" in t]
    assert len(breaks(shell)) >= 300
    assert shell.ns["n"] == imperative(LOOP)[0]["n"]


def test_force_for_the_default_mode(shell):
    shell.run("%hybrid mode symbolic --force")
    try:
        shell.run(LOOP)
    finally:
        shell.run("%hybrid mode imperative")
    assert not [t for t in breaks(shell) if "left to Python" in t]


def test_a_loop_that_ends_before_it_is_compared_says_what_was_measured(shell, monkeypatch):
    monkeypatch.setattr(budget, "GRACE_S", 0.0)
    monkeypatch.setattr(patience, "prices", lambda *times: (1.0, 0.0))
    shell.hybridize(READS + "y = x\nfor i in range(1):\n    y = y * 0.5 + (i - i)\n")
    (said,) = [t for t in breaks(shell) if "compared" in t]
    assert said.endswith("had no step left: a step costs 1 s recorded")


def test_a_loop_that_records_whole_is_not_left(shell):
    shell.hybridize(READS + "y = x\nfor i in range(100):\n    y = y * 0.5 + 1\n")
    assert not shell.report.graph_breaks


@pytest.mark.parametrize("faster", ["plain", "recorded"])
def test_steps_are_measured_against_some_as_written(shell, monkeypatch, faster):
    monkeypatch.setattr(budget, "GRACE_S", 0.0)
    costs = iter([1.0, 0.0] if faster == "plain" else [0.0, 1.0] * 20)
    monkeypatch.setattr(patience, "prices", lambda *times: (next(costs), next(costs)))
    body = READS + "y = [x]\nfor i in range(40):\n    y.append(y[-1] * 0.5)\nlast = y[-1]\n"
    body += f"# {faster}\n"  # a cell of its own: the other one is known by now
    shell.hybridize(body)
    np.testing.assert_array_equal(shell.ns["last"], imperative(body)[0]["last"])
    said = [t for t in breaks(shell) if t.startswith("lines 5-6 ")]
    if faster == "plain":
        assert len(said) == 1
        assert said[0].startswith("lines 5-6 left to Python: a step costs ")
        assert said[0].endswith("recorded, 0 ns as written")
    else:  # measured again when the steps have doubled
        assert 1 <= len(said) <= 6
        assert all("compared with plain Python" in t for t in said)


@pytest.mark.parametrize("faster", ["plain", "recorded"])
def test_elements_are_measured_against_some_as_written(shell, monkeypatch, faster):
    monkeypatch.setattr(budget, "GRACE_S", 0.0)
    costs = iter([1.0, 0.0] if faster == "plain" else [0.0, 1.0] * 2)
    monkeypatch.setattr(patience, "prices", lambda *times: (next(costs), next(costs)))
    body = READS + "def f(y):\n    return [y + i for i in range(40)]\nrows = f(x * 2)\n"
    body += f"# {faster}\n"
    wanted = imperative(body)[0]["rows"]
    for run in range(1, 5):
        shell.hybridize(body)
        assert [type(row) for row in shell.ns["rows"]] == [np.ndarray] * 40
        np.testing.assert_array_equal(shell.ns["rows"], wanted)
        said = [t for t in breaks(shell) if t.startswith("line 5 ")]
        if faster == "recorded" and run in (2, 3):  # it is trusted, then measured again
            assert not said
        else:
            how = "left to Python: a step costs 1" if faster == "plain" else "compared with plain"
            assert len(said) == 1 and said[0].startswith(f"line 5 {how}")


STEPS = READS + (
    "y = [x]\nfor i in range(40):\n    y.append(y[-1] * 0.5)\nlast = y[-1]\n"
    "k = 0\ndel k\n"  # not closed: its body runs
)


def measured(monkeypatch, *costs: tuple[float, float]) -> list[int]:
    """Steps are said to cost so much, recorded and as written; how often they were measured."""
    monkeypatch.setattr(budget, "GRACE_S", 0.0)
    left, times = list(costs), []
    monkeypatch.setattr(patience, "prices", lambda *_: times.append(0) or left.pop(0))
    return times


@pytest.mark.parametrize(("first", "later"), [(2.0, 1), (20.0, 0)])
def test_a_loop_that_a_close_thing_left_is_looked_at_once_more(shell, monkeypatch, first, later):
    times = measured(monkeypatch, (first, 1.0), (3.0, 1.0))
    body = STEPS + f"# {first}\n"
    for run in range(3):
        shell.hybridize(body)
        np.testing.assert_array_equal(shell.ns["last"], imperative(body)[0]["last"])
        assert [t for t in breaks(shell) if t.startswith("lines 5-6 left to Python")]
        assert len(times) == 1 + (later if run else 0)


def test_a_loop_that_pays_is_not_measured_in_every_run(shell, monkeypatch):
    times = measured(monkeypatch, *[(1.0, 2.0)] * 40)
    counts = []
    for _ in range(5):
        shell.hybridize(STEPS + "# pays\n")
        counts.append(len(times))
    assert counts[0] > 0
    assert counts == counts[:1] * 5  # the more often it was measured, the longer
    assert shell.report.segments


def test_recorded_steps_are_those_behind_the_new_memory():
    found = patience.prices([9.0, 9.0, 1.0, 3.0], 4.0, [5.0, 1.0, 2.0])
    assert found == (2.0 + 4.0 / 4, 2.0)


def test_what_takes_long_is_compiled_for_a_trial_too(shell, monkeypatch):
    monkeypatch.setattr(budget, "GRACE_S", 0.0)
    monkeypatch.setattr(budget, "_LONG_NS", 1.0)
    body = READS + "y = x\nfor i in range(9):\n    y = y * 0.5 + (i - i)\n# long\n"
    shell.hybridize(body)
    first = shell.report.segments[0]
    assert first.reason.endswith("compared with plain Python")
    assert "fuse" in {stage.name for stage in first.compiled.stages if stage.changed}


def test_what_is_computed_for_a_trial_needs_no_passes(shell, monkeypatch):
    monkeypatch.setattr(budget, "GRACE_S", 0.0)
    body = READS + "y = x\nfor i in range(9):\n    y = y * 0.5 + (i - i)\n# trial\n"
    shell.hybridize(body)
    first = shell.report.segments[0]
    assert first.reason.endswith("compared with plain Python")
    changed = {stage.name for stage in first.compiled.stages if stage.changed}
    assert changed <= {"written", "infer", "plan"}
    np.testing.assert_array_equal(shell.ns["y"], imperative(body)[0]["y"])


def test_a_loop_that_touches_no_array_leaves_the_graph_whole(shell):
    body = READS + (
        "y = x * 2\nt = 0\ndef f(k):\n    return k % 3\n"
        "for i in range(50):\n    t += f(i)\nwhile t > 10:\n    t -= 7\nz = y + t\n"
    )
    shell.hybridize(body)
    assert not shell.report.graph_breaks
    np.testing.assert_array_equal(shell.ns["z"], imperative(body)[0]["z"])


def test_a_function_that_keeps_asking_is_called_as_written(shell):
    body = READS + (
        "def sign(v):\n    if v.sum() > 0:\n        return 1\n    return -1\n"
        "def half(lo, hi):\n    if hi - lo < 2:\n        return sign(x[lo:hi])\n"
        "    m = (lo + hi) // 2\n    return half(lo, m) + half(m, hi)\nfound = half(0, 200)\n"
    )
    shell.hybridize(body)
    assert shell.ns["found"] == imperative(body)[0]["found"]
    said = [t for t in breaks(shell) if t.startswith("sign left to Python: in ")]
    assert len(said) == 1
    assert len(breaks(shell)) < 200


def test_the_clock_is_read_when_the_work_is_done(shell):
    body = (
        "import time\nimport numpy as np\nx = np.ones((200, 200))\n"
        "a = time.perf_counter()\ny = x @ x\nb = time.perf_counter()\nz = y + 1\n"
    )
    shell.hybridize(body)
    second = shell.report.segments[1]
    assert "dot" in [n.op for n in second.graph.nodes]
    assert (7, "a clock is read") in shell.report.graph_breaks


def test_stand_ins_in_containers_are_written_by_a_loop_as_written(shell, monkeypatch):
    monkeypatch.setattr(patience, "CONTACTS", 2)
    body = READS + (
        "rows = [x * 1, x * 2]\nsame = rows[0]\n"
        "for i in range(20):\n    if rows[1][i] < 5:\n        rows[0][i] = i\n"
        "total = rows[0].sum() + same.sum()\n"
    )
    shell.hybridize(body)
    wanted = imperative(body)[0]
    np.testing.assert_array_equal(shell.ns["rows"][0], wanted["rows"][0])
    np.testing.assert_array_equal(np.asarray(shell.ns["same"]), wanted["same"])
    assert shell.ns["total"] == pytest.approx(wanted["total"], rel=1e-13)


def test_what_a_deep_tuple_holds_is_real_in_a_loop_as_written(shell, monkeypatch):
    monkeypatch.setattr(patience, "CONTACTS", 2)
    body = READS + (
        "y = x * 2\ndeep = ((((((y, 1), 2), 3), 4), 5), 6)\nkinds = []\n"
        "for v in x[:9]:\n    if v < 5:\n"
        "        kinds.append(type(deep[0][0][0][0][0][0]))\n"
    )
    shell.hybridize(body)
    assert set(shell.ns["kinds"][-4:]) == {np.ndarray}
    assert shell.ns["kinds"] == imperative(body)[0]["kinds"]


@pytest.mark.parametrize("through", ["enumerate(vs)", "zip(range(9), vs)", "enumerate(iter(vs))"])
@pytest.mark.parametrize("run", ["first", "left before"])
def test_what_goes_through_a_tuple_gives_a_loop_as_written_real_arrays(
    shell, monkeypatch, through, run
):
    monkeypatch.setattr(budget, "GRACE_S", 0.0)
    setup = (
        READS
        + f"""
def kept(*vs):
    given = [(v, v is vs[n])[0] for n, v in {through}]
    for n, v in {through}:
        given.append(type(v))
    return given
"""
    )
    body = (
        "a, b, c, d, e, f = (x + i for i in range(6))\nall_ = kept(a, b, c, d, e, f)\nl = f * 2\n"
    )
    shell.run(setup)
    for _ in range(2 if run == "left before" else 1):
        shell.hybridize(body, "--no-fuse")
    arrays, types = shell.ns["all_"][:6], shell.ns["all_"][6:]
    assert set(map(type, arrays)) == set(types) == {np.ndarray}
    assert all(v is shell.ns[name] for v, name in zip(arrays, "abcdef"))


def test_what_a_tuple_holds_is_real_in_a_loop_as_written(shell, monkeypatch):
    monkeypatch.setattr(patience, "CONTACTS", 2)
    body = READS + (
        "y = x * 2\nkinds = []\n"
        "for v in (x, x * 2, y, y, y):\n    if v.sum() < 9:\n"
        "        kinds.append((type(v), v is y))\n"
        "same = [v is y for v in (x, y, x, y, x, y) if v.sum() < 9]\n"
    )
    shell.hybridize(body)
    wanted = imperative(body)[0]
    assert shell.ns["kinds"] == wanted["kinds"]
    assert shell.ns["same"] == wanted["same"]


def test_a_cell_of_which_much_is_left_runs_as_written(shell, monkeypatch):
    monkeypatch.setattr(ways, "clock", Clock(9.0, 0.25, 0.5, 1.0))
    body = LOOP + "def f(v):\n    return v + n\n# left\n"
    shell.hybridize(body)
    assert shell.report.segments
    for _ in range(2):
        shell.ns.pop("n")
        shell.hybridize(body)
        assert shell.ns["n"] == imperative(LOOP)[0]["n"]
        assert not shell.report.segments
        assert breaks(shell)[0].startswith("lines 5-7 left to Python: 32 times")
        assert breaks(shell)[1].startswith("the cell runs as written, in 250 ms; recorded it")
    shell.hybridize("y = f(x)\nz = y * 2")  # its functions are seen into, as of any plain cell
    assert not shell.report.graph_breaks
    np.testing.assert_array_equal(shell.ns["z"], (shell.ns["x"] + shell.ns["n"]) * 2)


def test_it_is_recorded_again_when_that_is_faster(shell, monkeypatch):
    monkeypatch.setattr(ways, "clock", Clock(9.0, 5.0, 4.0, 5.0, 2.0, 2.0))
    body = LOOP + "# recorded\n"
    recorded = []
    for _ in range(6):
        shell.hybridize(body)
        recorded.append(bool(shell.report.segments))
        assert shell.ns["n"] == imperative(LOOP)[0]["n"]
    assert recorded == [True, False, True, False, True, True]


def test_a_trial_that_was_disturbed_is_not_the_last_one(shell, monkeypatch):
    monkeypatch.setattr(ways, "clock", Clock(9.0, 8.0, 8.0, 2.0, 2.0, 2.0))
    body = LOOP + "# disturbed\n"
    modes = []
    for _ in range(6):
        shell.hybridize(body)
        modes.append(shell.report.mode)
    recorded, written = "symbolic", "imperative"
    assert modes == [recorded, written, recorded, written, written, written]


def test_a_cell_whose_loops_do_not_run_compiled_is_not_tried_so_again(shell, monkeypatch):
    monkeypatch.setattr(ways, "clock", Clock(9.0, *[5.0] * 9))
    body = LOOP + "# no loops\n"
    shell.hybridize(body)
    known = next(v for k, v in shell.report.cell.memo.items() if k[0] is ways.Ways)
    known.took["compiled"], known.has_units = ways.Took(6.0), True
    known._compiled_runs = known._tries = 1
    tried = []
    for _ in range(5):
        tried.append(known.way(False))
        shell.hybridize(body)
    assert tried.count("compiled") <= 1
    assert not known.has_units
    assert "compiled" not in known.took


def test_a_cell_that_is_recorded_in_no_time_stays_so(shell, monkeypatch):
    monkeypatch.setattr(ways, "clock", Clock(*[0.001] * 9))
    body = LOOP + "# no time\n"
    for _ in range(9):
        shell.hybridize(body)
        assert shell.report.mode == "symbolic"


SKIPPED, KEPT = "y = x * 2 + 1\n", "y = x * 2 + 1\nz = [y]\n"
ONCE, WRITTEN, BODILESS = ("symbolic", False), ("imperative", False), ("symbolic", True)


@pytest.mark.parametrize(
    ("body", "seconds", "modes"),
    [
        (SKIPPED, (9.0, 2e-5, 2e-5), [ONCE, BODILESS, BODILESS]),
        (SKIPPED, (9.0, 8.0, 1.0, 1.0), [ONCE, BODILESS, WRITTEN, WRITTEN]),
        (SKIPPED, (9.0, 8.0, 7.8, 8.0), [ONCE, BODILESS, WRITTEN, BODILESS]),
        (KEPT, (9.0, 2.0, 2.0), [ONCE, WRITTEN, WRITTEN]),
        (KEPT, (9.0, 5.0, 4.0, 5.0, 4.0), [ONCE, WRITTEN, ONCE, WRITTEN, ONCE]),
    ],
)
def test_a_long_cell_without_a_picture_goes_the_fastest_way(
    shell, monkeypatch, body, seconds, modes
):
    monkeypatch.setattr(ways, "clock", Clock(*seconds))
    shell.ns["x"] = np.arange(5.0)
    body += f"# {seconds}\n"
    found = []
    for _ in modes:
        shell.hybridize(body, "--view none")
        found.append((shell.report.mode, shell.report.skipped))
        np.testing.assert_array_equal(shell.ns["y"], shell.ns["x"] * 2 + 1)
    assert found == modes


def test_a_long_cell_that_is_drawn_is_recorded(shell, monkeypatch):
    monkeypatch.setattr(ways, "clock", Clock(9.0, 8.0, 7.0))
    for _ in range(3):
        shell.hybridize("import numpy as np\nz = [np.arange(5.0) * 4]\n# drawn\n")
        assert shell.report.mode == "symbolic"


def test_a_run_that_compiles_loops_is_not_held_against_a_cell(shell, monkeypatch):
    """Its next run finds them compiled: that one is compared with a run as written."""
    monkeypatch.setattr(ways, "clock", Clock(9.0, 4.0, 1.0, 1.0))
    body = READS + "for i in range(1, 300):\n    x[i] += x[i - 1]\n"
    modes = []
    for _ in range(4):
        shell.hybridize(body, "--view none")
        modes.append(shell.report.mode)
    assert modes == ["symbolic", "symbolic", "imperative", "imperative"]


def test_a_cell_with_more_to_do_is_recorded_again(shell, monkeypatch):
    monkeypatch.setattr(ways, "clock", Clock(9.0, 1.0, 4.0, 1.0, 4.0, 4.0, 9.0))
    body = LOOP + "# more\n"
    modes = []
    for _ in range(7):
        shell.hybridize(body)
        modes.append(shell.report.mode)
    assert modes == ["symbolic", *["imperative"] * 5, "symbolic"]


def test_who_asks_for_more_than_a_recording_gets_one(shell):
    body = LOOP + "# asked\ny = x * n\n"
    for options in ("--force", "--out y", "--passes fuse"):
        for _ in range(3):
            shell.hybridize(body, options)
            assert shell.report.segments


def test_a_cell_that_asks_for_many_values_is_tried_as_written(shell, monkeypatch):
    monkeypatch.setattr(ways, "clock", Clock(9.0, 0.25))
    body = READS + "".join(f"v = float(x[{i}] * 2)\n" for i in range(40))
    shell.hybridize(body)
    shell.hybridize(body)
    assert not shell.report.segments
    assert shell.ns["v"] == imperative(body)[0]["v"]


@pytest.mark.parametrize(
    "through", ["starmap(put, [(0, 5.0)])", "chain([1], map(put, [0], [5.0]))"]
)
def test_what_an_iterator_holds_is_looked_at(shell, through):
    body = (
        "import itertools\ndef put(i, v):\n    x[i] = v\n"
        "def run(values, n):\n    if n:\n        return run(values, n - 1)\n"
        "    for v in values:\n        pass\n"
        f"held = itertools.{through}\ny = x * 2\nrun(held, 3)\nz = x * 2\n"
    )
    wanted = imperative(READS + body)[0]
    shell.run(READS)
    shell.hybridize(body)
    np.testing.assert_array_equal(shell.ns["y"], wanted["y"])
    np.testing.assert_array_equal(shell.ns["z"], wanted["z"])


def test_a_cell_that_records_nothing_runs_as_written(shell, monkeypatch):
    monkeypatch.setattr(ways, "clock", Clock(9.0, 0.25))
    body = "def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\nm = f(8)\nm\n"
    for mode in ("symbolic", "imperative"):
        assert shell.hybridize(body).value == 21
        assert shell.report.mode == mode
        assert not shell.report.segments and not shell.report.graph_breaks


@pytest.mark.parametrize(
    "body",
    [
        "for i in range(3): statistics.bump()",
        "q = [statistics.bump() for i in range(3)]",
        "i = 0\nwhile i < 3:\n    statistics.bump()\n    i += 1",
        "def f(n):\n    statistics.bump()\n    return n\nfor i in range(20): f(i)",
    ],
)
def test_a_module_of_the_users_with_the_name_of_pythons(shell, monkeypatch, tmp_path, body):
    (tmp_path / "statistics.py").write_text("held = []\ndef bump(): held[0][0] += 100\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, statistics.__name__)
    found = []
    for magic in ("", "%%hybridize --view none\n"):
        shell.run("import statistics\nimport numpy as np\nx = np.ones(3)\nstatistics.held[:] = [x]")
        shell.run(f"{magic}y = x * 2\n{body}\nz = x * 2")
        found.append([shell.ns[name].tolist() for name in "xyz"])
    assert found[0] == found[1]


def test_short_inner_loops_are_measured_together(monkeypatch):
    monkeypatch.setattr(budget, "GRACE_S", 8.0)
    inner, other = Place("", 1, 2, frozenset()), Place("", 3, 4, frozenset())
    run = budget.Budget(Options())
    run.unmeasured(inner, 3.0)
    run.unmeasured(inner, 2.0)
    assert (run.grace_s(inner), run.grace_s(other)) == (3.0, 8.0)
    run.waste(1.0, "another loop was left to Python")
    assert (run.grace_s(inner), run.grace_s(other)) == (2.0, 7.0)


def test_rewriting_a_cell_without_a_picture_takes_from_the_time(monkeypatch):
    monkeypatch.setattr(budget, "GRACE_S", 8.0)
    monkeypatch.setattr(Rewriting, "seconds", 1.0)
    place = Place("", 1, 2, frozenset())
    drawn, other = budget.Budget(Options()), budget.Budget(Options(view="none"))
    monkeypatch.setattr(Rewriting, "seconds", 4.0)
    assert (drawn.grace_s(place), drawn.most_s) == (8.0, 12.0)
    assert (other.grace_s(place), other.most_s) == (5.0, 9.0)
    assert budget.Budget(Options(view="none")).most_s == 12.0  # of a later run


def test_a_step_is_not_judged_alone_because_the_cell_is_long(shell, monkeypatch):
    monkeypatch.setattr(budget, "GRACE_S", 1.0)
    monkeypatch.setattr(budget.Budget, "_rewriting_s", 100.0)
    loop = READS + "y = x\nfor i in range({}):\n    y = y + x\n"
    shell.hybridize(loop.format(2), "--view none")
    assert not [t for t in breaks(shell) if "a step costs" in t]
    shell.hybridize(loop.format(6), "--view none")
    assert [t for t in breaks(shell) if "a step costs" in t]


def test_a_loop_over_elements_is_measured_sooner(shell, monkeypatch):
    """A loop that makes arrays has all of the time."""
    monkeypatch.setattr(budget, "GRACE_S", 1e9)
    monkeypatch.setattr(patience, "_ELEMENTS", 0.0)
    head = "import numpy as np\nx = np.arange(9.0)\ns, y = 0.0, x\nfor i in range(8):\n"
    shell.hybridize(head + "    y = y + x\n")
    assert not shell.report.graph_breaks
    shell.hybridize(head + "    s = s + x[i]\n")
    assert any(why.startswith("lines 5-6") for _, why in shell.report.graph_breaks)


KEPT_ON = (
    "import numpy as np\nfrom collections import deque\nbox = deque([0])\n"
    "x = np.arange(4.0)\n" + "y = x * 2\nbox[0] = y\n" * 40 + "z = y + 1\nz.sum()"
)


@pytest.mark.parametrize("options", ["--view none", "", "--view none --force"])
def test_a_long_cell_that_keeps_asking_goes_on_as_written(shell, monkeypatch, options):
    monkeypatch.setattr(budget, "GRACE_S", 0.0)
    for _ in range(3):
        assert shell.hybridize(KEPT_ON + f"  # {options}", options).value == 16.0
        assert type(shell.ns["z"]) is np.ndarray and shell.ns["box"][0] is shell.ns["y"]
    stores = [t for t in breaks(shell) if "deque" in t]
    assert (len(stores) < 40) == (options == "--view none")


def test_statements_run_until_one_is_refused(shell):
    body = "import numpy as np\na = np.arange(3.0) * 2\nbreak\nb = 1\n"
    for way in ("", "%%hybridize\n", "%%hybridize --view none\n"):
        shell.ns.pop("a", None)
        error = shell.run(way + body, fails=True).error
        assert type(error) is SyntaxError and error.lineno == 3 + bool(way)
        assert list(shell.ns["a"]) == [0.0, 2.0, 4.0] and "b" not in shell.ns


RECURSIVE = READS + (
    "def halves(v):\n    if len(v) == 1:\n        return v * 2\n    m = len(v) // 2\n"
    "    return np.concatenate([halves(v[:m]) + 1, halves(v[m:]) - 1])\ny = halves({})\n"
)


@pytest.mark.parametrize("view", ["none", "graph"])
def test_a_function_that_calls_itself_on_little_is_left(shell, monkeypatch, view):
    monkeypatch.setattr(budget, "GRACE_S", 0.0)
    body = RECURSIVE.format("np.arange(64.0)")
    shell.hybridize(body + f"# {view}\n", f"--view {view}")
    np.testing.assert_array_equal(shell.ns["y"], imperative(body)[0]["y"])
    said = [t for t in breaks(shell) if t.startswith("halves left to Python: it calls itself")]
    assert len(said) == (view == "none")  # a picture shows it whole


def test_a_function_that_calls_itself_on_much_is_recorded(shell, monkeypatch):
    monkeypatch.setattr(budget, "GRACE_S", 0.0)
    body = RECURSIVE.format("np.arange(64.0)").replace("v * 2", "np.exp(np.ones(40_000)) * v[0]")
    shell.hybridize(body, "--view none")
    assert not [t for t in breaks(shell) if "left to Python" in t]


def test_a_function_that_calls_itself_without_arrays_runs_as_written(shell):
    body = READS + "def down(n):\n    return float(n) if n < 1 else down(n - 1) + np.sin(1.5)\n"
    body += "t = down(60)\ny = x * t\n"
    shell.hybridize(body, "--view none")
    np.testing.assert_array_equal(shell.ns["y"], imperative(body)[0]["y"])
