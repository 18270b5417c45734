"""Arithmetic by dtype that both systems compute: inputs and functions of (nd, a, b)."""

from __future__ import annotations

import numpy as np

DTYPES = ["float16", "float32", "float64", "int8", "uint8", "int32", "int64"]
CASES = {
    "add": lambda nd, a, b: a + b,
    "subtract": lambda nd, a, b: a - b,
    "multiply": lambda nd, a, b: a * b,
    "divide": lambda nd, a, b: a / b,
    "modulo": lambda nd, a, b: a % b,
    "equal": lambda nd, a, b: a == b,
    "greater": lambda nd, a, b: a > b,
    "maximum": lambda nd, a, b: nd.maximum(a, b),
    "negative": lambda nd, a, b: -a,
    "abs": lambda nd, a, b: nd.abs(a),
    "add 3": lambda nd, a, b: a + 3,
    "10 - x": lambda nd, a, b: 10 - a,
    "times 2": lambda nd, a, b: a * 2,
    "by 2": lambda nd, a, b: a / 2,
    "mod 3": lambda nd, a, b: a % 3,
    "less than 1": lambda nd, a, b: a < 1,
    "clip": lambda nd, a, b: nd.clip(a, 1, 3),
    "sum": lambda nd, a, b: nd.sum(a, axis=1),
    "max": lambda nd, a, b: nd.max(a, axis=0),
    "take": lambda nd, a, b: nd.take(a, nd.array([2, 0])),
    "slice": lambda nd, a, b: a[1:, 1],
    "transpose": lambda nd, a, b: a.T,
    "concat": lambda nd, a, b: nd.concat(a, b, dim=1),
    "one_hot": lambda nd, a, b: nd.one_hot(nd.array([1, 0]), 3, dtype=a.dtype),
    "to float32": lambda nd, a, b: a.astype("float32"),
    "to int8": lambda nd, a, b: a.astype("int8"),
    "to float16": lambda nd, a, b: a.astype("float16"),
    "in place": lambda nd, a, b: _in_place(a, b),
    "square": lambda nd, a, b: nd.square(a),
    "zeros": lambda nd, a, b: nd.zeros((2, 1), dtype=a.dtype),
    "full": lambda nd, a, b: nd.full((2, 1), 7, dtype=a.dtype),
    "arange": lambda nd, a, b: nd.arange(5, dtype=a.dtype),
}
FLOATS = {
    "exp": lambda nd, a, b: nd.exp(a),
    "sqrt": lambda nd, a, b: nd.sqrt(nd.abs(a)),
    "sigmoid": lambda nd, a, b: nd.sigmoid(a),
    "tanh": lambda nd, a, b: nd.tanh(a),
    "log1p": lambda nd, a, b: nd.log1p(nd.abs(a)),
    "relu": lambda nd, a, b: nd.relu(a),
    "mean": lambda nd, a, b: nd.mean(a, axis=0),
    "softmax": lambda nd, a, b: nd.softmax(a),
    "power": lambda nd, a, b: nd.abs(a) ** 1.5,
}


def _in_place(a, b):
    a += b
    a *= 2
    a[0] = 1
    return a


def inputs(dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """Two arrays without zeros in the second, small enough for every dtype's sums."""
    rng = np.random.RandomState(11)
    a, b = rng.uniform(-6, 6, (4, 3)), rng.uniform(1, 5, (4, 3)) * rng.choice([-1, 1], (4, 3))
    if dtype == "uint8":
        a, b = abs(a) * 9, abs(b)
    return a.astype(dtype), b.astype(dtype)


def cases(dtype: str) -> dict:
    """The functions for a dtype by name."""
    return {**CASES, **(FLOATS if dtype.startswith("float") else {})}
