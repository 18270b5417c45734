"""autograd.Function and custom operators: gradients, errors, blocks, cells, symbols."""

from __future__ import annotations

import gc
import traceback
import weakref

import numpy as np
import pytest
from cells import Shell

from jupyter_hybrid import MXNetError, autograd, gluon, nd, operator, sym


class Sigmoid(autograd.Function):
    def forward(self, x):
        y = 1 / (1 + nd.exp(-x))
        self.save_for_backward(y)
        return y

    def backward(self, dy):
        (y,) = self.saved_tensors
        return dy * y * (1 - y)


class Two(autograd.Function):
    """a, b -> [a * b, a + b], with gradients that are not theirs."""

    def forward(self, a, b):
        return [a * b, a + b]

    def backward(self, dp, ds):
        return dp * 10 + ds, ds * 100


def variable(*values):
    x = nd.array(values)
    x.attach_grad()
    return x


# Functions ----------------------------------------------------------------------------------------
def test_a_function_has_its_own_gradient():
    x = variable(-1.0, 0.0, 2.0)
    with autograd.record():
        y = Sigmoid()(x * 2)
        z = (y * y).sum()
    z.backward()
    s = 1 / (1 + np.exp(-2 * x.asnumpy()))
    np.testing.assert_allclose(x.grad.asnumpy(), 4 * s * s * (1 - s), rtol=1e-6)


def test_many_inputs_and_outputs_of_which_one_is_used():
    a, b = variable(2.0), variable(3.0)
    for used, expected in ((0, (10, 0)), (1, (1, 100))):
        with autograd.record():
            outputs = Two()(a, b)
        assert type(outputs) is list
        outputs[used].backward()
        assert (a.grad.asscalar(), b.grad.asscalar()) == expected
    with autograd.record():
        p, s = Two()(a, b)
    autograd.backward([p, s], [nd.array([2.0]), None])
    assert (a.grad.asscalar(), b.grad.asscalar()) == (21, 100)


def test_nothing_is_recorded_outside():
    assert Sigmoid()(nd.array([0.0])).asscalar() == 0.5
    with autograd.record():
        y = Sigmoid()(nd.array([0.0]))  # of no variable
    with pytest.raises(MXNetError, match="was not recorded"):
        y.backward()


def test_an_instance_is_called_once():
    f = Sigmoid()
    f(nd.array([1.0]))
    with pytest.raises(AssertionError, match="once"):
        f(nd.array([1.0]))


def test_a_second_derivative_is_refused():
    x = variable(0.3)
    with autograd.record():
        (slope,) = autograd.grad(Sigmoid()(x), x, create_graph=True)
        twice = slope * slope
    s = 1 / (1 + np.exp(-0.3))
    assert slope.asscalar() == pytest.approx(s * (1 - s))
    with pytest.raises(MXNetError, match="can be differentiated once"):
        twice.backward()


def test_backward_twice_needs_retain_graph():
    x = variable(1.0)
    with autograd.record():
        y = Sigmoid()(x)
    y.backward(retain_graph=True)
    first = x.grad.asscalar()
    y.backward()
    assert x.grad.asscalar() == first
    with pytest.raises(MXNetError, match="retain_graph"):
        y.backward()


class Wrong(Sigmoid):
    def __init__(self, answer):
        super().__init__()
        self.answer = answer

    def backward(self, dy):
        return self.answer(dy)


@pytest.mark.parametrize(
    ("answer", "error", "said"),
    [
        (lambda dy: [dy, dy], ValueError, "expected 1 arrays, one an input of forward, got 2"),
        (lambda dy: None, ValueError, "got NoneType"),
        (lambda dy: [dy.asnumpy()], TypeError, "gradient 0 is ndarray"),
        (lambda dy: nd.ones((5,)), MXNetError, r"should be float32 \(1,\), backward gave float32"),
        (lambda dy: dy.astype("float64"), MXNetError, "backward gave float64"),
        (lambda dy: 1 / 0, ZeroDivisionError, "division"),
    ],
)
def test_wrong_answers_and_errors_arrive(answer, error, said):
    x = variable(1.0)
    with autograd.record():
        y = Wrong(answer)(x)
    with pytest.raises(error, match=said) as caught:
        y.backward()
    if error is ZeroDivisionError:
        assert "lambda dy: 1 / 0" in "".join(traceback.format_exception(caught.value))
    with autograd.record():  # afterwards all is as before
        z = Sigmoid()(x)
    z.backward()
    assert x.grad.asscalar() == pytest.approx(0.19661193)


def test_what_it_keeps_is_given_up_with_the_graph():
    x, f = variable(1.0), Sigmoid()
    alive = weakref.ref(f)
    with autograd.record():
        y = f(x)
    del f
    assert alive() is not None
    y.backward()
    del y
    nd.waitall()
    gc.collect()
    assert nd.ones((1,)).asscalar() == 1 and alive() is None


