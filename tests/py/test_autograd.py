"""Autograd: what is recorded, gradients that are kept, errors of graphs that are gone."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import jupyter_hybrid as jh
from jupyter_hybrid import MXNetError, _core, autograd, nd


def test_modes_nest_and_come_back():
    assert not autograd.is_recording() and not autograd.is_training()
    with autograd.record():
        assert autograd.is_recording() and autograd.is_training()
        with autograd.pause():
            assert not autograd.is_recording() and not autograd.is_training()
            with autograd.train_mode():
                assert not autograd.is_recording() and autograd.is_training()
        with autograd.predict_mode():
            assert autograd.is_recording() and not autograd.is_training()
        assert autograd.is_recording() and autograd.is_training()
    with autograd.record(train_mode=False):
        assert autograd.is_recording() and not autograd.is_training()
    with pytest.raises(ValueError), autograd.record():
        raise ValueError
    assert not autograd.is_recording() and not autograd.is_training()


def test_modes_belong_to_the_thread():
    seen = []
    with autograd.record():
        thread = threading.Thread(target=lambda: seen.append(autograd.is_recording()))
        thread.start()
        thread.join()
    assert seen == [False]


def test_the_textbooks_first_gradient():
    x = nd.arange(4).reshape((4, 1))
    x.attach_grad()
    with autograd.record():
        y = 2 * nd.dot(x.T, x)
    y.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), 4 * x.asnumpy())


def test_gradients_through_python_control_flow():
    def f(a):
        b = a * 2
        while b.norm().asscalar() < 1000:
            b = b * 2
        return b if b.sum().asscalar() > 0 else 100 * b

    a = nd.array([0.7])
    a.attach_grad()
    with autograd.record():
        c = f(a)
    c.backward()
    assert a.grad.asscalar() == pytest.approx((c / a).asscalar())


def test_write_add_and_null():
    x = nd.array([2.0])
    for req, expected in (("write", 4), ("add", 8), ("null", 0)):
        x.attach_grad(grad_req=req)
        for _ in range(2):
            with autograd.record():
                y = x * x
            y.backward()
        assert (x.grad.asscalar() if req != "null" else 0) == expected
    with pytest.raises(MXNetError, match="grad_req"):
        x.attach_grad("often")


def test_the_same_array_used_many_times():
    x = nd.array([3.0])
    x.attach_grad()
    with autograd.record():
        y = x * x + x * 2 + nd.exp(x - x)
    y.backward()
    assert x.grad.asscalar() == 8


def test_detach_and_pause_cut_the_graph():
    x = nd.array([3.0])
    x.attach_grad()
    with autograd.record():
        y = x * x
        z = y.detach() * x
        with autograd.pause():
            w = x * 100
        total = z + w
    total.backward()
    assert x.grad.asscalar() == 9


def test_intermediate_gradients():
    x = nd.array([3.0])
    x.attach_grad()
    with autograd.record():
        y = x * x
        y.attach_grad()  # cuts here, as in MXNet
        z = y * 2
    z.backward()
    assert y.grad.asscalar() == 2 and x.grad.asscalar() == 0


def test_grad_returns_instead_of_storing():
    x, y = nd.array([2.0]), nd.array([5.0])
    x.attach_grad()
    y.attach_grad()
    with autograd.record():
        z = x * x * y
        dx, dy = autograd.grad(z, [x, y], create_graph=True)
        (single,) = autograd.grad(z, x, retain_graph=True)
        curvature = dx * dx
    assert (dx.asscalar(), dy.asscalar(), single.asscalar()) == (20, 4, 20)
    curvature.backward()  # (2xy)^2
    assert x.grad.asscalar() == 8 * 2 * 25 and y.grad.asscalar() == 8 * 4 * 5


def test_backward_twice_needs_retain_graph():
    x = nd.array([2.0])
    x.attach_grad()
    with autograd.record():
        y = x * x
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.asscalar() == 4
    with pytest.raises(MXNetError, match="retain_graph"):
        y.backward()


def test_several_heads_and_head_gradients():
    x = nd.array([1.0, 2.0])
    x.attach_grad()
    with autograd.record():
        a, b = x * 2, x * x
    autograd.backward([a, b], [nd.array([1, 1]), nd.array([10, 100])])
    np.testing.assert_array_equal(x.grad.asnumpy(), [22, 402])


def test_mark_variables():
    x, g = nd.array([1.0, 2.0]), nd.array([5.0, 5.0])
    autograd.mark_variables([x], [g], "add")
    with autograd.record():
        y = (x * x).sum()
    y.backward()
    np.testing.assert_array_equal(g.asnumpy(), [7, 9])


def test_nothing_recorded_is_an_error():
    with pytest.raises(MXNetError, match="record"):
        nd.ones(1).backward()


def test_overwriting_what_a_gradient_needs_is_an_error_not_a_wrong_answer():
    x = nd.array([2.0])
    x.attach_grad()
    with autograd.record():
        y = x * x
        z = y.exp()
    y[:] = 0
    x[:] = 5
    with pytest.raises(MXNetError, match=r"overwritten"):
        z.backward()


def test_in_place_on_recorded_arrays_is_refused():
    x = nd.array([2.0])
    x.attach_grad()
    with autograd.record():
        y = x * x
        with pytest.raises(MXNetError, match=r"y \+ 1|recorded"):
            y += 1
        with pytest.raises(MXNetError, match="recorded"):
            x[:] = 1


def test_writing_into_a_fresh_array_is_recorded():
    x = nd.array([2.0, 3.0])
    x.attach_grad()
    with autograd.record():
        buffer = nd.zeros((2, 2))
        buffer[0] = x * x
        total = (buffer * 2).sum()
    total.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), [8, 12])


def test_accumulating_a_loss_in_place():
    x = nd.array([2.0])
    x.attach_grad()
    with autograd.record():
        total = nd.zeros(1)
        total = total + x * x
        total = total + x
    total.backward()
    assert x.grad.asscalar() == 5


def test_a_long_chain_is_no_deep_recursion():
    x = nd.array([1.0])
    x.attach_grad()
    with autograd.record():
        y = x
        for _ in range(20_000):
            y = y * 1
    y.backward()
    assert x.grad.asscalar() == 1
    del y


def test_dropout_follows_the_mode():
    x = nd.ones((100, 100))
    np.testing.assert_array_equal(nd.Dropout(x, p=0.5).asnumpy(), x.asnumpy())
    with autograd.record():
        dropped = nd.Dropout(x, p=0.5)
    values = np.unique(dropped.asnumpy())
    np.testing.assert_array_equal(values, [0, 2])
    assert 0.4 < (dropped.asnumpy() == 0).mean() < 0.6


def test_the_tape_as_a_graph():
    x = nd.array([2.0])
    x.attach_grad()
    with autograd.record():
        y = (x * x).sum()
    graph = _core.tape_graph(y)
    assert [n.op for n in graph.nodes if n.kind == "op"] == ["mul", "sum"]


# The tape as a graph ----------------------------------------------------------------------------
def test_get_symbol_is_what_was_recorded():
    a, b = nd.array([1.0, 2.0]), nd.array([3.0, 4.0])
    a.attach_grad()
    b.attach_grad()
    with autograd.record():
        d = b * a + 1
    symbol = autograd.get_symbol(d)
    assert symbol.list_arguments() == ["var0", "var1"]
    assert [n.op for n in symbol.graph().nodes if n.op] == ["mul", "add_scalar"]
    (again,) = symbol.eval(var0=nd.array([5.0, 6.0]), var1=nd.array([7.0, 8.0]))
    assert again.asnumpy().tolist() == [36.0, 49.0]
    d.backward()  # looking at the tape does not use it up
    assert a.grad.asnumpy().tolist() == [3.0, 4.0]


def test_get_symbol_of_gradients_equals_the_symbolic_gradient():
    a, b = nd.array([1.0]), nd.array([2.0])
    a.attach_grad()
    b.attach_grad()
    with autograd.record():
        d = b * a + 1
        grads = autograd.grad(d, [a, b], create_graph=True)
    tape = jh.compile(autograd.get_symbol([d, *grads]))
    A, B = jh.Variable("A", shape=(1,)), jh.Variable("B", shape=(1,))
    written = B * A + 1
    program = jh.compile([written, *written.grad([A, B])])
    expected = [v.asscalar() for v in program(A=1, B=2)]
    assert [v.asscalar() for v in tape(var0=2, var1=1)] == expected == [3, 2, 1]
    tape(var0=[2], var1=[1])
    program(A=[1], B=[2])
    assert tape.stages[1].graph.hash == program.stages[1].graph.hash


def test_get_symbol_needs_a_recording():
    with pytest.raises(MXNetError, match="was not recorded"):
        autograd.get_symbol(nd.ones(2))
