"""Every operator on a physical GPU against the CPU: values, gradients, programs."""

from __future__ import annotations

import numpy as np
import pytest
from test_ops import TABLE, USES, inputs_of, listed, record

import jupyter_hybrid as mx
from jupyter_hybrid import _core, autograd

GPU = mx.gpu(0)
#: Units in the last place of the largest value, or of 1: sums have another order there.
ULPS = 32
USES = [u for u in USES if u.values[0] != "copy_to_device"]


def close(found, expected):
    assert found.context == GPU, found.context
    a, b = found.asnumpy(), expected.asnumpy()
    assert a.shape == b.shape and a.dtype == b.dtype
    if a.dtype.kind in "fc" and a.size:
        finite = np.abs(b[np.isfinite(b)])
        scale = max(1.0, finite.max(initial=0.0))
        np.testing.assert_allclose(a, b, rtol=0, atol=ULPS * np.finfo(a.dtype).eps * scale)
    else:
        np.testing.assert_array_equal(a, b)


def there(inputs):
    return [a.as_in_context(GPU) for a in inputs]


def run(name, inputs, attrs):
    _core.seed(3)
    with autograd.train_mode(), GPU if not inputs else mx.cpu():
        return listed(_core.invoke_core(name, inputs, attrs))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("name", "sample"), USES)
def test_values(name, sample, dtype):
    inputs = inputs_of(name, sample, dtype)
    _core.seed(3)
    with autograd.train_mode():
        expected = listed(_core.invoke_core(name, inputs, sample.attrs))
    for a, b in zip(run(name, there(inputs), sample.attrs), expected):
        close(a, b)


@pytest.mark.parametrize(("name", "sample"), USES)
def test_gradients(name, sample):
    if not TABLE[name]["has_gradient"]:
        pytest.skip("has no gradient")
    table = TABLE[name]["inputs"]
    found = []
    for place in (lambda a: a, there):
        inputs = place(inputs_of(name, sample, "float32"))
        wanted = [
            a
            for i, a in enumerate(inputs)
            if a.dtype is np.float32
            and table[0 if TABLE[name]["variadic"] else i]["differentiable"]
        ]
        for a in wanted:
            a.attach_grad()
        _core.seed(3)
        with autograd.record():
            outputs = listed(_core.invoke_core(name, inputs, sample.attrs))
        autograd.backward(outputs)
        found.append([a.grad for a in wanted])
    for a, b in zip(found[1], found[0]):
        close(a, b)


@pytest.mark.parametrize(("name", "sample"), USES)
def test_programs(name, sample):
    inputs = inputs_of(name, sample, "float32")
    if not inputs:
        pytest.skip("nothing says which device")
    graph, graph_inputs, keys = record(name, sample, inputs, training=True)
    program = _core.compile(graph, training=True).program
    expected = program.run(graph_inputs, keys)
    if not graph_inputs:
        pytest.skip("folded")
    for a, b in zip(program.run(there(graph_inputs), keys), expected):
        close(a, b)


def test_what_runs_on_the_gpu_is_not_copied(capfd):
    x = mx.nd.array(np.random.default_rng(2).standard_normal((33, 65)), ctx=GPU)
    w = mx.nd.ones((7, 65), ctx=GPU)
    for y in (
        mx.nd.relu(x * 2 + 1) / (x.exp() + 1),
        mx.nd.where(x > 0, x, -x).astype("int32"),
        mx.nd.softmax(x) + mx.nd.log_softmax(x, axis=0),
        mx.nd.LayerNorm(x, mx.nd.ones((65,), ctx=GPU), mx.nd.zeros((65,), ctx=GPU)),
        mx.nd.FullyConnected(x, w, mx.nd.ones((7,), ctx=GPU), num_hidden=7),
        mx.nd.dot(x, x.T),
        mx.nd.concat(x.sum(axis=1), x.max(axis=0), dim=0),
        mx.nd.argmax(x, axis=1),
        mx.nd.broadcast_to(x[2:3, ::-1], shape=(4, 65)).transpose(),
    ):
        assert y.context == GPU and np.isfinite(y.asnumpy()).all()
    assert "has no kernel" not in capfd.readouterr().err
    mx.nd.sort(x).wait_to_read()
    mx.nd.sort(x).wait_to_read()
    assert capfd.readouterr().err.count("has no kernel for gpu(0)") <= 1


def test_tf32_only_when_asked():
    rng = np.random.default_rng(8)
    a, b = (rng.standard_normal((512, 512)).astype("float32") for _ in range(2))
    exact = a.astype("float64") @ b
    x, y = mx.nd.array(a, ctx=GPU), mx.nd.array(b, ctx=GPU)

    def error():
        return np.abs(mx.nd.dot(x, y).asnumpy() - exact).max() / np.abs(exact).max()

    assert error() < 2e-6
    mx.engine.use_tf32()
    try:
        rough = error()
    finally:
        mx.engine.use_tf32(False)
    assert error() < 2e-6 and rough < 2e-3


def test_the_same_bits_in_every_run():
    rng = np.random.default_rng(2)
    x = mx.nd.array(rng.standard_normal((300, 5000)), ctx=GPU)
    results = [
        b"".join(y.asnumpy().tobytes() for y in (x.sum(), mx.nd.softmax(x), mx.nd.dot(x, x.T)))
        for _ in range(3)
    ]
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("axis", [None, 0, 1, 2, (0, 1), (0, 2), (1, 2)])
@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "prod"])
@pytest.mark.parametrize("shape", [(3, 40, 5), (2, 9000, 33), (70, 2, 5000)])
def test_large_reductions(name, axis, shape):
    x = np.random.default_rng(4).uniform(0.999, 1.001, shape).astype("float32")
    expected = getattr(x.astype("float64"), name)(axis=axis)
    attrs = {} if axis is None else {"axis": axis if isinstance(axis, tuple) else (axis,)}
    (found,) = run(name, [mx.nd.array(x, ctx=GPU)], attrs)
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-5)
