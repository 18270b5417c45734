"""Running the stages of a cell: the same bits at each, figures of values, what is left alone."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from cells import Shell

import jupyter_hybrid as mx
from jupyter_hybrid import MXNetError, nd
from jupyter_hybrid.capture.values import InputGone
from jupyter_hybrid.reports.stage_inputs import InputsChanged
from jupyter_hybrid.views import GraphViewer
from jupyter_hybrid.views.stage_message import ran_stage

pytestmark = pytest.mark.filterwarnings("ignore:invalid value encountered")  # of log, on purpose
START = "import numpy as np\nimport jupyter_hybrid as mx\nfrom jupyter_hybrid import nd, autograd\n"
CHAIN = "a = np.ones(10) * x\nb = a * 2 + a * 2\nc = np.exp(b) - b.sum()"
SOFTMAX = "e = np.exp(x - x.max())\np = e / e.sum()"
RANDOM = "r = nd.random.normal(shape=(4, 5))\ns = (r * 2 + 1).sum()"
BROKEN = "h = np.tanh(x)\nprint(h[0])\ny = h * 2 + x\nz = y.sum()"
STEP = """with autograd.record():
    loss = ((nd.dot(d, w) - t) ** 2).mean()
loss.backward()
w[:] = w - 0.1 * w.grad"""


@pytest.fixture
def shell() -> Shell:
    made = Shell()
    made.run(START + "x = np.linspace(-1, 1, 10)")
    return made


@pytest.mark.parametrize("body", [CHAIN, SOFTMAX, RANDOM, BROKEN])
@pytest.mark.parametrize("again", [False, True])
def test_every_stage_gives_the_bits_of_the_one_before(shell, body, again):
    for _ in range(1 + again):
        shell.hybridize(body, "--view none --force")
    for stage in shell.report.stages:
        ran = shell.report.run_stage(stage.name)
        first = stage.name == "written"
        assert ran.difference is None if first else ran.difference.equal, stage.name
        assert ran.best <= ran.median and ran.bytes > 0
        assert not ran.inputs.changed


def test_what_the_cell_left_proves_its_inputs(shell):
    shell.hybridize(CHAIN, "--view none --out b,c")
    ran = shell.report.run_stage("fuse")
    assert ran.inputs.left == ("b", "c") and not ran.inputs.unlike
    assert "bit for bit (2 outputs)" in repr(ran)
    written, plan = (shell.report.run_stage(name).bytes for name in ("written", "plan"))
    assert plan == shell.report.bytes_planned < written


def test_a_training_step_runs_at_every_stage_on_what_its_parameters_hold_now(shell):
    shell.run("d, t = nd.ones((8, 3)), nd.ones((8, 1))\nw = nd.ones((3, 1)) / 2\nw.attach_grad()")
    shell.hybridize(STEP, "--view none --force")
    before = {name: shell.ns[name].asnumpy() for name in ("d", "t", "w", "loss")}
    gradient = shell.ns["w"].grad.asnumpy()
    with pytest.raises(InputsChanged, match="the cell itself has given w new contents"):
        shell.report.run_stage("written")
    for stage in shell.report.stages:
        ran = shell.report.run_stage(stage.name, on="now")
        assert ran.difference is None or ran.difference.equal, stage.name
        assert "not what the cell read" in ran.inputs.text
    for name, values in before.items():
        np.testing.assert_array_equal(shell.ns[name].asnumpy(), values)
    np.testing.assert_array_equal(shell.ns["w"].grad.asnumpy(), gradient)


def test_parameters_of_a_net_are_found_without_a_name(shell):
    shell.run("net = mx.gluon.nn.Dense(3)\nnet.initialize()\nd = nd.ones((2, 4))\nnet(d)")
    shell.hybridize("y = net(d).tanh()", "--view none --force")
    for stage in shell.report.stages:
        assert not shell.report.run_stage(stage.name).inputs.unlike
    shell.run("net = None")
    gc.collect()
    with pytest.raises(MXNetError, match="is gone: dense"):
        shell.report.run_stage("plan")


def test_the_first_nan_is_found_where_it_is_made(shell):
    shell.hybridize("a = x + 1\nb = np.log(a - 1)\nc = b * 2\nd = c.sum()", "--view none")
    for stage in ("written", "plan"):
        values = shell.report.run_stage(stage).values
        given = {(v.id, v.out): v for v in values}
        b = values.first_nan
        assert b is not None and b.nans == 5
        assert b.inputs and all(given[i].nans == 0 for i in b.inputs)
        assert values.first_inf is None
    written = shell.report.run_stage("written").values
    b = written.first_nan
    line = shell.report.line_of(shell.report.stages[0].graph.node(b.id))
    assert line == 3
    with np.errstate(all="ignore"):
        kept = np.log(shell.ns["x"][5:])
    assert (b.count, b.min, b.max) == (10, kept.min(), kept.max())
    assert b.mean == pytest.approx(kept.mean()) and b.preview.startswith("nan, nan")
    assert "nan" in repr(written)


def test_an_input_with_a_nan_is_where_it_comes_from(shell):
    shell.run("x[3] = np.nan\nx[4] = np.inf")
    shell.hybridize("y = x * 2\nz = y - y", "--view none")
    values = shell.report.run_stage("written").values
    assert values.first_nan.label == values.first_inf.label == "x"


def test_nothing_of_the_users_changes(shell):
    shell.run("mx.random.seed(3)\nk = nd.ones((4, 5))")
    shell.hybridize(RANDOM + "\nq = x * 2 + k.sum().asscalar()", "--view none --force")
    names = {n: v for n, v in shell.ns.items() if isinstance(v, (np.ndarray, nd.NDArray))}
    held = {n: np.array(v if isinstance(v, np.ndarray) else v.asnumpy()) for n, v in names.items()}
    versions = {n: v._version for n, v in names.items() if isinstance(v, nd.NDArray)}
    for name in ("written", "plan"):
        ran = shell.report.run_stage(name)
        assert len(ran.values) > 3 and not ran.inputs.changed
    drawn = shell.run("nd.random.normal(shape=(3,)).asnumpy()").value
    shell.run("mx.random.seed(3)")
    shell.run("nd.random.normal(shape=(4, 5))")
    np.testing.assert_array_equal(drawn, shell.run("nd.random.normal(shape=(3,)).asnumpy()").value)
    for name, value in names.items():
        assert shell.ns[name] is value
        now = value if isinstance(value, np.ndarray) else value.asnumpy()
        np.testing.assert_array_equal(now, held[name])
    assert versions == {n: v._version for n, v in names.items() if isinstance(v, nd.NDArray)}


@pytest.mark.parametrize("line", ["x[2] = 5", "x = x * 3", "np.negative(x, x)"])
def test_an_input_that_was_overwritten_is_refused_unless_it_is_wanted_now(shell, line):
    shell.hybridize("z = x * 2 + 1", "--view none")
    shell.run(line)
    with pytest.raises(
        InputsChanged, match="one of x and z has been written since the cell ran, and nothing"
    ):
        shell.report.run_stage("fuse")
    ran = shell.report.run_stage("fuse", on="now")
    assert ran.inputs.unlike == ("z",) and ran.difference.equal
    shell.run("del x")
    with pytest.raises(MXNetError, match="is gone: x"):
        shell.report.run_stage("fuse", on="now")
    ran = shell.report.run_stage("fuse", on="random")
    assert ran.inputs.drawn == 1 and ran.difference.equal and ran.bytes == 80
    with pytest.raises(MXNetError, match="is gone: x"):
        _ = ran.values


@pytest.mark.parametrize("kind", ["numpy", "nd"])
@pytest.mark.parametrize("body", ["x += 1", "x = x * 2"])
def test_a_cell_that_writes_to_what_it_reads_is_run_on_its_result_and_says_so(shell, body, kind):
    shell.run("x = nd.array(x)" if kind == "nd" else "x = x.copy()")
    shell.hybridize(body, "--view none --force")
    with pytest.raises(InputsChanged, match="the cell itself has given x new contents"):
        shell.report.run_stage("plan")
    left = np.array(shell.ns["x"] if kind == "numpy" else shell.ns["x"].asnumpy())
    ran = shell.report.run_stage("plan", on="now")
    assert "not what the cell read: the cell itself has given x" in ran.inputs.text
    given, made = ran.values[0], ran.values[-1]
    assert given.max == left.max()  # the cell's result
    assert made.max == (left + 1 if "1" in body else left * 2).max()
    after = shell.ns["x"] if kind == "numpy" else shell.ns["x"].asnumpy()
    np.testing.assert_array_equal(after, left)
    del after
    if kind == "numpy" and body == "x += 1":
        shell.run("x.resize(12)")  # as no weak reference lets NumPy do


@pytest.mark.parametrize("body", ["x = np.abs(x)", "x[:] = np.abs(x)", "x[1:3] = 0\ny = x + 1"])
def test_what_a_cell_has_written_is_not_what_it_read_though_it_would_write_the_same(shell, body):
    shell.hybridize(body, "--view none --force")
    with pytest.raises(InputsChanged, match="the cell itself has given x new contents"):
        shell.report.run_stage("plan")


LOSS = """with autograd.record():
    l = ((nd.dot(d, w) - t) ** 2).mean(axis=1)
