"""convolve, correlate, interp and searchsorted against NumPy's own."""

from __future__ import annotations

import numpy as np
import pytest
from numpy_samples import sample
from traced import check

DTYPES = [*("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
          *("float32", "float64", "complex64", "complex128")]  # fmt: skip
MODES = ["full", "same", "valid"]
LENGTHS = [(1, 1), (5, 3), (3, 5), (4, 4), (8, 1), (1, 8), (7, 4), (300, 12), (2, 700)]


def numbers(n, dtype, seed=0):
    if np.dtype(dtype).kind == "c":
        made = sample((n,), "float64", seed) + 1j * sample((n,), "float64", seed + 7)
        return np.asarray(made).astype(dtype)
    return sample((n,), dtype, seed)


def bound(dtype, terms):
    """What sums of products of numbers around 3 may differ by, added up in another order."""
    return {"f": 1e-6, "F": 4e-6, "d": 4e-15, "D": 1e-14}.get(np.dtype(dtype).char, 0) * 64 * terms


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("mode", MODES)
def test_convolve_and_correlate(mode, dtype):
    for n, m in LENGTHS:
        a, v = numbers(n, dtype), numbers(m, dtype, 1)
        scale = bound(dtype, min(n, m))
        check(lambda np, a, v: np.convolve(a, v, mode), a, v, ulp=8, scale=scale)
        check(lambda np, a, v: np.correlate(a, v, mode=mode), a, v, ulp=8, scale=scale)


@pytest.mark.parametrize("other", DTYPES)
def test_promotion(other):
    for dtype in ("bool", "uint8", "int64", "float32", "complex64"):
        a, v = numbers(9, dtype), numbers(4, other, 1)
        scale = bound(np.result_type(dtype, other), 4)
        check(lambda np, a, v: (np.convolve(a, v), np.correlate(v, a, "same")), a, v, scale=scale)


def test_lists_windows_and_scalars():
    x = sample((12,), "float64")
    check(lambda np, x: np.convolve(x[::2], [0.5, 0.5], "same"), x)
    check(lambda np, x: np.convolve(x[::-1], 2), x)
    check(lambda np, x: np.correlate([1, 2, 3], x), x, scale=1e-14)


def test_infinities():
    x = np.array([1.0, np.inf, 2, np.nan, 3, 4, -np.inf])
    check(lambda np, x: np.convolve(x, [1.0, 0.5], "same"), x)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda np, x: np.convolve(x[:0], x),
        lambda np, x: np.convolve(x, x[:0]),
        lambda np, x: np.correlate(x[:0], x),
        lambda np, x: np.convolve(x.reshape(2, 3), x),
        lambda np, x: np.correlate(x, x.reshape(2, 3)),
        lambda np, x: np.convolve(x, x, "other"),
    ],
)
def test_errors_are_numpys(wrong):
    check(wrong, sample((6,), "float64"), captured=False)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_interp(dtype):
    xp = np.sort(sample((9,), dtype, 3))
    fp = sample((9,), "float64", 4)
    x = np.concatenate([sample((4, 10), dtype).ravel(), xp]).reshape(7, 7)
    check(lambda np, x, xp, fp: np.interp(x, xp, fp), x, xp, fp, ulp=0)
    check(lambda np, x, xp, fp: np.interp(x, xp, fp, left=-1, right=np.nan), x, xp, fp, ulp=0)
    check(lambda np, x, xp, fp: np.interp(x, xp[:1], fp[:1], 5.0, 6), x, xp, fp, ulp=0)
    check(lambda np, x, xp, fp: np.interp(0.25, xp, fp, left=x[0, 0]), x, xp, fp, ulp=0)
    check(lambda np, x, xp, fp: np.interp([0.5, 1.5, 3.0], xp, fp), x, xp, fp, ulp=0)


def test_interp_of_one_period():
    x, xp, fp = sample((20,), "float64") * 50, sample((5,), "float64", 2) * 90, np.arange(5.0)
    for period in (360, -100.5):
        check(lambda np, x, xp, fp, p=period: np.interp(x, xp, fp, period=p), x, xp, fp, ulp=0)


def test_interp_at_ends_and_infinities():
    xp, fp = np.array([0.0, 1, 1, 2, np.inf]), np.array([0.0, np.inf, np.inf, 3, 3])
    x = np.array([-np.inf, -1, 0, 0.5, 1, 1.5, 2, 5, np.inf, np.nan])
    check(lambda np, x, xp, fp: np.interp(x, xp, fp), x, xp, fp, ulp=0)
    check(lambda np, x, xp, fp: np.interp(x, xp, fp, 7, 8), x, xp, fp, ulp=0)


def test_interp_leaves_the_graph():
    x, xp = sample((4,), "float64"), np.arange(3.0)
    for f in (
        lambda np, x, xp: np.interp(x, xp, xp * 1j),
        lambda np, x, xp: np.interp(x, xp, xp[:2]),
        lambda np, x, xp: np.interp(x, xp[:0], xp[:0]),
        lambda np, x, xp: np.interp(x, xp, xp, period=0),
    ):
        check(f, x, xp, captured=False)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("dtype", DTYPES[:-2])
def test_searchsorted(side, dtype):
    a, v = np.sort(sample((50,), dtype)), sample((6, 40), dtype, 1)
    check(lambda np, a, v: np.searchsorted(a, v, side=side), a, v)
    check(lambda np, a, v: np.searchsorted(a, v.astype("float64"), side), a, v)
    check(lambda np, a, v: a.searchsorted(a[:0], side), a, v)
    check(lambda np, a, v: np.searchsorted(a[:0], v, side), a, v)


def test_searchsorted_of_many():
    a, v = np.sort(sample((5000,), "float32")), sample((20000,), "float32", 1)
    a[-3:] = np.nan
    v[::7] = np.nan
    check(lambda np, a, v: np.searchsorted(a, v), a, v)
    check(lambda np, a, v: np.searchsorted(a, v, "right"), a, v)
