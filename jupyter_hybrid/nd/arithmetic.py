"""Arithmetic as functions: two arrays that broadcast, or an array and a number on either side."""

from __future__ import annotations

import operator
from typing import Any

from .. import _core
from .._core import NDArray

__all__ = [
    "add",
    "divide",
    "equal",
    "greater",
    "greater_equal",
    "lesser",
    "lesser_equal",
    "logical_and",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "modulo",
    "multiply",
    "not_equal",
    "power",
    "subtract",
    "true_divide",
]


def _binary(mx_name: str, lhs: Any, rhs: Any, plain: Any, out: Any) -> Any:
    if not isinstance(lhs, NDArray) and not isinstance(rhs, NDArray):
        return plain(lhs, rhs)
    return _core.invoke(mx_name, (lhs, rhs), {}, out)


def add(lhs: Any, rhs: Any, out: NDArray | None = None) -> Any:
    """lhs + rhs."""
    return _binary("broadcast_add", lhs, rhs, operator.add, out)


def subtract(lhs: Any, rhs: Any, out: NDArray | None = None) -> Any:
    """lhs - rhs."""
    return _binary("broadcast_sub", lhs, rhs, operator.sub, out)


def multiply(lhs: Any, rhs: Any, out: NDArray | None = None) -> Any:
    """lhs * rhs, element by element."""
    return _binary("broadcast_mul", lhs, rhs, operator.mul, out)


def divide(lhs: Any, rhs: Any, out: NDArray | None = None) -> Any:
    """lhs / rhs; integers divide to integers, toward 0."""
    return _binary("broadcast_div", lhs, rhs, operator.truediv, out)


true_divide = divide


def modulo(lhs: Any, rhs: Any, out: NDArray | None = None) -> Any:
    """lhs % rhs, with the sign of rhs."""
    return _binary("broadcast_mod", lhs, rhs, operator.mod, out)


def power(base: Any, exp: Any, out: NDArray | None = None) -> Any:
    """base ** exp."""
    return _binary("broadcast_power", base, exp, operator.pow, out)


def maximum(lhs: Any, rhs: Any, out: NDArray | None = None) -> Any:
    """The larger of both, element by element."""
    return _binary("broadcast_maximum", lhs, rhs, max, out)


def minimum(lhs: Any, rhs: Any, out: NDArray | None = None) -> Any:
    """The smaller of both, element by element."""
    return _binary("broadcast_minimum", lhs, rhs, min, out)


def equal(lhs: Any, rhs: Any) -> Any:
    """1 where lhs == rhs, else 0, in the dtype of the arrays."""
    return _binary("broadcast_equal", lhs, rhs, lambda a, b: int(a == b), None)


def not_equal(lhs: Any, rhs: Any) -> Any:
    """1 where lhs != rhs, else 0, in the dtype of the arrays."""
    return _binary("broadcast_not_equal", lhs, rhs, lambda a, b: int(a != b), None)


def greater(lhs: Any, rhs: Any) -> Any:
    """1 where lhs > rhs, else 0, in the dtype of the arrays."""
    return _binary("broadcast_greater", lhs, rhs, lambda a, b: int(a > b), None)


def greater_equal(lhs: Any, rhs: Any) -> Any:
    """1 where lhs >= rhs, else 0, in the dtype of the arrays."""
    return _binary("broadcast_greater_equal", lhs, rhs, lambda a, b: int(a >= b), None)


def lesser(lhs: Any, rhs: Any) -> Any:
    """1 where lhs < rhs, else 0, in the dtype of the arrays."""
    return _binary("broadcast_lesser", lhs, rhs, lambda a, b: int(a < b), None)


def lesser_equal(lhs: Any, rhs: Any) -> Any:
    """1 where lhs <= rhs, else 0, in the dtype of the arrays."""
    return _binary("broadcast_lesser_equal", lhs, rhs, lambda a, b: int(a <= b), None)


def logical_and(lhs: Any, rhs: Any) -> Any:
    """1 where both are not 0, else 0."""
    return _binary("broadcast_logical_and", lhs, rhs, lambda a, b: int(bool(a and b)), None)


def logical_or(lhs: Any, rhs: Any) -> Any:
    """1 where one of them is not 0, else 0."""
    return _binary("broadcast_logical_or", lhs, rhs, lambda a, b: int(bool(a or b)), None)


def logical_xor(lhs: Any, rhs: Any) -> Any:
    """1 where exactly one of them is not 0, else 0."""
    return _binary("broadcast_logical_xor", lhs, rhs, lambda a, b: int(bool(a) != bool(b)), None)
