"""BatchNorm: values, gradients and moving statistics, the same in every mode and once a step."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from cells import Shell, imperative

import jupyter_hybrid as jh
from jupyter_hybrid import MXNetError, _core, autograd, engine, gluon, nd, sym
from jupyter_hybrid.gluon import nn

EPS, MOMENTUM = 1e-3, 0.9


def reference(x, gamma, beta, axis, mean=None, var=None):
    """Result, mean and variance in float64; the batch's statistics unless they are given."""
    others = tuple(i for i in range(x.ndim) if i != axis % x.ndim)
    x = x.astype(np.float64)
    if mean is None:
        mean, var = x.mean(others), x.var(others)
    shape = [1] * x.ndim
    shape[axis] = -1
    m, v, g, b = (np.asarray(a, np.float64).reshape(shape) for a in (mean, var, gamma, beta))
    return (x - m) / np.sqrt(v + EPS) * g + b, mean, var


def gradients(x, gamma, dy, axis, mean, var, batch):
    """By x, gamma and beta."""
    others = tuple(i for i in range(x.ndim) if i != axis % x.ndim)
    shape = [1] * x.ndim
    shape[axis] = -1
    r = 1 / np.sqrt(np.asarray(var, np.float64) + EPS).reshape(shape)
    z = (x.astype(np.float64) - np.reshape(mean, shape)) * r
    g = np.reshape(gamma, shape)
    dx = dy * g * r
    if batch:
        dx -= g * r * (dy.mean(others, keepdims=True) + z * (dy * z).mean(others, keepdims=True))
    return dx, (dy * z).sum(others), dy.sum(others)


def draw(shape, axis, dtype, seed=0):
    rng = np.random.default_rng(seed)
    channels = shape[axis]
    x = rng.normal(0.3, 2, shape).astype(dtype)
    gamma, beta, mean = (rng.normal(size=channels).astype(dtype) for _ in range(3))
    var = rng.uniform(0.5, 2, channels).astype(dtype)
    return x, gamma, beta, mean, var


def array(a):
    return nd.array(a, dtype=a.dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("training", [True, False], ids=["train", "predict"])
@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        ((4, 3), 1),
        ((5, 37), -1),
        ((2, 3, 7), 1),
        ((2, 5, 9, 3), 3),
        ((3, 4, 11, 13), 1),
        ((6, 2), 0),
    ],
)
def test_against_numpy(shape, axis, training, dtype):
    x, gamma, beta, mean, var = draw(shape, axis, dtype)
    dy = np.random.default_rng(9).normal(size=shape).astype(dtype)
    a, g, b, m, v = (array(t) for t in (x, gamma, beta, mean, var))
    for t in (a, g, b):
        t.attach_grad()
    options = {"eps": EPS, "momentum": MOMENTUM, "fix_gamma": False, "axis": axis}
    with autograd.record(train_mode=training):
        y = nd.BatchNorm(a, g, b, m, v, **options)
    y.backward(array(dy), train_mode=training)
    stats = () if training else (mean, var)
    expected, used_mean, used_var = reference(x, gamma, beta, axis, *stats)
    tolerance = (
        {"rtol": 1e-4, "atol": 1e-5} if dtype == "float32" else {"rtol": 1e-9, "atol": 1e-10}
    )
    np.testing.assert_allclose(y.asnumpy(), expected, **tolerance)
    for got, wanted in zip((a, g, b), gradients(x, gamma, dy, axis, used_mean, used_var, training)):
        np.testing.assert_allclose(got.grad.asnumpy(), wanted, **tolerance)
    if training:
        np.testing.assert_allclose(m.asnumpy(), 0.9 * mean + 0.1 * used_mean, **tolerance)
        np.testing.assert_allclose(v.asnumpy(), 0.9 * var + 0.1 * used_var, **tolerance)
    else:
        assert np.array_equal(m.asnumpy(), mean) and np.array_equal(v.asnumpy(), var)


