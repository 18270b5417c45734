"""Executors: what a monitor is told, gradients in arrays of another dtype."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from jupyter_hybrid import cpu, nd, sym


def told(symbol: Any, monitor_all: bool, **shapes: tuple[int, ...]) -> list[str]:
    names: list[str] = []
    bound = symbol.simple_bind(cpu(), grad_req="null", **shapes)
    bound.set_monitor_callback(lambda name, array: names.append(name), monitor_all=monitor_all)
    bound.forward()
    return names


def test_a_monitor_is_told_outputs_and_inputs_in_mxnets_names() -> None:
    x = sym.var("x")
    dense = sym.FullyConnected(x, num_hidden=2, name="fc")
    net = sym.concat(sym.tanh(dense, name="t"), dense, dim=0, name="c")
    assert told(net, False, x=(1, 3)) == ["fc_output", "t_output", "c_output"]
    assert told(net, True, x=(1, 3)) == [
        *("x", "fc_data", "fc_weight", "fc_weight", "fc_bias", "fc_bias", "fc_output"),
        *("t_input0", "t_output", "c_arg0", "c_arg1", "c_output"),
    ]


def test_a_monitored_executor_computes_what_another_does() -> None:
    x = sym.var("x")
    net = sym.BatchNorm(sym.square(x), name="bn", fix_gamma=False)
    seen = {}
    results = []
    for watched in (False, True):
        bound = net.simple_bind(cpu(), x=(4, 2))
        bound.arg_dict["bn_gamma"][:] = 2
        if watched:
            bound.set_monitor_callback(lambda name, array: seen.update({name: array}))
        bound.forward(is_train=True, x=nd.arange(8).reshape((4, 2)))
        bound.backward(nd.arange(8).reshape((4, 2)))
        results.append([*bound.outputs, bound.grad_dict["x"], *bound.aux_arrays])
    for plain, watched in zip(*results):
        assert np.array_equal(plain.asnumpy(), watched.asnumpy())
    first = next(a for n, a in seen.items() if n.startswith("square"))
    assert np.array_equal(first.asnumpy(), np.arange(8.0).reshape(4, 2) ** 2)


@pytest.mark.parametrize("req", ["write", "add"])
def test_gradients_are_cast_into_the_arrays_that_are_given(req: str) -> None:
    x, into = nd.array([1, 2, 3], dtype="float16"), nd.array([1, 1, 1], dtype="float64")
    bound = sym.square(sym.var("x")).bind(cpu(), [x], [into], req)
    for times in (1, 2):
        bound.forward(is_train=True)
        bound.backward()
        wanted = np.array([2.0, 4.0, 6.0]) * (times if req == "add" else 1) + (req == "add")
        assert np.array_equal(into.asnumpy(), wanted)


def test_the_optimized_symbol_computes_equal_expressions_once(monkeypatch):
    a, b, c = sym.var("a"), sym.var("b"), sym.var("c")
    d = a + 1
    saved = {
        (a + 1) + (a + 2): 0, (a + b) + (a + b): 1, ((a + b) + c) + ((a + b) + c): 2,
        sym.Group([a * d, a * d]): 0, sym.Group([a * d + b, a * d + b]): 1,
        sym.Dropout(a) + sym.Dropout(a): 0,
    }  # fmt: skip
    for made, count in saved.items():
        shapes = dict.fromkeys(made.list_inputs(), (2, 3))
        joined = made.simple_bind(cpu(), **shapes).get_optimized_symbol()
        assert len(made.get_internals()) - len(joined.get_internals()) == count
        arrays = {name: nd.ones(shape) * 3 for name, shape in shapes.items()}
        for left, right in zip(made.eval(**arrays), joined.eval(**arrays)):
            assert (left.asnumpy() == right.asnumpy()).all()
    monkeypatch.setenv("MXNET_ELIMINATE_COMMON_EXPR", "0")
    made = (a + b) + (a + b)
    bound = made.simple_bind(cpu(), a=(2,), b=(2,))
    assert len(bound.get_optimized_symbol().get_internals()) == len(made.get_internals())


def test_debug_str_tells_the_memory_of_a_program():
    data = sym.var("data")
    for _ in range(6):
        data = data * data

    def total(made, **options):
        text = made.simple_bind(cpu(), data=(4, 256, 1024), **options).debug_str()
        return int(re.search(r"Total (\d+) MB allocated", text)[1])

    assert total(data) > 4  # what gradients need is kept
    assert total(data, grad_req="null") == total(sym.stop_gradient(data)) == 0
