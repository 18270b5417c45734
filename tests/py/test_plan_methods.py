"""plan="exact" and plan="parallel": in cells, blocks and compiled functions."""

from __future__ import annotations

import signal
import threading

import numpy as np
import pytest
from cells import Shell
from test_place_exact import HARD

import jupyter_hybrid as jh
from jupyter_hybrid import _core, autograd, gluon, nd, sym
from jupyter_hybrid.progress import SearchProgress
from jupyter_hybrid.views import spec_of

TWO_CHAINS = "a = x @ w @ w @ w\nb = y @ w @ w @ w\nc = a @ b"


def two_chains() -> sym.Symbol:
    x, w = sym.var("x"), sym.var("w")
    a, b = x, x
    for _ in range(3):
        a = sym.dot(a, w)
    for _ in range(3):
        b = sym.dot(b, w)
    return sym.dot(a, b)


@pytest.mark.parametrize(
    ("method", "buffers", "edges"), [("fast", 3, 1), ("exact", 3, 1), ("parallel", 4, 0)]
)
def test_a_function_with_implicit_edges_or_without(method, buffers, edges):
    function = jh.compile([two_chains()], plan=method, passes=["plan"])
    (result,) = function(x=nd.ones((8, 8)), w=nd.ones((8, 8)))
    assert result.asnumpy()[0, 0] == 8**6 * 8
    report = function.report()
    assert report.bytes_planned == buffers * 256
    assert len(report.implicit_edges) == edges
    ids = {n.id for n in report.compiled.program.graph.nodes}
    assert all(a in ids and b in ids for a, b in report.implicit_edges)


def test_results_are_the_same_bit_for_bit():
    x, w = nd.random.uniform(shape=(8, 8)), nd.random.uniform(shape=(8, 8))
    made = [
        jh.compile([two_chains()], plan=method)(x=x, w=w)[0].asnumpy()
        for method in ("fast", "exact", "parallel")
    ]
    assert (made[0] == made[1]).all()
    assert (made[0] == made[2]).all()


def test_the_picture_shows_implicit_edges():
    shell = Shell()
    shell.run("import numpy as np\nx = y = np.eye(8)\nw = np.ones((8, 8))")
    shell.hybridize(TWO_CHAINS, "--out c --view none --no-cse")
    edges = shell.report.implicit_edges
    stage = spec_of(shell.report)["stages"][-1]
    drawn = [(e["src"], e["dst"]) for e in stage["graph"]["edges"] if e["kind"] == "order"]
    assert edges
    assert drawn == edges
    assert f"{len(edges)} implicit edge" in stage["summary"]
    before = shell.report.bytes_planned
    shell.hybridize(TWO_CHAINS, "--out c --view none --no-cse --plan parallel")
    assert shell.report.implicit_edges == []
    assert shell.report.bytes_planned > before
    np.testing.assert_array_equal(shell.ns["c"], np.full((8, 8), 8.0**5))


def test_a_block_learns_the_same():
    def trained(**options):
        jh.random.seed(1)
        net = gluon.nn.HybridSequential(prefix="net_")
        net.add(gluon.nn.Dense(16, activation="relu"), gluon.nn.Dense(4))
        net.initialize()
        net.hybridize(**options)
        with autograd.record():
            loss = (net(nd.ones((5, 8))) ** 2).sum()
        loss.backward()
        return [p.grad().asnumpy() for p in net.collect_params().values()]

    expected = trained()
    for method in ("exact", "parallel"):
        for a, b in zip(expected, trained(plan=method), strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("wrong", ["best", 3, ""])
def test_unknown_methods_are_refused(wrong):
    with pytest.raises(jh.MXNetError, match="plan: expected 'fast', 'exact' or 'parallel'"):
        jh.compile([two_chains()], plan=wrong)(x=nd.ones((2, 2)), w=nd.ones((2, 2)))


def test_unknown_methods_are_refused_in_a_cell():
    shell = Shell()
    result = shell.hybridize("x = 1", "--plan best", fails=True)
    assert "--plan: expected one of fast, exact, parallel, got 'best'" in str(result.error)
    result = shell.hybridize("x = 1", "--plan exact --plan-seconds no", fails=True)
    assert "--plan-seconds: expected a positive number" in str(result.error)


def test_the_search_reports_and_is_interrupted():
    seen = []
    progress = SearchProgress(5.0)
    enough = threading.Event()

    def watch(*now):
        seen.append(now)
        progress(*now)
        if len(seen) >= 2:
            enough.set()

    def interrupt():
        enough.wait()
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=interrupt, daemon=True)
    try:
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            _core.place_exact(HARD, 1, 60.0, watch)
    finally:
        signal.signal(signal.SIGINT, before)
        progress.close()
    assert len(seen) >= 2
    assert all(peak >= bound > 0 for _, peak, bound in seen)


def test_the_steps_of_the_planner_can_be_shown_again():
    shell = Shell()
    shell.run("import numpy as np\nx = y = np.eye(8)\nw = np.ones((8, 8))")
    shell.hybridize(TWO_CHAINS, "--out c --view none --no-cse --passes plan")
    memory = spec_of(shell.report)["memory"]
    arena = {b["id"]: b for b in memory["buffers"] if b["kind"] == "arena"}
    assert sorted(memory["placed"]) == sorted(arena)
    assert memory["method"]
    layout = _core.place_buffers(HARD)
    assert sorted(layout["order"]) == list(range(len(HARD)))
    assert layout["attempts"][-1][1] == layout["peak"]
