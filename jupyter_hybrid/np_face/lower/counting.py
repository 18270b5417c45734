"""What known values decide: averages by weights, histogram, isin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import bridge
from ..array import gather
from ..errors import NotCovered
from . import followed, lowering
from .lowering import INT64, between, cast, core, dtype_of, reshape
from .registry import gives_arrays, lowers
from .ufuncs import ufunc_call

_MOST = 1 << 22  # comparisons


def known_values(value: Any, what: str) -> np.ndarray:
    """An argument that decides the graph. Raises NotCovered where its values are not known."""
    found = gather.contents(value) if type(value) is bridge.Traced else value
    if found is None or bridge.has_traced(found):
        raise NotCovered(f"{what} that is computed")
    return np.asarray(found)


def _average(a: Any, axis: Any = None, weights: Any = None, *args: Any, **options: Any) -> Any:
    """NumPy's own code, which looks whether known weights add up to 0."""
    if weights is not None:
        weights = known_values(weights, "np.average with weights=")
    return followed.code_of(np.average)(a, axis, weights, *args, **options)


followed.REWRITTEN[np.average] = _average


@lowers(np.histogram)
def histogram(to, a, bins=10, range=None, density=None, weights=None):
    x = to(a)
    if weights is not None or dtype_of(x).kind not in "iuf" or isinstance(bins, str):
        raise NotCovered("np.histogram with weights=, or of bool or complex numbers")
    bins = known_values(bins, "np.histogram with bins=")
    if not bins.ndim and range is None:
        raise NotCovered("np.histogram without range=: its edges are data")
    if range is not None:
        range = tuple(float(v) for v in known_values(range, "np.histogram with range="))
    edges = np.histogram_bin_edges(
        np.zeros(0, dtype_of(x)), bins if bins.ndim else int(bins), range
    )
    size, n = math.prod(x.shape), edges.size
    if n * size > _MOST or edges.dtype not in lowering.DTYPES:
        raise NotCovered("np.histogram of many elements into many bins")
    flat, sides = reshape(x, (1, size)), lowering.input_of(edges.reshape(-1, 1))
    below = ufunc_call(np.less, [flat, sides])
    last = ufunc_call(np.less_equal, [flat, lowering.constant(edges[-1])])
    parts = [between(below, 0, 0, n - 1), last]
    counts = core("sum", [cast(core("concat", parts, dim=0), INT64)], axis=(1,))
    counts = core("sub", [between(counts, 0, 1, n), between(counts, 0, 0, n - 1)])
    if density:
        widths = lowering.input_of(np.array(np.diff(edges), float))
        total = core("sum", [counts], axis=(0,))
        counts = ufunc_call(np.true_divide, [ufunc_call(np.true_divide, [counts, widths]), total])
    return counts, edges


@gives_arrays
@lowers(np.isin)
def isin(to, element, test_elements, assume_unique=False, invert=False, *, kind=None):
    x = to(element)
    tests = known_values(test_elements, "np.isin of a set").ravel()
    if tests.size > 64 or kind is not None or tests.dtype not in lowering.DTYPES:
        raise NotCovered("np.isin of a large set, or with kind=")
    made = lowering.filled(tuple(x.shape), False, lowering.BOOL)
    for value in tests:
        made = core("logical_or", [made, ufunc_call(np.equal, [x, lowering.constant(value)])])
    return core("logical_not", [made]) if invert else made
