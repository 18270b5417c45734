"""Gradients through scripted functions: as those of the function recorded step by step."""

from __future__ import annotations

import numpy as np
import pytest

import jupyter_hybrid as mx
from jupyter_hybrid import autograd, gluon, nd
from jupyter_hybrid.gluon import nn


def gradients(function, *arrays):
    made = [nd.array(a) for a in arrays]
    for array in made:
        array.attach_grad()
    with autograd.record():
        out = function(*made)
        loss = (out * out).sum()
    loss.backward()
    return [out.asnumpy(), *(a.grad.asnumpy() for a in made)]


def agree(function, *arrays, **options):
    scripted = mx.script(**options)(function)
    for made, wanted in zip(gradients(scripted, *arrays), gradients(function, *arrays)):
        np.testing.assert_allclose(made, wanted, rtol=1e-5, atol=1e-6)
    return scripted


def clipped(x):
    norm = (x * x).sum().sqrt()
    if norm > 1:
        return x / norm
    return x * 3


def test_both_branches_have_their_gradient():
    agree(clipped, [3.0, 4.0])
    agree(clipped, [0.3, 0.4])


def scaled(x, w):
    while x.sum() < 50:
        x = x * w
    return x


def test_a_while_loop():
    scripted = agree(scaled, [1.0, 2.0], [1.5, 2.0])
    assert [n.op for n in scripted.graph.nodes] == ["while_loop"] or "while_loop" in scripted.code
    agree(scaled, [100.0, 2.0], [1.5, 2.0])  # no step at all


def recurrent(xs, h, w):
    for t in range(12):
        h = nd.tanh(nd.dot(xs[t], w) + h)
    return h


@pytest.mark.parametrize("unroll", [0, 10_000])
def test_a_counted_loop_as_a_node_and_unrolled(unroll):
    rng = np.random.default_rng(3)
    arrays = rng.standard_normal((12, 2, 3)), rng.standard_normal((2, 3)), rng.random((3, 3))
    agree(recurrent, *arrays, unroll=unroll)


def over_rows(xs, w):
    s = xs[0] * 0
    for row in xs:
        if row.sum() < 0:
            continue
        s = s * 0.5 + row * w
    return s


def test_rows_and_what_is_skipped():
    rng = np.random.default_rng(4)
    agree(over_rows, rng.standard_normal((9, 3)), rng.standard_normal(3), unroll=0)


def left(xs, limit):
    s = xs[0] * 0
    for i in range(10):
        s = s + xs[i] * xs[i]
        if s.sum() > limit:
            return s * 2
    return s


def test_a_loop_that_returns():
    xs = np.random.default_rng(5).random((10, 2))
    for limit in (1.0, 3.0, 99.0):
        agree(left, xs, [limit])


def nested(x, w):
    while x.sum() < 100:
        for _ in range(3):
            x = x * w if x.sum() < 20 else x + w
    return x


def test_loops_in_loops():
    agree(nested, [1.0, 2.0], [1.5, 1.25], unroll=0)


def counts_too(x):
    n = 0
    while x.sum() < 30:
        x = x * 2
        n += 1
    return x * n


def test_ints_have_no_gradient_and_do_not_disturb():
    agree(counts_too, [1.0, 2.0])


def test_a_closure_has_its_gradient():
    w = nd.array([2.0])
    w.attach_grad()

    def f(x):
        while x < 20:
            x = x * w
        return x

    scripted = mx.script(f)
    with autograd.record():
        y = scripted(nd.array([1.0]))
    y.backward()
    assert y.asscalar() == 32
    assert w.grad.asscalar() == 5 * 2**4


def test_symbol_grad_of_a_scripted_function():
    scripted = mx.script(scaled)
    x, w = nd.array([1.0, 2.0]), nd.array([1.5, 2.0])
    scripted(x, w)
    data, weight = mx.sym.var("d", shape=(2,)), mx.sym.var("v", shape=(2,))
    head = scripted(data, weight).sum()
    gx, gw = head.grad([data, weight])
    run = mx.compile([head, gx, gw])
    value, of_x, of_w = run(d=x, v=w)
    x.attach_grad()
    w.attach_grad()
    with autograd.record():
        wanted = scaled(x, w).sum()
    wanted.backward()
    assert value.asscalar() == wanted.asscalar()
    np.testing.assert_allclose(of_x.asnumpy(), x.grad.asnumpy(), rtol=1e-6)
    np.testing.assert_allclose(of_w.asnumpy(), w.grad.asnumpy(), rtol=1e-6)


def test_the_gradient_of_a_loops_gradient_is_refused_by_name():
    x = mx.sym.var("x", shape=(1,), dtype="float32")
    scripted = mx.script(counts_too)
    scripted(nd.array([1.0]))
    first = scripted(x).grad("x")
    with pytest.raises(mx.MXNetError, match="cannot be differentiated again"):
        first.grad("x")