def test_fixed_gamma_and_global_statistics():
    x, gamma, beta, mean, var = (array(t) for t in draw((4, 3, 5), 1, "float32"))
    for t in (x, gamma, beta):
        t.attach_grad()
    with autograd.record():
        fixed = nd.BatchNorm(x, gamma, beta, mean.copy(), var.copy())
        ones = nd.BatchNorm(x, nd.ones(3), beta, mean.copy(), var.copy(), fix_gamma=False)
        still = nd.BatchNorm(x, gamma, beta, mean, var, use_global_stats=True)
    assert np.array_equal(fixed.asnumpy(), ones.asnumpy())
    fixed.backward()
    assert np.array_equal(gamma.grad.asnumpy(), np.zeros(3))
    assert np.array_equal(still.asnumpy(), nd.BatchNorm(x, gamma, beta, mean, var).asnumpy())


def test_mean_and_inverse_deviation_as_outputs():
    x, gamma, beta, mean, var = (array(t) for t in draw((4, 3, 5), 1, "float64"))
    with autograd.train_mode():
        made = nd.BatchNorm(x, gamma, beta, mean, var, output_mean_var=True, eps=EPS)
    assert len(made) == 3
    np.testing.assert_allclose(made[1].asnumpy(), x.asnumpy().mean((0, 2)))
    np.testing.assert_allclose(made[2].asnumpy(), 1 / np.sqrt(x.asnumpy().var((0, 2)) + EPS))
    symbol = sym.BatchNorm(sym.var("x"), output_mean_var=True, name="bn")
    assert symbol.list_outputs() == ["bn_output", "bn_mean", "bn_var"]


@pytest.mark.parametrize(
    ("arrays", "words"),
    [
        ([(4, 3), (2,), (3,), (3,), (3,)], "gamma of shape"),
        ([(4, 3), (3,), (3,), (3,), (5,)], "moving_var of shape"),
        ([(4,), (3,), (3,), (3,), (3,)], "axis"),
    ],
)
def test_errors_name_the_input(arrays, words):
    with pytest.raises(MXNetError, match=r"BatchNorm.*" + words):
        nd.BatchNorm(*(nd.ones(s) for s in arrays))
    with pytest.raises(MXNetError, match="float32 and float64"):
        nd.BatchNorm(nd.ones((4, 3)), *(nd.ones(3, dtype="float64") for _ in range(4)))
    with pytest.raises(TypeError, match=r"moving_mean.*NDArray"):
        nd.BatchNorm(nd.ones((4, 3)), nd.ones(3), nd.ones(3), None, None)


@pytest.mark.parametrize("hybridized", [False, True])
def test_a_batch_of_no_elements_leaves_the_states(hybridized):
    """It has no statistics: the moving ones serve, and gradients are 0."""
    layer = gluon.nn.BatchNorm(in_channels=3)
    layer.initialize()
    layer.running_mean.set_data(nd.array([0.1, 0.2, 0.3]))
    if hybridized:
        layer.hybridize()
    x = nd.zeros((0, 3, 2))
    x.attach_grad()
    with autograd.record():
        y = layer(x)
    y.backward()
    assert y.shape == x.grad.shape == (0, 3, 2)
    assert layer.running_mean.data().asnumpy().tolist() == np.float32([0.1, 0.2, 0.3]).tolist()
    assert layer.running_var.data().asnumpy().tolist() == [1, 1, 1]
    assert layer.gamma.grad().asnumpy().tolist() == layer.beta.grad().asnumpy().tolist() == [0] * 3


# Symbols ------------------------------------------------------------------------------------------
def two_layers() -> Any:
    x = sym.Convolution(sym.var("data"), kernel=(3, 3), num_filter=4, no_bias=True, name="conv")
    x = sym.relu(sym.BatchNorm(x, name="bn", fix_gamma=False))
    return sym.FullyConnected(x, num_hidden=3, name="fc")


def test_states_are_no_arguments():
    net = two_layers()
    assert net.list_arguments() == [
        "data", "conv_weight", "bn_gamma", "bn_beta", "fc_weight", "fc_bias",
    ]  # fmt: skip
    assert net.list_auxiliary_states() == ["bn_moving_mean", "bn_moving_var"]
    assert net.list_outputs() == ["fc_output"]
    assert "bn_output" in net.get_internals().list_outputs()
    assert "bn_batch_var" not in net.get_internals().list_outputs()
    arguments, outputs, states = net.infer_shape(data=(2, 3, 6, 6))
    assert arguments[2] == (4,) and outputs == [(2, 3)] and states == [(4,), (4,)]
    assert net.infer_type(data="float64")[2] == [np.float64, np.float64]
    assert net.infer_shape_partial()[2] == [(0,), (0,)]


