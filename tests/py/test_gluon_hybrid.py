"""hybridize(): Python visited once, equal bit for bit, programs counted, reports, refusals."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from cells import Shell

import jupyter_hybrid as mx
from jupyter_hybrid import MXNetError, autograd, gluon, init, nd, sym
from jupyter_hybrid.gluon import nn, rnn
from jupyter_hybrid.views import GraphViewer

RNG = np.random.default_rng(9)


class HybridNet(nn.HybridBlock):
    """The textbook's own: it prints what it computes with."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.hidden = nn.Dense(10)
        self.output = nn.Dense(2)

    def hybrid_forward(self, F, x):
        print("F: ", F)
        print("x: ", x)
        x = F.relu(self.hidden(x))
        print("hidden: ", x)
        return self.output(x)


def lenet():
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(4, kernel_size=3, activation="sigmoid"),
        nn.MaxPool2D(2),
        nn.Conv2D(6, kernel_size=3, padding=1, activation="relu"),
        nn.AvgPool2D(2),
        nn.Flatten(),
        nn.Dense(20, activation="tanh"),
        nn.Dropout(0.4),
        nn.Dense(5),
    )
    return net


class Skip(nn.HybridBlock):
    """Branches, shared values, operators between layers, two outputs."""

    def __init__(self):
        super().__init__()
        self.a = nn.Dense(6, flatten=False)
        self.b = nn.Dense(6, flatten=False)
        self.gain = self.params.get("gain", shape=(6,), init=init.Uniform(1))

    def hybrid_forward(self, F, x, gain):
        a = self.a(x)
        b = F.broadcast_mul(F.tanh(a), gain) + self.b(F.softmax(a))
        both = F.concat(a, b * b - a / 3, dim=-1)
        return both, F.mean(b, axis=(1, 2))


# Once symbolically, never again -------------------------------------------------------------------
def test_the_textbooks_net_prints_once(capsys):
    net = HybridNet()
    net.initialize()
    x = nd.random.normal(shape=(1, 4))
    imperative = net(x).asnumpy()
    printed = capsys.readouterr().out
    assert "jupyter_hybrid.nd'" in printed and printed.count("NDArray 1x") == 2
    net.hybridize()
    first = net(x).asnumpy()
    printed = capsys.readouterr().out
    assert "jupyter_hybrid.sym'" in printed and "x:  <Symbol data>" in printed
    assert printed.count("F: ") == 1 and "hidden:  <Symbol" in printed
    second = net(x).asnumpy()
    assert capsys.readouterr().out == ""
    np.testing.assert_array_equal(first, imperative)
    np.testing.assert_array_equal(second, imperative)
    net.hybridize(False)
    net(x)
    assert "jupyter_hybrid.nd'" in capsys.readouterr().out


def test_called_with_a_variable_a_net_gives_a_symbol():
    net = lenet()
    symbol = net(sym.var("data"))
    assert isinstance(symbol, sym.Symbol)
    _, outputs, _ = symbol.infer_shape(data=(2, 1, 14, 14))
    assert outputs == [(2, 5)]


# Equal bit for bit --------------------------------------------------------------------------------
def results(net, x, seed, training, hybridized):
    """Outputs and gradients of the input and every parameter."""
    net.hybridize(hybridized)
    x = nd.array(x)
    x.attach_grad()
    mx.random.seed(seed)
    with autograd.record(train_mode=training):
        outs = net(x)
        outs = outs if isinstance(outs, (list, tuple)) else [outs]
        total = sum((o * o).sum() for o in outs)
    total.backward()
    gradients = [x.grad] + [p.grad() for p in net.collect_params().values()]
    return [a.asnumpy() for a in (*outs, *gradients)]


@pytest.mark.parametrize("training", [False, True], ids=["predict", "train"])
@pytest.mark.parametrize(
    ("make", "shape"), [(lenet, (3, 1, 14, 14)), (Skip, (2, 3, 6)), (lambda: nn.Dense(3), (1, 7))]
)
def test_compiled_equals_imperative_bit_for_bit(make, shape, training):
    x = RNG.normal(size=shape)
    net = make()
    net.initialize(init.Normal(0.5))
    net(nd.array(x))
    for seed in (1, 2):
        expected = results(net, x, seed, training, hybridized=False)
        given = results(net, x, seed, training, hybridized=True)
        assert any(np.abs(a).max() > 0 for a in expected[1:])
        for a, b in zip(expected, given, strict=True):
            np.testing.assert_array_equal(a, b)


def test_every_option_of_the_passes_gives_the_same():
    x = nd.array(RNG.normal(size=(2, 1, 14, 14)))
    net = lenet()
    net.initialize(init.Normal(0.5))
    expected = net(x).asnumpy()
    for options in ({}, {"without": ["fuse"]}, {"passes": ["plan"]}, {"static_alloc": True}):
        net.hybridize(**options)
        np.testing.assert_array_equal(net(x).asnumpy(), expected)
    net.hybridize(fast=True)  # may reorder sums
    np.testing.assert_allclose(net(x).asnumpy(), expected, rtol=1e-4, atol=1e-6)
    with pytest.raises(ValueError, match=r"unknown options \['statik'\]"):
        net.hybridize(statik=True)


