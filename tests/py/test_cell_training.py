"""Training steps in hybridized cells: captured whole, bit for bit what the imperative cell does."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from cells import Shell, imperative

import jupyter_hybrid as jh
from jupyter_hybrid.views import spec_of
from jupyter_hybrid.views.collapsed import collapsed

SETUP = """
from jupyter_hybrid import autograd, gluon, init, nd
import numpy as np
"""
MLP = """
net = gluon.nn.HybridSequential()
net.add(gluon.nn.Dense(8, activation="relu"), gluon.nn.Dense(3))
net.initialize(init.Xavier())
x = nd.arange(12).reshape((3, 4)) / 10
label = nd.array([0, 2, 1])
loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
"""


@pytest.fixture
def shell() -> Shell:
    return Shell()


def arrays(names: dict[str, Any]) -> dict[str, np.ndarray]:
    """Every array that a namespace holds: names, parameters and gradients of blocks, states."""
    found: dict[str, np.ndarray] = {}
    for name, value in names.items():
        if name.startswith("_"):
            continue
        if isinstance(value, jh.nd.NDArray):
            found[name] = value.asnumpy()
            if value.grad is not None:
                found[f"{name}.grad"] = value.grad.asnumpy()
        elif isinstance(value, jh.gluon.Block):
            for i, p in enumerate(value.collect_params().values()):
                found[f"{name}.{i}"] = p.data().asnumpy()
                if p.grad_req != "null":
                    found[f"{name}.{i}.grad"] = p.grad().asnumpy()
        elif isinstance(value, jh.gluon.Trainer):
            for i, (_, state) in enumerate(value.state_arrays()):
                found[f"{name}.{i}"] = state.asnumpy()
        elif isinstance(value, list) and value and isinstance(value[0], (float, np.floating)):
            found[name] = np.array(value)
    return found


def agree(
    shell: Shell, *cells: str, fails: type[BaseException] | None = None, options: str = ""
) -> None:
    """Runs the cells both ways from the same random state; everything must be equal, bit for bit.

    The first cell is run as it stands, the others hybridized; the last may be expected to fail.
    """
    jh.random.seed(11)
    names, _ = imperative(SETUP + cells[0])
    jh.random.seed(11)
    shell.run(SETUP + cells[0])
    state = jh._core.random_state()
    for body in cells[1:]:
        last = body is cells[-1]
        shell.hybridize(body, options, fails=bool(fails) and last)
    jh._core.set_random_state(state)
    for body in cells[1:]:
        if fails and body is cells[-1]:
            with pytest.raises(fails):
                exec(compile(body, "<plain>", "exec"), names)
        else:
            exec(compile(body, "<plain>", "exec"), names)
    expected, got = arrays(names), arrays(shell.ns)
    assert set(expected) == set(got)
    for name, value in expected.items():
        assert value.dtype == got[name].dtype, name
        assert np.array_equal(value, got[name], equal_nan=True), name


def breaks(shell: Shell) -> list[str]:
    return [place[1] for place in shell.report.graph_breaks for _ in range(place.count)]


STEP = """
with autograd.record():
    out = net(x)
    loss = loss_of(out, label)