def test_json_is_mxnets():
    net = two_layers()
    text = net.tojson()
    nodes = json.loads(text)["nodes"]
    bn = next(n for n in nodes if n["op"] == "BatchNorm")
    assert [e[2] for e in bn["inputs"]] == [0, 0, 0, 1, 1]  # states are written once
    assert bn["attrs"]["fix_gamma"] == "False" and "batch_stats" not in bn["attrs"]
    rows = json.loads(text)["node_row_ptr"]
    at = nodes.index(bn)
    assert rows[at + 1] - rows[at] == 3
    again = sym.load_json(text)
    assert again.list_auxiliary_states() == net.list_auxiliary_states()
    assert again.tojson() == text


def bound(net, data, training=True, **options):
    executor = net.simple_bind(data=data.shape, **options)
    rng = np.random.default_rng(4)
    for name, a in executor.arg_dict.items():
        a[:] = data if name == "data" else array(rng.normal(size=a.shape).astype("float32"))
    executor.aux_dict["bn_moving_var"][:] = 1
    executor.forward(is_train=training)
    if training:
        executor.backward(nd.ones((data.shape[0], 3)))
    return executor


def test_an_executor_writes_states_in_training_alone():
    data = array(np.random.default_rng(2).normal(size=(2, 3, 6, 6)).astype("float32"))
    net = two_layers()
    assert list(bound(net, data, False).aux_dict) == net.list_auxiliary_states()
    assert all(a.asnumpy().std() == 0 for a in bound(net, data, False).aux_arrays)
    executor = bound(net, data)
    conv = net.get_internals()["conv_output"].eval(
        data=data, conv_weight=executor.arg_dict["conv_weight"]
    )[0]
    mean = conv.asnumpy().mean((0, 2, 3))
    np.testing.assert_allclose(executor.aux_dict["bn_moving_mean"].asnumpy(), 0.1 * mean, rtol=1e-5)
    copied = net.bind(args=executor.arg_dict, aux_states=[nd.zeros(4), nd.ones(4)], grad_req="null")
    copied.copy_params_from(executor.arg_dict, executor.aux_dict)
    assert np.array_equal(copied.aux_arrays[0].asnumpy(), executor.aux_arrays[0].asnumpy())
    with pytest.raises(MXNetError, match="no array for bn_moving_mean"):
        net.bind(args=executor.arg_dict)
    with pytest.raises(MXNetError, match="no array for bn_moving_mean"):
        net.bind(args=executor.arg_dict, aux_states={"x": nd.ones(4)})


def test_compiled_functions_train():
    data, w = sym.var("data", shape=(8, 3)), sym.var("w", shape=(1, 3))
    y = sym.BatchNorm(sym.broadcast_mul(data, w), name="bn", fix_gamma=False)
    loss = sym.sum(sym.square(y) * data)
    gw = loss.grad(w)
    x = array(np.random.default_rng(0).normal(size=(8, 3)).astype("float32"))
    params = {"w": nd.array([1.0, 2.0, 3.0]).reshape((1, 3)), "bn_gamma": nd.ones(3)}
    params |= {"bn_beta": nd.zeros(3), "bn_moving_mean": nd.zeros(3), "bn_moving_var": nd.ones(3)}
    step = jh.compile([loss], updates=[(w, w - 0.1 * gw)], params=params)
    start = params["w"].copy()
    start.attach_grad()
    states = [nd.zeros(3), nd.ones(3)]
    with autograd.record():
        out = nd.BatchNorm(x * start, nd.ones(3), nd.zeros(3), *states, fix_gamma=False)
        expected = (nd.square(out) * x).sum()
    expected.backward()
    assert step(data=x)[0].asnumpy().tobytes() == expected.asnumpy().tobytes()
    assert np.array_equal(params["w"].asnumpy(), (start - 0.1 * start.grad).asnumpy())
    for name, state in zip(("mean", "var"), states):
        assert np.array_equal(params[f"bn_moving_{name}"].asnumpy(), state.asnumpy())
    with pytest.raises(MXNetError, match="training changes 'bn_moving_mean'"):
        jh.compile([loss], training=True)
    with pytest.raises(MXNetError, match="whether it trains"):
        gw.grad(w)