def test_gradients_add_up_when_asked_to():
    net = nn.Dense(2, in_units=3)
    net.initialize()
    net.collect_params().setattr("grad_req", "add")
    x = nd.array(RNG.normal(size=(4, 3)))
    for hybridized in (False, True):
        net.hybridize(hybridized)
        net.collect_params().zero_grad()
        for _ in range(3):
            with autograd.record():
                y = net(x)
            y.backward()
        np.testing.assert_allclose(
            net.weight.grad().asnumpy(), 3 * np.ones((2, 1)) * x.asnumpy().sum(0), rtol=1e-5
        )


def test_second_order_gradients_through_a_compiled_block():
    net = nn.HybridLambda(lambda F, x: x * x * x)
    x = nd.array([2.0, 3.0])
    x.attach_grad()
    for hybridized in (False, True):
        net.hybridize(hybridized)
        with autograd.record():
            (first,) = autograd.grad(net(x), x, create_graph=True)
        first.backward()
        np.testing.assert_allclose(x.grad.asnumpy(), [12, 18])


# Programs -----------------------------------------------------------------------------------------
def programs(net):
    return net._cached.graph.num_programs


def test_one_program_per_signature():
    net = lenet()
    net.initialize()
    net.hybridize()
    x = nd.ones((2, 1, 14, 14))
    for _ in range(3):
        net(x)
    assert programs(net) == 1
    net(nd.ones((3, 1, 14, 14)))
    assert programs(net) == 2
    with autograd.train_mode():  # Dropout is another graph then
        net(x)
    assert programs(net) == 3
    for _ in range(2):
        with autograd.record():
            y = net(x)
        y.backward()
    recorded = programs(net)
    assert recorded > 3
    for _ in range(3):
        with autograd.record():
            y = net(x)
        y.backward()
        net(x)
    assert programs(net) == recorded
    net.hybridize()
    assert net._cached is None  # a new start


def test_adding_a_layer_compiles_again():
    net = nn.HybridSequential()
    net.add(nn.Dense(3))
    net.initialize()
    net.hybridize()
    x = nd.ones((1, 2))
    assert net(x).shape == (1, 3)
    net.add(nn.Dense(4))
    net.initialize()
    assert net(x).shape == (1, 4)


def test_hybridized_children_of_a_plain_block():
    class Plain(nn.Block):
        def __init__(self):
            super().__init__()
            self.net = lenet()

        def forward(self, x):
            return self.net(x) if float(x.sum().asscalar()) > 0 else x

    net = Plain()
    net.initialize()
    net.hybridize()
    assert net(nd.ones((2, 1, 14, 14))).shape == (2, 5)
    assert net(-nd.ones((2, 1, 14, 14))).shape == (2, 1, 14, 14)
    assert programs(net.net) == 1


def test_a_mixed_net_reports_what_was_compiled():
    net = nn.Sequential()
    net.add(lenet(), nn.Lambda(lambda v: v * 2), nn.Dense(3), HybridNet())
    net.initialize()
    net[2].hybridize()
    net[0].hybridize()
    net[0](nd.ones((2, 1, 14, 14)))
    report = {layer.path: layer for layer in net.hybrid_report()}
    assert not report[""].compiled and "not a HybridBlock" in report[""].why
    assert report["0"].compiled and report["0"].why == "1 program"
    assert "0.0" not in report  # inside that program
    assert not report["1"].compiled and "not a HybridBlock" in report["1"].why
    assert report["2"].compiled and report["2"].why == "not called yet"
    assert not report["3"].compiled and "hybridize() was not called" in report["3"].why
    assert str(report["0"]) == "0 (HybridSequential): compiled, 1 program"


def test_a_picture_of_a_compiled_net():
    net = lenet()
    with pytest.raises(MXNetError, match=r"hybridize\(\) the block and call it once"):
        GraphViewer(net)
    net.initialize()
    net.hybridize()
    net(nd.ones((2, 1, 14, 14)))
    viewer = GraphViewer(net)
    names = [stage["name"] for stage in viewer.spec["stages"]]
    assert names[0] == "written" and names[-1] == "plan"
    for stage in range(len(names)):
        assert viewer.svg(stage).startswith("<svg") and "Convolution" in viewer.dot(stage).source


# What a Symbol can't do ---------------------------------------------------------------------------
def _block(forward):
    return type("Traced", (nn.HybridBlock,), {"hybrid_forward": forward})()


def reads(self, F, x):
    return x + x.sum().asnumpy()[0]


def adds(self, F, x):
    x += 1
    return x


def writes(self, F, x):
    x[:] = x * 2
    return x


def branches(self, F, x):
    return x if x.sum() > 0 else -x


def indexes(self, F, x):
    return x[0]


def loops(self, F, x):
    return sum(row for row in x)


def measures(self, F, x):
    return x / len(x)


def shapes(self, F, x):
    return x.reshape((x.shape[0], -1))


