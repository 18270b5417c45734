"""Statistical tests of random generators."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

__all__ = [
    "chi_square_check",
    "gen_buckets_probs_with_ppf",
    "mean_check",
    "var_check",
    "verify_generator",
]

_Generator = Callable[[int], Any]


@cache
def statistics() -> Any:
    """The module scipy.stats, which takes a second to import; None where SciPy is not installed."""
    try:
        import scipy.stats  # type: ignore[import-untyped]  # noqa: PLC0415
    except ImportError:
        return None
    return scipy.stats


def gen_buckets_probs_with_ppf(
    ppf: Callable[[float], float], nbuckets: int
) -> tuple[list[tuple[float, float]], list[float]]:
    """(intervals, probabilities): ``nbuckets`` intervals that are equally likely.

    Args:
        ppf: the quantile function, the inverse of the distribution function.
    """
    assert nbuckets > 0
    cuts = [ppf(i / nbuckets) for i in range(nbuckets + 1)]
    return list(itertools.pairwise(cuts)), [1.0 / nbuckets] * nbuckets


def mean_check(generator: _Generator, mu: float, sigma: float, nsamples: int = 1000000) -> bool:
    """The mean of ``nsamples`` draws is within 3 standard errors of ``mu``."""
    mean = np.array(generator(nsamples)).mean()
    return bool(abs(mean - mu) < 3 * sigma / np.sqrt(nsamples))


def var_check(generator: _Generator, sigma: float, nsamples: int = 1000000) -> bool:
    """The variance of ``nsamples`` normal draws is within 3 standard errors of ``sigma ** 2``."""
    variance = np.array(generator(nsamples)).var(ddof=1)
    return bool(abs(variance - sigma**2) < 3 * np.sqrt(2 * sigma**4 / (nsamples - 1)))


def chi_square_check(
    generator: _Generator, buckets: list[Any], probs: Any, nsamples: int = 1000000
) -> tuple[float, np.ndarray, np.ndarray]:
    """Pearson's test: (p value, counts that were drawn, counts that were expected).

    Args:
        buckets: values of a discrete distribution, or intervals in ascending order that do not
            overlap; what falls into none is left out.
        probs: their probabilities.

    Raises:
        ImportError: SciPy is not installed.
    """
    ss = statistics()
    if ss is None:
        raise ImportError("chi_square_check: needs SciPy: pip install scipy")
    assert isinstance(buckets, list)
    assert len(probs) == len(buckets)
    samples = np.array(generator(nsamples))
    expected = (nsamples * np.array(probs, dtype=np.float32)).astype(np.int32)
    if isinstance(buckets[0], (list, tuple)):
        ends = np.array([end for bucket in buckets for end in bucket], dtype=np.float32)
        assert np.all(np.diff(ends) >= 0), "buckets have to be in ascending order"
        samples = np.searchsorted(ends, samples, side="right") // 2
        observed = np.array([np.sum(samples == i) for i in range(len(buckets))])
    else:
        observed = np.array([np.sum(samples == value) for value in buckets])
    # Counts are rounded down, and a few draws may lie outside: SciPy wants equal sums.
    p = ss.chisquare(observed, expected * (observed.sum() / expected.sum())).pvalue
    return p, observed, expected


def verify_generator(
    generator: _Generator,
    buckets: list[Any],
    probs: Any,
    nsamples: int = 1000000,
    nrepeat: int = 5,
    success_rate: float = 0.2,
    alpha: float = 0.05,
) -> list[float]:
    """Raises AssertionError when too few of ``nrepeat`` tests have a p value above ``alpha``.

    Returns:
        The p values of :func:`chi_square_check`.
    """
    tests = [chi_square_check(generator, buckets, probs, nsamples) for _ in range(nrepeat)]
    values = [p for p, _, _ in tests]
    if np.sum(np.array(values) > alpha) < nrepeat * success_rate:
        counts = [observed.tolist() for _, observed, _ in tests]
        raise AssertionError(
            f"verify_generator: p values {values}, drawn {counts}, expected "
            f"{tests[0][2].tolist()}, buckets {buckets}, probs {probs}"
        )
    return values
