"""MXNet 1.x's ``contrib`` loops and conditions: run by Python (nd) and as nodes (sym)."""

from __future__ import annotations

import numpy as np
import pytest

import jupyter_hybrid as mx
from jupyter_hybrid import MXNetError, autograd, gluon, nd, sym


def same(array, expected):
    """Values and shape."""
    np.testing.assert_array_equal(array.asnumpy(), np.asarray(expected))
    assert array.shape == np.shape(expected)


def run(symbol, **arrays):
    """The outputs of a symbol bound to these arrays."""
    return symbol.bind(mx.cpu(), {k: nd.array(v) for k, v in arrays.items()}).forward()


DATA = np.arange(6, dtype="float32").reshape(3, 2)


# foreach ----------------------------------------------------------------------------------------
def test_foreach_gives_stacked_outputs_and_the_last_state():
    out, state = nd.contrib.foreach(
        lambda row, s: (row * 2 + s, row + s), nd.array(DATA), nd.zeros((2,))
    )
    same(out, [[0, 2], [4, 7], [10, 14]])
    same(state, DATA.sum(axis=0))


def test_foreach_with_lists_of_data_and_states():
    def body(rows, states):
        a, b = rows
        total, count = states
        return [a + b, a - b], [total + a * b, count + 1]

    out, states = nd.contrib.foreach(
        body, [nd.array(DATA), nd.array(DATA + 1)], [nd.zeros((2,)), nd.zeros((1,))]
    )
    assert isinstance(out, list) and isinstance(states, list)
    same(out[0], 2 * DATA + 1)
    same(out[1], np.full((3, 2), -1))
    same(states[0], (DATA * (DATA + 1)).sum(axis=0))
    same(states[1], [3])


def test_foreach_without_rows_is_an_error():
    with pytest.raises(MXNetError, match="at least one row"):
        nd.contrib.foreach(lambda row, s: (row, s), nd.zeros((0, 2)), nd.zeros((2,)))


def test_foreach_has_the_gradient_of_its_steps():
    x, w = nd.array(DATA), nd.array([2.0, 3.0])
    x.attach_grad()
    w.attach_grad()
    with autograd.record():
        out, last = nd.contrib.foreach(lambda row, s: (row * w, s + row * w), x, nd.zeros((2,)))
        total = out.sum() + (last * last).sum()
    total.backward()
    last_values = DATA.sum(axis=0) * w.asnumpy()
    same(w.grad, DATA.sum(axis=0) * (1 + 2 * last_values))
    same(x.grad, np.broadcast_to(w.asnumpy() * (1 + 2 * last_values), (3, 2)))


def test_foreach_symbol_agrees_and_reads_what_its_body_closes_over():
    x, s, w = sym.var("x"), sym.var("s"), sym.var("w")
    out, state = sym.contrib.foreach(lambda row, c: (row * w + c, c + row), x, s)
    both = sym.Group([out, state])
    assert set(both.list_arguments()) == {"x", "s", "w"}
    values = {"x": DATA, "s": np.ones(2, "float32"), "w": np.array([2, 3], "float32")}
    got = run(both, **values)
    wanted = nd.contrib.foreach(
        lambda row, c: (row * nd.array(values["w"]) + c, c + row), nd.array(DATA), nd.ones((2,))
    )
    for a, b in zip(got, wanted, strict=True):
        same(a, b.asnumpy())


def test_foreach_rows_of_one_dimension_have_one_element(tmp_path):
    class Squares(gluon.HybridBlock):
        def hybrid_forward(self, F, x, s):
            return F.contrib.foreach(lambda row, c: (row * row + c, c + row), x, s)

    net, grads = Squares(), []
    for hybridized in (False, True):
        net.hybridize(hybridized)
        x = nd.array([1.0, 2.0, 3.0])
        x.attach_grad()
        with autograd.record():
            out, last = net(x, nd.zeros((1,)))
            total = out.sum() + 3 * last.sum()
        total.backward()
        same(out, [[1], [5], [12]])
        same(last, [6])
        grads.append(x.grad)
    same(grads[0], grads[1].asnumpy())
    files = net.export(str(tmp_path / "squares"))
    again = gluon.SymbolBlock.imports(files[0], ["data0", "data1"], files[1])
    same(again(x, nd.zeros((1,)))[0], [[1], [5], [12]])


def test_foreach_symbol_with_another_number_of_states_is_an_error():
    with pytest.raises(ValueError, match="1 states before a step, 2 after"):
        sym.contrib.foreach(lambda row, s: (row, [s, s]), sym.var("x"), [sym.var("s")])


def test_a_symbolic_state_must_keep_its_shape():
    _, state = sym.contrib.foreach(
        lambda row, s: (row, sym.concat(s, s, dim=0)), sym.var("x"), sym.var("s")
    )
    with pytest.raises(MXNetError, match="foreach"):
        run(state, x=DATA, s=np.ones(2, "float32"))


