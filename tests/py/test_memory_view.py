"""The memory plan in pictures: what each buffer holds when, and the planner's methods."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from cells import Shell
from test_cell_training import MLP, SETUP

import jupyter_hybrid as jh
from jupyter_hybrid import _core, nd, sym
from jupyter_hybrid.views import spec_of

STEP = """
with autograd.record():
    y = net(x)
    loss = loss_of(y, label)
loss.backward()
trainer.step(3)"""


@pytest.fixture
def shell() -> Shell:
    return Shell()


def memory_of(shell: Shell):
    return spec_of(shell.report)["memory"]


def live(memory) -> list[int]:
    """Bytes alive by step."""
    steps = max(b["end"] for b in memory["buffers"]) + 1
    made = [0] * steps
    for b in memory["buffers"]:
        for step in range(b["start"], b["end"] + 1):
            made[step] += b["bytes"]
    return made


def test_what_a_training_step_holds(shell):
    shell.run(SETUP + MLP + "trainer = gluon.Trainer(net.collect_params(), 'sgd')\nnet(x)")
    shell.hybridize(STEP, "--view none --force")
    memory = memory_of(shell)
    held = Counter()
    for row in memory["held"]:
        held[row["category"]] += row["bytes"]
    weights = 4 * (8 * 4 + 8 + 3 * 8 + 3)
    assert held == {
        "parameter": weights,
        "gradient": weights,
        "input": 4 * (12 + 3 + 1),
    }  # the learning rate, too
    written = {row["label"]: row["written"] for row in memory["held"]}
    first = shell.ns["net"][0].name  # counted on from other tests' layers
    assert (written[f"{first}_weight"], written["x"], written["label"]) == (True, False, False)
    nodes = {n["id"]: n for n in spec_of(shell.report)["stages"][-1]["graph"]["nodes"]}
    values = [v for b in memory["buffers"] for v in b["values"]]
    steps = {s["node"]: s["step"] for s in memory["steps"]}
    assert all(v["start"] == steps[v["node"]] for v in values)
    kinds = {nodes[v["node"]]["name"]: v["category"] for v in values}
    assert (kinds["y"], kinds["loss"]) == ("result", "result")
    assert kinds[f"{first}_relu_fwd"] == "activation"
    for v in values:  # a gradient is what the pass has made, an activation what it reads
        assert (v["category"] == "gradient") == nodes[v["node"]]["scope"].startswith("backward")


def test_inputs_with_gradients_are_parameters(shell):
    shell.run(SETUP + "x, w = nd.ones((2, 3)), nd.ones((3, 4))\nw.attach_grad()")
    shell.hybridize("y = nd.dot(x, w)", "--view none --force")
    kinds = {row["label"]: row["category"] for row in memory_of(shell)["held"]}
    assert kinds == {"x": "input", "w": "parameter"}


def test_the_most_bytes_alive_lie_between_bound_and_plan(shell):
    shell.run(SETUP + "x = np.ones((40, 50))")
    shell.hybridize("a = x @ x.T\nb = np.exp(a) @ x\nc = b.sum()", "--out c --view none --force")
    memory, plan = memory_of(shell), shell.report.segments[0].compiled.program.plan
    assert plan.lower_bound_bytes <= max(live(memory)) <= plan.planned_bytes
    assert memory["planned"] == plan.planned_bytes


def test_results_that_are_copied_at_the_end_are_alive_there():
    x = sym.var("x")
    a = sym.exp(x)
    function = jh.compile([a, sym.reshape(a, shape=(-1,)), x])
    function(x=nd.ones((8, 8)))
    memory = spec_of(function)["memory"]
    copies = [b for b in memory["buffers"] if b["label"].startswith("copy of")]
    assert [b["start"] for b in copies] == [len(memory["steps"])] * 2
    assert all(b["values"][0]["category"] == "result" for b in copies)
    assert max(live(memory)) == memory["lower_bound"] == 3 * 256


def test_parts_of_a_cell_stand_behind_each_other(shell):
    shell.run(SETUP + "x = np.ones((40, 50))")
    shell.hybridize("a = x * 2\nprint(a.sum())\nb = np.exp(a) @ x.T", "--view none --force")
    assert len(shell.report.segments) > 1
    memory = memory_of(shell)
    ends = [s["step"] for s in memory["steps"] if s["node"] < 0]
    assert len(ends) == len(shell.report.segments) - 1
    reach = [b for b in memory["buffers"] if any(b["start"] <= e < b["end"] for e in ends)]
    assert {b["kind"] for b in reach} == {"output"}  # what a name holds; no temporary value
    for row in memory["held"]:
        assert all(not row["start"] <= end < row["end"] for end in ends)


def test_planners_are_compared_on_the_same_buffers(shell):
    shell.run(SETUP + MLP + "trainer = gluon.Trainer(net.collect_params(), 'sgd')\nnet(x)")
    shell.hybridize(STEP, "--view none --force")
    memory, plan = memory_of(shell), shell.report.segments[0].compiled.program.plan
    arena = [b for b in memory["buffers"] if b["kind"] == "arena"]
    assert memory["attempted"] == [b["id"] for b in arena]
    own = [a for a in memory["attempts"] if (a["method"], a["bytes"]) == plan.attempts[-1]]
    assert own[0]["offsets"] == [b["offset"] for b in arena]
    assert own[0]["bytes"] == memory["arena_bytes"]
    for attempt in memory["attempts"]:
        assert attempt["bytes"] >= memory["arena_bound"]
        tops = [o + b["bytes"] for o, b in zip(attempt["offsets"], arena, strict=True)]
        assert max(tops) <= attempt["bytes"] < max(tops) + 64
        for i, a in enumerate(arena):
            for o, b in list(zip(attempt["offsets"], arena, strict=True))[i + 1 :]:
                apart = a["end"] < b["start"] or b["end"] < a["start"]
                below = attempt["offsets"][i] + a["bytes"] <= o
                above = o + b["bytes"] <= attempt["offsets"][i]
                assert apart or below or above


def test_what_is_written_in_place_costs_an_imperative_run_nothing(shell):
    shell.run(SETUP + MLP + "trainer = gluon.Trainer(net.collect_params(), 'sgd')\nnet(x)")
    figures = []
    for step in (STEP, STEP.rpartition("\n")[0]):
        shell.hybridize(step, "--view none --force")
        figures.append(memory_of(shell)["imperative"])
    weights = 4 * (8 * 4 + 8 + 3 * 8 + 3)
    # Weights are written where they are; the step is array operators, whose values are counted.
    assert figures[0] - figures[1] < weights


def test_a_net_run_imperatively_frees_what_is_read_last():
    x = sym.var("x")
    y = x
    for _ in range(6):
        y = sym.FullyConnected(y, num_hidden=64, no_bias=True)
    function = jh.compile([y])
    function(x=nd.ones((8, 64)), **{n: nd.ones((64, 64)) for n in y.list_arguments() if n != "x"})
    memory = spec_of(function)["memory"]
    assert memory["imperative"] == 2 * 8 * 64 * 4 == function.report().bytes_imperative


def test_a_kernel_of_two_values_names_both(shell):
    shell.run(SETUP + "x, w = np.ones((40, 30)), np.ones((30, 20))")
    shell.hybridize(
        "h = np.maximum(x @ w + 1, 0)\ne = np.exp(h - h.max(axis=1, keepdims=True))",
        "--view none --force",
    )
    values = [[v["label"] for v in b["values"]] for b in memory_of(shell)["buffers"]]
    assert sorted(v[-1] for v in values) == ["e", "h"]


def test_a_kernel_makes_each_value_for_its_own_line(shell):
    shell.run(SETUP + "x = np.ones((40, 30))")
    shell.hybridize("a = x * 2\nb = np.exp(a)\nc = np.tanh(b) - 1", "--view none --force")
    memory = memory_of(shell)
    assert len(memory["steps"]) == 1
    lines = {v["label"]: v["line"] for b in memory["buffers"] for v in b["values"]}
    assert lines == {"a": 2, "b": 3, "c": 4}
    assert sorted(b["line"] for b in memory["buffers"]) == [2, 3, 4]


def test_a_parallel_plan_is_not_compared_with_what_may_not_be_done(shell):
    shell.run(SETUP + "x = np.ones((40, 50))")
    shell.hybridize("a = x @ x.T\nb = np.exp(a) @ x", "--view none --force --plan parallel")
    memory = memory_of(shell)
    assert memory["arena_bound"] == 0
    assert all(a["s"] is None for a in memory["attempts"])


def test_each_method_alone():
    rng = np.random.default_rng(3)
    starts = rng.integers(0, 60, 80)
    lifetimes = [
        (i, int(s), int(s + rng.integers(1, 12)), int(rng.integers(1, 900)))
        for i, s in enumerate(starts)
    ]
    each = _core.place_by_each(lifetimes, 1, 100.0)
    assert each[0]["name"] == "in order of time"
    assert len({e["name"] for e in each}) == len(each) > 8
    found = _core.place_buffers(lifetimes)
    assert min(e["peak"] for e in each) >= found["peak"] >= found["lower_bound"]
    assert all(
        e["peak"] == max(o + n[3] for o, n in zip(e["offsets"], lifetimes, strict=True))
        for e in each
    )
    first = found["attempts"][0]
    assert (each[0]["name"], each[0]["peak"]) == first
    assert len(_core.place_by_each(lifetimes, 1, 0.0)) == 1
    assert _core.place_by_each([]) == []


PARTS = """a = np.ones((50, 50)) * 3
print(a.sum())
b = np.ones((50, 50)) * 4 + a
print(b.sum())
c = b - 1
print(c.sum())"""


def parts(shell: Shell, body: str):
    shell.run("import numpy as np\nx = np.ones((50, 50))")
    shell.hybridize(body, "--view none --force")
    return memory_of(shell)


def results(memory, step: int) -> list[str]:
    """What is in memory of the arrays of 20,000 bytes at a step."""
    rows = (b for b in memory["buffers"] if b["start"] <= step <= b["end"])
    return sorted(b["label"].split(" → ")[-1] for b in rows if b["bytes"] == 20_000)


def test_results_of_earlier_parts_live_on(shell):
    memory = parts(shell, PARTS)
    last = max(b["end"] for b in memory["buffers"])
    assert results(memory, last) == ["a", "b", "c"]
    assert max(live(memory)) == memory["planned"] == shell.report.bytes_planned
    assert memory["held"] == []  # b was made by the cell: it was not there before
    assert memory["unsure"] == 16 and memory["repeated"] == 0  # two printed sums


@pytest.mark.parametrize("again", ["a = np.ones((50, 50)) * 4", "del a; d = np.ones((50, 50))"])
def test_a_name_given_something_else_holds_no_more(shell, again):
    body = f"a = x * 3\nprint(a.sum())\n{again}\nprint(x.sum())\nb = x + 1"
    memory = parts(shell, body)
    assert results(memory, 0) == ["a"]
    assert max(len(results(memory, step)) for step, _ in enumerate(live(memory))) == 2
    assert max(live(memory)) == memory["planned"] and memory["unsure"] == 16


@pytest.mark.parametrize(
    "keeps",
    [
        "kept = []\na = x * 3\nprint(a.sum())\nkept.append(a)",
        "keep = lambda of: of.sum()\na = x * 3\nprint(keep(a))",
    ],
)
def test_who_else_may_hold_it_is_not_known(shell, keeps):
    """A list or a function may: it counts to the end, and that is said."""
    memory = parts(shell, f"{keeps}\na = x * 4\nprint(a.sum())\nb = x + 1")
    assert memory["unsure"] >= 20_000
    last = max(b["end"] for b in memory["buffers"])
    assert len(results(memory, last)) >= 3


@pytest.mark.parametrize(
    ("names", "call", "is_known"),
    [
        ("import numpy as xp", "print(xp.sum(a))", True),
        ("from types import SimpleNamespace\nnp = SimpleNamespace(sum=print)", "np.sum(a)", False),
        ("def str(of): print(of.sum())", "str(a)", False),
    ],
)
def test_functions_are_known_by_what_they_are_not_by_their_names(shell, names, call, is_known):
    shell.run(f"import numpy\nx = numpy.ones((50, 50))\n{names}")
    body = f"a = x * 3\n{call}\na = x * 4\nprint(a.sum())"
    shell.hybridize(body, "--view none --force")
    memory = memory_of(shell)
    assert (memory["unsure"] < 20_000) == is_known


def test_what_a_view_holds_lives_on(shell):
    memory = parts(shell, "a = x * 3\nprint(a.sum())\nv = a[1:]\na = x * 4\nprint(a.sum())")
    last = max(b["end"] for b in memory["buffers"])
    assert results(memory, last) == ["a", "a"] and memory["unsure"] < 20_000


def test_a_result_has_its_name_whatever_passes_put_in_its_place(shell):
    """`* 1` is gone: where() makes t."""
    shell.run("import numpy as np\nx = np.ones((50, 50))")
    shell.hybridize("t = np.where(x > 0, x, -x) * 1\nu = np.tanh(x) + t / 8", "--view none --force")
    spec = spec_of(shell.report)
    assert [b["label"] for b in spec["memory"]["buffers"]] == ["t", "u"]
    stages = {s["name"]: {n["op"]: n["label"] for n in s["graph"]["nodes"]} for s in spec["stages"]}
    assert (stages["written"]["where"], stages["simplify"]["where"]) == ("where", "t = where")
    assert stages["simplify"]["div_scalar"] == "t / 8"
