"""Device placement: groups, copies in cells and blocks, what it shows, what it refuses."""

from __future__ import annotations

import json

import numpy as np
import pytest
from cells import Shell

import jupyter_hybrid as mx
from jupyter_hybrid import _core, autograd, gluon, nd, sym
from jupyter_hybrid.base import MXNetError
from jupyter_hybrid.views.dot import dot
from jupyter_hybrid.views.pictures import spec_of
from jupyter_hybrid.views.svg import svg
from jupyter_hybrid.views.text import text


@pytest.fixture
def gpus():
    yield mx.virtual_gpus(2)
    nd.waitall()
    mx.virtual_gpus(0)


def two_layers(grouped: bool = True):
    def scope(group):
        return mx.AttrScope(ctx_group=group) if grouped else mx.AttrScope()

    with scope("dev1"):
        data = sym.var("data")
        hidden = sym.FullyConnected(data, num_hidden=16, name="fc1")
        hidden = sym.Activation(hidden, act_type="tanh", name="act1")
    with scope("dev2"):
        out = sym.FullyConnected(hidden, num_hidden=4, name="fc2")
        return sym.softmax(out, name="prob")


def train(executor, seed=0):
    rng = np.random.default_rng(seed)
    for name in sorted(executor.arg_dict):
        array = executor.arg_dict[name]
        array[:] = nd.array(rng.normal(size=array.shape), ctx=array.context)
    outputs = [o.asnumpy() for o in executor.forward(is_train=True)]
    head = executor.outputs[0]
    executor.backward(nd.array(rng.normal(size=head.shape), ctx=head.context))
    return outputs, {n: g.asnumpy() for n, g in executor.grad_dict.items()}


def test_two_layers_on_two_gpus_equal_the_cpu(gpus):
    plain = two_layers(grouped=False).simple_bind(mx.cpu(), data=(8, 10))
    groups = {"dev1": gpus[0], "dev2": gpus[1]}
    placed = two_layers().simple_bind(mx.cpu(), group2ctx=groups, data=(8, 10))
    assert placed.arg_dict["fc1_weight"].context == gpus[0]
    assert placed.arg_dict["fc2_weight"].context == gpus[1]
    assert placed.grad_dict["fc2_weight"].context == gpus[1]
    outputs, grads = train(placed)
    expected, expected_grads = train(plain)
    assert placed.outputs[0].context == gpus[1]
    np.testing.assert_array_equal(outputs[0], expected[0])
    assert grads.keys() == expected_grads.keys()
    for name, grad in grads.items():
        np.testing.assert_array_equal(grad, expected_grads[name], err_msg=name)


def test_bind_copies_arrays_that_are_elsewhere(gpus):
    net = two_layers()
    groups = {"dev1": gpus[0], "dev2": gpus[1]}
    shapes = dict(zip(net.list_arguments(), net.infer_shape(data=(8, 10))[0]))
    arrays = {n: nd.ones(s) * 0.1 for n, s in shapes.items()}
    grads = {n: nd.zeros(s) for n, s in shapes.items()}
    out = net.bind(mx.cpu(), arrays, grads, group2ctx=groups)
    expected = two_layers(False).bind(mx.cpu(), arrays, {n: nd.zeros(s) for n, s in shapes.items()})
    for executor in (out, expected):
        executor.forward(is_train=True)
        head = executor.outputs[0]
        weights = nd.array(np.arange(head.size).reshape(head.shape), ctx=head.context)
        executor.backward(weights)
    assert out.outputs[0].context == gpus[1]
    np.testing.assert_array_equal(out.outputs[0].asnumpy(), expected.outputs[0].asnumpy())
    for name, grad in expected.grad_dict.items():
        assert out.grad_dict[name].context == mx.cpu()
        np.testing.assert_array_equal(out.grad_dict[name].asnumpy(), grad.asnumpy())


