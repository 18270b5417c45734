"""Arrays for tests of the NumPy face: the same numbers every time."""

from __future__ import annotations

from typing import Any

import numpy as np

DTYPES = ["float32", "float64", "int32", "int64", "uint8", "bool"]
NUMBERS = ["float32", "float64", "int32", "int64"]
FLOATS = ["float32", "float64"]
SHAPES: list[tuple[int, ...]] = [(), (0,), (5,), (3, 4), (2, 0, 3)]


def sample(shape: tuple[int, ...], dtype: Any, seed: int = 0) -> np.ndarray:
    """Numbers around 0, of both signs where the dtype has them."""
    values = np.random.default_rng(seed).normal(size=shape) * 3
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.asarray(values > 0)
    if dtype.kind == "u":
        return np.asarray(np.abs(values) * 20).astype(dtype)
    return np.asarray(values).astype(dtype)
