"""Draws follow their distributions: tests of fit with fixed seeds, in all forms that they have."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

from jupyter_hybrid import MXNetError, autograd, nd, random, sym

MANY = 8_000
lgamma, exp, log = math.lgamma, math.exp, math.log


class Law(NamedTuple):
    """A distribution: its density, or the probabilities of counts up to ``most``; its cdf."""

    density: Callable[[float], float]
    cdf: Callable[[float], float] | None = None
    most: int = 0


def incomplete_gamma(a: float, x: float) -> float:
    """Regularized, by its series."""
    if x <= 0:
        return 0.0
    term = total = 1 / a
    for n in range(1, 500):
        term *= x / (a + n)
        total += term
    return min(1.0, total * exp(a * log(x) - x - lgamma(a)))


def uniform(low: float, high: float) -> Law:
    return Law(
        lambda x: (low <= x <= high) / (high - low),
        lambda x: min(max((x - low) / (high - low), 0), 1),
    )


def normal(mean: float, deviation: float) -> Law:
    def density(x: float) -> float:
        return exp(-(((x - mean) / deviation) ** 2) / 2) / deviation / math.sqrt(2 * math.pi)

    return Law(density, lambda x: (1 + math.erf((x - mean) / deviation / math.sqrt(2))) / 2)


def gamma(shape: float, scale: float) -> Law:
    def density(x: float) -> float:
        if x < 0:
            return 0.0
        return exp((shape - 1) * log(x) - x / scale - lgamma(shape) - shape * log(scale))

    return Law(density, lambda x: incomplete_gamma(shape, x / scale))


def poisson(mean: float) -> Law:
    return Law(lambda k: exp(k * log(mean) - mean - lgamma(k + 1)), most=int(mean * 2 + 40))


def negative_binomial(k: float, p: float) -> Law:
    def density(x: float) -> float:
        ways = lgamma(x + k) - lgamma(x + 1) - lgamma(k)
        return exp(ways + k * log(p) + x * log(1 - p))

    return Law(density, most=200)


#: Name: parameters by the names of nd.random, and the distribution that they mean.
LAWS = {
    "uniform": ({"low": -1.0, "high": 3.0}, uniform(-1, 3)),
    "normal": ({"loc": 2.0, "scale": 3.0}, normal(2, 3)),
    "exponential": ({"scale": 0.5}, gamma(1, 0.5)),
    "gamma": ({"alpha": 2.5, "beta": 0.7}, gamma(2.5, 0.7)),
    "gamma ": ({"alpha": 0.3, "beta": 2.0}, gamma(0.3, 2)),
    "poisson": ({"lam": 4.0}, poisson(4)),
    "poisson ": ({"lam": 300.0}, poisson(300)),
    "negative_binomial": ({"k": 5, "p": 0.4}, negative_binomial(5, 0.4)),
    "generalized_negative_binomial": ({"mu": 3.0, "alpha": 0.5}, negative_binomial(2, 1 / 2.5)),
}


def check_counts(observed: np.ndarray, chances: np.ndarray) -> None:
    """Pearson's chi-square at the level 0.001, by Wilson and Hilferty's approximation."""
    expected = np.asarray(chances) * observed.sum()
    statistic = ((observed - expected) ** 2 / expected).sum()
    free = len(expected) - 1
    limit = free * (1 - 2 / (9 * free) + 3.09 * math.sqrt(2 / (9 * free))) ** 3
    assert statistic < limit, (statistic, limit)


def check_fit(drawn: np.ndarray, law: Law) -> None:
    """Kolmogorov and Smirnov's test at the level 0.001; of counts chi-square."""
    if law.cdf is not None:
        steps = np.array([law.cdf(float(x)) for x in np.sort(drawn)])
        places = np.arange(len(drawn) + 1) / len(drawn)
        largest = max(np.abs(steps - places[1:]).max(), np.abs(steps - places[:-1]).max())
        assert largest * math.sqrt(len(drawn)) < 1.95
        return
    assert (drawn == np.floor(drawn)).all() and drawn.min() >= 0
    sums = np.cumsum([law.density(k) for k in range(law.most)])
    edges = np.unique(np.searchsorted(sums, np.linspace(0.03, 0.97, 14)))
    observed = np.bincount(np.searchsorted(edges, drawn), minlength=len(edges) + 1)
    check_counts(observed, np.diff([0, *sums[edges], 1]))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", LAWS)