loss.backward()
trainer.step(3)
"""


@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_a_step_is_one_graph(shell: Shell, momentum: float) -> None:
    make = f'trainer = gluon.Trainer(net.collect_params(), "sgd", {{"learning_rate": 0.1, \
"momentum": {momentum}, "wd": 0.01}})\n'
    agree(shell, "", MLP + make + STEP)
    assert not breaks(shell) and len(shell.report.segments) == 1


def test_three_steps_unrolled_are_one_graph(shell: Shell) -> None:
    loop = "for epoch in range(3):\n" + "".join(
        f"    {line}\n" for line in STEP.strip().splitlines()
    )
    make = 'trainer = gluon.Trainer(net.collect_params(), "sgd", \
{"learning_rate": 0.1, "momentum": 0.9})\n'
    agree(shell, "", MLP + make, loop + "after = net(x)", options="--force")
    assert not breaks(shell) and len(shell.report.segments) == 1
    nodes = [n for n in shell.report.segments[0].graph.nodes if n.kind == "op"]
    assert all(shell.report.line_of(n) for n in nodes)


def test_a_loss_read_in_the_loop_goes_on(shell: Shell) -> None:
    loop = "losses = []\nfor epoch in range(3):\n" + "".join(
        f"    {line}\n" for line in STEP.strip().splitlines()
    )
    make = 'trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})\n'
    agree(shell, MLP, make, loop + "    losses.append(loss.mean().asscalar())\n", options="--force")
    assert breaks(shell) == ["a value is read"] * 3


@pytest.mark.parametrize("kind", ["adam", "rmsprop", "nag"])
def test_states_made_in_the_cell_are_not_computed_from_the_first_step_on(
    shell: Shell, kind: str
) -> None:
    """A loss is read after the step, whose states nothing reads before the next one."""
    options = {"nag": "{'momentum': 0.9}"}.get(kind, "{}")
    cell = f"trainer = gluon.Trainer(net.collect_params(), {kind!r}, {options})\nlosses = []\n"
    cell += "for epoch in range(6):\n"
    cell += "".join(f"    {line}\n" for line in STEP.strip().splitlines())
    agree(shell, MLP, cell + "    losses.append(loss.mean().asscalar())\n", options="--force")
    segments = shell.report.segments
    assert len({s.graph.hash for s in segments}) <= 3 < sum(s.count for s in segments)


def test_values_made_after_the_one_that_is_read_do_not_pile_up(shell: Shell) -> None:
    """Each read computes only what it needs; what waits is not computed from the start for ever."""
    start = "w, m, sums = nd.ones(3), nd.zeros(3), []\n"
    loop = "for i in range(34):\n    loss = (w * w).sum()\n    m = 0.5 * m + w\n"
    loop += "    w = w - 0.1 * m\n    sums.append(loss.asscalar())\n"
    agree(shell, start, loop, options="--force")
    assert max(len(s.graph.nodes) for s in shell.report.segments) < 100


def test_gradients_that_are_printed_are_computed_once(shell: Shell) -> None:
    """And what is printed, another number each time, makes no other program of what follows."""
    make = 'trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})\n'
    looks = "".join(
        f"print('of layer', float(net[{i}].weight.grad().norm().asscalar()))\n" for i in (0, 1)
    )
    *before, last = STEP.strip().splitlines()
    body = "\n".join([*before, looks + last])
    agree(shell, MLP + make, *[body] * 3, options="--force")
    segments = shell.report.segments
    assert len(segments) > 2 and all(s.cached for s in segments)
    products = [n for s in segments for n in s.graph.nodes if n.op == "FullyConnected"]
    assert len(products) == 2


def test_lenet_with_a_hybridized_net(shell: Shell) -> None:
    body = """
net = gluon.nn.HybridSequential()
net.add(
    gluon.nn.Conv2D(4, 3, activation="tanh"), gluon.nn.MaxPool2D(2, 2),
    gluon.nn.Conv2D(6, 3, activation="relu"), gluon.nn.Flatten(), gluon.nn.Dense(3),
)
net.initialize(init.Xavier())
net.hybridize()
x = nd.random.uniform(shape=(2, 1, 12, 12))
label = nd.array([0, 2])
loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.5})
"""
    agree(shell, "", body + STEP + STEP)
    assert not breaks(shell)


def test_dropout_draws_the_same_keys(shell: Shell) -> None:
    body = """
net = gluon.nn.HybridSequential()
net.add(gluon.nn.Dense(16, activation="relu"), gluon.nn.Dropout(0.5), gluon.nn.Dense(3))
net.initialize()
x = nd.random.normal(shape=(5, 4))
label = nd.array([0, 2, 1, 1, 0])
loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
for epoch in range(2):
    with autograd.record():
        loss = loss_of(net(x), label)
    loss.backward()
    trainer.step(5)