def test_groups_survive_symbol_json(gpus):
    net = two_layers()
    again = sym.load_json(net.tojson())
    for one in (net, again):
        groups = {n: a.get("__ctx_group__") for n, a in one.attr_dict().items()}
        assert groups["fc1"] == groups["fc1_weight"] == groups["act1"] == "dev1"
        assert groups["fc2"] == groups["prob"] == "dev2"
    written = {n["name"]: n.get("attrs", {}) for n in json.loads(net.tojson())["nodes"]}
    assert written["fc2"]["__ctx_group__"] == "dev2"
    assert again.attr("ctx_group") == "dev2"
    groups = {"dev1": gpus[0], "dev2": gpus[1]}
    executor = again.simple_bind(mx.cpu(), group2ctx=groups, data=(8, 10))
    assert executor.arg_dict["fc2_bias"].context == gpus[1]


def test_scopes_nest_and_end():
    with mx.AttrScope(ctx_group="a", lr_mult="2"):
        with mx.AttrScope(ctx_group="b"):
            x = sym.var("x") + 1
        y = sym.var("y")
    assert x.attr("__ctx_group__") == "b" and x.attr("lr_mult") == "2"
    assert y.attr("ctx_group") == "a"
    assert sym.var("z").attr("ctx_group") is None
    assert sym.var("v", attr={"__ctx_group__": "own"}).attr("ctx_group") == "own"
    with pytest.raises(ValueError, match="string"):
        mx.AttrScope(ctx_group=3)
    with mx.AttrScope(colour="red"):
        assert sym.var("x").attr("colour") == "red"


def test_compile_with_groups_updates_parameters_where_they_are(gpus):
    def step(grouped, ctx1, ctx2, **options):
        rng = np.random.default_rng(1)
        net = two_layers(grouped)
        loss = net * net
        names = ["fc1_weight", "fc2_weight", "fc1_bias", "fc2_bias"]
        grads = loss.grad(wrt=names)
        shapes = dict(zip(net.list_arguments(), net.infer_shape(data=(8, 10))[0]))
        ctxs = {n: ctx1 if n.startswith("fc1") else ctx2 for n in names}
        params = {n: nd.array(rng.normal(size=shapes[n]), ctx=ctxs[n]) for n in names}
        updates = [(sym.var(n), sym.var(n) - grads[i] * 0.1) for i, n in enumerate(names)]
        f = mx.compile([loss], updates=updates, params=params, **options)
        losses = [f(data=rng.normal(size=(8, 10)))[0].asnumpy() for _ in range(3)]
        return f, losses, params

    groups = {"dev1": gpus[0], "dev2": gpus[1]}
    f, losses, params = step(True, *gpus, group2ctx=groups)
    _, expected, plain = step(False, mx.cpu(), mx.cpu())
    np.testing.assert_array_equal(losses, expected)
    for name, array in plain.items():
        assert params[name].context == (gpus[0] if name.startswith("fc1") else gpus[1])
        np.testing.assert_array_equal(params[name].asnumpy(), array.asnumpy())
    program = f.report().program["plan"]
    assert "gpu(0)" in program and "gpu(1)" in program and "copy_to_device" in program
    assert {d["device"] for d in f.report().plan.devices} >= {"gpu(0)", "gpu(1)"}


def test_without_groups_the_scopes_mean_nothing():
    executor = two_layers().simple_bind(mx.cpu(), data=(8, 10))
    outputs, _ = train(executor)
    assert outputs[0].shape == (8, 4)
    assert executor.outputs[0].context == mx.cpu()


def test_missing_groups_and_unknown_devices_are_errors(gpus):
    net = two_layers()
    with pytest.raises(MXNetError, match="no device for the group 'dev2'"):
        net.simple_bind(mx.cpu(), group2ctx={"dev1": gpus[0]}, data=(8, 10))
    with pytest.raises(MXNetError, match=r"gpu\(7\)"):
        net.simple_bind(mx.cpu(), group2ctx={"dev1": gpus[0], "dev2": mx.gpu(7)}, data=(8, 10))
    with pytest.raises(TypeError, match="group2ctx"):
        net.simple_bind(mx.cpu(), group2ctx={"dev1": "gpu"}, data=(8, 10))
    with pytest.raises(MXNetError, match="dev1"):
        mx.compile([net], group2ctx={"dev2": gpus[0]})
    with pytest.raises(MXNetError, match=r"gpu\(5\)"):
        nd.ones(2).as_in_context(mx.gpu(5))