# Blocks -------------------------------------------------------------------------------------------
def make(**options: Any) -> Any:
    jh.random.seed(3)
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(
            nn.Conv2D(4, 3, padding=1, use_bias=False),
            nn.BatchNorm(**options),
            nn.Activation("relu"),
            nn.BatchNorm(scale=False),
            nn.Flatten(),
            nn.Dense(3),
            nn.BatchNorm(center=False),
        )
    net.initialize()
    return net


X = np.random.default_rng(1).normal(size=(4, 3, 8, 8)).astype("float32")


def trained(net: Any, steps: int = 3) -> list[np.ndarray]:
    """Losses, parameters, states and gradients after some steps, and a prediction."""
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    found = []
    for _ in range(steps):
        with autograd.record():
            y = net(array(X))
            loss = (y * y * y).sum()
        loss.backward()
        trainer.step(4)
        found.append(loss.asnumpy())
    found.append(net(array(X)).asnumpy())
    for p in net.collect_params().values():
        found.append(p.data().asnumpy())
        if p.grad_req != "null":
            found.append(p.grad().asnumpy())
    return found


def same(a: list[np.ndarray], b: list[np.ndarray]) -> bool:
    return len(a) == len(b) and all(u.tobytes() == v.tobytes() for u, v in zip(a, b))


@pytest.mark.parametrize("options", [{}, {"remat": "sqrt"}, {"without": ["fuse"]}], ids=str)
def test_hybridized_is_imperative_bit_for_bit(options):
    expected = trained(make())
    net = make()
    net.hybridize(**options)
    assert same(expected, trained(net))


def test_states_change_once_a_step():
    for options in ({}, {"active": True}, {"active": True, "remat": "sqrt"}):
        net = make(momentum=0.5)
        if options:
            net.hybridize(**options)
        state = net[1].running_mean
        with autograd.record():
            loss = net(array(X)).sum()
        after_forward = state.data().asnumpy()
        loss.backward()
        assert np.array_equal(state.data().asnumpy(), after_forward)
        net(array(X))  # predicting reads
        assert np.array_equal(state.data().asnumpy(), after_forward)
        mean = net[0](array(X)).asnumpy().astype("float64").mean((0, 2, 3))
        np.testing.assert_allclose(after_forward, 0.5 * mean, rtol=1e-4, atol=1e-6)


def test_a_layer_used_twice_changes_its_states_twice():
    def run(hybridize: bool) -> list[np.ndarray]:
        class Twice(gluon.HybridBlock):
            def __init__(self) -> None:
                super().__init__()
                self.bn = nn.BatchNorm(in_channels=3)

            def hybrid_forward(self, F: Any, x: Any) -> Any:
                return self.bn(self.bn(x) * 2 + 1)

        net = Twice()
        net.initialize()
        if hybridize:
            net.hybridize()
        with autograd.record():
            y = net(array(X))
        y.backward()
        return [y.asnumpy(), *(p.data().asnumpy() for p in net.collect_params().values())]

    assert same(run(False), run(True))


def test_parameters_are_saved_and_exported(tmp_path):
    net = make()
    trained(net, 1)
    assert repr(net[1]).startswith("BatchNorm(axis=1, eps=1e-05, momentum=0.9")
    names = list(net.collect_params())
    assert names[1:5] == [
        f"net_batchnorm0_{n}" for n in ("gamma", "beta", "running_mean", "running_var")
    ]
    net.save_parameters(str(tmp_path / "net.params"))
    other = make()
    other.load_parameters(str(tmp_path / "net.params"))
    expected = net(array(X)).asnumpy()
    assert np.array_equal(other(array(X)).asnumpy(), expected)
    files = net.export(str(tmp_path / "net"), example=array(X))
    kinds = {name.split(":")[0]: 0 for name in nd.load(files[1])}
    assert set(kinds) == {"arg", "aux"}
    assert all(("running" in n) == n.startswith("aux:") for n in nd.load(files[1]))
    read = gluon.SymbolBlock.imports(files[0], ["data"], files[1])
    assert np.array_equal(read(array(X)).asnumpy(), expected)
    assert same(trained(net, 1)[:1], trained(read, 1)[:1])
    assert read.collect_params()["net_batchnorm0_running_mean"].grad_req == "null"