predicted = net(x)
with autograd.record(train_mode=False):
    calm = loss_of(net(x), label)
calm.backward(train_mode=False)
"""
    agree(shell, "", body)
    assert not breaks(shell)


VARIABLES = """
a = nd.array([[1.0, -2.0], [0.5, 3.0]])
b = nd.array([[2.0, 1.0], [-1.0, 0.25]])
"""
ATTACH = "a.attach_grad()\nb.attach_grad({req!r})\n"
PROGRAMS = {
    "attached before": (VARIABLES + ATTACH.format(req="write"), ""),
    "attached in the cell": ("", VARIABLES + ATTACH.format(req="write")),
}
CASES = {
    "plain": "with autograd.record():\n    y = (a * b).sum()\ny.backward()\nseen = a.grad * 2\n",
    "head gradient": "with autograd.record():\n    y = a * b + a\ny.backward(b * 3)\n",
    "several heads": "with autograd.record():\n    y = a * b\n    z = nd.exp(a)\n"
    "autograd.backward([y, z], [None, b])\n",
    "twice": "with autograd.record():\n    y = (a * a * b).sum()\n"
    "y.backward(retain_graph=True)\nfirst = a.grad.copy()\ny.backward()\n",
    "grad": "with autograd.record():\n    y = (a * b).sum()\nga, gb = autograd.grad(y, [a, b])\n"
    "ga += 1\n",
    "grad of grad": "with autograd.record():\n    y = (a * a * a * b).sum()\n"
    "    (ga,) = autograd.grad(y, [a], create_graph=True)\n    z = (ga * ga).sum()\n"
    "z.backward()\n",
    "paused": "with autograd.record():\n    y = a * b\n    with autograd.pause():\n"
    "        k = y * 2\n    z = (y * k).sum()\nz.backward()\n",
    "detached": "with autograd.record():\n    y = a * b\n    z = (y.detach() * a).sum()\n"
    "z.backward()\n",
    "blocked": "with autograd.record():\n    y = nd.BlockGrad(a * b) * a\ny.backward()\n",
    "constants from outside": "k = a * 2\nwith autograd.record():\n    y = (k * a * b).sum()\n"
    "y.backward()\n",
    "written by hand": "for i in range(3):\n    with autograd.record():\n"
    "        y = ((a - b) ** 2).sum()\n    y.backward()\n    a[:] = a - 0.1 * a.grad\n"
    "    b -= 0.1 * b.grad\n",
    "gradient cleared": "with autograd.record():\n    y = (a * b).sum()\ny.backward()\n"
    "kept = a.grad + 0\na.grad[:] = 0\nzero = a.grad * 1\n",
    "value read between": "with autograd.record():\n    y = nd.exp(a * b)\n    z = y.sum()\n"
    "seen = z.asscalar()\nz.backward()\n",
    "gradient read": "with autograd.record():\n    y = (a * b).sum()\ny.backward()\n"
    "total = float(a.grad.sum().asscalar())\na += 1\nc = a * 2\n",
    "sums of uses": "with autograd.record():\n    y = a * b + a.T + a[0] + nd.relu(a)\n"
    "    y = nd.dot(y, a)\ny.backward()\n",
    "same value in two gradients": "with autograd.record():\n    y = a + b\ny.backward()\n"
    "a.grad[:] = 7\n",
    "cut at a window": "with autograd.record():\n    y = (a[0:1] * b[1:2]).sum()\ny.backward()\n",
}


@pytest.mark.parametrize("where", PROGRAMS)
@pytest.mark.parametrize("case", CASES)
def test_gradients(shell: Shell, case: str, where: str) -> None:
    before, inside = PROGRAMS[where]
    agree(shell, before, inside + CASES[case])
    expected = {"value read between": 1, "gradient read": 1}.get(case, 0)
    assert len(breaks(shell)) == expected, breaks(shell)


@pytest.mark.parametrize("req", ["add", "null"])
def test_gradient_requirements(shell: Shell, req: str) -> None:
    body = "for i in range(2):\n    with autograd.record():\n        y = (a * b).sum()\n"
    agree(shell, VARIABLES + ATTACH.format(req=req), body + "    y.backward()\n")
    assert not breaks(shell)


W = "w = nd.arange(6).reshape((3, 2))"
OTHER_GRADIENTS = {
    "a window from before": f"{W}; w.attach_grad(); v = w.grad[1:2]",
    "one's own array": f"{W}; v = nd.zeros((3, 2)); autograd.mark_variables([w], [v])",
    "two in the same memory": f"""
{W}; u = nd.ones((3, 2)); v = nd.zeros((3, 2))
autograd.mark_variables([w, u], [v, v])""",
    "two that overlap": f"""
{W}; u = nd.ones((3, 2)); v = nd.zeros((4, 2))
autograd.mark_variables([w, u], [v[0:3], v[1:4]])""",
}


@pytest.mark.parametrize("where", OTHER_GRADIENTS)
def test_gradients_in_memory_that_others_see(shell: Shell, where: str) -> None:
    u = "u" if " u = " in OTHER_GRADIENTS[where] else "1"
    cell = f"""