# Custom operators ---------------------------------------------------------------------------------
class Scaled(operator.CustomOp):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def forward(self, is_train, req, in_data, out_data, aux):
        x = in_data[0].asnumpy()
        if np.isnan(x).any():
            raise ValueError("there is a NaN")
        self.assign(out_data[0], req[0], nd.array(x * self.factor + is_train))

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        if self.factor == 13:
            raise ArithmeticError("unlucky")
        self.assign(in_grad[0], req[0], out_grad[0] * self.factor)


@operator.register("test_scaled")
class ScaledProp(operator.CustomOpProp):
    def __init__(self, factor="1", note=""):
        super().__init__(need_top_grad=True)
        assert isinstance(factor, str) and isinstance(note, str)
        self.factor = float(factor)

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Scaled(self.factor)


class Loss(operator.CustomOp):
    """Softmax with cross entropy's gradient; counts its calls in a state."""

    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], nd.softmax(in_data[0]))

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        hot = nd.one_hot(in_data[1], in_data[0].shape[1])
        self.assign(in_grad[0], req[0], out_data[0] - hot)


@operator.register("test_loss")
class LossProp(operator.CustomOpProp):
    def __init__(self):
        super().__init__(need_top_grad=False)

    def list_arguments(self):
        return ["data", "label"]

    def infer_shape(self, in_shape):
        return [in_shape[0], [in_shape[0][0]]], [in_shape[0]], []

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Loss()


class Split(operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        aux[0][:] = aux[0] + 1
        self.assign(out_data[0], req[0], in_data[0][:2])
        self.assign(out_data[1], req[1], in_data[0].sum().astype("float64"))


@operator.register("test_split")
class SplitProp(operator.CustomOpProp):
    def list_outputs(self):
        return ["head", "total"]

    def list_auxiliary_states(self):
        return ["calls"]

    def infer_shape(self, in_shape):
        return in_shape, [[2], [1]], [[1]]

    def infer_type(self, in_type):
        return in_type, [in_type[0], np.float64], [in_type[0]]

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Split()


def test_custom_runs_and_has_gradients():
    x = variable(1.0, -2.0)
    with autograd.record():
        y = nd.Custom(x * 2, op_type="test_scaled", factor=3)
        y2 = y * y
    y2.backward()
    np.testing.assert_array_equal(y.asnumpy(), [7, -11])
    np.testing.assert_array_equal(x.grad.asnumpy(), [84, -132])
    np.testing.assert_array_equal(nd.Custom(data=x, op_type="test_scaled").asnumpy(), [1, -2])


def test_outputs_of_several_dtypes_and_states():
    calls = nd.zeros((1,))
    head, total = nd.Custom(nd.arange(4), calls, op_type="test_split")
    nd.Custom(nd.arange(4), calls, op_type="test_split")
    assert head.asnumpy().tolist() == [0, 1] and total.asscalar() == 6
    assert total.dtype is np.float64 and calls.asscalar() == 2
    into = [nd.zeros((2,)), nd.zeros((1,), dtype="float64")]
    assert nd.Custom(nd.arange(4), calls, op_type="test_split", out=into) is into
    assert into[1].asscalar() == 6


def test_its_errors_arrive_with_their_lines():
    with pytest.raises(MXNetError, match="forward: ValueError: there is a NaN") as caught:
        nd.Custom(nd.array([np.nan]), op_type="test_scaled")
    assert type(caught.value.__cause__) is ValueError
    assert "there is a NaN" in "".join(traceback.format_exception(caught.value))
    x = variable(1.0)
    with autograd.record():
        y = nd.Custom(x, op_type="test_scaled", factor=13)
    with pytest.raises(MXNetError, match="backward: ArithmeticError: unlucky") as caught:
        y.backward()
    assert 'raise ArithmeticError("unlucky")' in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    ("arrays", "arguments", "said"),
    [
        (1, {"op_type": "nowhere"}, "'nowhere' is not registered"),
        (1, {}, "None is not registered"),
        (2, {"op_type": "test_scaled"}, r"expected 1 arrays \(data\), given 2"),
        (1, {"op_type": "test_loss"}, r"expected 2 arrays \(data, label\)"),
        (0, {"op_type": "test_scaled"}, "expected 1 arrays"),
    ],
)
def test_bad_calls_are_named(arrays, arguments, said):
    with pytest.raises(MXNetError, match=said):
        nd.Custom(*[nd.ones((2,))] * arrays, **arguments)