def test_gradients_flow_between_devices_imperatively(gpus):
    x = nd.array([1.0, 2.0, 3.0])
    w = nd.array([2.0, 0.5, 1.0], ctx=gpus[1])
    x.attach_grad()
    w.attach_grad()
    with autograd.record():
        y = ((x * x).as_in_context(gpus[1]) * w).sum()
    y.backward()
    assert y.context == gpus[1] and x.grad.context == mx.cpu() and w.grad.context == gpus[1]
    np.testing.assert_array_equal(x.grad.asnumpy(), [4, 2, 6])
    np.testing.assert_array_equal(w.grad.asnumpy(), [1, 4, 9])


@pytest.fixture
def shell():
    made = Shell()
    made.ns.update(mx=mx, nd=nd, autograd=autograd)
    return made


CELL = """
h = nd.tanh(nd.dot(x, w1)).as_in_context(mx.gpu(1))
y = nd.dot(h, w2) + h.sum()
z = y.copyto(mx.cpu()) * 2
"""


def cell_inputs(shell, gpus):
    rng = np.random.default_rng(0)
    shell.ns["x"] = nd.array(rng.normal(size=(4, 6)), ctx=gpus[0])
    shell.ns["w1"] = nd.array(rng.normal(size=(6, 6)), ctx=gpus[0])
    shell.ns["w2"] = nd.array(rng.normal(size=(6, 6)), ctx=gpus[1])


def test_a_cell_with_copies_is_one_graph(gpus, shell):
    cell_inputs(shell, gpus)
    shell.hybridize(CELL)
    report = mx.report()
    assert len(report.segments) == 1
    z = shell.ns["z"]
    assert z.context == mx.cpu()
    plain = dict(shell.ns)
    exec(CELL, plain)
    np.testing.assert_array_equal(z.asnumpy(), plain["z"].asnumpy())
    program = report.program["plan"]
    assert program.count("copy_to_device(") == 2
    for device in ("cpu(0)", "gpu(0)", "gpu(1)"):
        assert device in program


def test_a_block_that_changes_device_is_hybridized(gpus):
    class Net(gluon.HybridBlock):
        def hybrid_forward(self, F, x, w):
            h = F.tanh(x).as_in_context(mx.gpu(1))
            return (h * w).sum()

    rng = np.random.default_rng(3)
    x, w = rng.normal(size=(3, 4)), rng.normal(size=(3, 4))

    def gradients(hybridize):
        net = Net()
        if hybridize:
            net.hybridize()
        a, b = nd.array(x, ctx=gpus[0]), nd.array(w, ctx=gpus[1])
        a.attach_grad()
        b.attach_grad()
        with autograd.record():
            y = net(a, b)
        y.backward()
        assert y.context == gpus[1]
        assert a.grad.context == gpus[0] and b.grad.context == gpus[1]
        return y.asnumpy(), a.grad.asnumpy(), b.grad.asnumpy()

    for one, other in zip(gradients(True), gradients(False)):
        np.testing.assert_array_equal(one, other)


