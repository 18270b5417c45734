"""Seeded inputs of cases: the same numbers under every NumPy, exact in float16 and bfloat16."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from zlib import crc32

import numpy as np

FLOATS = ("float16", "float32", "float64")
INTS = ("int8", "uint8", "int32", "int64")
DTYPES = FLOATS + INTS


@dataclass(frozen=True)
class Drawn:
    """An array to be drawn.

    kind: "real" (multiples of 1/16 from low to high), "whole" (integers from low to high - 1),
    "distinct" (all different, in random order, steps of 1/8), "positive" (symmetric positive
    definite matrices) or "given" (``values``).
    """

    kind: str
    shape: tuple[int, ...] = ()
    low: float = -2.0
    high: float = 2.0
    dtype: str = "float32"
    fixed: bool = False  # indices, labels: keeps its dtype in variants, gets no gradient
    values: Any = None

    def of(self, dtype: str) -> Drawn:
        return self if self.fixed else replace(self, dtype=dtype)

    def array(self, seed: str) -> np.ndarray:
        return getattr(self, "_" + self.kind)(np.random.RandomState(crc32(seed.encode())))

    def _real(self, rng: np.random.RandomState) -> np.ndarray:
        if self.dtype in INTS:
            low = 0 if self.dtype == "uint8" else int(np.ceil(self.low))
            return rng.randint(low, int(self.high) + 1, self.shape).astype(self.dtype)
        steps = rng.randint(round(self.low * 16), round(self.high * 16) + 1, self.shape)
        return (np.asarray(steps) / 16).astype(self.dtype)

    def _whole(self, rng: np.random.RandomState) -> np.ndarray:
        return np.asarray(rng.randint(self.low, self.high, self.shape)).astype(self.dtype)

    def _distinct(self, rng: np.random.RandomState) -> np.ndarray:
        size = int(np.prod(self.shape))
        step = 1 if self.dtype in INTS else 8
        start = 0 if self.dtype == "uint8" else size // 2
        return ((rng.permutation(size) - start) / step).reshape(self.shape).astype(self.dtype)

    def _positive(self, rng: np.random.RandomState) -> np.ndarray:
        root = rng.randint(-8, 9, self.shape) / 8
        eye = np.eye(self.shape[-1])
        return (root @ np.swapaxes(root, -1, -2) + eye).astype(self.dtype)

    def _given(self, rng: np.random.RandomState) -> np.ndarray:
        return np.array(self.values, dtype=self.dtype)


def real(*shape: int, low: float = -2.0, high: float = 2.0, dtype: str = "float32") -> Drawn:
    return Drawn("real", shape, low, high, dtype)


def whole(*shape: int, below: int, low: int = 0, dtype: str = "float32") -> Drawn:
    """Indices, labels, lengths."""
    return Drawn("whole", shape, low, below, dtype, fixed=True)


def distinct(*shape: int, dtype: str = "float32") -> Drawn:
    return Drawn("distinct", shape, dtype=dtype)


def positive(*shape: int, dtype: str = "float32") -> Drawn:
    return Drawn("positive", shape, dtype=dtype)


def given(values: Any, dtype: str = "float32", fixed: bool = False) -> Drawn:
    return Drawn("given", np.shape(values), dtype=dtype, fixed=fixed, values=values)
