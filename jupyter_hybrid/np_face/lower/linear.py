"""Products: matmul of any rank, dot, inner, outer, vdot, tensordot, trace."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _core
from ..errors import NotCovered
from .lowering import (
    NUMBERS,
    axis_of,
    core,
    dtype_of,
    promoted,
    reshape,
    transpose,
    untransposed,
)
from .reductions import reduce
from .registry import lowers


def matmul(a: Any, b: Any) -> Any:
    """``a @ b``: 1-D and 2-D by one product, more axes as a batch that broadcasts."""
    if type(a) in NUMBERS or type(b) in NUMBERS or not a.shape or not b.shape:
        raise NotCovered("np.matmul with a scalar")
    inner = b.shape[0] if len(b.shape) == 1 else b.shape[-2]
    if a.shape[-1] != inner:
        raise NotCovered(
            "np.matmul of {left} and {right}", left=tuple(a.shape), right=tuple(b.shape)
        )
    flat = len(a.shape) <= 2 and len(b.shape) <= 2
    return product("dot" if flat else "matmul", a, b)


def product(op: str, a: Any, b: Any) -> Any:
    """A matrix product; ``x.T`` in it becomes a flag of the product."""
    (a, swap_a), (b, swap_b) = untransposed(a), untransposed(b)
    a, b = promoted("np.matmul", a, b)
    if dtype_of(a).kind == "b":
        raise NotCovered("np.matmul of bool")
    flags = {"transpose_a": True} if swap_a else {}
    flags |= {"transpose_b": True} if swap_b else {}
    return _core.invoke_ufunc(op, [a, b], flags)


def multiply(a: Any, b: Any) -> Any:
    """``a * b`` with promotion."""
    pair = promoted("a product", a, b)
    op = "logical_and" if dtype_of(pair[0]).kind == "b" else "mul"
    return _core.invoke_ufunc(op, pair, {})


@lowers(np.dot)
def dot(to: Any, a: Any, b: Any, out: Any = None) -> Any:
    x, y = to(a), to(b)
    return _over_last(x, y, max(len(y.shape) - 2, 0))


@lowers(np.inner)
def inner(to: Any, a: Any, b: Any, /) -> Any:
    x, y = to(a), to(b)
    return _over_last(x, y, len(y.shape) - 1)


def _over_last(x: Any, y: Any, axis: int) -> Any:
    """Sums of products over the last axis of x and one of y; the other axes follow one another."""
    if not x.shape or not y.shape:
        if np.result_type(dtype_of(x), dtype_of(y)).kind in "fc":
            raise NotCovered("np.dot with a scalar, of which BLAS has its own opinion at 0")
        return multiply(x, y)
    rest = (i for i in range(len(y.shape)) if i != axis)
    return product("dot", x, transpose(y, (axis, *rest)))


@lowers(np.vdot)
def vdot(to: Any, a: Any, b: Any, /) -> Any:
    x, y = reshape(to(a), (-1,)), reshape(to(b), (-1,))
    if dtype_of(x).kind == "c":
        raise NotCovered("np.vdot of complex numbers")
    return matmul(x, y)


@lowers(np.outer)
def outer(to: Any, a: Any, b: Any, out: Any = None) -> Any:
    return multiply(reshape(to(a), (-1, 1)), reshape(to(b), (1, -1)))


def diagonal_of(x: Any, offset: int, axis1: int, axis2: int) -> Any:
    """The diagonal as the last axis, by gathering from the flattened pair of axes."""
    rank = len(x.shape)
    first, second = axis_of(axis1, rank), axis_of(axis2, rank)
    if first == second:
        raise ValueError("axis1 and axis2 cannot be the same")
    rest = tuple(i for i in range(rank) if i not in (first, second))
    rows, columns = x.shape[first], x.shape[second]
    start = offset if offset >= 0 else -offset * columns
    count = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    flat = reshape(
        transpose(x, (*rest, first, second)), (*(x.shape[i] for i in rest), rows * columns)
    )
    end = start + (count - 1) * (columns + 1) + 1 if count else start
    return core(
        "slice", [flat],
        begin=(*(0 for _ in rest), min(start, rows * columns)),
        end=(*(x.shape[i] for i in rest), min(max(end, 0), rows * columns)),
        step=(*(1 for _ in rest), columns + 1),
    )  # fmt: skip


@lowers(np.trace)
def trace(
    to: Any, a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None,
    out: Any = None,
) -> Any:  # fmt: skip
    x = to(a)
    if len(x.shape) < 2:
        raise NotCovered("np.trace of less than two dimensions")
    return reduce("sum", diagonal_of(x, int(offset), axis1, axis2), -1, dtype=dtype)
