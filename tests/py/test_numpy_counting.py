"""Histograms, searches in order, membership, weighted means, arrays filled with elements."""

from __future__ import annotations

import numpy as np
import pytest
from traced import Recorded, check

X = np.random.default_rng(0).normal(size=(5, 8)) * 2


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8"])
@pytest.mark.parametrize("density", [None, True])
def test_histogram(dtype, density):
    x = np.abs(X * 3).astype(dtype)
    bins = [0, 1, 2.5, 4, 7]
    check(lambda np, x: np.histogram(x, bins=bins, density=density), x)
    check(lambda np, x: np.histogram(x, bins=7, range=(0, 5), density=density), x)
    check(lambda np, x: np.histogram(x, np.linspace(0, 6, 7)), x)


def test_histogram_of_edges_and_nan():
    x = np.array([0.0, 1, 1, 2, 3, 4, np.nan, np.inf, -1, 0.3, 0.1 * 3])
    check(lambda np, x: np.histogram(x, bins=[0, 1, 2, 4]), x)
    check(lambda np, x: np.histogram(x, bins=40, range=(0, 4)), x)


def test_histogram_whose_edges_are_data_leaves_the_graph():
    made = Recorded(lambda np, x: np.histogram(x * 2, bins=4), (X,))
    assert made.reasons[0] == "np.histogram without range=: its edges are data"


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
