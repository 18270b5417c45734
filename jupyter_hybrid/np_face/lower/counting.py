"""What known values decide: averages by weights, isin."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import bridge
from ..array import gather
from ..errors import NotCovered
from . import followed, lowering
from .lowering import core
from .registry import gives_arrays, lowers
from .ufuncs import ufunc_call


def known_values(value: Any, what: str) -> np.ndarray:
    """An argument that decides the graph. Raises NotCovered where its values are not known."""
    found = gather.contents(value) if type(value) is bridge.Traced else value
    if found is None or bridge.has_traced(found):
        raise NotCovered("{what} that is computed", what=what)
    return np.asarray(found)


def _average(a: Any, axis: Any = None, weights: Any = None, *args: Any, **options: Any) -> Any:
    """NumPy's own code, which looks whether known weights add up to 0."""
    if weights is not None:
        weights = known_values(weights, "np.average with weights=")
    return followed.code_of(np.average)(a, axis, weights, *args, **options)


followed.REWRITTEN[np.average] = _average


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
