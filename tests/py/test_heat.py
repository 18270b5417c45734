"""Heat: times of single kernels, which add up to the run's, and the node of each program line."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from cells import Shell

import jupyter_hybrid as jh
from jupyter_hybrid import _core, nd
from jupyter_hybrid.views import GraphViewer, spec_of
from jupyter_hybrid.views.packed import packed

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
    jh.virtual_gpus(2)
    try:
        shell.ns.update(nd=nd, mx=jh)
        shell.hybridize(
            "a = nd.ones((50, 50), ctx=mx.gpu(0))\n"
            "b = nd.dot(a, a)\nc = b.as_in_context(mx.gpu(1)) + 1\n"
        )
        nd.waitall()
        spec = spec_of(shell.report)
        ids = {n["id"] for n in spec["stages"][-1]["graph"]["nodes"]}
        assert all(row["node"] in ids for row in spec["heat"])
    finally:
        nd.waitall()
        jh.virtual_gpus(0)


def test_heat_comes_when_the_run_is_over(shell):
    shell.hybridize(CELL)
    report = shell.report
    report.run_s
    viewer = GraphViewer(report)
    assert viewer.spec["heat"] and packed(viewer.spec)["heat"]


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