class Net(gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        self.dense = gluon.nn.Dense(3, in_units=2)

    def hybrid_forward(self, F, x, label):
        return F.Custom(self.dense(x), label, op_type="test_loss", name="softmax")


def trained(net, active):
    net.hybridize(active)
    x, label = nd.array([[1.0, 2.0], [0.5, -1.0]]), nd.array([0, 2])
    with autograd.record():
        out = net(x, label)
    out.backward()
    return out.asnumpy(), net.dense.weight.grad().asnumpy()


def test_in_blocks_and_in_cells():
    net = Net()
    net.initialize()
    wanted = trained(net, False)
    assert np.abs(wanted[1]).max() > 0
    for found in (trained(net, True),):
        np.testing.assert_array_equal(found[0], wanted[0])
        np.testing.assert_array_equal(found[1], wanted[1])
    assert any("node by node" in row.why for row in net._report("net"))
    for active in (False, True):
        net.hybridize(active)
        shell = Shell()
        shell.ns.update(net=net, nd=nd, autograd=autograd)
        shell.hybridize(
            "x, label = nd.array([[1.0, 2.0], [0.5, -1.0]]), nd.array([0, 2])\n"
            "with autograd.record():\n    out = net(x * 1, label)\nout.backward()\n"
        )
        np.testing.assert_array_equal(shell.ns["out"].asnumpy(), wanted[0])
        np.testing.assert_array_equal(net.dense.weight.grad().asnumpy(), wanted[1])


def test_functions_in_cells():
    shell = Shell()
    shell.ns.update(nd=nd, autograd=autograd, Sigmoid=Sigmoid, x=variable(-1.0, 0.5))
    text = (
        "with autograd.record():\n    y = Sigmoid()(x * 2)\n    z = (y * y).sum()\nz.backward()\n"
    )
    shell.run(text)
    wanted = shell.ns["x"].grad.asnumpy()
    shell.ns["x"].grad[:] = 0
    for _ in range(2):
        shell.hybridize(text)
        np.testing.assert_array_equal(shell.ns["x"].grad.asnumpy(), wanted)
    assert shell.hybridize("Sigmoid()(nd.array([0.0]) + 0).asscalar()").value == 0.5


def test_symbols_are_bound_and_saved_as_mxnets():
    data = sym.var("data")
    with pytest.raises(MXNetError, match="ValueError: could not convert"):
        sym.Custom(data * 2, op_type="test_scaled", factor="x", name="s")
    net = sym.Custom(data=data * 2, op_type="test_loss", name="softmax")
    assert net.list_arguments() == ["data", "softmax_label"]
    assert net.infer_shape(data=(4, 3))[:2] == ([(4, 3), (4,)], [(4, 3)])
    read = sym.load_json(net.tojson())
    assert '"op_type": "test_loss"' in net.tojson() and read.tojson() == net.tojson()
    odd = sym.Custom(data, op_type="test_scaled", factor="2.5", note="a b&c=%1+é", name="s")
    assert '"factor": "2.5"' in odd.tojson() and '"note": "a b&c=%1+é"' in odd.tojson()
    assert sym.load_json(odd.tojson()).tojson() == odd.tojson()
    assert odd.eval(data=nd.ones((2,)))[0].asnumpy().tolist() == [2.5, 2.5]
    given = {"data": nd.array([[1.0, 2.0, 0.0]]), "softmax_label": nd.array([1])}
    grads = {"data": nd.zeros((1, 3))}
    executor = read.bind(None, given, args_grad=grads)
    (out,) = executor.forward(is_train=True)
    executor.backward()
    p = nd.softmax(given["data"] * 2).asnumpy()
    np.testing.assert_allclose(out.asnumpy(), p, rtol=1e-6)
    np.testing.assert_allclose(grads["data"].asnumpy(), 2 * (p - [[0, 1, 0]]), rtol=1e-5)


def test_states_of_symbols_change():
    net = sym.Custom(sym.var("data"), op_type="test_split", name="s")
    assert net.list_auxiliary_states() == ["s_calls"] and net.list_arguments() == ["data"]
    assert net.infer_shape(data=(4,)) == ([(4,)], [(2,), (1,)], [(1,)])
    states = {"s_calls": nd.zeros((1,))}
    executor = net.bind(None, {"data": nd.arange(4)}, aux_states=states)
    executor.forward()
    executor.forward(data=nd.ones((4,)))
    assert states["s_calls"].asscalar() == 2
    assert [o.asnumpy().tolist() for o in executor.outputs] == [[1, 1], [4]]


class Ones(operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], 1)


@operator.register("test_ones")
class OnesProp(operator.CustomOpProp):
    def __init__(self, length):
        super().__init__()
        self.length = int(length)

    def list_arguments(self):
        return []

    def infer_shape(self, in_shape):
        return [], [(self.length,)], []

    def infer_type(self, in_type):
        return [], [np.float32], []

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Ones()


def test_without_inputs():
    with autograd.record():
        made = nd.Custom(op_type="test_ones", length=3)
    assert made.asnumpy().tolist() == [1, 1, 1]


def test_the_registry_lists_operators():
    names = operator.get_all_registered_operators()
    assert {"Custom", "RNN", "_plus_scalar", "_contrib_box_nms"} <= set(names)
    arguments = operator.get_operator_arguments("Activation")
    assert arguments.names == ["data", "act_type"] and arguments.narg == 2
    with pytest.raises(MXNetError, match="no operator 'Actovation'"):
        operator.get_operator_arguments("Actovation")
