"""How far the outputs of two stages are apart: in bits, in size, in units of the last place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Difference:
    """Between the outputs of two stages.

    Attributes:
        outputs: how many were compared.
        unlike: how many differ in a bit. NaNs are equal when their bits are.
        name: of the output with the largest difference; "" where it has none.
        max_abs: the largest difference, where both have numbers; nan where only one has.
        max_ulp: the same in units of the last place; None where that has no meaning.
    """

    outputs: int
    unlike: int = 0
    name: str = ""
    max_abs: float = 0.0
    max_ulp: int | None = 0

    @property
    def equal(self) -> bool:
        return self.unlike == 0


def same_bits(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    """Of two arrays of one shape and dtype."""
    a, b = np.ascontiguousarray(a).reshape(-1), np.ascontiguousarray(b).reshape(-1)
    return bool(np.array_equal(a.view(np.uint8), b.view(np.uint8)))


def difference(before: Iterable[Any], after: Iterable[Any], names: Iterable[str]) -> Difference:
    """Of outputs in the same order, NDArrays of equal kinds."""
    found: list[tuple[str, float, int | None]] = []
    outputs = 0
    for x, y, name in zip(before, after, names, strict=True):
        outputs += 1
        a, b = x.asnumpy(), y.asnumpy()
        if not same_bits(a, b):
            found.append((name, *_apart(a, b)))
    if not found:
        return Difference(outputs)
    # nan first: a number where the other has none
    name, most, ulp = max(found, key=lambda row: np.inf if np.isnan(row[1]) else row[1])
    return Difference(outputs, len(found), name, most, ulp)


def _apart(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> tuple[float, int | None]:
    if a.dtype.kind not in "fc":
        wide = a.astype(np.float64), b.astype(np.float64)
        return float(np.max(np.abs(wide[0] - wide[1]))), None
    if a.dtype.kind == "c":
        a, b = (v.reshape(-1).view(v.real.dtype) for v in map(np.ascontiguousarray, (a, b)))
    if bool(np.any(np.isnan(a) != np.isnan(b))):
        return float("nan"), None
    with np.errstate(all="ignore"):
        apart = np.abs(a.astype(np.float64) - b.astype(np.float64))
    apart = apart[(a != b) & ~np.isnan(a)]  # equal infinities are not apart
    return float(np.max(apart, initial=0.0)), _ulps(a, b)


def _ulps(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> int:
    """The most representable numbers between two elements, NaNs aside."""
    kind = np.dtype(f"u{a.dtype.itemsize}")
    sign = kind.type(1 << (8 * kind.itemsize - 1))
    ordered = []
    for array in (a, b):  # unsigned integers in the order of the numbers
        bits = np.ascontiguousarray(array).reshape(-1).view(kind)
        ordered.append(np.where(bits & sign, ~bits, bits | sign))
    x, y = ordered
    apart = np.where(x > y, x - y, y - x)[~np.isnan(a.reshape(-1))]
    return int(np.max(apart, initial=0))