@pytest.mark.alone
@pytest.mark.parametrize("shape", [(16, 24, 9, 11), (300, 70)])
def test_threads_change_no_bit(shape):
    def run() -> list[np.ndarray]:
        x, gamma, beta, mean, var = (array(t) for t in draw(shape, 1, "float32"))
        for t in (x, gamma, beta):
            t.attach_grad()
        with autograd.record():
            y = nd.BatchNorm(x, gamma, beta, mean, var, fix_gamma=False)
        y.backward(nd.sin(y))
        return [t.asnumpy() for t in (y, x.grad, gamma.grad, beta.grad, mean, var)]

    before = engine.num_threads()
    found = []
    try:
        for threads in (1, 2, 5):
            engine.set_num_threads(threads)
            found.append(run())
    finally:
        engine.set_num_threads(before)
    assert same(found[0], found[1]) and same(found[0], found[2])


# Cells --------------------------------------------------------------------------------------------
SETUP = """
import numpy as np
from jupyter_hybrid import autograd, gluon, nd, random
from jupyter_hybrid.gluon import nn
random.seed(5)
net = nn.HybridSequential()
net.add(nn.Conv2D(4, 3), nn.BatchNorm(), nn.Activation("relu"), nn.Dense(2), nn.BatchNorm())
net.initialize()
HYBRIDIZE
x = nd.array(np.random.RandomState(0).randn(4, 3, 6, 6))
trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
net(x)
"""
STEP = """
with autograd.record():
    y = net(x)
    loss = (y * y * y).sum()
loss.backward()
trainer.step(4)
"""
LOOP = """
for i in range(3):
    with autograd.record():
        y = net(x)
        loss = (y * y * y).sum()
    loss.backward()
    trainer.step(4)
"""
PREDICT = "z = net(x)\nm = net[1].running_mean.data() + 0"


@pytest.mark.parametrize("hybridize", ["", "net.hybridize()"], ids=["plain", "inlined"])
def test_cells_train(hybridize):
    setup = SETUP.replace("HYBRIDIZE", hybridize)
    names, _ = imperative(setup)
    for body in (STEP, LOOP, PREDICT):
        exec(compile(body, "<plain>", "exec"), names)
    shell = Shell()
    shell.run(setup)
    shell.hybridize(STEP)
    assert len(shell.report.segments) == 1
    assert "moving_average" in str(shell.report.program)
    shell.hybridize(LOOP)
    shell.hybridize(PREDICT)

    def values(found: dict[str, Any]) -> list[np.ndarray]:
        return [
            *(found[n].asnumpy() for n in ("y", "loss", "z", "m")),
            *(p.data().asnumpy() for p in found["net"].collect_params().values()),
        ]

    assert same(values(names), values(shell.ns))


def test_states_of_plain_arrays_change_in_cells():
    setup = """
from jupyter_hybrid import autograd, nd
x, g, b, m, v = nd.arange(12).reshape((4, 3)), nd.ones(3), nd.zeros(3), nd.zeros(3), nd.ones(3)
view = m[1:]
"""
    body = """
with autograd.train_mode():
    y = nd.BatchNorm(x, g, b, m, v)
    a = m + 1
    z = nd.BatchNorm(y * 2, g, b, m, v)
w = nd.BatchNorm(x, g, b, m, v)
"""
    names, _ = imperative(setup + body)
    shell = Shell()
    shell.run(setup)
    shell.hybridize(body)
    for name in ("y", "a", "z", "w", "m", "v", "view"):
        assert shell.ns[name].asnumpy().tobytes() == names[name].asnumpy().tobytes(), name


def test_a_loop_body_cannot_change_states():
    x, states = sym.var("x"), sym.var("s")
    with pytest.raises(MXNetError, match=r"BatchNorm.*cannot change states"):
        sym.contrib.foreach(lambda d, s: (sym.BatchNorm(d, name="bn"), s), x, states)


def test_the_mode_of_a_traced_operator_stays():
    x, *rest = (array(t) for t in draw((4, 3), 1, "float32"))
    _core.begin_trace()
    try:
        predicted = nd.BatchNorm(x, *rest)
    finally:
        _core.end_trace()
    graph, inputs, keys, *_ = _core.traced_graph([predicted])
    program = _core.compile(graph, training=True).program
    assert np.array_equal(program.run(inputs, keys)[0].asnumpy(), nd.BatchNorm(x, *rest).asnumpy())
