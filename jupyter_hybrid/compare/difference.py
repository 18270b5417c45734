"""How far the results of two runs of a cell lie apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core

_CLOSE_ULP = 64  # what functions and the order of sums differ by


@dataclass(frozen=True)
class Difference:
    """The largest difference between two values of one name.

    Attributes:
        equal: every element is the same (NaN counts as equal to NaN).
        absolute, relative, ulp: of floating-point elements, largest over the array; 0 for equal
            ones. ``ulp`` counts the floating-point numbers that lie between the two.
        rounding: the difference is no more than other rounding explains: 64 ulp of the element, or
            of the largest element where terms cancelled.
        note: what differs when it is not the elements of equal arrays.
    """

    name: str
    equal: bool
    absolute: float = 0.0
    relative: float = 0.0
    ulp: float = 0.0
    note: str = ""
    rounding: bool = False

    def __str__(self) -> str:
        if self.equal:
            return f"{self.name} equal"
        if self.note:
            return f"{self.name}: {self.note}"
        return (
            f"{self.name} differs by {self.absolute:.2g} at most (relative {self.relative:.2g}, "
            f"{self.ulp:,.0f} ulp)"
        )


def difference(name: str, one: Any, other: Any) -> Difference | None:
    """The difference of two values, or None for values that can't be compared (functions, ...)."""
    if isinstance(one, _core.NDArray) or isinstance(other, _core.NDArray):
        if type(one) is not type(other):
            return Difference(name, False, note=f"{_kind(one)} against {_kind(other)}")
        return _arrays(name, one.asnumpy(), other.asnumpy())
    if isinstance(one, (np.ndarray, np.generic)) or isinstance(other, (np.ndarray, np.generic)):
        one, other = np.asarray(one), np.asarray(other)
        return _arrays(name, one, other)
    if isinstance(one, float) and isinstance(other, float):
        return _arrays(name, np.asarray(one), np.asarray(other))
    if isinstance(one, (bool, int, complex, str, bytes, type(None))):
        equal = type(one) is type(other) and one == other
        return Difference(name, equal, note="" if equal else f"{one!r} against {other!r}"[:80])
    if type(one) is type(other) and isinstance(one, (list, tuple, dict)):
        return _containers(name, one, other)
    return None


def _kind(value: Any) -> str:
    return type(value).__name__


def _containers(name: str, one: Any, other: Any) -> Difference | None:
    keys = list(one) if isinstance(one, dict) else list(range(len(one)))
    others = list(other) if isinstance(other, dict) else list(range(len(other)))
    if keys != others:
        return Difference(name, False, note="other keys or another length")
    found = [difference(f"{name}[{k!r}]", one[k], other[k]) for k in keys]
    known = [d for d in found if d is not None]
    if not known:
        return Difference(name, True) if not keys else None
    worst = max(known, key=lambda d: (not d.equal, bool(d.note), d.ulp, d.absolute))
    return worst if not worst.equal else Difference(name, True)


def _arrays(name: str, one: np.ndarray, other: np.ndarray) -> Difference:
    if one.shape != other.shape or one.dtype != other.dtype:
        return Difference(
            name, False, note=f"{one.dtype} {one.shape} against {other.dtype} {other.shape}"
        )
    if one.dtype.kind not in "fc":
        equal = bool(np.array_equal(one, other))
        count = 0 if equal else int(np.count_nonzero(one != other))
        return Difference(name, equal, note="" if equal else f"{count:,} elements differ")
    if one.dtype.kind == "c":
        one, other = (np.stack([v.real, v.imag]) for v in (one, other))
    if np.array_equal(one, other, equal_nan=True):
        return Difference(name, True)
    with np.errstate(all="ignore"):
        if np.any(np.isnan(one) != np.isnan(other)):
            return Difference(name, False, np.inf, np.inf, np.inf, "NaN in one of them only")
        eps = float(np.finfo(one.dtype).eps)
        scale = float(np.max(np.abs(one[np.isfinite(one)]), initial=0.0))
        apart = (one != other) & ~np.isnan(one)
        one, other = one[apart], other[apart]
        gap = np.abs(one.astype(np.float64) - other.astype(np.float64))
        size = np.maximum(np.abs(one), np.abs(other)).astype(np.float64)
        return Difference(
            name,
            False,
            float(np.max(gap)),
            float(np.max(gap / size)),
            float(ulp := np.max(_ulp(one, other))),
            rounding=bool(ulp <= _CLOSE_ULP or np.max(gap) <= _CLOSE_ULP * eps * scale),
        )


def _ulp(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Number of steps between neighbouring floating-point numbers from one to the other."""
    wide = np.dtype(f"i{one.dtype.itemsize}") if one.dtype.itemsize in (2, 4, 8) else None
    if wide is None:
        return np.abs(one - other) / np.spacing(np.maximum(np.abs(one), np.abs(other)))

    def order(x: np.ndarray) -> np.ndarray:  # integers in the order of the numbers
        bits = np.ascontiguousarray(x).view(wide)
        return np.where(bits < 0, np.iinfo(wide).min - bits, bits).astype(np.float64)

    exact = np.abs(order(one) - order(other))
    # float64 has 53 bits, an int64 has 63: near neighbours are counted in integers.
    if wide.itemsize < 8:
        return exact
    a, b = (np.ascontiguousarray(v).view(wide) for v in (one, other))
    same_sign = (a < 0) == (b < 0)
    with np.errstate(over="ignore"):
        return np.where(same_sign, np.abs(a - b).astype(np.float64), exact)
