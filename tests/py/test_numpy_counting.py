"""Histograms, searches in order, membership, weighted means, arrays filled with elements."""

from __future__ import annotations

import numpy as np
import pytest
from traced import check

X = np.random.default_rng(0).normal(size=(5, 8)) * 2


def test_histograms_are_numpys():
    x = np.array([0.0, 1, 1, 2, 3, 4, np.nan, np.inf, -1, 0.3, 0.1 * 3])
    for density in (None, True):
        bins = {"bins": [0, 1, 2, 4], "density": density}
        check(lambda np, x, o=bins: np.histogram(x * 2, **o), x, captured=False)


@pytest.mark.parametrize("side", ["left", "right"])
def test_searches_know_where_nan_goes(side):
    values = np.array([[0.5, np.nan, 3.0], [-np.inf, 2.0, np.inf]])
    row = np.array([-1.0, 0.5, 2.0, 2.0, np.nan, np.nan])
    check(lambda np, r, v: np.searchsorted(r, v, side=side), row, values)
    check(lambda np, r, v: np.searchsorted(r[:4].astype("f"), v, side=side), row, values)
    check(lambda np, v: np.digitize(v, [0.0, 1.0, 2.5], right=side == "left"), values)


def test_membership():
    n = np.arange(12).reshape(3, 4)
    check(lambda np, n, x: (np.isin(n, [1, 5, 7]), np.isin(x, [], invert=True)), n, X)
    check(lambda np, n, x: np.isin(n, [1.5, 2.0, np.nan], invert=True), n, X)


def test_filled_with_an_element():
    check(lambda np, x: (np.full((2, 3), x[0, 0] * 2), np.full((2, 8), x[1]), x.flatten("F")), X)
    check(lambda np, x: np.full(3, x[0, 0], dtype="int32"), X)


def test_weighted_means():
    w = np.abs(X)
    check(lambda np, x, w: (np.average(x, weights=w), np.average(x, axis=1, weights=w)), X, w)
    check(lambda np, x, w: np.average(x, weights=w * 0), X, w, captured=False)