# while_loop -------------------------------------------------------------------------------------
def count_to(limit):
    return (
        lambda i, total: i < limit,
        lambda i, total: ([i * 10, total], [i + 1, total + i]),
    )


@pytest.mark.parametrize("most", [3, 5, 8])
def test_while_loop_fills_up_to_max_iterations(most):
    test, step = count_to(5)
    out, (i, total) = nd.contrib.while_loop(
        test, step, [nd.array([0]), nd.array([1])], max_iterations=most
    )
    made = min(most, 5)
    assert out[0].shape == out[1].shape == (most, 1)
    same(out[0][:made], [[10 * k] for k in range(made)])
    same(out[1][:made], [[1 + sum(range(k))] for k in range(made)])
    if made < most:
        same(out[0][made:], np.zeros((most - made, 1)))
    same(i, [made])
    same(total, [1 + sum(range(made))])


def test_while_loop_that_makes_no_step():
    out, last = nd.contrib.while_loop(
        lambda x: x.sum() > 100, lambda x: (x, x + 1), nd.ones((2,)), max_iterations=4
    )
    assert out == []
    same(last, [1, 1])


def test_while_loop_without_outputs():
    out, (last,) = nd.contrib.while_loop(
        lambda x: x < 3, lambda x: ([], [x + 1]), [nd.zeros((1,))], max_iterations=9
    )
    assert out == []
    same(last, [3])


def test_while_loop_errors():
    x = nd.ones((1,))
    with pytest.raises(ValueError, match="max_iterations"):
        nd.contrib.while_loop(lambda v: v < 3, lambda v: (v, v), [x])
    with pytest.raises(ValueError, match="at least one element"):
        nd.contrib.while_loop(lambda: True, lambda: (x, []), [], max_iterations=2)
    with pytest.raises(ValueError, match="1 before, 2 after"):
        nd.contrib.while_loop(lambda v: v < 3, lambda v: (v, [v, v]), [x], max_iterations=2)
    with pytest.raises(ValueError, match="max_iterations"):
        sym.contrib.while_loop(lambda v: v < 3, lambda v: (v, v), [sym.var("v")])
    with pytest.raises(ValueError, match="at least one element"):
        sym.contrib.while_loop(lambda: True, lambda: ([], []), [], max_iterations=2)
    with pytest.raises(ValueError, match="1 loop_vars before a step, 2 after"):
        sym.contrib.while_loop(lambda v: v < 3, lambda v: (v, [v, v]), [sym.var("v")], 2)


def test_while_loop_has_the_gradient_of_the_steps_made():
    x = nd.array([2.0])
    x.attach_grad()
    with autograd.record():
        out, last = nd.contrib.while_loop(
            lambda i, p: i < 3, lambda i, p: (p, [i + 1, p * x]), [nd.zeros((1,)), x], 5
        )
        y = out.sum() + last[1]
    y.backward()  # x + x^2 + x^3 + x^4
    same(x.grad, [1 + 2 * 2 + 3 * 4 + 4 * 8])


@pytest.mark.parametrize("start", [0.0, 4.0, 9.0])
def test_while_loop_symbol_agrees(start):
    w = sym.var("w")
    out, last = sym.contrib.while_loop(
        lambda v: v < 6, lambda v: (v * w, v + 2), sym.var("v"), max_iterations=5
    )
    got = run(sym.Group([out, last]), v=np.array([start], "f"), w=np.array([3], "f"))
    made, v = [], start
    while v < 6 and len(made) < 5:
        made.append([v * 3])
        v += 2
    same(got[0], made + [[0]] * (5 - len(made)))
    same(got[1], [v])


# cond -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("sign", [1, -1])
def test_cond_runs_one_function(sign):
    called = []

    def branch(name, factor):
        return lambda: (called.append(name), a * factor)[1]

    a = nd.array([1, 2]) * sign
    same(nd.contrib.cond(a.sum() > 0, branch("then", 2), branch("else", 3)), np.array([1, 2]) *
         sign * (2 if sign > 0 else 3))  # fmt: skip
    assert called == (["then"] if sign > 0 else ["else"])
    same(nd.contrib.cond(sign > 0, lambda: a, lambda: -a), [1, 2])


@pytest.mark.parametrize("sign", [1, -1])
def test_cond_gradient_is_that_of_the_branch_taken(sign):
    a, b = nd.array([1.0, 2.0]) * sign, nd.array([5.0, 7.0])
    expected = ([5, 7], [1, 2]) if sign > 0 else ([2, 2], [0, 0])
    for x in (a, b):
        x.attach_grad()
    with autograd.record():
        y = nd.contrib.cond(a.sum() > 0, lambda: a * b, lambda: a * 2 + b * 0)
    y.backward()
    same(a.grad, expected[0])
    same(b.grad, expected[1])
    x, w = sym.var("x"), sym.var("w")
    node = sym.contrib.cond(sym.sum(x) > 0, lambda: x * w, lambda: x * 2 + w * 0)
    args = {"x": a.detach(), "w": b.detach()}
    grads = {"x": nd.zeros((2,)), "w": nd.zeros((2,))}
    executor = node.bind(mx.cpu(), args, args_grad=grads)
    executor.forward(is_train=True)
    executor.backward(nd.ones((2,)))
    same(grads["x"], expected[0])
    same(grads["w"], expected[1])