before = v * 2
with autograd.record():
    loss = (w * w + {u} * 3).sum()
loss.backward()
after = v * 2
v += 1
last = w.grad * 1
"""
    agree(shell, OTHER_GRADIENTS[where], cell)


def test_what_is_recorded_can_be_differentiated_in_a_later_cell(shell: Shell) -> None:
    record = "with autograd.record():\n    y = nd.exp(a * b)\n    z = (y * a).sum()\n"
    agree(shell, VARIABLES + ATTACH.format(req="write"), record, "z.backward()")
    shell.run(VARIABLES + ATTACH.format(req="write"))
    shell.hybridize(record)
    shell.run("z.backward()")  # imperatively, on what the cell recorded
    names, _ = imperative(SETUP + VARIABLES + ATTACH.format(req="write") + record + "z.backward()")
    assert np.array_equal(shell.ns["a"].grad.asnumpy(), names["a"].grad.asnumpy())


def test_recorded_before_the_cell(shell: Shell) -> None:
    start = VARIABLES + ATTACH.format(req="write")
    start += "with autograd.record():\n    y = nd.exp(a * b)\n"
    agree(shell, start, "with autograd.record():\n    z = (y * a).sum()\nz.backward()\n")
    assert not breaks(shell)


def test_a_compiled_call_from_before_is_a_named_break(shell: Shell) -> None:
    start = MLP.replace("net.initialize", "net.hybridize()\nnet.initialize")
    start = start.replace("init.Xavier()", "init.One()")
    start += "with autograd.record():\n    out = net(x)\n"
    agree(shell, start, "with autograd.record():\n    z = (out * out).sum()\nz.backward()\n")
    assert "autograd differentiates a compiled call or a function in Python" in breaks(shell)


@pytest.mark.parametrize(
    "wrong",
    [
        "with autograd.record():\n    y = a * b\nraise KeyError('between')\n",
        "y = a * b\ny.backward()\n",
        "with autograd.record():\n    y = a * b\ny.backward()\ny.backward()\n",
        "with autograd.record():\n    y = a * b\n    y += 1\n",
        "with autograd.record():\n    y = a * b\n    a[:] = 1\n",
        "with autograd.record():\n    y = a * a\na += 1\ny.backward()\n",
        "with autograd.record():\n    y = a * b\ny.backward(nd.ones((3,)))\n",
        "with autograd.record():\n    y = (a * b).sum()\ny.backward()\na -= a.grad\n"
        "nd.dot(a, nd.ones(3))\n",
    ],
)
def test_errors_are_the_imperative_ones(shell: Shell, wrong: str) -> None:
    agree(
        shell,
        VARIABLES + ATTACH.format(req="write"),
        wrong,
        fails=KeyError if "KeyError" in wrong else jh.MXNetError,
    )


def test_modes_are_as_before_after_an_error(shell: Shell) -> None:
    shell.run(SETUP + VARIABLES + ATTACH.format(req="write"))
    shell.hybridize("with autograd.record():\n    y = a * b\n    raise KeyError\n", fails=True)
    assert not jh.autograd.is_recording() and not jh.autograd.is_training()
    assert not jh._core.is_tracing() and not jh._core.trace_writes()


def test_the_second_run_finds_the_program_and_is_not_skipped(shell: Shell) -> None:
    make = 'trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})\n'
    shell.run(SETUP + MLP + make)
    weights = []
    for _ in range(4):
        shell.hybridize(STEP)
        replay = shell.report.replay
        weights.append(shell.ns["net"][0].weight.data().asnumpy())
    assert replay.startswith("replayed"), replay
    assert not shell.report.skipped
    assert all(not np.array_equal(a, b) for a, b in pairwise(weights))


def test_backward_nodes_carry_their_forward_line(shell: Shell) -> None:
    shell.run(SETUP + VARIABLES + ATTACH.format(req="write"))
    shell.hybridize("with autograd.record():\n    y = nd.exp(a)\n    z = y * b\nz.backward()\n")
    nodes = shell.report.segments[0].graph.nodes
    backward = [n for n in nodes if n.scope.startswith("backward")]
    assert {shell.report.line_of(n) for n in backward} == {3, 4}


def test_the_steps_of_a_loop_are_recorded(shell: Shell) -> None:
    loop = "for i in range(6):\n    with autograd.record():\n        y = ((a - b) ** 2).sum()\n"
    loop += "    y.backward()\n    a -= 0.1 * a.grad\n"
    agree(shell, VARIABLES + ATTACH.format(req="write"), loop, options="--force")


def test_the_picture_names_parameters_and_frames_only_its_own(shell: Shell) -> None:
    shell.run(SETUP + MLP + "net(x)\n")
    shell.run(
        "%%hybridize\nwith autograd.record():\n    loss = loss_of(net(x), label)\nloss.backward()\n"
    )
    weights = {p.name for p in shell.ns["net"].collect_params().values()}
    spec = spec_of(jh.report())
    for stage in spec["stages"]:
        nodes = stage["graph"]["nodes"]
        assert weights <= {n["label"] for n in nodes if n["kind"] == "input"}
        drawn = collapsed(spec, stage)
        assert {frame["label"] for frame in drawn["frames"]} <= {g["label"] for g in spec["groups"]}
        for frame in drawn["frames"]:
            inside = [
                spec["groups"][n["group"]]["label"] if n["group"] is not None else None
                for n in drawn["nodes"]
                if frame["x"] < n["x"] < frame["x"] + frame["w"]
                and frame["y"] < n["y"] < frame["y"] + frame["h"]
                and n["kind"] not in ("input", "constant")
            ]
            assert inside and set(inside) == {frame["label"]}


# New contents in the old one's memory ---------------------------------------------------------
def updates_of(shell: Shell) -> tuple[int, int]:
    """(arrays that the last segment's program wrote, those that it computed elsewhere first)."""
    plan = shell.report.segments[-1].compiled.program.plan
    return sum(u != -1 for u in plan.updates), len(plan.commits)


@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_a_step_makes_no_second_weights(shell: Shell, momentum: float) -> None:
    """Weights, states and gradients are computed where they belong: the plan makes less than
    the imperative cell, which makes every other value."""
    make = f'trainer = gluon.Trainer(net.collect_params(), "sgd", {{"learning_rate": 0.1, \
"momentum": {momentum}}})\n'
    shell.run(SETUP + MLP + make)
    for _ in range(3):
        shell.hybridize(STEP)
    written, elsewhere = updates_of(shell)
    assert written == 4 * (2 + (momentum > 0))
    assert elsewhere == 0
    report = shell.report
    assert report.bytes_planned < report.bytes_imperative
    agree(Shell(), MLP + make, STEP, STEP, STEP)


def test_views_see_what_is_written(shell: Shell) -> None:
    start = VARIABLES + ATTACH.format(req="write") + "window = a[0:1]\nold = a.copy()\n"
    step = "with autograd.record():\n    z = (a * b).sum()\nz.backward()\na -= 0.1 * a.grad\n"
    agree(shell, start, step, step, "seen = window + 0\nchanged = old - a\n")
    assert shell.ns["window"].asnumpy().tolist() == shell.ns["a"][0:1].asnumpy().tolist()


def test_a_value_kept_from_before_the_write_is_the_old_one(shell: Shell) -> None:
    body = "before = a * 1\nb[:] = a\na += 1\nafter = a * 1\nkept = b + 0\na *= 2\n"
    agree(shell, VARIABLES, body, body, "total = before + after + kept + a + b\n")


def test_arrays_that_swap_their_contents(shell: Shell) -> None:
    body = "c = a * 1\na[:] = b\nb[:] = c\n"
    agree(shell, VARIABLES, body, body, body)


def test_a_deferred_value_of_an_earlier_cell_reads_the_old_contents(shell: Shell) -> None:
    first = "early = nd.exp(a) * 2\nother = early + 1\n"
    agree(shell, VARIABLES, first, "a += 1\nb *= a\n", "a += 1\nb *= a\n", "late = early * 1\n")


def test_two_names_of_one_array(shell: Shell) -> None:
    agree(shell, VARIABLES + "same = a\n", "a += b\nsame *= 2\nb -= same\n", "x = a + same\n")
    assert shell.ns["a"] is shell.ns["same"]


def test_windows_of_one_array_written_together(shell: Shell) -> None:
    start = "whole = nd.arange(12).reshape((4, 3))\nu = whole[0:2]\nv = whole[2:4]\n"
    agree(shell, start, "u += 1\nv *= 2\nu += v\n", "v -= u\nx = whole + 0\n")


@pytest.mark.parametrize(
    "write", ["w += nd.ones((3,))", "w[:] = nd.ones((3,))", "nd.dot(w, nd.ones((3,)), out=w)"]
)
def test_a_write_that_is_refused_has_overwritten_nothing(shell: Shell, write: str) -> None:
    shell.run(SETUP + "w = nd.array([1.0, 2.0])\nw.attach_grad()\n")
    shell.hybridize(write, fails=True)
    for _ in range(2):
        shell.hybridize("with autograd.record():\n    l = (w * w).sum()\nl.backward()\n")
    assert shell.ns["w"].grad.asnumpy().tolist() == [2, 4]


ATTACHED = "u = nd.array([1.0, 2.0])\nu.attach_grad()\n"


@pytest.mark.parametrize(
    ("start", "cell"),
    [
        ("w = nd.array([1.0, 2.0])\n", "u = w * 1.0\nu.attach_grad()\nu[:] -= 1\n"),
        (
            "u = nd.ones((2,))\nt = nd.zeros((2,))\n",
            "v = u * 2\nv.attach_grad()\nv.copyto(t)\nt += 1\n",
        ),
        ("u = nd.ones((2,))\n", "k = u.detach()\nk += 1\n"),
        ("u = nd.ones((2,))\n", "k = u.detach()\nu += 1\n"),
        ("u = nd.ones((2,))\n", "v = u * 2\nk = v.detach()\nk += 1\n"),
        (ATTACHED, "u -= 1\nh = [float(u[1].asscalar())]\nv = u * h[0]\n"),
        (
            ATTACHED,
            "h = []\nfor i in range(2):\n    u -= 1\n    h.append(float(u[i].asscalar()))\n",
        ),
        (ATTACHED, "u -= 1\ns = float(u.sum().asscalar())\nu.reshape((2, 1))[0] = s\n"),
    ],
)
def test_names_that_share_memory_go_on_sharing_it(shell: Shell, start: str, cell: str) -> None:
    agree(shell, start, cell)
