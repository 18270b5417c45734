"""``%engine timeline``: what ran since the last cell began, by operator and line."""

from __future__ import annotations

import sys
import time

import numpy as np
import pytest
from cells import Shell

from jupyter_hybrid import _core, engine, live, nd
from jupyter_hybrid.live.families import family_named

CELL = "x = nd.ones(8)\nfor _ in range(3):\n    y = nd.exp(x)\nz = nd.sqrt(y)\nz.wait_to_read()"


@pytest.fixture
def shell(queueing: Shell) -> Shell:
    return queueing


def test_a_table_of_the_last_cell(shell, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)  # as if it were not installed
    shell.run("nd.square(nd.ones(8)).wait_to_read()")
    began = time.perf_counter()
    with engine.using(slow=0.02):
        shell.run(CELL)
    spent = time.perf_counter() - began
    rows = shell.run("%engine timeline").value
    found = {(r["operator"], r["line"]): r for r in rows}
    assert set(found) >= {("exp", 3), ("sqrt", 4)} and ("square", 1) not in found
    exp = found["exp", 3]
    assert exp["count"] == 3 and 0 < exp["total_s"] < spent - 0.02 * 5  # held: that is no work
    assert exp["mean_s"] == pytest.approx(exp["total_s"] / 3)
    assert exp["code"] == "y = nd.exp(x)"
    assert sum(r["share"] for r in rows) == pytest.approx(1)
    assert [r["total_s"] for r in rows] == sorted((r["total_s"] for r in rows), reverse=True)
    assert live.timeline(time.perf_counter()) == []


def test_an_operator_that_had_begun_before_counts_by_its_part(shell):
    x = nd.ones((1500, 1500))
    x.wait_to_read()
    y = nd.dot(x, x)
    reader = _core.TraceReader()
    while not _runs(reader):
        assert engine.pending() > 0
    began = time.perf_counter()
    y.wait_to_read()
    ended = time.perf_counter()
    [row] = [r for r in _listed(live.timeline(began)) if r["operator"] == "dot"]
    apart_s = 1e-3  # the trace's clock and Python's agree to some microseconds
    assert 0 < row["count"] < 1 and row["total_s"] <= ended - began + apart_s


def test_small_operators_tell_their_lines(queueing):
    # A name of its own for each: what ran before may have taken turns.
    with engine.using(inline=True):
        queueing.run("x = nd.ones(8)\nfor _ in range(50):\n    x = x + 1\ny = x + x + x")
        rows = _listed(live.timeline())
        told = {(r["operator"], r["line"]): r["count"] for r in rows}
        assert told["add_scalar", 3] == 50 and told["add", 4] == 2
        assert all(type(count) is int for count in told.values())
        # The same code at the same place of memory, perhaps: lines are those that ran.
        queueing.run("for i in range(20):\n    exec('\\n' * i + 'y = x * 2')")
        rows = [r for r in _listed(live.timeline()) if r["operator"] == "mul_scalar"]
        assert sorted(r["line"] for r in rows) == list(range(1, 21))
        # Of lines that take turns all the time the trace keeps one record.
        queueing.run("for _ in range(500):\n    y = x + 1\n    y = x + 2")
        rows = [r for r in _listed(live.timeline()) if r["operator"] == "add_scalar"]
        told = {r["line"] for r in rows}
        assert told <= {2, 3, None} and sum(r["count"] for r in rows) == 1000
        assert max(rows, key=lambda r: r["count"])["line"] is None


def test_what_the_trace_has_lost_is_warned_of(shell):
    began = time.perf_counter()
    x = nd.ones(8)
    for _ in range(40_000):
        y = x + 1
    y.wait_to_read()
    with pytest.warns(UserWarning, match="up to [0-9,]+ are not counted"):
        rows = _listed(live.timeline(began))
    assert 0 < sum(r["count"] for r in rows) < 40_000


def test_with_pandas_it_is_a_data_frame(shell):
    pd = pytest.importorskip("pandas")
    shell.run(CELL)
    frame = shell.run("t = %engine timeline\nt").value
    assert isinstance(frame, pd.DataFrame)
    assert frame.groupby("operator")["count"].sum()["exp"] == 3
    assert list(frame[frame.operator == "sqrt"]["line"]) == [4]
    assert frame["share"].sum() == pytest.approx(1)


def _runs(reader: _core.TraceReader) -> bool:
    spans = np.frombuffer(reader.read_frame()["spans"], _core.SPAN_DTYPE)
    return bool((spans["flags"] & _core.SPAN_FLAGS["running"]).any())


def _listed(table) -> list[dict]:
    return table if isinstance(table, list) else table.to_dict("records")


def test_families_are_those_of_the_graph():
    named = {"tanh": "elementwise", "dot": "linear", "sum": "reduce", "copy_to_device": "copy"}
    kernels = {"tanh+mul": "elementwise", "exp+sum+div": "reduce", "tanh+mul+...": "other"}
    for name, family in {**named, **kernels, "no such": "other"}.items():
        assert family_named(name) == family, name