def test_cond_symbol_with_several_outputs():
    x = sym.var("x")
    pair = sym.contrib.cond(sym.sum(x) > 3, lambda: [x + 1, x * 2], lambda: [x - 1, x * 3])
    assert isinstance(pair, list)
    for values in ([1, 2], [2, 4]):
        got = run(sym.Group(pair), x=np.array(values, "f"))
        big = sum(values) > 3
        same(got[0], np.array(values) + (1 if big else -1))
        same(got[1], np.array(values) * (2 if big else 3))


def test_cond_symbol_errors():
    x = sym.var("x")
    with pytest.raises(ValueError, match="1 outputs in one branch, 2 in the other"):
        sym.contrib.cond(sym.sum(x), lambda: x, lambda: [x, x])
    node = sym.contrib.cond(sym.sum(x), lambda: x, lambda: sym.concat(x, x, dim=0))
    with pytest.raises(MXNetError, match="cond"):
        run(node, x=np.ones(2, "f"))


# Together ---------------------------------------------------------------------------------------
def test_a_loop_in_a_condition_in_a_loop():
    def body(row, s):
        def doubled():
            return nd.contrib.while_loop(lambda v: v.sum() < 20, lambda v: ([], v * 2), row, 10)[1]

        return nd.contrib.cond(row.sum() > 2, doubled, lambda: row), s + row

    out, _ = nd.contrib.foreach(body, nd.array(DATA), nd.zeros((2,)))
    same(out, [[0, 1], [8, 12], [16, 20]])


def test_a_condition_in_a_symbolic_loop():
    w = sym.var("w")
    out, state = sym.contrib.foreach(
        lambda row, s: (
            sym.contrib.cond(sym.sum(row) > 4, lambda: row * w, lambda: row + s),
            s + row,
        ),
        sym.var("x"),
        sym.var("s"),
    )
    got = run(sym.Group([out, state]), x=DATA, s=np.zeros(2, "f"), w=np.array([2, 2], "f"))
    same(got[0], [[0, 1], [4, 6], [8, 10]])
    same(got[1], [6, 9])


@pytest.mark.parametrize("kind", ["foreach", "while_loop", "cond"])
def test_saving_writes_the_bodies_as_subgraphs(kind, tmp_path):
    x, s = sym.var("x"), sym.var("s")
    made = {
        "foreach": lambda: sym.contrib.foreach(lambda row, c: (row + c, c + row), x, s)[0],
        "while_loop": lambda: sym.contrib.while_loop(
            lambda v: sym.sum(v) < 6, lambda v: (v, v + s), x, max_iterations=3
        )[0],
        "cond": lambda: sym.contrib.cond(sym.sum(x) > 3, lambda: x + s, lambda: x - s),
    }[kind]()
    made.save(str(tmp_path / "x-symbol.json"))
    again = sym.load(str(tmp_path / "x-symbol.json"))
    assert again.list_arguments() == made.list_arguments()
    given = {"x": np.array([[1, 1], [2, 0]], "f"), "s": np.array([1, 2], "f")}
    for a, b in zip(run(again, **given), run(made, **given), strict=True):
        same(a, b.asnumpy() if hasattr(b, "asnumpy") else b)


@pytest.mark.parametrize("hybrid", [False, True])
def test_values_of_loops_may_be_nested(hybrid):
    class Net(gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            def step(a, b):
                return [[a, b[0]]], [a + 1, [b[0] * 2]]

            out, (a, (b,)) = F.contrib.while_loop(
                lambda a, b: F.sum(b[0]) < 20, step, [x, [x + 1]], max_iterations=4
            )
            return out[0][0], out[0][1], a, b

    net = Net()
    if hybrid:
        net.hybridize()
    first, second, a, b = net(nd.array([1.0]))
    assert first.asnumpy().ravel().tolist() == [1, 2, 3, 4]
    assert second.asnumpy().ravel().tolist() == [2, 4, 8, 16]
    assert (a.asscalar(), b.asscalar()) == (5, 32)


def test_what_a_condition_gives_is_taken_for_its_outputs_in_blocks():
    class Net(gluon.HybridBlock):
        def hybrid_forward(self, F, x):
            (y,) = F.contrib.cond(x > 0, lambda: x * 2, lambda: x * 3)
            return y

    net = Net()
    net.hybridize()
    assert [net(nd.array([v])).asscalar() for v in (2, -2)] == [4, -6]
