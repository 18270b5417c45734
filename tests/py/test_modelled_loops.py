"""Loops and branches on the modelled clock: the kernels of their steps."""

from __future__ import annotations

import numpy as np
import pytest
from modelled_helpers import devices

import jupyter_hybrid as mx
from jupyter_hybrid import autograd, nd
from jupyter_hybrid.gluon import HybridBlock
from jupyter_hybrid.modelled import record

N = 500
LAUNCH = 1e-6
PRODUCT = LAUNCH + 2 * N**3 / 1e12  # of N x N matrices on the toy
COPY = LAUNCH + 2 * 4 * N * N / 1e12  # of one of them, by its memory
ADD = LAUNCH + 3 * 4 * N * N / 1e12


class Chain(HybridBlock):
    """h = x_t w + h for every matrix x_t, all h stacked."""

    def hybrid_forward(self, F, x, w, h):
        def step(row, state):
            made = F.dot(row, w) + state
            return made, made

        return F.contrib.foreach(step, x, h)


class Steps(HybridBlock):
    """h = h w, as often as a condition on values holds, at most ``most`` times."""

    def __init__(self, most):
        super().__init__()
        self.most = most

    def hybrid_forward(self, F, h, w, limit):
        def more(h):
            return F.sum(h) < limit

        def step(h):
            return [], F.dot(h, w)

        return F.contrib.while_loop(more, step, h, max_iterations=self.most)[1]


class Branches(HybridBlock):
    """Three products, or none."""

    def hybrid_forward(self, F, flag, h, w):
        return F.contrib.cond(flag, lambda: F.dot(F.dot(F.dot(h, w), w), w), lambda: F.identity(h))


def matrices(gpu, *shape):
    return nd.ones((*shape, N, N), ctx=gpu) / N


def timed(net, *inputs):
    """What one call of the hybridized net takes; programs are compiled and constants there."""
    net.hybridize()
    net(*inputs)
    nd.waitall()
    with record() as run:
        net(*inputs)
    return run


def computing(run, gpu):
    return run.of(str(gpu), "compute")


@pytest.mark.parametrize("compute", [True, False])
def test_a_foreach_takes_its_steps(compute):
    steps = 7
    with devices(1, compute=compute) as (gpu,):
        run = timed(Chain(), matrices(gpu, steps), matrices(gpu), matrices(gpu))
        spans = computing(run, gpu)
    # Every step a product, a sum, h once more for the next step, and a copy to its place among the
    # stacked; in the end the last h.
    names = [run.names[int(n)] for n in spans["name"]]
    assert names == ["dot", "add", "copy", "copy"] * steps + ["copy"]
    assert run.seconds == pytest.approx(steps * (PRODUCT + ADD + 2 * COPY) + COPY)
    assert spans["seconds"].sum() == pytest.approx(run.seconds)
    assert spans["flops"].sum() == pytest.approx(steps * 2 * N**3, rel=0.01)
    lines = {run.places[int(s)] for s in spans["site"]}
    assert len(lines) > 1  # the product's own line, and the loop's


def test_a_long_foreach_takes_all_its_steps():
    def seconds(steps):
        small = 4
        with devices(1, compute=False) as (gpu,):
            x = nd.ones((steps, small, small), ctx=gpu)
            w = nd.ones((small, small), ctx=gpu)
            return timed(Chain(), x, w, w)

    short, long = seconds(10), seconds(100_000)
    once = short.seconds / 41  # four kernels a step and one: nearly all is launching
    assert long.seconds == pytest.approx(400_001 * once, rel=1e-3)
    assert len(long.spans) < 100  # not one span for every kernel


def test_backward_runs_the_steps_again_and_then_back():
    steps = 5
    with devices(1) as (gpu,):
        net = Chain()
        net.hybridize()
        x, w, h = matrices(gpu, steps), matrices(gpu), matrices(gpu)
        w.attach_grad()
        x.attach_grad()
        for _ in range(2):
            with autograd.record():
                outs, _ = net(x, w, h)
            nd.waitall()
            with record() as run:
                outs.backward()
        spans = computing(run, gpu)
    names = [run.names[int(n)] for n in spans["name"]]
    products = sum("dot" in name for name in names)
    # Forward but for the last step; then x's gradient and w's: the step's own value is not needed.
    assert products == steps - 1 + 2 * steps
    assert run.seconds == pytest.approx(products * PRODUCT, rel=0.1)
    assert spans["flops"].sum() == pytest.approx(products * 2 * N**3, rel=0.01)


def test_a_while_loop_takes_the_steps_that_it_may_make():
    most = 6
    with devices(1) as (gpu,):
        h, w = matrices(gpu), matrices(gpu)
        limit = nd.array([1e9], ctx=gpu)
        run = timed(Steps(most), h, w, limit)
        spans = computing(run, gpu)
        # h keeps its sum, so the condition holds to the end.
        np.testing.assert_allclose(Steps(most)(h, w, limit).asnumpy(), h.asnumpy(), rtol=1e-5)
    names = [run.names[int(n)] for n in spans["name"]]
    assert names.count("dot") == names.count("sum") == most
    by_sum = LAUNCH + 4 * N * N / 1e12
    assert run.seconds == pytest.approx(most * (PRODUCT + by_sum + LAUNCH) + COPY, rel=0.01)


@pytest.mark.parametrize("flag", [0, 1])
def test_a_branch_takes_what_the_longer_one_does(flag):
    with devices(1) as (gpu,):
        h, w = matrices(gpu), matrices(gpu)
        run = timed(Branches(), nd.array([flag], ctx=gpu), h, w)
    assert run.seconds == pytest.approx(3 * PRODUCT + COPY, rel=0.01)


def test_results_before_the_end_wait_for_the_loop_alone():
    """A value made after a long loop's program part is there when its own kernel ends."""

    class Both(HybridBlock):
        def hybrid_forward(self, F, x, w, h):
            outs, _ = F.contrib.foreach(lambda row, s: (F.dot(row, w), s), x, h)
            early = outs.sum()
            late = F.dot(F.dot(F.dot(F.broadcast_mul(h, early), w), w), w)
            return outs, late

    with devices(1, compute=False) as (gpu,):
        net = Both()
        net.hybridize()
        given = matrices(gpu, 4), matrices(gpu), matrices(gpu)
        net(*given)
        nd.waitall()
        with record() as run:
            outs, _ = net(*given)
            outs.copyto(mx.cpu())
        (left,) = run.of("gpu(0)", "copy-out")
    spans = computing(run, gpu)
    ends = spans["start_s"] + spans["seconds"]
    names = [run.names[int(n)] for n in spans["name"]]
    loop_end = max(e for e, n in zip(ends, names, strict=True) if n == "copy")
    assert left["start_s"] >= loop_end
    assert left["start_s"] < ends[-3]  # while the last products are still computed
