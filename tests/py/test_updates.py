"""Operators that update weights: what they write, in every mode. Values: the interop cases."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jupyter_hybrid as mx
from jupyter_hybrid import gluon, nd, sym
from jupyter_hybrid.base import MXNetError

LR = {"lr": 0.5}
# name: (number of states, attributes)
OF_ONE = {
    "sgd_mom_update": (1, {**LR, "momentum": 0.5}),
    "nag_mom_update": (1, {**LR, "momentum": 0.5}),
    "signum_update": (1, {**LR, "momentum": 0.5}),
    "adam_update": (2, LR),
    "rmsprop_update": (1, LR),
    "rmspropalex_update": (3, LR),
    "ftrl_update": (2, LR),
    "ftml_update": (3, {**LR, "t": 2}),
    "lamb_update_phase1": (2, {"t": 2, "wd": 0.25}),
    "mp_sgd_update": (1, LR),
    "mp_sgd_mom_update": (2, LR),
    "mp_nag_mom_update": (2, LR),
}


def arrays_of(name: str, seed: int = 0) -> list[nd.NDArray]:
    """Weight, gradient, states: squares are larger than the squared averages beside them."""
    count = OF_ONE[name][0]
    rng = np.random.default_rng(seed)
    drawn = [rng.uniform(0.5, 1, (2, 3)) + 10 * (i == 2) for i in range(2 + count)]
    half = name.startswith("mp_")
    dtypes = ["float16" if half and i < 2 else "float32" for i in range(len(drawn))]
    return [nd.array(x, dtype=d) for x, d in zip(drawn, dtypes, strict=True)]


class Twice(gluon.HybridBlock):
    """Two steps: the second one reads the states that the first one wrote."""

    def __init__(self, name: str):
        super().__init__()
        self._name = name

    def hybrid_forward(self, F, weight, grad, *states):
        update, attrs = getattr(F, self._name), OF_ONE[self._name][1]
        first = update(weight, grad, *states, **attrs)
        return first, update(weight, grad, *states, **attrs)


@pytest.mark.parametrize("name", OF_ONE)
def test_states_are_written_in_every_mode(name):
    imperative, hybrid = Twice(name), Twice(name)
    hybrid.hybridize()
    plain, graph, cell = arrays_of(name), arrays_of(name), arrays_of(name)
    before = [x.asnumpy() for x in plain]
    expected = [y.asnumpy() for y in imperative(*plain)]
    for y, z in zip(hybrid(*graph), expected, strict=True):
        np.testing.assert_array_equal(y.asnumpy(), z)
    for i, (x, y, old) in enumerate(zip(plain, graph, before, strict=True)):
        np.testing.assert_array_equal(x.asnumpy(), y.asnumpy())
        assert np.array_equal(x.asnumpy(), old) == (i < 2), i

    update, attrs = getattr(nd, name), OF_ONE[name][1]

    @mx.hybridize
    def steps(weight, grad, *states):
        return update(weight, grad, *states, **attrs), update(weight, grad, *states, **attrs)

    for y, z in zip(steps(*cell), expected, strict=True):
        np.testing.assert_array_equal(y.asnumpy(), z)
    for x, y in zip(plain, cell, strict=True):
        np.testing.assert_array_equal(x.asnumpy(), y.asnumpy())


@pytest.mark.parametrize("name", OF_ONE)
def test_the_weight_is_out(name):
    update, attrs = getattr(nd, name), OF_ONE[name][1]
    weight, grad, *states = arrays_of(name)
    made = update(weight, grad, *states, **attrs)
    again, grad, *kept = arrays_of(name)
    if made.dtype == again.dtype:
        assert update(again, grad, *kept, out=again, **attrs) is again
        np.testing.assert_array_equal(again.asnumpy(), made.asnumpy())
        for x, y in zip(states, kept, strict=True):
            np.testing.assert_array_equal(x.asnumpy(), y.asnumpy())


def test_symbols_have_the_states_as_auxiliary_ones_and_are_read_back():
    made = sym.sgd_mom_update(*map(sym.var, ("w", "g", "m")), lr=0.5, momentum=0.5, name="u")
    assert made.list_arguments() == ["w", "g"]
    assert made.list_auxiliary_states() == ["m"]
    assert made.list_outputs() == ["u_output"]
    assert made.infer_shape(w=(2, 3)) == ([(2, 3)] * 2, [(2, 3)], [(2, 3)])
    assert sym.load_json(made.tojson()).tojson() == made.tojson()
    state = nd.ones(2)
    bound = made.bind(mx.cpu(), args={"w": nd.ones(2), "g": nd.ones(2)}, aux_states={"m": state})
    bound.forward()
    assert bound.aux_dict["m"].asnumpy().tolist() == [0, 0]


def test_symbols_of_several_weights():
    names = [sym.var(c) for c in "abcdefgh"]
    made = sym.multi_mp_sgd_mom_update(*names, lrs=(0.5, 1), wds=(0, 0), num_weights=2, name="u")
    assert made.list_auxiliary_states() == ["c", "d", "g", "h"]
    assert made.list_outputs() == ["u_output0", "u_output1"]
    assert sym.load_json(made.tojson()).tojson() == made.tojson()


def test_a_state_must_be_a_variable():
    class Net(gluon.HybridBlock):
        def hybrid_forward(self, F, w, g, m):
            return F.sgd_mom_update(w, g, m * 2, lr=0.5)

    net = Net()
    net.hybridize()
    with pytest.raises(MXNetError, match=r"sgd_mom_update.*mom.*must be a variable"):
        net(nd.ones(2), nd.ones(2), nd.ones(2))


def test_steps_left_out_of_adamw():
    for factor in (0.0, math.nan, math.inf):
        w, g, mean, var = (nd.full(3, x) for x in (2.0, 1.0, 0.5, 0.25))
        nd.contrib.adamw_update(w, g, mean, var, factor, lr=0.5, eta=1.0, out=w)
        assert [x.asnumpy().tolist() for x in (w, mean, var)] == [[2] * 3, [0.5] * 3, [0.25] * 3]


def test_states_of_several_weights_are_written():
    def drawn(seed):
        rng = np.random.default_rng(seed)
        return [[nd.array(rng.uniform(1, 2, s)) for s in ((2, 3), (4,))] for _ in range(4)]

    weights, grads, mean, var = drawn(0)
    nd.contrib.multi_lamb_update(
        weights, grads, mean, var, (2, 3), (0.5, 1.0), (0.1, 0.0), out=weights
    )
    own, grads, means, variances = drawn(0)
    for i, (w, g, m, v) in enumerate(zip(own, grads, means, variances, strict=True)):
        step = nd.lamb_update_phase1(w, g, m, v, t=2 + i, wd=(0.1, 0.0)[i])
        nd.lamb_update_phase2(w, step, w.norm(), step.norm(), lr=(0.5, 1.0)[i], out=w)
    for one, other in ((weights, own), (mean, means), (var, variances)):
        for x, y in zip(one, other, strict=True):
            np.testing.assert_allclose(x.asnumpy(), y.asnumpy(), rtol=1e-6)


def test_adagrad_by_rows():
    w, g, h = nd.ones((2, 2)), nd.array([[3, 4], [0, 0]]), nd.zeros((2, 1))
    made = nd.contrib.group_adagrad_update(w, g, h, lr=1.0, epsilon=0.0625)
    assert h.asnumpy().tolist() == [[12.5], [0]]
    np.testing.assert_allclose(
        made.asnumpy(), 1 - g.asnumpy() / np.sqrt([[12.5625], [0.0625]]), rtol=1e-6
    )


def test_bad_arguments():
    w, g = nd.ones(3), nd.ones(3)
    for message, call in {
        "array 2 of shape": lambda: nd.sgd_mom_update(w, g, nd.ones(4), lr=0.5),
        "given mom float64": lambda: nd.sgd_mom_update(w, g, nd.ones(3, dtype="float64"), lr=0.5),
        "'lr' is required": lambda: nd.sgd_update(w, g),
        "given 2 arrays, expected 4": lambda: nd.multi_sgd_update(
            w, g, lrs=(1,), wds=(0,), num_weights=2
        ),
        "given 2 lrs, expected 1": lambda: nd.multi_sgd_update(w, g, lrs=(1, 2), wds=(0,)),
        "num_weights -1": lambda: nd.multi_sgd_update(w, g, lrs=(), wds=(), num_weights=-1),
        "has 1 outputs, given 2": lambda: nd.sgd_mom_update(w, g, nd.ones(3), lr=1, out=[w, w]),
        "norm of shape": lambda: nd.lamb_update_phase2(w, g, nd.ones(2), nd.ones(1), lr=0.5),
        "history of shape": lambda: nd.contrib.group_adagrad_update(w, g, nd.ones(2), lr=0.5),
        "step_count": lambda: nd.contrib.multi_lamb_update([w], [g], [w], [w], [], [1], [0]),
        "weight of float64": lambda: nd.mp_sgd_update(
            w.astype("float64"), g.astype("float64"), w, lr=0.5
        ),
        "int32": lambda: nd.sgd_update(w.astype("int32"), g.astype("int32"), lr=0.5),
    }.items():
        with pytest.raises(MXNetError, match=message):
            call()