def test_layers_on_two_devices_train_alike_hybridized(gpus):
    class Net(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            with self.name_scope():
                self.lower = gluon.nn.Dense(8, activation="tanh", in_units=6)
                self.upper = gluon.nn.Dense(3, in_units=8)

        def hybrid_forward(self, F, x):
            return self.upper(self.lower(x).as_in_context(mx.gpu(1)))

    rng = np.random.default_rng(5)
    batch, weights = rng.normal(size=(4, 6)), [rng.normal(size=s) for s in ((8, 6), (3, 8))]

    def trained(hybridize):
        net = Net()
        net.lower.initialize(ctx=gpus[0])
        net.upper.initialize(ctx=gpus[1])
        for layer, values in zip((net.lower, net.upper), weights):
            layer.weight.set_data(nd.array(values))
        if hybridize:
            net.hybridize()
        x = nd.array(batch, ctx=gpus[0])
        for _ in range(3):
            with autograd.record():
                loss = (net(x) ** 2).sum()
            loss.backward()
            for p in net.collect_params().values():
                data = p.list_data()[0]
                data[:] = data - p.list_grad()[0] * 0.1
        return [p.list_data()[0].asnumpy() for p in net.collect_params().values()]

    for one, other in zip(trained(True), trained(False)):
        np.testing.assert_array_equal(one, other)


def test_training_in_a_cell_across_devices(gpus, shell):
    cell_inputs(shell, gpus)
    body = """
x.attach_grad(); w1.attach_grad(); w2.attach_grad()
with autograd.record():
    h = nd.tanh(nd.dot(x, w1))
    y = (nd.dot(h.as_in_context(mx.gpu(1)), w2) ** 2).sum()
y.backward()
"""
    names = ("x", "w1", "w2")
    shell.hybridize(body)
    got = {n: (shell.ns[n].grad.context, shell.ns[n].grad.asnumpy()) for n in names}
    plain = {**shell.ns}
    exec(body, plain)
    for name in names:
        context, grad = got[name]
        assert context == plain[name].grad.context
        np.testing.assert_array_equal(grad, plain[name].grad.asnumpy(), err_msg=name)


def test_mixed_devices_are_refused_with_the_way_out(gpus, shell):
    cell_inputs(shell, gpus)
    with pytest.raises(MXNetError, match="as_in_context"):
        shell.hybridize("y = nd.dot(x, w2)")


def test_a_chain_of_two_layers_over_time(gpus):
    def chain(grouped):
        def scope(group):
            return mx.AttrScope(ctx_group=group) if grouped else mx.AttrScope()

        lower = upper = None
        for t in range(4):
            with scope("lower"):
                x = sym.FullyConnected(
                    sym.var(f"x{t}"), sym.var("w"), no_bias=True, num_hidden=32, name=f"in{t}"
                )
                lower = sym.tanh(x if lower is None else x + lower)
            with scope("upper"):
                y = sym.FullyConnected(
                    lower, sym.var("v"), no_bias=True, num_hidden=32, name=f"up{t}"
                )
                upper = sym.tanh(y if upper is None else y + upper)
        # `w` and `v` are one variable each
        names = ["w", "v"]
        return upper.compose(**{n: sym.var(n) for n in names})

    groups = {"lower": gpus[0], "upper": gpus[1]}
    shapes = {f"x{t}": (16, 32) for t in range(4)}
    placed = chain(True).simple_bind(mx.cpu(), group2ctx=groups, **shapes)
    plain = chain(False).simple_bind(mx.cpu(), **shapes)
    (out, grads), (expected, expected_grads) = train(placed), train(plain)
    np.testing.assert_array_equal(out[0], expected[0])
    for name, grad in grads.items():
        np.testing.assert_array_equal(grad, expected_grads[name], err_msg=name)


def test_pictures_name_devices_and_draw_copies(gpus, shell):
    cell_inputs(shell, gpus)
    shell.hybridize(CELL)
    spec = spec_of(mx.report())
    last = spec["stages"][-1]["graph"]["nodes"]
    copies = [n for n in last if n["family"] == "copy"]
    assert [c["detail"] for c in copies] == ["gpu(0) → gpu(1)", "gpu(1) → cpu(0)"]
    assert any(n["detail"].endswith("on gpu(1)") for n in last)
    assert "on gpu(0)" in dot(spec).source and "gpu(0) → gpu(1)" in dot(spec).source
    assert dot(spec).source.count("filled,dashed") == 2
    assert svg(spec).count('stroke-dasharray="6 3"') == 4  # as written, and in the last stage
    assert "gpu(1): " in text(spec)
    assert {d["device"] for d in spec["memory"]["devices"]} == {"cpu(0)", "gpu(0)", "gpu(1)"}


def test_one_device_is_not_named(shell):
    shell.ns["x"] = nd.ones((2, 3))
    shell.hybridize("y = nd.tanh(x) + 1")
    assert "cpu(0)" not in mx.report().program["plan"]
    place = next(s for s in mx.report().stages if s.name == "place")
    assert not place.changed and "one device" in place.why_skipped


def test_the_timeline_shows_both_devices(gpus):
    """Two independent branches are spans on two devices' lanes, and copies on copy lanes."""
    with mx.AttrScope(ctx_group="a"):
        a = sym.dot(sym.var("x"), sym.var("x"))
    with mx.AttrScope(ctx_group="b"):
        b = sym.dot(sym.var("y"), sym.var("y"))
    f = mx.compile([a, b], group2ctx={"a": gpus[0], "b": gpus[1]})
    arrays = {n: nd.ones((64, 64)) for n in ("x", "y")}
    f(**arrays)
    nd.waitall()
    reader = _core.TraceReader()
    lanes = {lane["id"]: lane for lane in reader.read_frame()["lanes"]}
    f(**arrays)
    nd.waitall()
    frame = reader.read_frame()
    lanes.update({lane["id"]: lane for lane in frame["lanes"]})
    records = np.frombuffer(frame["spans"], _core.SPAN_DTYPE)
    seen = {(lanes[r["lane"]]["device"], lanes[r["lane"]]["kind"]) for r in records
            if r["lane"] in lanes}  # fmt: skip
    assert {("gpu(0)", "compute"), ("gpu(1)", "compute")} <= seen
    assert {kind for device, kind in seen if device.startswith("gpu")} >= {"compute", "copy-in"}


def test_loops_and_branches_keep_their_device(gpus, shell):
    """A copy inside a loop's body is left to Python, and right."""
    shell.ns["x"] = nd.array([1.0, 2.0], ctx=gpus[0])
    shell.hybridize(
        "y = x\nwhile y.sum() < 40:\n"
        "    y = (y.as_in_context(mx.gpu(1)) * 2).as_in_context(mx.gpu(0))\n"
    )
    np.testing.assert_array_equal(shell.ns["y"].asnumpy(), [16, 32])


WRITES = (
    "c.copyto(t)\n",
    "v = c * 2\nv.copyto(t)\nu = t + 1\n",
    "t[:] = c\n",
    "t[0:1] = c[0:1]\n",
    "v = nd.exp(c)\nu = v * v\nv.copyto(t)\n",
    "w = nd.zeros((2,), ctx=t.context)\nc.copyto(w)\nu = w * 2\n",
    "nd.random.normal(shape=(2,), out=t)\n",
    "nd.elemwise_add(c, c, out=t)\n",
    "nd.zeros((2,), out=t)\n",
    "t += c\n",
)


@pytest.mark.parametrize("cell", WRITES)
def test_an_array_that_is_written_stays_on_its_device(gpus, shell, cell):
    results = []
    for run in (shell.run, shell.hybridize):
        mx.random.seed(1)
        shell.ns.update(c=nd.array([1.0, 2.0]), t=nd.zeros((2,), ctx=gpus[1]))
        shell.ns["k"] = shell.ns["t"]
        refused = ""
        try:
            run(cell)
        except MXNetError as error:
            refused = str(error)
        assert shell.ns["k"] is shell.ns["t"] and shell.ns["t"].context == gpus[1]
        seen = {}
        for name in "utvwck":  # a deferred value is computed when it is read
            array = shell.ns.pop(name, None)
            if array is not None:
                seen[name] = (array.context, array.asnumpy().tolist())
        results.append((refused, seen))
    assert results[0] == results[1]


def test_a_recorded_value_is_written_to_another_device(gpus, shell):
    body = """
with autograd.record():
    v = x * 2
    t[:] = v
    loss = (t * t).sum()
loss.backward()
"""
    for run in (shell.run, shell.hybridize):
        x, t = nd.array([1.0, 2.0], ctx=gpus[0]), nd.zeros((2,), ctx=gpus[1])
        x.attach_grad()
        shell.ns.update(x=x, t=t)
        nd.waitall()  # what still computes an array holds its memory, too
        run(body)
        assert shell.ns["t"].context == shell.ns["loss"].context == gpus[1]
        assert x.grad.context == gpus[0] and x.grad.asnumpy().tolist() == [8, 16]


MADE = (
    "t = nd.random.normal(shape=(2,), ctx=mx.gpu(0))",
    "t = nd.zeros((2,), ctx=mx.gpu(1)) + 1",
    "with mx.gpu(1):\n    t = nd.ones((2,)) * 3",
)


@pytest.mark.parametrize("cell", MADE)
def test_what_a_cell_creates_is_on_its_device(gpus, shell, cell):
    results = []
    for run in (shell.run, shell.hybridize):
        mx.random.seed(1)
        run(cell)
        results.append((shell.ns["t"].context, shell.ns["t"].asnumpy().tolist()))
    assert results[0] == results[1]
