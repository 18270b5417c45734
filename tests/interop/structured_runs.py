"""One use of an operator, run by genuine MXNet and here with the same code."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Case(NamedTuple):
    """One use of an operator: ``contrib.box_nms`` is ``nd.contrib.box_nms``."""

    op: str
    inputs: list[np.ndarray]
    attrs: dict[str, Any]
    gradients: tuple[int, ...] = ()  # inputs that have one
    tolerance: float = 1e-5


def normal(*shape: int, seed: int = 0, dtype: str = "float32") -> np.ndarray:
    return np.random.RandomState(seed + sum(shape)).normal(size=shape).astype(dtype)


def uniform(*shape: int, low: float = 0.1, high: float = 1.0, seed: int = 0) -> np.ndarray:
    drawn = np.random.RandomState(seed + sum(shape)).uniform(low, high, size=shape)
    return drawn.astype(np.float32)


def values(*numbers: Any, dtype: str = "float32") -> np.ndarray:
    return np.array(numbers, dtype=dtype)


def compute(mx: Any, case: Case) -> dict[str, np.ndarray]:
    """Outputs, and gradients of a weighted sum of them."""
    function: Any = mx.nd
    for part in case.op.split("."):
        function = getattr(function, part)
    inputs = [mx.nd.array(a, dtype=a.dtype) for a in case.inputs]
    if not case.gradients:
        return _named(function(*inputs, **case.attrs))
    for i in case.gradients:
        inputs[i].attach_grad()
    with mx.autograd.record():
        outputs = function(*inputs, **case.attrs)
        made = outputs if isinstance(outputs, (list, tuple)) else [outputs]
        total = sum((out * mx.nd.array(_weights(out), dtype=out.dtype)).sum() for out in made)
    total.backward()
    return {**_named(outputs), **{f"grad{i}": inputs[i].grad.asnumpy() for i in case.gradients}}


def _named(outputs: Any) -> dict[str, np.ndarray]:
    made = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    return {f"out{i}": out.asnumpy() for i, out in enumerate(made)}


def _weights(out: Any) -> np.ndarray:
    return uniform(*out.shape, seed=7).astype(out.dtype)
