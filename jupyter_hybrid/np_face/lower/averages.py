"""``np.average``, weighted or not."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import NotCovered
from . import lowering
from .counting import known_values
from .lowering import FLOAT64, cast, dtype_of, filled, require_dtype
from .reductions import kept, reduce
from .registry import MISSING, lowers
from .ufuncs import ufunc_call


@lowers(np.average)
def _average(to, a, axis=None, weights=None, returned=False, *, keepdims=MISSING):
    if weights is not None:
        return _weighted(to, a, axis, weights, returned, keepdims)
    x = to(a)
    made = reduce("mean", x, axis, keepdims=kept(keepdims))
    if not returned:
        return made
    count = math.prod(x.shape) / max(math.prod(made.shape), 1)
    return made, filled(tuple(made.shape), count, dtype_of(made))


def _weighted(to: Any, a: Any, axis: Any, weights: Any, returned: bool, keepdims: Any) -> Any:
    """NumPy's weighted mean. Weights that add up to 0 are an error, so they must be known."""
    known = known_values(weights, "np.average with weights=")
    x = to(a)
    if tuple(x.shape) != known.shape or returned or known.dtype not in lowering.DTYPES:
        raise NotCovered("np.average with weights= of another shape, or with returned=")
    kinds = [dtype_of(x), known.dtype, *([FLOAT64] if dtype_of(x).kind in "iub" else [])]
    wanted = require_dtype(np.result_type(*kinds), "np.average")
    keep = kept(keepdims)
    scale = known.sum(axis=axis, dtype=wanted, keepdims=keep)
    if np.any(scale == 0.0):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    product = ufunc_call(np.multiply, [cast(x, wanted), to(weights)])
    total = reduce("sum", product, axis, keepdims=keep, dtype=wanted)
    below = reduce("sum", to(weights), axis, keepdims=keep, dtype=wanted)
    return ufunc_call(np.true_divide, [total, below])
