"""gamma, gammaln, erfinv, their gradients, and MXNet's smaller operators on values and indices."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jupyter_hybrid import MXNetError, autograd, nd, sym


def of(values, dtype="float64"):
    return nd.array(values, dtype=dtype)


@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 2e-7), ("float64", 2e-15)])
def test_gamma_and_its_logarithm(dtype, tolerance):
    x = np.concatenate([np.linspace(0.05, 30, 400), -np.linspace(0.05, 5.95, 60)]).astype(dtype)
    for function, reference in ((nd.gamma, math.gamma), (nd.gammaln, math.lgamma)):
        expected = np.array([reference(float(v)) for v in x])
        found = function(of(x, dtype)).asnumpy()
        np.testing.assert_allclose(found, expected, rtol=8 * tolerance, atol=8 * tolerance)
    ends = nd.gamma(of([0.0, -1, np.inf, 200], dtype)).asnumpy()
    np.testing.assert_array_equal(ends, [np.inf, np.nan, np.inf, math.inf if dtype == "float32"
                                         else ends[3]])  # fmt: skip


@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 3e-7), ("float64", 1e-15)])
def test_erfinv_undoes_erf(dtype, tolerance):
    y = np.concatenate([np.linspace(-3.5, 3.5, 701), [1e-300, 1e-8]])
    x = np.array([math.erf(v) for v in y]).astype(dtype)
    found = nd.erfinv(of(x, dtype)).asnumpy().astype("float64")
    inside = np.abs(x) < 1
    # Compared where they begin: near 1 a bit of x moves y much.
    again = np.array([math.erf(v) for v in found[inside]])
    np.testing.assert_allclose(again, x[inside].astype("float64"), rtol=tolerance, atol=1e-45)
    ends = nd.erfinv(of([-1, 1, 1.5, 0], dtype)).asnumpy()
    np.testing.assert_array_equal(ends, [-np.inf, np.inf, np.nan, 0])


def test_slopes_are_the_known_constants():
    x = of([1.0, 0.5, -0.5])
    x.attach_grad()
    with autograd.record():
        (first,) = autograd.grad(nd.gammaln(x), x, create_graph=True)
    first.backward()
    euler = 0.57721566490153286061
    at_half = -euler - 2 * math.log(2)
    np.testing.assert_allclose(first.asnumpy(), [-euler, at_half, at_half + 2], rtol=1e-14)
    trigamma = [math.pi**2 / 6, math.pi**2 / 2, math.pi**2 / 2 + 4]
    np.testing.assert_allclose(x.grad.asnumpy(), trigamma, rtol=1e-14)


def test_indices_out_of_range_are_told():
    a = of(np.arange(6.0).reshape(2, 3))
    for make, words in (
        (lambda: nd.batch_take(a, of([0, 3])), "batch_take: given index 3"),
        (lambda: nd.fill_element_0index(a, of([1, 1]), of([0, -1])), "given index -1"),
        (
            lambda: nd.ravel_multi_index(of([[0], [4]]), shape=(2, 3)),
            "given index 4, expected 0 to 2",
        ),
        (lambda: nd.unravel_index(of([6]), shape=(2, 3)), "given index 6"),
        (lambda: nd.contrib.index_copy(a, of([2]), of(np.ones((1, 3)))), "given index 2"),
        (lambda: nd.diag(a, k=5), "k 5"),
        (lambda: nd.linalg.trsm(of(np.zeros((2, 2))), of(np.ones((2, 1)))), "Singular matrix"),
        (lambda: nd.cast_storage(a, stype="csr"), "arrays are dense here"),
    ):
        with pytest.raises(MXNetError, match=words):
            make().asnumpy()


def test_parts_of_an_array():
    a = nd.array(np.arange(12).reshape(3, 4))
    first, empty, rest = nd.split_v2(a, (1, 1), axis=1)
    assert (first.shape, empty.shape, rest.shape) == ((3, 1), (3, 0), (3, 3))
    np.testing.assert_array_equal(rest.asnumpy(), a.asnumpy()[:, 1:])
    rows = sym.split_v2(sym.var("a"), 3, squeeze_axis=True)
    for row, expected in zip(rows.eval(a=a), a.asnumpy()):
        np.testing.assert_array_equal(row.asnumpy(), expected)
    counts, edges = nd.histogram(a, bins=4, range=(0, 8))
    expected = np.histogram(a.asnumpy(), 4, (0, 8))
    np.testing.assert_array_equal(counts.asnumpy(), expected[0])
    np.testing.assert_array_equal(edges.asnumpy(), expected[1])


def test_arrays_are_watched_and_reset():
    good, bad = nd.ones((2, 2)), nd.array([1.0, np.nan])
    out = nd.ones((1,))
    assert nd.all_finite(good).asscalar() == 1 and nd.all_finite(bad).asscalar() == 0
    nd.multi_all_finite(good, bad, num_arrays=2, out=out)
    assert out.asscalar() == 0
    assert nd.all_finite(good, init_output=False, out=out).asscalar() == 0
    nd.reset_arrays(good, bad, num_arrays=2)
    assert not good.asnumpy().any() and not bad.asnumpy().any()


def test_a_mask_keeps_slices_and_gives_them_gradients():
    x = nd.array(np.arange(12.0).reshape(3, 4))
    x.attach_grad()
    with autograd.record():
        kept = nd.contrib.boolean_mask(x, nd.array([1, 0, 1]))
        total = (kept * kept).sum()
    total.backward()
    np.testing.assert_array_equal(kept.asnumpy(), x.asnumpy()[[0, 2]])
    np.testing.assert_array_equal(x.grad.asnumpy(), 2 * x.asnumpy() * [[1], [0], [1]])
    assert nd.contrib.boolean_mask(x, nd.zeros((3,))).shape == (0, 4)
    with pytest.raises(MXNetError, match="known before it runs"):
        sym.contrib.boolean_mask(sym.var("x"), sym.var("m"))


def test_what_is_not_a_number_is_found_by_both_faces():
    x = nd.array([np.nan, np.inf, -np.inf, 1.0])
    for name, expected in (("isnan", [1, 0, 0, 0]), ("isinf", [0, 1, 1, 0]),
                           ("isfinite", [0, 0, 0, 1])):  # fmt: skip
        found = getattr(nd.contrib, name)(x)
        (again,) = getattr(sym.contrib, name)(sym.var("x")).eval(x=x)
        np.testing.assert_array_equal(found.asnumpy(), expected)
        np.testing.assert_array_equal(again.asnumpy(), expected)
