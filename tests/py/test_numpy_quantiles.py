"""Medians and quantiles against NumPy's own, bit for bit: methods, axes, several q, nan."""

from __future__ import annotations

import numpy as np
import pytest
from traced import Recorded, check

METHODS = [
    "linear", "lower", "higher", "nearest", "midpoint", "hazen", "weibull", "median_unbiased",
    "normal_unbiased", "inverted_cdf", "averaged_inverted_cdf", "closest_observation",
    "interpolated_inverted_cdf",
]  # fmt: skip
WANTED = [0.3, 0, 1, [0.1, 0.5, 0.9], np.array([[0.25, 0.75], [0, 1]]), np.array([0.2, 0.8], "f")]
X = np.random.default_rng(0).normal(size=(2, 3, 4)) * 30


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8"])
@pytest.mark.parametrize("method", METHODS)
def test_methods(method, dtype):
    x = X.astype(dtype)
    for q in WANTED:
        for options in ({}, {"axis": 0}, {"axis": (0, -1), "keepdims": True}):
            doubles = np.asarray(q).dtype == np.float64 and dtype != "float32"
            check(
                lambda np, x, q=q, o=options: np.quantile(x, q, method=method, **o),
                x, ulp=0, captured=doubles and method == "linear",
            )  # fmt: skip


def test_percentiles_and_medians():
    for options in ({}, {"axis": -1}, {"keepdims": True}, {"axis": (0, 2)}):
        check(
            lambda np, x, o=options: (
                np.median(x, **o), np.percentile(x, 30, **o), np.percentile(x, [25, 50, 75], **o),
            ),
            X, ulp=0,
        )  # fmt: skip


def test_nan_is_the_answer_where_one_is():
    x = X.copy()
    x[0, 1, 2] = np.nan
    check(lambda np, x: (np.median(x, axis=0), np.quantile(x, [0.1, 0.5], axis=1)), x, ulp=0)
    check(lambda np, x: (np.median(x), np.quantile(x, 0.3), np.percentile(x, [1, 2])), x, ulp=0)


def test_q_from_constants_is_known():
    check(lambda np, x: np.percentile(x, np.linspace(0, 100, 5)), X, ulp=0)


def test_a_computed_q_leaves_the_graph():
    def computed(np, x):
        return np.quantile(x, np.abs(x[0, 0]) / 200)

    check(computed, X, captured=False)
    assert "np.quantile with q= that is computed" in Recorded(computed, (X,)).reasons


@pytest.mark.parametrize("q", [1.5, -0.1, [0.5, 2]])
def test_errors_are_numpys(q):
    check(lambda np, x: np.quantile(x, q), X, captured=False)
