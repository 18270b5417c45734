"""contrib: loops and branches as functions; random numbers that a seed gives again."""

from __future__ import annotations

import numpy as np

from .common import numbers


def _loops(mx, F, x, s, run):
    def step(data, states):
        out = data + states[0]
        return out, [out * 0.5]

    outs, states = F.contrib.foreach(step, x, [s])
    looped, last = F.contrib.while_loop(
        lambda i, total: i < 3, lambda i, total: ([i * 2], [i + 1, total + i]),
        [s.sum() * 0, s.sum()], max_iterations=5,
    )  # fmt: skip
    chosen = F.contrib.cond(s.sum() < 100, lambda: s * 2, lambda: s - 1)
    named = {"outs": outs, "state": states[0], "total": last[1], "chosen": chosen}
    return {key: run(value) for key, value in named.items()}, looped


def imperative(mx):
    x, s = mx.nd.array(numbers(3, 2)), mx.nd.array(numbers(2))
    x.attach_grad()
    with mx.autograd.record():
        held, looped = _loops(mx, mx.nd, x, s, lambda value: value)
        y = held["outs"].sum()
    y.backward()
    return {**held, "grad": x.grad, "steps": looped[0][:3]}


def symbolic(mx):
    x, s = mx.nd.array(numbers(3, 2)), mx.nd.array(numbers(2))

    def run(symbol):
        given = {n: {"x": x, "s": s}[n] for n in symbol.list_arguments()}
        return symbol.eval(ctx=mx.cpu(), **given)[0]

    held, looped = _loops(mx, mx.sym, mx.sym.var("x"), mx.sym.var("s"), run)
    return {**held, "steps": run(looped[0])[:3]}


def candidates(mx):
    true = mx.nd.array([1, 30])
    drawn, counts, expected = mx.nd.contrib.rand_zipfian(true, 20000, 100)
    values = drawn.asnumpy()
    wanted = [np.log(k + 2) / np.log(101) for k in (0, 3, 20)]

    def near(values):
        shares = [float((values <= k).mean()) for k in (0, 3, 20)]
        return [bool(abs(share - law) < 0.03) for share, law in zip(shares, wanted)]

    symbol = mx.sym.contrib.rand_zipfian(mx.sym.var("t"), 20000, 100)
    again = mx.sym.Group(list(symbol)).eval(ctx=mx.cpu(), t=true)
    return {
        "expected": counts if counts.shape == expected.shape else None,
        "shares": near(values),
        "dtype": drawn.dtype,
        "symbolic": near(again[0].asnumpy()),
        "counts": again[1],
    }


def seeds(mx):
    held = []
    for seed in (3, 3, 4):
        mx.random.seed(seed)
        held.append(mx.nd.random.uniform(shape=4).asnumpy())
    mx.random.seed(5, ctx=mx.cpu())
    return {
        "again": bool(np.array_equal(held[0], held[1])),
        "other": bool(np.array_equal(held[0], held[2])),
    }
