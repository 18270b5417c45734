"""Gradients of every operator against finite differences in float64, first and second order."""

from __future__ import annotations

import numpy as np
import op_samples
import pytest

from jupyter_hybrid import _core, autograd, nd

TABLE = {op["name"]: op for op in _core.op_table()}
USES = [
    pytest.param(name, sample, id=f"{name}-{i}")
    for name, samples in op_samples.SAMPLES.items()
    for i, sample in enumerate(samples)
]
STEP = 1e-5


def arrays_of(values):
    return [_core.from_numpy(np.asarray(v)) for v in values]


def outputs_of(name, sample, inputs):
    """The operator's outputs as a list, with the same random draws every time."""
    _core.seed(11)
    outputs = _core.invoke_core(name, inputs, sample.attrs)
    return outputs if isinstance(outputs, list) else [outputs]


def differentiable(name, values):
    """Positions of the inputs that have a gradient."""
    table = TABLE[name]
    inputs = table["inputs"]
    return [
        i
        for i, v in enumerate(values)
        if np.asarray(v).dtype == np.float64
        and inputs[0 if table["variadic"] else i]["differentiable"]
    ]


def weights_of(outputs):
    rng = np.random.default_rng(5)
    return [rng.uniform(0.5, 1.5, o.shape) for o in outputs]


def weighted_sum(name, sample, values, weights):
    """sum(w * output) as one Python float."""
    with autograd.train_mode():
        outputs = outputs_of(name, sample, arrays_of(values))
    return sum(float((w * o.asnumpy()).sum()) for w, o in zip(weights, outputs))


def finite_difference(function, values, i):
    gradient = np.zeros_like(values[i])
    for place in np.ndindex(gradient.shape):
        moved = [v.copy() for v in values]
        moved[i][place] += STEP
        above = function(moved)
        moved[i][place] -= 2 * STEP
        gradient[place] = (above - function(moved)) / (2 * STEP)
    return gradient


def gradients_of(name, sample, values, weights=None):
    """Gradients of sum(w * output) by autograd, None where there is none."""
    inputs = arrays_of(values)
    wanted = differentiable(name, values)
    for i in wanted:
        inputs[i].attach_grad()
    with autograd.record():
        outputs = outputs_of(name, sample, inputs)
    heads = None if weights is None else arrays_of(weights)
    autograd.backward(outputs, heads)
    return [inputs[i].grad.asnumpy() if i in wanted else None for i in range(len(inputs))]


def recorded_gradients(name, sample, inputs, wanted, weights):
    """Gradients of sum(w * output ** 2), themselves recorded: none is constant by the square."""
    for i in wanted:
        inputs[i].attach_grad()
    with autograd.record():
        outputs = outputs_of(name, sample, inputs)
        loss = sum((o * o * w).sum() for o, w in zip(outputs, arrays_of(weights)))
        return autograd.grad(loss, [inputs[i] for i in wanted], create_graph=True)


def test_every_differentiable_operator_has_samples():
    op_samples.require_complete(_core.op_table())


@pytest.mark.parametrize(("name", "sample"), USES)
def test_first_order(name, sample):
    values = op_samples.draw(sample)
    if sample.own_gradient:
        # An output layer: its gradient is its loss's, whatever flows in.
        found = gradients_of(name, sample, values)[0]
        np.testing.assert_allclose(found, sample.expected(*values), rtol=1e-10, atol=1e-12)
        return
    with autograd.train_mode():
        weights = weights_of(outputs_of(name, sample, arrays_of(values)))
    found = gradients_of(name, sample, values, weights)
    wanted = differentiable(name, values)
    assert wanted or not values
    for i in wanted:
        expected = finite_difference(
            lambda moved: weighted_sum(name, sample, moved, weights), values, i
        )
        np.testing.assert_allclose(found[i], expected, rtol=2e-6, atol=2e-8)


@pytest.mark.parametrize(
    ("name", "sample"),
    [u for u in USES if u.values[1].second_order and not u.values[1].own_gradient],
)
def test_second_order(name, sample):
    values = op_samples.draw(sample)
    with autograd.train_mode():
        weights = weights_of(outputs_of(name, sample, arrays_of(values)))
    wanted = differentiable(name, values)
    rng = np.random.default_rng(6)
    directions = {i: rng.uniform(0.5, 1.5, values[i].shape) for i in wanted}

    def directional(moved):
        first = recorded_gradients(name, sample, arrays_of(moved), wanted, weights)
        return sum(float((directions[i] * g.asnumpy()).sum()) for i, g in zip(wanted, first))

    inputs = arrays_of(values)
    first = recorded_gradients(name, sample, inputs, wanted, weights)
    with autograd.record():
        total = sum((g * d).sum() for g, d in zip(first, arrays_of(directions.values())))
    total.backward()
    for i in wanted:
        expected = finite_difference(directional, values, i)
        np.testing.assert_allclose(inputs[i].grad.asnumpy(), expected, rtol=1e-5, atol=1e-6)


def test_a_wrong_gradient_would_be_seen():
    """The comparison itself can fail: the gradient of x * x is not that of x * |x|."""
    x = np.array([-1.0, 2.0])
    sample = op_samples.use(op_samples.Real((2,)))
    weights = [np.ones(2)]
    found = gradients_of("square", sample, [x], weights)[0]
    wrong = finite_difference(lambda m: float((m[0] * np.abs(m[0])).sum()), [x], 0)
    assert not np.allclose(found, wrong, rtol=1e-3)


def test_head_gradients_flow_through_broadcasting():
    a, b = nd.ones((3, 1)), nd.ones((1, 4))
    a.attach_grad()
    b.attach_grad()
    with autograd.record():
        c = a * b
    c.backward(nd.arange(12).reshape((3, 4)))
    assert a.grad.shape == (3, 1)
    np.testing.assert_array_equal(a.grad.asnumpy()[:, 0], [6, 22, 38])
    np.testing.assert_array_equal(b.grad.asnumpy()[0], [12, 15, 18, 21])