def converts(self, F, x):
    return np.exp(x)


@pytest.mark.parametrize(
    ("forward", "what", "rewrite"),
    [
        (reads, "asnumpy()", "compute it with F"),
        (adds, "a += b", "write a = a + b"),
        (writes, "a[...] = b", "make a new value with F"),
        (branches, "if, while, and, or", "write F.where(condition, a, b)"),
        (indexes, "x[...]", "write F.slice_axis, F.take or F.split"),
        (loops, "a loop over x", "write F.slice_axis, F.take or F.split"),
        (measures, "len(x)", "write F.slice_axis, F.take or F.split"),
        (shapes, ".shape", "F.reshape with 0 and -1"),
        (converts, "conversion to a NumPy array", "compute it with F"),
    ],
    ids=lambda v: v.__name__ if callable(v) else "",
)
def test_what_needs_a_value_names_the_line_and_the_rewrite(forward, what, rewrite):
    net = _block(forward)
    net(nd.ones((2, 3)))  # imperatively it is fine
    net.hybridize()
    source = inspect.getsourcelines(forward)
    line = source[1] + 1
    with pytest.raises(MXNetError) as caught:
        net(nd.ones((2, 3)))
    message = str(caught.value)
    assert message.startswith(what) and rewrite in message
    assert f"(line {line} of test_gluon_hybrid.py, {forward.__name__})" in message
    net.hybridize(False)
    net(nd.ones((2, 3)))  # and fine again


def test_several_outputs_may_be_taken_apart_in_a_block():
    net = _block(lambda self, F, x: [part * i for i, part in enumerate(F.split(x, 2, axis=1))])
    x = nd.array([[1, 2, 3, 4]])
    for hybridized in (False, True):
        net.hybridize(hybridized)
        first, second = net(x)
        assert first.asnumpy().tolist() == [[0, 0]] and second.asnumpy().tolist() == [[3, 4]]


def test_arrays_in_a_traced_block_are_refused():
    net = _block(lambda self, F, x: nd.relu(x))
    net.hybridize()
    with pytest.raises(TypeError, match=r"relu: input 'data': expected an NDArray, got .*Symbol"):
        net(nd.ones(2))


def test_a_symbols_shape_is_no_attribute():
    assert not hasattr(sym.var("x"), "shape")


def test_number_of_inputs_is_checked_after_compiling():
    net = _block(lambda self, F, a, b: a + b)
    net.hybridize()
    one = nd.ones(2)
    net(one, one)
    with pytest.raises(TypeError, match=r"expected 2 inputs \(data0, data1\), got 1"):
        net(one)
    with pytest.raises(TypeError, match=r"expected 2 inputs .*, got 3"):
        net(one, one, one)
    with pytest.raises(TypeError, match="NDArray"):
        net(one, 3)


def test_the_loss_is_compiled_too():
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    loss.hybridize()
    loss(nd.ones((4, 3)), nd.ones(4))
    assert programs(loss) == 1


def test_how_arguments_and_outputs_nest_has_mxnets_names():
    layer = rnn.LSTM(3)
    layer.initialize()
    assert layer._in_format is None
    layer.hybridize()
    layer(nd.ones((2, 1, 4)), layer.begin_state(1))
    assert (layer._in_format, layer._out_format) == ([0, [0, 0]], [0, [0, 0]])


class _Around(gluon.HybridBlock):
    """``forward`` around ``hybrid_forward``, as masked losses write it."""

    def forward(self, x, more):
        assert x.shape == (2,)  # arrays, at every call
        return super().forward(x * 2) + more

    def hybrid_forward(self, F, x):
        return x * 3


def test_a_forward_around_hybrid_forward_runs_once_at_every_call():
    block = _Around()
    x, more = nd.array([1, 2]), nd.array([10, 20])
    plain = block(x, more).asnumpy()
    block.hybridize()
    for _ in range(2):
        np.testing.assert_array_equal(block(x, more).asnumpy(), plain)


def test_a_forward_around_a_layer_that_waits_for_shapes():
    class Flat(gluon.nn.Dense):
        def forward(self, x):
            return super().forward(x.reshape((x.shape[0], -1))) * 0.5

    for hybridized in (False, True):
        layer = Flat(3)
        layer.initialize("ones")
        layer.hybridize(hybridized)
        np.testing.assert_array_equal(layer(nd.ones((2, 2, 2))).asnumpy(), np.full((2, 3), 2))


class _Several(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return x, (x + 1, [x * 2])


def test_several_outputs_of_a_hybridized_block_are_lists():
    """As MXNet's are, whose programs change them."""
    block, shell = _Several(), Shell()
    x = nd.array([1])
    assert type(block(x)) is tuple
    block.hybridize()
    shell.ns.update(block=block, x=x)
    shell.hybridize("made = block(x)", "--force")
    for made in (block(x), shell.ns["made"]):
        first, (second, third) = made
        made[0] = first * 3
        made += [x]
        assert type(made[1]) is list and second.asscalar() == third[0].asscalar() == 2
