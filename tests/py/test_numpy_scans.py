"""Running sums, products, maxima and minima against NumPy's own, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from cells import Shell, imperative
from numpy_samples import SHAPES, sample
from traced import check

from jupyter_hybrid import MXNetError, _core, autograd, nd, sym

DTYPES = [*("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
          *("float32", "float64", "complex64", "complex128")]  # fmt: skip
RUNNING = {
    "add": lambda np, x, **k: np.add.accumulate(x, **k),
    "multiply": lambda np, x, **k: np.multiply.accumulate(x, **k),
    "maximum": lambda np, x, **k: np.maximum.accumulate(x, **k),
    "minimum": lambda np, x, **k: np.minimum.accumulate(x, **k),
}


def numbers(shape, dtype):
    if np.dtype(dtype).kind == "c":  # of size 1: products of many stay in range
        return np.asarray(np.exp(1j * sample(shape, "float64"))).astype(dtype)
    return sample(shape, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [*SHAPES, (1,), (2, 3, 300)])
def test_cumsum_and_cumprod(shape, dtype):
    x = numbers(shape, dtype)
    # NumPy's complex products may be contracted on some processors.
    scale = {"complex64": 1e-6, "complex128": 1e-15}.get(dtype, 0) * x.size
    for axis in (None, *range(-len(shape), len(shape))):
        check(lambda np, x, a=axis: np.cumsum(x, axis=a), x, ulp=0)
        check(lambda np, x, a=axis: x.cumprod(axis=a), x, ulp=0, scale=scale)


@pytest.mark.parametrize("wanted", DTYPES)
def test_dtype(wanted):
    for own in ("int32", "uint8", "bool", "float32", "float64"):
        if np.dtype(own).kind == "f" and np.dtype(wanted).kind == "u":
            continue  # negative floats as unsigned numbers are the processor's affair
        x = np.clip(sample((3, 40), own), None, 100)
        check(lambda np, x: np.cumsum(x, axis=1, dtype=wanted), x, ulp=0)
        check(lambda np, x: np.cumprod(x, dtype=wanted), x, ulp=0)


@pytest.mark.parametrize("dtype", DTYPES[:-2])
@pytest.mark.parametrize("name", RUNNING)
def test_accumulate(name, dtype):
    for shape in [s for s in SHAPES if s] + [(4, 3, 270)]:
        for axis in range(-len(shape), len(shape)):
            check(lambda np, x, a=axis: RUNNING[name](np, x, axis=a), sample(shape, dtype), ulp=0)


def test_logical_accumulate():
    x = np.array([[0, 2, 0], [1, 1, 0]])
    check(lambda np, x: (np.logical_or.accumulate(x), np.logical_and.accumulate(x, axis=1)), x)


def test_nan_and_infinity():
    x = np.array([1.0, -np.inf, 3, np.nan, 2, np.inf])
    for f in RUNNING.values():
        check(lambda np, x, f=f: f(np, x), x)
        check(lambda np, x, f=f: f(np, x[:3]), x)


def test_windows_and_out():
    x = sample((6, 8), "float64")
    check(lambda np, x: (np.cumsum(x[::2, ::-1], axis=1), np.cumprod(x.T, axis=0)), x, ulp=0)

    def into(np, x, out):
        np.cumsum(x, axis=0, out=out)
        return out

    check(into, x, np.zeros((6, 8)), ulp=0)


@pytest.mark.skipif(not hasattr(np, "cumulative_sum"), reason="NumPy 2.1 has them")
def test_cumulative():
    x = sample((3, 4), "float32")
    check(lambda np, x: np.cumulative_sum(x, axis=1, include_initial=True), x, ulp=0)
    check(lambda np, x: np.cumulative_prod(x[0], include_initial=True, dtype="float64"), x, ulp=0)
    check(lambda np, x: np.cumulative_prod(x, axis=-2), x, ulp=0)
    check(lambda np, x: np.cumulative_sum(x), x, captured=False)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda np, x: np.cumsum(x, axis=2),
        lambda np, x: np.cumprod(x, axis=-3),
        lambda np, x: np.add.accumulate(x, axis=None),
        lambda np, x: np.add.accumulate(x[0, 0]),
        lambda np, x: np.maximum.accumulate(x, axis=5),
    ],
)
def test_errors_are_numpys(wrong):
    check(wrong, sample((3, 4), "float64"), captured=False)


def test_a_cell_is_one_graph():
    body = "total = x.cumsum()\npeak = np.maximum.accumulate(total)\nfall = (peak - total).max()"
    start = {"np": np, "x": sample((500,), "float64")}
    shell = Shell()
    shell.ns.update(start)
    shell.hybridize(body)
    names, _ = imperative(body, start)
    for name in ("total", "peak", "fall"):
        np.testing.assert_array_equal(shell.ns[name], names[name])
        assert type(shell.ns[name]) is type(names[name])
    assert shell.report.graph_breaks == []


def test_gradients_at_zeros():
    x = nd.array([2, 0, 3, 0, 5])
    x.attach_grad()
    with autograd.record():
        total = _core.invoke_core("cumprod", [x], {}).sum()
    total.backward()
    # 1 + x1 + x1 x2 + ..., x0 + x0 x2 + x0 x2 x3 + ..., 0, ...
    np.testing.assert_array_equal(x.grad.asnumpy(), [1, 8, 0, 0, 0])


def test_the_first_of_equal_elements_takes_the_gradient():
    x = nd.array([1, 3, 3, 2, 4])
    x.attach_grad()
    with autograd.record():
        best = _core.invoke_core("cummax", [x], {})
    best.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), [1, 3, 0, 0, 1])


def test_the_mxnet_name():
    x = nd.array([[1, 2], [3, 4]])
    np.testing.assert_array_equal(nd.cumsum(x).asnumpy(), [1, 3, 6, 10])
    np.testing.assert_array_equal(nd.cumsum(x, axis=0).asnumpy(), [[1, 2], [4, 6]])
    a = sym.var("a")
    np.testing.assert_array_equal(sym.cumsum(a, axis=-1).eval(a=x)[0].asnumpy(), [[1, 3], [3, 7]])
    assert "_np_cumsum" in sym.cumsum(a).tojson()
    with pytest.raises(MXNetError, match="cumsum"):
        nd.cumsum(x, axis=2)
