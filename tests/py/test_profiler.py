"""MXNet's profiler on the engine's own records."""

from __future__ import annotations

import json

import pytest

import jupyter_hybrid as mx
from jupyter_hybrid import autograd, nd, profiler
from jupyter_hybrid.base import MXNetError
from jupyter_hybrid.gluon import rnn
from jupyter_hybrid.profiler.records import records


@pytest.fixture(autouse=True)
def written(tmp_path):
    """The file that a test's profile goes to; nothing is left of it afterwards."""
    path = tmp_path / "profile.json"
    yield path
    profiler.set_config(filename=str(path))
    profiler.resume()
    profiler.dump()
    profiler.set_config()


def run(*names):
    for name in names:
        getattr(nd, name)(nd.ones((8, 8))).wait_to_read()
    nd.waitall()


def counted(category="operator"):
    found = json.loads(profiler.dumps(format="json"))
    return {name: row["Count"] for name, row in found["Time"].get(category, {}).items()}


def test_operators_are_counted_while_it_runs(written):
    profiler.set_config(filename=str(written), aggregate_stats=True)
    run("sin")
    profiler.set_state("run")
    run("exp", "exp", "cos")
    profiler.pause()
    run("tan")
    profiler.resume()
    run("cos")
    profiler.set_state("stop")
    run("sin")
    assert counted() == {"ones": 4, "exp": 2, "cos": 2}
    rows = json.loads(profiler.dumps(format="json"))["Time"]["operator"]
    row = rows["exp"]
    assert 0 < row["Min"] <= row["Avg"] <= row["Max"] <= row["Total"]
    assert row["Avg"] == pytest.approx(row["Total"] / 2)


def test_the_file_is_a_trace_of_what_ran(written):
    profiler.set_config(filename=str(written), profile_all=True)
    profiler.set_state("run")
    domain = profiler.Domain("training")
    task, frame = domain.new_task("epoch"), domain.new_frame("batch")
    event, counter = profiler.Event("reading"), domain.new_counter("seen", 3)
    for part in (task, frame, event):
        part.start()
    run("exp")
    counter += 5
    counter.decrement(2)
    domain.new_marker("here").mark("global")
    for part in (event, frame, task):
        part.stop()
    profiler.dump()
    events = json.loads(written.read_text())["traceEvents"]
    spans = {(e["cat"], e["name"]) for e in events if e["ph"] == "X"}
    assert spans >= {("operator", "exp"), ("training", "epoch"), ("training,frame", "batch")}
    assert ("event", "reading") in spans
    assert [e["args"]["seen"] for e in events if e["name"] == "seen"] == [3, 8, 6]
    assert [e["s"] for e in events if e["ph"] == "i"] == ["g"]
    assert any(e["cat"] == "Device Storage" for e in events if e["ph"] == "C")
    epoch, exp = (next(e for e in events if e["name"] == n) for n in ("epoch", "exp"))
    assert epoch["ts"] <= exp["ts"] <= exp["ts"] + exp["dur"] <= epoch["ts"] + epoch["dur"]
    assert not records.spans and not records.active


def test_tables_are_sorted_and_reset():
    profiler.set_config(aggregate_stats=True)
    profiler.set_state("run")
    run("exp", "exp", "cos")
    table = profiler.dumps(sort_by="count", ascending=True, reset=True)
    assert table.index("cos ") < table.index("exp ") < table.index("ones ")
    assert "Avg Time (ms)" in table
    assert counted() == {}
    run("cos")
    assert counted() == {"ones": 1, "cos": 1}


def test_nothing_is_said_unless_asked_for():
    profiler.set_state("run")
    run("exp")
    assert profiler.dumps() == ""
    stopped = profiler.Event("never started")
    stopped.stop()
    assert not any(s.name == "never started" for s in records.spans)


def test_bad_settings_are_refused():
    with pytest.raises(MXNetError, match="given 'foo', expected one of profile_all"):
        profiler.set_config(foo=1)
    with pytest.raises(MXNetError, match="profile_all='maybe', expected a boolean"):
        profiler.set_config(profile_all="maybe")
    with pytest.raises(KeyError):
        profiler.set_state("walk")
    with pytest.raises(MXNetError, match="no servers"):
        profiler.set_state("run", "server")
    with pytest.raises(MXNetError, match="given 'far', expected one of global"):
        profiler.Domain("d").new_marker("m").mark("far")
    with pytest.raises(AssertionError, match="expected 'table', 'json'"):
        profiler.dumps(format="xml")


def test_a_state_that_no_gradient_comes_from_makes_no_forward_run_again():
    layer = rnn.LSTM(4)
    layer.initialize()
    layer.hybridize()
    x = nd.ones((3, 2, 5))
    profiler.set_config(aggregate_stats=True)
    for steps in (1, 3):  # the first compiles
        profiler.set_state("run")
        for _ in range(steps):
            with autograd.record():
                loss = layer(x, layer.begin_state(batch_size=2))[0].sum()
            loss.backward()
        nd.waitall()
        profiler.set_state("stop")
        assert counted()["RNN"] == steps
        profiler.dumps(reset=True)


def test_lanes_of_a_virtual_gpu_are_called_so(written):
    mx.virtual_gpus(1)
    profiler.set_config(filename=str(written), profile_all=True)
    profiler.set_state("run")
    nd.sin(nd.ones((8, 8), ctx=mx.gpu(0))).wait_to_read()
    profiler.dump()
    events = json.loads(written.read_text())["traceEvents"]
    lanes = {e["args"]["name"] for e in events if e["name"] == "thread_name"}
    assert "gpu(0) compute (virtual)" in lanes and "gpu(0) compute" not in lanes
    mx.virtual_gpus(0)
