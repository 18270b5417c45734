"""Small things that MXNet does so: upper factors, copies, indices, boxes, Dropout of all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from jupyter_hybrid import autograd, base, nd, operator, sym
from jupyter_hybrid.gluon import nn

A = np.array([[[4.0, 1, 0.5], [7, 3, -1], [7, 7, 2]], [[9.0, -2, 1], [7, 5, 0], [7, 7, 1]]])


def results(call: Any) -> list[np.ndarray]:
    """The result, its gradient, and the gradient of that."""
    x = nd.array(A, dtype="float64")
    x.attach_grad()
    with autograd.record():
        y = call(x)
        slope = autograd.grad(y * nd.arange(9, dtype="float64").reshape((3, 3)).expand_dims(0)
                              .broadcast_to(y.shape), x, create_graph=True)[0]  # fmt: skip
        (slope * slope).sum().backward()
    return [a.asnumpy() for a in (y, slope, x.grad)]


@pytest.mark.parametrize("name", ["potrf", "potri"])
def test_an_upper_factor_is_the_lower_one_of_the_transpose(name: str) -> None:
    operator = getattr(nd.linalg, name)

    def turned(x: Any) -> Any:
        y = operator(x.swapaxes(1, 2))
        return y.swapaxes(1, 2) if name == "potrf" else y

    for upper, lower in zip(results(lambda x: operator(x, lower=False)), results(turned)):
        np.testing.assert_allclose(upper, lower, rtol=1e-12)
    y = operator(nd.array(A, dtype="float64"), lower=False).asnumpy()
    whole = np.triu(A) + np.swapaxes(np.triu(A, 1), 1, 2)
    if name == "potrf":
        np.testing.assert_allclose(np.swapaxes(y, 1, 2) @ y, whole, atol=1e-12)
        assert (np.tril(y, -1) == 0).all()
    else:
        factor = np.triu(A)
        np.testing.assert_allclose(y, np.linalg.inv(np.swapaxes(factor, 1, 2) @ factor), rtol=1e-9)


def test_graphs_keep_which_triangle_it_is() -> None:
    y = sym.linalg.potrf(sym.var("x"), lower=False)
    again = sym.load_json(y.tojson())
    x = nd.array(A, dtype="float64")
    for graph in (y, again):
        out = graph.eval(x=x)[0].asnumpy()
        np.testing.assert_array_equal(out, nd.linalg.potrf(x, lower=False).asnumpy())


def test_a_wrong_index_is_an_index_error() -> None:
    x = nd.arange(6).reshape((2, 3))
    for index in (3, -4):
        with pytest.raises(IndexError, match=f"given index {index}") as error:
            nd.gather_nd(x, nd.array([[0], [index]])).asnumpy()
        assert isinstance(error.value, base.MXNetError)
    with pytest.raises(base.MXNetError, match="at least one element"):
        nd.zeros((0, 3)).max()
    assert nd.zeros((0, 3)).max(axis=1).shape == (0,)


def test_methods_copy_where_mxnets_do() -> None:
    x = nd.arange(6).reshape((1, 6))
    parts = [x.flatten(), x.expand_dims(0), x.squeeze(), x.flatten(inplace=True)]
    x[:] = -1
    assert [float(p.sum().asscalar()) for p in parts] == [15, 15, 15, -6]
    assert nd.array(3).shape == () and nd.array(3) * nd.ones(2).sum() == 6


def test_boxes_of_no_class_do_not_count() -> None:
    boxes = nd.array([[-1, 0.9, 0, 0, 1, 1], [0, 0.5, 0, 0, 1, 1], [1, 0.4, 0, 0, 1, 1]])
    kept = nd.contrib.box_nms(boxes, id_index=0, force_suppress=True).asnumpy()
    assert kept[:, 0].tolist() == [0, -1, -1] and kept[0, 1] == 0.5
    kept = nd.contrib.box_nms(boxes, id_index=0, background_id=0, force_suppress=True).asnumpy()
    assert kept[0].tolist() == pytest.approx([-1, 0.9, 0, 0, 1, 1])


def test_everything_dropped_is_nan() -> None:
    with autograd.train_mode():  # 0 times 1 / (1 - 1), as in MXNet
        assert np.isnan(nd.Dropout(nd.ones(3), p=1).asnumpy()).all()
    assert nd.Dropout(nd.ones(3), p=1).asnumpy().tolist() == [1, 1, 1]


def test_a_progression_of_integers_has_an_integral_step() -> None:
    found = nd.arange(1.3, 6, 1.3, dtype="int32").asnumpy().tolist()
    assert found == [1, 2, 3, 4] == np.arange(1.3, 6, 1.3, dtype="int32").tolist()
    assert nd.arange(0, 2, 0.5).asnumpy().tolist() == [0, 0.5, 1, 1.5]


def test_a_split_is_read_from_the_right_too() -> None:
    x = nd.arange(24).reshape((1, 2, 12))
    assert x.reshape((-2, -1, 4, -4), reverse=True).shape == (1, 2, 3, 4)


def test_a_label_may_be_the_blank() -> None:
    data = nd.array(np.random.RandomState(0).randn(6, 1, 4))  # losses: genuine MXNet's
    for label, loss in (([2, 1, 3], 8.050695), ([3, 2, 2], 5.032673), ([2, 1, 1], 6.608005)):
        found = nd.CTCLoss(
            data, nd.array([label]), nd.array([6]), nd.array([3]),
            use_data_lengths=True, use_label_lengths=True, blank_label="last",
        )  # fmt: skip
        assert found.asscalar() == pytest.approx(loss, rel=1e-5)
    with pytest.raises(base.MXNetError, match="expected 0 to 3"):
        nd.CTCLoss(data, nd.array([[4]]), blank_label="last").asnumpy()


def test_take_refuses_negative_indices_where_it_raises() -> None:
    x = nd.arange(5)
    place = nd.array([-1])
    taken = sym.take(sym.var("x"), sym.var("i"), mode="raise")
    for call in (lambda: nd.take(x, place, mode="raise"), lambda: taken.eval(x=x, i=place)[0]):
        with pytest.raises(base.MXNetError, match=r"-1.*expected 0 to 4"):
            call().asnumpy()
    assert x[nd.array([-1])].asnumpy() == [4]  # an index counts from the end
    x.attach_grad()
    with autograd.record():
        y = x[nd.array([-1, 1])] * 2
    y.backward()
    assert x.grad.asnumpy().tolist() == [0, 2, 0, 0, 2]


def test_nan_goes_through_rectifiers_and_their_gradients() -> None:
    for call in (nd.relu, lambda x: nd.Activation(x, act_type="relu")):
        x = nd.array([np.nan, -1, 0, 2, np.inf])
        x.attach_grad()
        with autograd.record():
            y = call(x)
        y.backward()
        np.testing.assert_array_equal(y.asnumpy(), [np.nan, 0, 0, 2, np.inf])
        np.testing.assert_array_equal(x.grad.asnumpy(), [np.nan, 0, 0, 1, 1])


@pytest.mark.parametrize("shape", [(3, 2), (6,), (2, 3, 1), (4, 3)])
def test_a_head_gradient_of_another_shape_gives_its_first_elements(shape: Any) -> None:
    x = nd.ones((2, 3))
    x.attach_grad()
    with autograd.record():
        y = x * 2
    y.backward(nd.arange(np.prod(shape)).reshape(shape))
    np.testing.assert_array_equal(x.grad.asnumpy(), 2 * np.arange(6.0).reshape(2, 3))
    with autograd.record():
        y = x * 2
    with pytest.raises(base.MXNetError, match="head gradient"):
        y.backward(nd.ones((5,)))


@pytest.mark.parametrize(
    "gamma, seen", [((2, 3), (2, 3)), ((2, 1), (2, 1)), ((2,), (2, 1)), ((3,), (1, 3))]
)
def test_slopes_of_prelu_by_row_and_by_element(gamma: Any, seen: Any) -> None:
    slopes = np.arange(1.0, 1 + np.prod(gamma)).reshape(gamma)
    x, g = -nd.arange(6).reshape((2, 3)) - 1, nd.array(slopes)
    x.attach_grad(), g.attach_grad()
    with autograd.record():
        y = nd.LeakyReLU(x, g, act_type="prelu")
    y.backward()
    every = np.broadcast_to(slopes.reshape(seen), (2, 3))
    np.testing.assert_allclose(y.asnumpy(), x.asnumpy() * every)
    np.testing.assert_allclose(x.grad.asnumpy(), every)
    axes = tuple(i for i in range(2) if seen[i] == 1)
    np.testing.assert_allclose(g.grad.asnumpy(), x.asnumpy().sum(axes).reshape(gamma))


def test_reshape_by_a_target_shape_as_old_files_have_it() -> None:
    x = nd.arange(24).reshape((2, 3, 4))
    for attrs, shape in (
        ({"target_shape": (4, 0)}, (4, 6)),
        ({"target_shape": (0, 12), "keep_highest": True}, (2, 12)),
        ({"target_shape": (0, 0), "keep_highest": True}, (2, 12)),
    ):
        assert nd.Reshape(x, **attrs).shape == shape
        made = sym.Reshape(sym.var("x"), **attrs)
        assert sym.load_json(made.tojson()).infer_shape(x=(2, 3, 4))[1] == [shape]
    text = made.tojson().replace('"shape": ', '"target_shape": ').replace("(0, -1)", "(8, 0)")
    assert sym.load_json(text).infer_shape(x=(2, 3, 4))[1] == [(8, 3)]


def test_operators_of_numpy_op() -> None:
    class Half(operator.NumpyOp):
        def forward(self, in_data: Any, out_data: Any) -> None:
            assert type(in_data[0]) is np.ndarray
            out_data[0][:] = in_data[0] / 2

        def backward(self, out_grad: Any, in_data: Any, out_data: Any, in_grad: Any) -> None:
            in_grad[0][:] = out_grad[0] / 2

    for op, factor in ((Half(), 0.5), (operator.NDArrayOp(), 1)):
        made = op.get_symbol(sym.var("x"), name="half")
        assert made.list_arguments() == ["x"] and made.list_outputs() == ["half_output"]
        x, slope = nd.ones((3,)), nd.zeros((3,))
        run = made.bind(x.context, {"x": x}, {"x": slope})
        assert (run.forward(is_train=True)[0].asnumpy() == factor).all()
        run.backward(nd.ones((3,)) * 4)
        assert (slope.asnumpy() == (2 if factor == 0.5 else 1)).all()


def test_more_classes_than_the_dtype_has_numbers_are_refused() -> None:
    with pytest.raises(base.MXNetError, match="300 classes, expected at most 255 as uint8"):
        nd.random.multinomial(nd.ones((300,)) / 300, dtype="uint8")


def test_what_the_compatibility_page_says_of_behaviour() -> None:
    """Where this is meant to differ: running statistics, what was overwritten, losses behind what
    has no gradient, rows of a table, modulo 0, masks, writes that overlap."""
    norm = nn.BatchNorm(in_channels=2)
    norm.initialize()
    x = nd.arange(6).reshape((3, 2))
    with autograd.record():
        norm(x)
    np.testing.assert_allclose(norm.running_mean.data().asnumpy(), [0.2, 0.3], rtol=1e-6)
    x.attach_grad()
    with autograd.record():
        y = (x * x).sum()
    x[:] = 1
    with pytest.raises(base.MXNetError, match="overwritten"):
        y.backward()
    with autograd.record():
        z = nd.BlockGrad(nd.SoftmaxOutput(x, nd.zeros((3,)))) + x
    z.backward()
    assert x.grad.asnumpy().tolist() == [[1, 1]] * 3
    with pytest.raises(base.MXNetError, match="given index 5"):
        nd.Embedding(nd.array([5]), nd.ones((3, 2)), input_dim=3, output_dim=2).wait_to_read()
    assert np.isnan((nd.array([1, 2]) % 0).asnumpy()).all()
    rows = nd.arange(6).reshape((3, 2))
    assert rows[[True, False, True]].asnumpy().tolist() == [[0, 1], [4, 5]]
    rows[1:] -= rows[:-1]
    assert rows.asnumpy().tolist() == [[0, 1], [2, 2], [2, 2]]
    nd.dot(nd.ones((2, 2)), rows[1:], out=rows[1:])
    assert rows.asnumpy().tolist() == [[0, 1], [4, 4], [4, 4]]