def test_numbers_as_parameters(name, dtype):
    parameters, law = LAWS[name]
    random.seed(11)
    function = getattr(nd.random, name.strip())
    drawn = function(**parameters, shape=(MANY // 100, 100), dtype=dtype)
    assert drawn.dtype == np.dtype(dtype)
    check_fit(drawn.asnumpy().ravel(), law)
    assert function(**parameters).shape == (1,)
    assert function(**parameters, shape=(0, 2)).shape == (0, 2)


@pytest.mark.parametrize("name", LAWS)
def test_arrays_as_parameters(name):
    parameters, law = LAWS[name]
    random.seed(12)
    arrays = {key: nd.array([value, value]) for key, value in parameters.items()}
    drawn = getattr(nd.random, name.strip())(**arrays, shape=(MANY // 2,))
    assert drawn.shape == (2, MANY // 2) and drawn.dtype == np.float32
    rows = drawn.asnumpy()
    check_fit(rows.ravel(), law)
    assert abs(np.corrcoef(rows)[0, 1]) < 0.06


@pytest.mark.parametrize("name", LAWS)
def test_in_the_shape_of_an_array_and_as_a_symbol(name):
    parameters, law = LAWS[name]
    if name == "exponential":
        parameters = {"lam": 2.0}
    random.seed(13)
    like = getattr(nd.random, f"{name.strip()}_like")(nd.zeros((MANY,)), **parameters)
    check_fit(like.asnumpy(), law)
    symbol = getattr(sym.random, f"{name.strip()}_like")(sym.var("x"), **parameters)
    random.seed(13)
    (again,) = symbol.eval(x=nd.zeros((MANY,)))
    assert again.asnumpy().tobytes() == like.asnumpy().tobytes()


def test_classes_are_drawn_by_their_probabilities():
    p = np.array([[0.1, 0.0, 0.6, 0.3], [0.25, 0.25, 0.25, 0.25]], dtype="float32")
    random.seed(14)
    drawn, logs = nd.random.multinomial(nd.array(p), shape=MANY, get_prob=True)
    assert drawn.shape == (2, MANY) and drawn.dtype == np.int32
    for row, chances in zip(drawn.asnumpy(), p):
        counts = np.bincount(row, minlength=4)
        some = chances > 0
        assert not counts[~some].any()
        check_counts(counts[some], chances[some])
    expected = np.log(np.take_along_axis(p, drawn.asnumpy(), 1))
    np.testing.assert_allclose(logs.asnumpy(), expected, rtol=1e-6)
    assert nd.random.multinomial(nd.array([0.0, 1.0])).asnumpy().tolist() == [1]


def test_logarithms_of_probabilities_have_a_gradient():
    p = nd.array([[0.3, 0.7], [0.5, 0.5]])
    p.attach_grad()
    random.seed(15)
    with autograd.record():
        drawn, logs = nd.random.multinomial(p, shape=(3,), get_prob=True)
    logs.backward()
    expected = [np.bincount(row, minlength=2) for row in drawn.asnumpy()] / p.asnumpy()
    np.testing.assert_allclose(p.grad.asnumpy(), expected, rtol=1e-6)


def test_zipfs_law():
    random.seed(16)
    drawn, of_true, of_drawn = nd.contrib.rand_zipfian(nd.array([3]), MANY, 50)
    k = np.arange(50)
    chances = np.log((k + 2) / (k + 1)) / math.log(51)
    assert drawn.dtype == np.int64 and of_true.dtype == np.float64
    check_counts(np.bincount(drawn.asnumpy(), minlength=50), chances)
    np.testing.assert_allclose(of_true.asnumpy(), [chances[3] * MANY])
    np.testing.assert_allclose(of_drawn.asnumpy(), chances[drawn.asnumpy()] * MANY)


def test_densities():
    x = np.array([[0.2, 1.5, 3.0], [0.7, 2.0, 5.0]])
    a, b = np.array([0.8, 2.0]), np.array([0.6, 0.9])
    counts = np.floor(x)
    for name, sample, parameters, make in (
        ("normal", x, (a, b), normal),
        ("gamma", x, (a, b), lambda shape, rate: gamma(shape, 1 / rate)),
        ("exponential", x - 1, (a,), lambda rate: gamma(1, 1 / rate)),
        ("uniform", x, (a, a + 1), uniform),
        ("poisson", counts, (a,), poisson),
        ("negative_binomial", counts, (a, b), negative_binomial),
        ("generalized_negative_binomial", counts, (a, b),
         lambda mu, alpha: negative_binomial(1 / alpha, 1 / (1 + mu * alpha))),
    ):  # fmt: skip
        function = getattr(nd, f"random_pdf_{name}")
        arrays = [nd.array(v, dtype="float64") for v in (sample, *parameters)]
        laws = [make(*values) for values in zip(*parameters)]
        expected = [[law.density(v) for v in row] for law, row in zip(laws, sample)]
        np.testing.assert_allclose(function(*arrays).asnumpy(), expected, rtol=1e-12)
        with np.errstate(divide="ignore"):
            logs = np.log(expected)
        np.testing.assert_allclose(function(*arrays, is_log=True).asnumpy(), logs, rtol=1e-9)
    parts, weights = [0.2, 0.3, 0.5], [1.5, 0.8, 2.0]
    found = nd.random_pdf_dirichlet(nd.array(parts), nd.array(weights)).asnumpy()
    inverse = math.gamma(sum(weights)) / math.prod(map(math.gamma, weights))
    expected = inverse * math.prod(x ** (w - 1) for x, w in zip(parts, weights))
    np.testing.assert_allclose(found, [expected], rtol=1e-5)


def test_wrong_parameters_are_told():
    for draw, words in (
        (lambda: nd.random.poisson(-1), "given lam -1.*lam of 0 or more"),
        (lambda: nd.random.gamma(0, 1), "alpha and beta above 0"),
        (lambda: nd.random.negative_binomial(1, 0.0), "0 < p <= 1"),
        (lambda: nd.random.exponential(nd.array([-1.0])), "lam above 0"),
        (lambda: nd.random.multinomial(nd.zeros((2, 0))), "at least one class"),
        (lambda: nd.sample_normal(nd.zeros((2,)), nd.zeros((3,))), "expected equal ones"),
    ):
        with pytest.raises(MXNetError, match=words):
            draw().asnumpy()
