"""Nodes whose inputs are known are computed when the model is read: shapes above all."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .library import dtype_of
from .values import NodeReader, Open, known_value

#: Larger results stay operators: a file of a few bytes must not ask for gigabytes.
LIMIT = 65536


def folded(c: NodeReader) -> Any:
    """The outputs' values, or None when the node must be computed at run time."""
    function = _FOLDS.get(c.kind)
    if function is None or any(v is None or v.array is None for v in c.inputs):
        return None
    arrays = [v.array for v in c.inputs if v is not None and v.array is not None]
    if sum(a.size for a in arrays) > LIMIT:
        return None
    try:
        with np.errstate(all="ignore"):
            result = function(c, *arrays)
        if result is None or result.size > LIMIT:
            return None
        result = _settled(result)  # RuntimeError: more axes than NumPy's iterators have
    except (TypeError, ValueError, IndexError, ZeroDivisionError, RuntimeError):
        return None  # the reader of the operator says what is wrong
    return [known_value(result, c.node.output[0])]


def _settled(array: np.ndarray) -> np.ndarray:
    """Integers again once nothing is open."""
    array = np.asarray(array)
    if array.dtype == object and not any(isinstance(v, Open) for v in array.flat):
        return array.astype(np.int64)
    return array


def _same(a: np.ndarray, b: np.ndarray) -> bool:
    return a.dtype == b.dtype or object in (a.dtype, b.dtype)


def _binary(function: Callable) -> Callable:
    def fold(c: NodeReader, a: np.ndarray, b: np.ndarray) -> np.ndarray | None:
        if not _same(a, b) or math.prod(np.broadcast_shapes(a.shape, b.shape)) > LIMIT:
            return None
        return np.asarray(function(a, b), dtype=object if object in (a.dtype, b.dtype) else a.dtype)

    return fold


def _quotient(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if a.dtype.kind == "f":
        return a / b
    if object not in (a.dtype, b.dtype) and (np.any(a < 0) or np.any(b <= 0)):
        raise ValueError("toward 0, and 0 by 0: left to the operator")
    return a // b


def _equal(c: NodeReader, a: np.ndarray, b: np.ndarray) -> np.ndarray | None:
    a, b = np.broadcast_arrays(a, b)
    if object not in (a.dtype, b.dtype):
        return a == b
    answers = []
    for x, y in zip(a.flat, b.flat):
        if isinstance(x, Open) or isinstance(y, Open):
            number = y if isinstance(x, Open) else x
            if isinstance(number, Open) or number >= 0 or not _is_size(x, y):
                return None
        answers.append(bool(x == y))  # a size is never below 0
    return np.array(answers, dtype=np.bool_).reshape(a.shape)


def _is_size(*values: Any) -> bool:
    return all(v.of is not None for v in values if isinstance(v, Open))


def _slice(c: NodeReader, x: np.ndarray, starts: Any, ends: Any, *more: Any) -> np.ndarray:
    axes = more[0] if more else range(len(starts))
    steps = more[1] if len(more) > 1 else [1] * len(starts)
    window = [slice(None)] * x.ndim
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        low = None if step < 0 and end < -x.shape[axis] else int(end)
        window[int(axis)] = slice(int(start), low, int(step))
    return x[tuple(window)]


def _unsqueeze(c: NodeReader, x: np.ndarray, axes: np.ndarray) -> np.ndarray:
    return np.expand_dims(x, tuple(int(a) for a in axes.reshape(-1)))


def _squeeze(c: NodeReader, x: np.ndarray, *axes: np.ndarray) -> np.ndarray:
    return np.squeeze(x, tuple(int(a) for a in axes[0].reshape(-1)) if axes else None)


def _cast(c: NodeReader, x: np.ndarray) -> np.ndarray | None:
    wanted = dtype_of(c.attr("to", 0), f"node '{c.label}'")
    if x.dtype == object:
        return x if wanted.kind == "i" else None
    return x.astype(wanted)


def _range(c: NodeReader, start: Any, limit: Any, delta: Any) -> np.ndarray | None:
    if (limit - start) / delta > LIMIT:
        return None
    return np.arange(start.item(), limit.item(), delta.item(), dtype=start.dtype)


def _expand(c: NodeReader, x: np.ndarray, shape: np.ndarray) -> np.ndarray | None:
    wanted = np.broadcast_shapes(x.shape, tuple(int(s) for s in shape))
    return np.broadcast_to(x, wanted).copy() if math.prod(wanted) <= LIMIT else None


def _filled(c: NodeReader, shape: np.ndarray) -> np.ndarray | None:
    value = c.attr("value", np.zeros(1, np.float32))
    sizes = tuple(int(s) for s in shape)
    return np.full(sizes, value.reshape(-1)[0]) if math.prod(sizes) <= 64 else None


def _reshape(c: NodeReader, x: np.ndarray, shape: np.ndarray) -> np.ndarray:
    sizes = [int(s) for s in shape]
    if not c.attr("allowzero", 0):
        sizes = [x.shape[i] if s == 0 else s for i, s in enumerate(sizes)]
    return x.reshape(sizes)


_FOLDS: dict[str, Callable] = {
    "Identity": lambda c, x: x,
    "Cast": _cast,
    "Gather": lambda c, x, i: np.asarray(
        np.take(x, i.astype(np.int64), axis=c.attr("axis", 0)), dtype=x.dtype
    ),
    "Concat": lambda c, *xs: np.concatenate(xs, axis=c.attr("axis")),
    "Slice": _slice,
    "Unsqueeze": _unsqueeze,
    "Squeeze": _squeeze,
    "Reshape": _reshape,
    "Transpose": lambda c, x: np.transpose(x, c.attr("perm")),
    "Add": _binary(lambda a, b: a + b),
    "Sub": _binary(lambda a, b: a - b),
    "Mul": _binary(lambda a, b: a * b),
    "Div": _binary(_quotient),
    "Neg": lambda c, x: -x,
    "Sqrt": lambda c, x: np.sqrt(x),
    "Range": _range,
    "Expand": _expand,
    "ConstantOfShape": _filled,
    "Equal": _equal,
    "Where": lambda c, k, x, y: np.where(k, x, y) if _same(x, y) else None,
    "Not": lambda c, x: ~x if x.dtype == np.bool_ else None,
    "ReduceProd": lambda c, x: (
        np.asarray(np.prod(x, keepdims=bool(c.attr("keepdims", 1))), dtype=x.dtype)
        if c.attr("axes") in (None, [0])
        else None
    ),
}
