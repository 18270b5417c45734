"""When two results of a case are the same: the tolerances, and what is told of a difference."""

from __future__ import annotations

import numpy as np
from case import Case, Results

# Of the larger of 1 and the array's largest number: rounding in sums of some dozens. In float64 it
# is that of MXNet's attributes and constants, which are float32 (a learning rate, pi / 180).
TOLERANCES = {"float16": 4e-3, "float32": 1e-5, "float64": 1e-7}


def difference(case: Case, expected: Results, found: Results) -> str:
    """Empty where they agree."""
    missing = [key for key in expected if key not in found]
    if missing:
        return f"{missing[0]} is missing: there are {sorted(found) or 'no results'}"
    for key, one in expected.items():
        other = found[key]
        if one.dtype != other.dtype or one.shape != other.shape:
            return f"{key} is {other.dtype}{list(other.shape)}, not {one.dtype}{list(one.shape)}"
        if case.values and one.size:
            told = _values(one, other, case.times)
            if told:
                return f"{key} {told}"
    return ""


def _values(expected: np.ndarray, found: np.ndarray, times: float) -> str:
    tolerance = TOLERANCES.get(expected.dtype.name, 0.0) * times
    if expected.dtype.kind not in "fiu":
        same = np.asarray(found == expected)
        distance = np.where(same, 0.0, 1.0)
    else:
        wide = np.float64 if expected.dtype.kind == "f" else np.int64
        one, other = expected.astype(wide), found.astype(wide)
        finite = np.isfinite(one)
        bound = tolerance * max(1.0, float(np.abs(one[finite]).max(initial=0)))
        with np.errstate(invalid="ignore", over="ignore"):
            distance = np.abs(one - other)
        same = (one == other) | (np.isnan(one) & np.isnan(other)) | (finite & (distance <= bound))
    if same.all():
        return ""
    at = tuple(int(i) for i in np.argwhere(~same)[0])
    return (
        f"differs at {list(at)} of {list(expected.shape)}: {found[at]!r}, "
        f"expected {expected[at]!r}; {int((~same).sum())} of {same.size}"
    )