# Blocks -----------------------------------------------------------------------------------------
class Adaptive(gluon.Block):
    """Applies its layer until the output is small, at most ten times."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.dense = nn.Dense(3, in_units=3)
            self.out = nn.Dense(2)

    def forward(self, x):
        for _ in range(10):
            x = self.dense(x)
            if x.abs().max() < 0.01:
                break
        if x.sum() > 0:
            return self.out(x)
        return -self.out(x)


class Gated(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.weight = self.params.get("weight", shape=(3,), init="ones")

    def hybrid_forward(self, F, x, weight):
        if F.sum(x) > 0:
            return F.broadcast_mul(x, weight)
        return x


def test_a_block_with_control_flow():
    net = Adaptive()
    net.initialize(mx.init.Xavier())
    scripted = mx.script(net)
    for seed in range(4):
        x = nd.array(np.random.default_rng(seed).standard_normal((2, 3)))
        np.testing.assert_array_equal(scripted(x).asnumpy(), net(x).asnumpy())
    assert scripted.num_programs == 1
    assert "while_loop" in scripted.code
    before = scripted(x).asnumpy()
    for param in net.collect_params().values():
        param.set_data(param.data() * 0.5)
    np.testing.assert_array_equal(scripted(x).asnumpy(), net(x).asnumpy())
    assert not np.array_equal(scripted(x).asnumpy(), before)


def test_a_block_is_trained_through_its_script():
    x = nd.array(np.random.default_rng(1).standard_normal((4, 3)))
    found = []
    for through in (False, True):
        mx.random.seed(3)
        net = Adaptive(prefix="net_")
        net.initialize(mx.init.Xavier())
        run = mx.script(net) if through else net
        run(x)
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
        for _ in range(3):
            with autograd.record():
                loss = (run(x) ** 2).sum()
            loss.backward()
            trainer.step(1)
        found.append([p.data().asnumpy() for p in net.collect_params().values()])
    for a, b in zip(*found):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


def test_a_hybrid_block_and_a_sequence_of_blocks():
    net = nn.HybridSequential()
    net.add(nn.Dense(3, in_units=3), Gated(), nn.Activation("tanh"))
    net.initialize(mx.init.Xavier())
    scripted = mx.script(net)
    single = mx.script(net[1])
    for seed in range(4):
        x = nd.array(np.random.default_rng(seed).standard_normal((2, 3)))
        np.testing.assert_array_equal(scripted(x).asnumpy(), net(x).asnumpy())
        np.testing.assert_array_equal(single(x).asnumpy(), net[1](x).asnumpy())
    assert "cond" in scripted.code
    assert scripted.num_programs == 1


def root_of_a_branch(x):
    y = x
    if x.sum() > 0:
        y = nd.sqrt(x)
    return y * 2 if x.sum() > 5 else x * 3


def root_before_the_branch(x):
    y = nd.sqrt(x)
    u = y + x
    return u * 2 + y if x.sum() > 5 else x * 3


def swapped_roots(x):
    y, z = nd.sqrt(x), nd.log(x + 1)
    if x.sum() > 5:
        y, z = z, y
    if x.sum() < 2:
        return x * 2
    return y if x.sum() < 3 else z


@pytest.mark.parametrize("function", [root_of_a_branch, root_before_the_branch, swapped_roots])
def test_a_value_that_the_branch_taken_does_not_use_has_no_gradient(function):
    # Its derivative is infinite at 0, which must not meet a gradient of 0.
    for second in (1.0, 2.5, 9.0):
        agree(function, [0.0, second])
        agree(function, [1.0, second])


def roots_in_steps(x, n):
    z = t = x
    s = x * 0
    for _ in range(int(n)):
        s = s + t
        t = nd.sqrt(z)
        z = z - 1
    return s


def roots_while(x):
    z = t = x
    s = x * 0
    while s.sum() < 3.4:
        s = s + t
        t = nd.sqrt(z)
        z = z - 1
    return s


def test_what_the_last_step_made_for_nobody_has_no_gradient():
    for n in (0.0, 1.0, 2.0, 3.0):
        agree(roots_in_steps, [2.0], [n])
    agree(roots_while, [2.0])


def test_the_same_in_a_symbol_of_control_flow():
    x = mx.sym.var("x", shape=(2,))
    y = mx.sym.sqrt(x)
    z = mx.sym.contrib.cond(mx.sym.sum(x) > 5, lambda: y * 2, lambda: x * 3)
    made = mx.compile(mx.sym.sum(z).grad(x))(x=nd.array([0.0, 1.0]))
    assert made.asnumpy().tolist() == [3, 3]


def numbers_of_arrays(x):
    scale = float(x.sum())
    if x.max() > 1:
        scale = scale * x.max().item()
    for _ in range(3):
        scale = scale / 2 + float(x.min())
    return x * scale + x.sum().asscalar()


def test_a_python_number_of_an_array_has_no_gradient():
    agree(numbers_of_arrays, [0.25, 0.5])
    agree(numbers_of_arrays, [2.0, 0.5])
