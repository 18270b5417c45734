"""Heat: times of single kernels, which add up to the run's, and the node of each program line."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from cells import Shell

import jupyter_hybrid as jh
from jupyter_hybrid import _core, engine, nd
from jupyter_hybrid.gluon import nn
from jupyter_hybrid.views import Forms, spec_of
from jupyter_hybrid.views.packed import packed
from jupyter_hybrid.views.schema import MIME

CELL = """
h = np.maximum(x @ w + 1, 0)
e = np.exp(h - h.max(axis=1, keepdims=True))
loss = (e / e.sum(axis=1, keepdims=True)).mean()
"""


@pytest.fixture
def shell():
    shell = Shell()
    rng = np.random.default_rng(3)
    shell.ns.update(np=np, x=rng.standard_normal((700, 300)), w=rng.standard_normal((300, 200)))
    return shell


def test_kernels_take_what_the_run_takes(shell):
    for _ in range(3):  # compiled, replayed, skipped
        shell.hybridize(CELL)
        report = shell.report
        run_s = report.run_s
        spec = spec_of(report)
        made = [n for n in spec["stages"][-1]["graph"]["nodes"] if n["kind"] in ("op", "fused")]
        assert {row["node"] for row in spec["heat"]} <= {node["id"] for node in made}
        assert len(spec["heat"]) == len(report.kernels)
        took = sum(row["s"] for row in spec["heat"])
        assert 0 < took <= run_s
        for row in spec["heat"]:
            assert row["s"] >= 0 and row["bytes"] > 0
            if row["members"]:
                assert sum(share for _, share in row["members"]) == pytest.approx(1, abs=1e-3)
    dot = next(n["id"] for n in made if n["op"] == "dot" or "dot" in n["label"])
    row = next(row for row in spec["heat"] if row["node"] == dot)
    assert row["flop"] >= 2 * 700 * 300 * 200


def test_a_loops_runs_are_added(shell):
    shell.hybridize("s = 0.0\nfor i in range(4):\n    y = x * i + 1\n    s += float(y.sum())\n")
    report = shell.report
    report.run_s
    for segment in report.segments:
        seconds = segment.times.kernel_seconds()
        assert sum(seconds.values()) <= segment.times.seconds() * 1.001
        assert set(seconds) <= {n.id for n in segment.compiled.program.graph.nodes}
    ran = sum(s.count for s in report.segments)
    assert ran == 0 or spec_of(report)["heat"]


def test_what_has_not_run_has_no_heat(shell):
    shell.hybridize(CELL)
    shell.report.run_s
    assert spec_of(shell.report.defer("h"))["heat"] == []
    compiled = _core.compile(shell.report.segments[0].graph)
    assert spec_of(compiled)["heat"] == []
    assert packed(spec_of(compiled))["heat"] == []


def test_heat_of_a_program_on_several_devices_is_left_out(shell):
    """Its parts run apart; what some of them took would be shown as all of it."""
    jh.virtual_gpus(2)
    try:
        shell.ns.update(nd=nd, mx=jh)
        shell.hybridize(
            "a = nd.ones((50, 50), ctx=mx.gpu(0))\n"
            "b = nd.dot(a, a)\nc = b.as_in_context(mx.gpu(1)) + 1\n"
        )
        nd.waitall()
        assert shell.report.run_s > 0
        spec = spec_of(shell.report)
        assert spec["heat"] == [] and spec["serials"][0]["count"] == 0
    finally:
        nd.waitall()
        jh.virtual_gpus(0)


def test_spans_carry_the_serials_of_their_nodes(shell):
    reader = _core.TraceReader()
    reader.read_frame(1 << 20)
    shell.hybridize("y = np.exp(x) @ w\n")
    shell.report.run_s
    frame = reader.read_frame(1 << 20)
    spans = np.frombuffer(frame["spans"], _core.SPAN_DTYPE)
    (serials,) = spec_of(shell.report)["serials"]
    nodes = {n["id"]: n for n in spec_of(shell.report)["stages"][-1]["graph"]["nodes"]}
    told = [int(s) - serials["first"] for s in spans["node"] if s]
    assert {nodes[i]["op"] for i in told if i in nodes} >= {"exp", "dot"}
    first = serials["first"]
    shell.hybridize("q = np.exp(x) @ w + 3\n")
    assert spec_of(shell.report)["serials"][0]["first"] >= first + serials["count"]


def test_the_picture_of_a_net_has_the_serials_of_its_calls():
    net = nn.HybridSequential()
    net.add(nn.Dense(8, activation="relu"), nn.Dense(2))
    net.initialize()
    net.hybridize()
    net(nd.ones((4, 3))).wait_to_read()
    reader = _core.TraceReader()
    reader.read_frame(1 << 20)
    net(nd.ones((4, 3))).wait_to_read()
    spans = np.frombuffer(reader.read_frame(1 << 20)["spans"], _core.SPAN_DTYPE)
    (serials,) = spec_of(net)["serials"]
    nodes = {n["id"]: n["op"] for n in spec_of(net)["stages"][-1]["graph"]["nodes"]}
    told = [nodes.get(int(s) - serials["first"]) for s in spans["node"] if s]
    assert told.count("FullyConnected") + told.count("Activation") == 2


def test_no_bytes_are_told_of_what_reads_parts(shell):
    """A rate of whole arrays would be more than the machine has."""
    shell.hybridize("y = x[[1, 2, 3]]\nz = np.exp(x)\n")
    shell.report.run_s
    spec = spec_of(shell.report)
    families = {n["id"]: n["family"] for n in spec["stages"][-1]["graph"]["nodes"]}
    found = {families[row["node"]]: row["bytes"] for row in spec["heat"]}
    assert found["index"] == 0 and found["elementwise"] > 0


def test_heat_comes_when_the_run_is_over(shell):
    shell.ns.update(nd=nd, a=nd.ones((60, 60)))
    with engine.using(inline=False, slow=3600):  # held until that is over
        shell.hybridize("b = nd.dot(a, a)\nc = nd.dot(b, a)")  # nobody waits for nd's arrays
        report = shell.report
        forms = Forms(report)
        data, _ = forms.bundle()
        assert report.running and data[MIME]["heat"] == []
        letting_go = threading.Thread(target=engine.configure, kwargs={"slow": 0})
        letting_go.start()
        assert report.run_s > 0  # waits for it
        letting_go.join()
    forms.measure_again()
    data, _ = forms.bundle()
    assert len(data[MIME]["heat"]) == 2 and data[MIME]["heat"] == spec_of(report)["heat"]


def test_times_are_counted_by_threads(shell):
    """Several threads run one program for one recorder; all their kernels are counted."""
    shell.hybridize("y = np.exp(x) @ w\n")
    shell.report.run_s
    program = shell.report.segments[0].compiled.program
    times = _core.RunTimes()
    arrays = [nd.array(shell.ns[v.name], dtype="float64") for v in shell.report.segments[0].inputs]

    def run():
        for _ in range(20):
            program.run(arrays, times=times)

    threads = [threading.Thread(target=run) for _ in range(3)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    times.wait()
    seconds = times.kernel_seconds()
    assert len(seconds) == 2 and all(s > 0 for s in seconds.values())
    other = _core.RunTimes()
    other.take(times)
    assert other.kernel_seconds() == seconds and times.kernel_seconds() == {}


def test_each_program_line_knows_its_node(shell):
    shell.hybridize(CELL + "print(loss)\nz = x[:, 0] + 2\n")
    for stage in spec_of(shell.report)["stages"]:
        lines = stage["program"].removesuffix("\n").split("\n")
        assert len(lines) == len(stage["program_nodes"])
        nodes = {n["id"]: n for n in stage["graph"]["nodes"]}
        members = {m["id"]: n for n in nodes.values() for m in n["members"]}
        seen = set()
        for line, id_ in zip(lines, stage["program_nodes"], strict=True):
            assert (id_ in nodes or id_ in members) if id_ >= 0 else not line
            if line.startswith("# one kernel"):
                assert nodes[id_]["kind"] == "fused"
            seen.add(id_)
        made = {i for i, n in nodes.items() if n["kind"] == "fused"}
        assert made <= seen


def test_shares_of_members_follow_their_costs(shell):
    shell.hybridize("y = np.exp(x) * 2 + 1\n")
    fused = next(n for n in shell.report.stage("fuse").graph.nodes if n.kind == "fused")
    costs = dict(zip([m.op for m in fused.members], fused.member_costs, strict=True))
    assert costs["exp"] > max(cost for op, cost in costs.items() if op != "exp")