l.backward()
{}
w[:] = w - 0.1 * w.grad"""


@pytest.mark.parametrize("line", ["print(l.mean())", "print(l)", "print(w.grad)"])
def test_what_an_earlier_part_of_a_training_step_has_made_is_found_there(shell, line):
    shell.run("d, t = nd.ones((8, 3)), nd.ones((8, 1))\nw = nd.ones((3, 1)) / 2\nw.attach_grad()")
    shell.hybridize(LOSS.format(line), "--view none --force")
    assert len(shell.report.segments) == 2
    with pytest.raises(InputsChanged, match="the cell itself has given w new contents"):
        shell.report.run_stage("plan")
    for stage in shell.report.stages:
        ran = shell.report.run_stage(stage.name, on="now")
        assert ran.inputs.drawn == 0 and (ran.difference is None or ran.difference.equal)


@pytest.mark.parametrize(
    "body",
    [
        "h = nd.tanh(k)\nprint(h)\nh = h * 2",
        "h = np.tanh(x)\nprint(h)\nh = h * 2",
        "h = np.tanh(x)\nprint(h)\nh += 1\nprint(h)\ng = h * 2\nh = None",
    ],
)
def test_what_a_part_has_made_is_found_when_its_name_has_another_array(shell, body):
    shell.run("k = nd.array(x)")
    shell.hybridize(body, "--view none --force")
    assert len(shell.report.segments) > 1
    ran = shell.report.run_stage("plan")
    assert ran.inputs.left and not ran.inputs.unlike


def test_what_others_may_have_written_between_two_parts_is_not_taken_for_what_was_made(shell):
    shell.run("import random")
    body = "h = np.tanh(x)\nrandom.shuffle(h)\ny = h * 2\n{} = None"
    shell.hybridize(body.format("g"), "--view none --force")
    values = {v.label: v for v in shell.report.run_stage("plan", "now").values}
    assert values["y"].preview.startswith(f"{2 * shell.ns['h'][0]:.4g}, ")
    shell.hybridize(body.format("h"), "--view none --force")
    with pytest.raises(InputGone, match=r"is gone: .*, of shape \(10,\).*on=\"random\""):
        shell.report.run_stage("plan")


def test_parts_that_ran_several_times_are_run_once_and_it_says_so(shell):
    body = "q = x * 0\nfor i in range(3):\n    q = q + x\n    u = float(q.sum())"
    shell.hybridize(body, "--view none --force")
    assert max(s.count for s in shell.report.segments) > 1
    with pytest.raises(InputsChanged, match=r"ran several times up to line 5 is run once"):
        shell.report.run_stage("plan")
    assert "run once, on what was read first" in shell.report.run_stage("plan", "now").inputs.text


def test_a_program_that_runs_at_another_line_too_does_not_say_what_it_read_there(shell):
    shell.run("y = x + 5\ndef f(a):\n    b = a * 2\n    return float(b.sum())")
    shell.hybridize("u = f(x)\nv = f(y)", "--view none --force")
    assert len(shell.report.segments) == 2
    with pytest.raises(InputGone, match="not known which array"):
        shell.report.run_stage("plan")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("k[:] = 5", "k has been written"),
        ("m = nd.zeros((2, 3))", "m has been written"),
        ("k[:] = 2\nm[:] = 2", "k and m have been written"),
        ("z[:] = 2", "z has been written"),
    ],
)
def test_which_arrays_were_written_is_said_where_it_is_known(shell, line, said):
    shell.run("k, m = nd.ones((2, 3)), nd.ones((2, 3))")
    # Another text: a cell that runs without its body keeps nothing of what it reads.
    shell.hybridize(f"# {said}\nz = k * 2 + m", "--view none --force")
    shell.run(line)
    with pytest.raises(InputsChanged, match=f"^{said} since the cell ran: run the cell again"):
        shell.report.run_stage("fuse")


def test_what_there_is_not_is_said(shell):
    shell.hybridize("y = x * 2\nz = y + 1", "--view none --force")
    with pytest.raises(ValueError, match="on: expected one of run, now, random, got 'then'"):
        shell.report.run_stage("fuse", on="then")
    shell.hybridize("pass", "--view none --force")
    with pytest.raises(MXNetError, match="nothing of this cell was compiled"):
        shell.report.run_stage("fuse")


def test_a_step_of_a_trainer_says_which_weights_it_has_written(shell):
    shell.run(
        "net = mx.gluon.nn.Dense(2, prefix='d_')\nnet.initialize()\n"
        "data = nd.ones((3, 4))\nnet(data)\n"
        "trainer = mx.gluon.Trainer(net.collect_params(), 'sgd', {'learning_rate': 0.1})"
    )
    body = "with autograd.record():\n    l = net(data).sum()\nl.backward()\ntrainer.step(3)"
    shell.hybridize(body, "--view none --force")
    with pytest.raises(InputsChanged) as caught:
        shell.report.run_stage("plan")
    said = "the cell itself has given d_bias and d_weight new contents"
    assert said in str(caught.value) and "data" not in str(caught.value)
    assert shell.report.run_stage("plan", on="now").values


def test_a_cell_that_overwrites_what_it_reads_says_so(shell):
    shell.hybridize("x[:] = x * 2", "--view none")
    with pytest.raises(InputsChanged, match="the cell itself has given x new contents"):
        shell.report.run_stage("plan")
    before = shell.ns["x"].copy()
    assert shell.report.run_stage("plan", on="now").values
    np.testing.assert_array_equal(shell.ns["x"], before)


def test_an_item_of_a_list_is_found_while_it_lives_also_after_foreign_code(shell):
    shell.run("xs = [nd.ones(3), nd.ones(3)]\nv = nd.ones(3)\nhalf = np.ones(3, np.float16)")
    shell.hybridize("y = xs[0] + v\nh = half * 2\nz = y * xs[1]", "--view none --force")
    assert {v.name for v in shell.report.segments[0].inputs} == {"", "v"}
    assert set(shell.report.run_stage("plan").inputs.left) >= {"z"}
    shell.run("xs.clear()")
    with pytest.raises(MXNetError, match="gone: no name holds it any more, of shape"):
        shell.report.run_stage("plan")


def test_a_pass_that_is_not_exact_is_named_with_how_far_it_is_off(shell):
    shell.hybridize("y = x * 2\nz = y + 1", "--view none --out z")
    ran = shell.report.run_stage("fuse")
    from jupyter_hybrid.reports.stage_difference import difference

    one = nd.array(np.array([1.0, np.nan, 2.0], np.float32))
    other = nd.array(np.array([1.0, np.nan, np.nextafter(np.float32(2), np.float32(3))], "f4"))
    ran.difference = difference([one, one], [one, other], ["a", "b"])
    assert (ran.difference.unlike, ran.difference.name, ran.difference.max_ulp) == (1, "b", 1)
    ran.why = "folding may change the last bits"
    assert "1 of 2 outputs differ" in ran.result and ran.result.endswith("last bits")


def test_a_picture_asks_and_is_told(shell, monkeypatch):
    shell.hybridize("y = x * 2\nz = np.log(y)", "--view none --out z")
    viewer = GraphViewer(shell.report)
    asked = {"type": "run_stage", "id": viewer.spec["id"], "stage": "fuse", "kept": None}
    told = ran_stage({**asked, "values": True})
    assert told["type"] == "stage_ran" and told["run"]["difference"]["equal"]
    graph = next(s["graph"] for s in viewer.spec["stages"] if s["name"] == "fuse")
    shown = {n["id"] for n in graph["nodes"]}
    assert {n["id"] for n in told["values"] if not n["stage"]} == shown and not told["closed"]
    nan = next(n for n in told["values"] if n["id"] == told["first_nan"])
    assert nan["stage"] == "as written" and nan["nans"] == 5 and sum(nan["spread"]["bins"]) == 5
    assert ran_stage({**asked, "kept": ["y"]})["run"]["difference"]["outputs"] == 1
    begins = iter([False] * 4)  # a cell, after some runs
    assert "a cell runs" in ran_stage(asked, lambda: next(begins, True))["refused"]["text"]
    sent: list[dict] = []
    monkeypatch.setattr(viewer, "send", sent.append)
    viewer._received(viewer, {**asked, "stage": "plan", "id": ""}, None)
    assert sent[0]["run"]["shared"] and sent[0]["id"] == viewer.spec["id"]
    assert "run the cell again" in ran_stage({**asked, "id": "0"})["refused"]["text"]
    assert "no stage 'x'" in ran_stage({**asked, "stage": "x"})["refused"]["text"]
    shell.run("x[0] = 4")
    told = ran_stage(asked)
    assert told["offer"] == "now" and "one of x and z" in told["refused"]["text"]
    why = told["refused"]["id"]
    assert why.startswith("one of {names} has") and told["refused"]["args"][0]["text"] == "x and z"
    assert ran_stage({**asked, "on": "now"})["run"]["changed"]
    del shell.ns["y"]  # it was planned away, and is computed from x
    held = weakref.ref(shell.ns.pop("x"))
    shell.run("pass")
    gc.collect()
    told = ran_stage(asked)
    assert held() is None and "is gone: x" in told["refused"]["text"] and told["offer"] == "random"
    told = ran_stage({**asked, "on": "random", "values": True})
    assert "random numbers for 1 array" in told["run"]["inputs"] and "values" not in told


@pytest.fixture
def two_gpus():
    yield mx.virtual_gpus(2)
    nd.waitall()
    mx.virtual_gpus(0)


def test_stages_on_several_devices(shell, two_gpus):
    shell.run("a = nd.ones((4, 4), ctx=mx.gpu(0))\nb = nd.ones((4, 4), ctx=mx.gpu(1))")
    shell.hybridize("c = (a * 2).copyto(mx.gpu(1)) + b\nd = c * 3", "--view none --force")
    for stage in shell.report.stages:
        ran = shell.report.run_stage(stage.name)
        assert ran.difference is None or ran.difference.equal, stage.name
        assert len(ran.values) >= 3


def test_the_operator_inside_a_kernel_that_makes_the_first_nan_is_named(shell):
    shell.hybridize("y = np.log(x * 2 + 1)\nz = np.nan_to_num(y) * 3", "--view none --out z")
    stage = shell.report.stages[-1]
    (kernel,) = [n for n in stage.graph.nodes if n.kind == "fused"]
    values = shell.report.run_stage("plan").values
    nan = values.first_nan
    log = next(m for m in kernel.members if m.op == "log")
    assert (nan.id, nan.kernel, nan.stage) == (log.id, kernel.id, "as written")
    own = [v for v in values if v.id == kernel.id]
    assert [v.nans for v in own] == [0] and not values.closed
    inside = [v for v in values if v.kernel == kernel.id]
    assert [v.id for v in inside] == [m.id for m in kernel.members]
    with np.errstate(all="ignore"):
        y = np.log(shell.ns["x"] * 2 + 1)
    assert (nan.count, nan.nans) == (10, np.isnan(y).sum())
    assert nan.max == pytest.approx(np.nanmax(y))
    text = repr(values)
    assert "min, max and mean leave NaNs out" in text and "as “as written” computes it" in text


def test_inside_a_kernel_nothing_is_told_where_the_stage_before_gives_other_results(
    shell, monkeypatch
):
    from jupyter_hybrid.reports import stage_values

    shell.hybridize("y = x * 2\nz = np.log(y)", "--view none --out z")
    (kernel,) = [n for n in shell.report.stages[-1].graph.nodes if n.kind == "fused"]
    monkeypatch.setattr(stage_values, "same_bits", lambda a, b: False)
    values = shell.report.run_stage("plan").values
    assert all(v.kernel is None for v in values) and values.first_nan.id == kernel.id
    assert values.closed == [(kernel.id, "“as written” gives other results")]
    assert "not known: “as written” gives other results" in repr(values)
    monkeypatch.undo()
    monkeypatch.setattr(stage_values, "MOST_BYTES", 200)
    (closed,) = shell.report.run_stage("plan").values.closed
    assert "all values together would take" in closed.why


def test_elements_are_counted_in_a_histogram(shell):
    shell.run("v = np.array([0.0, 1, 1, 2, 3, np.nan, np.inf])\nbig = np.arange(3 << 20)")
    shell.hybridize(
        "a = v + 1\nb = v * 0 + 4\nc = big * 2\nd = np.where(v > 0, 1e308, -1e308)\ne = v > 1",
        "--view none",
    )
    given = {v.label: v.spread for v in shell.report.run_stage("written").values}
    a, c, e = given["a"], given["c"], given["e"]
    assert (a.low, a.high, a.every, len(a.bins)) == (1.0, 4.0, 1, 20)
    assert [n for n in a.bins if n] == [1, 2, 1, 1]
    assert given["b"] is None  # all the same
    assert c.every == 3 and sum(c.bins) == 1 << 20 and c.high == 2 * ((3 << 20) - 1)
    assert sum(given["d"].bins) == 7 and e.bins[0] == 4 and e.bins[-1] == 3
