"""How far apart numbers may be: defaults by dtype, MXNet's own."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from .context import default_dtype

_EXACT = (np.bool_, np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64)


def _table(half: float, single: float, double: float) -> dict[np.dtype, float]:
    floats = {np.float16: half, np.float32: single, np.float64: double}
    return {np.dtype(kind): value for kind, value in floats.items()}


def _with_exact(table: dict[np.dtype, float]) -> dict[np.dtype, float]:
    return table | dict.fromkeys(map(np.dtype, _EXACT), 0)


def default_rtols() -> dict[np.dtype, float]:
    """Relative tolerances by dtype; 0 for integers."""
    return _with_exact(_table(1e-2, 1e-4, 1e-5))


def default_atols() -> dict[np.dtype, float]:
    """Absolute tolerances by dtype; 0 for integers."""
    return _with_exact(_table(1e-1, 1e-3, 1e-20))


def default_numeric_eps() -> dict[np.dtype, float]:
    """Steps of finite differences by dtype: powers of two, so adding them drops no bits."""
    return _table(2.0**-6, 2.0**-9, 2.0**-14)


def effective_dtype(dat: Any) -> np.dtype:
    """The dtype that decides how exact ``dat`` can be."""
    return np.dtype(dat.dtype)


def get_tolerance(dat: Any, tol: Any, default_tol: dict[np.dtype, float]) -> float:
    """The tolerance for an array: ``tol`` itself, its entry for the dtype, or the default's."""
    if isinstance(tol, numbers.Number):
        return tol  # type: ignore[return-value]
    dtype = effective_dtype(dat)
    return (tol or {}).get(dtype, default_tol[dtype])


def get_tols(x: Any, y: Any, rtol: Any, atol: Any) -> tuple[float, float]:
    """(relative, absolute) tolerance for comparing two arrays: the larger of both."""
    pair = [np.array(v) if isinstance(v, numbers.Number) else v for v in (x, y)]
    relative = max(get_tolerance(v, rtol, default_rtols()) for v in pair)
    return relative, max(get_tolerance(v, atol, default_atols()) for v in pair)


def get_atol(atol: float | None = None, dtype: Any = np.dtype(np.float64)) -> float:  # noqa: B008
    """``atol``, or the default of the dtype."""
    return default_atols()[np.dtype(dtype)] if atol is None else atol


def get_rtol(rtol: float | None = None, dtype: Any = np.dtype(np.float64)) -> float:  # noqa: B008
    """``rtol``, or the default of the dtype."""
    return default_rtols()[np.dtype(dtype)] if rtol is None else rtol


def get_etol(etol: float | None = None) -> float:
    """``etol``, or 0: the share of elements that may be wrong."""
    return 0 if etol is None else etol


__all__ = [
    "default_atols",
    "default_dtype",
    "default_numeric_eps",
    "default_rtols",
    "effective_dtype",
    "get_atol",
    "get_etol",
    "get_rtol",
    "get_tolerance",
    "get_tols",
]
