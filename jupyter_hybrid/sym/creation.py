"""Symbols without inputs, and arithmetic as functions.

A size of 0 or -1 in a shape is the one that the use wants, as in MXNet.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _core
from .._core import Symbol
from .names import choose_name

__all__ = ["arange", "eye", "full", "linspace", "ones", "zeros"]

_ARITHMETIC = {
    "add": ("broadcast_add", "lhs + rhs."),
    "subtract": ("broadcast_sub", "lhs - rhs."),
    "multiply": ("broadcast_mul", "lhs * rhs, element by element."),
    "divide": ("broadcast_div", "lhs / rhs; integers divide to integers."),
    "modulo": ("broadcast_mod", "lhs % rhs, with the sign of rhs."),
    "power": ("broadcast_power", "base ** exp."),
    "pow": ("broadcast_power", "base ** exp."),
    "maximum": ("broadcast_maximum", "The larger of both, element by element."),
    "minimum": ("broadcast_minimum", "The smaller of both, element by element."),
    "hypot": ("broadcast_hypot", "sqrt(lhs ** 2 + rhs ** 2)."),
    "equal": ("broadcast_equal", "1 where lhs == rhs, else 0."),
    "not_equal": ("broadcast_not_equal", "1 where lhs != rhs, else 0."),
    "greater": ("broadcast_greater", "1 where lhs > rhs, else 0."),
    "greater_equal": ("broadcast_greater_equal", "1 where lhs >= rhs, else 0."),
    "lesser": ("broadcast_lesser", "1 where lhs < rhs, else 0."),
    "lesser_equal": ("broadcast_lesser_equal", "1 where lhs <= rhs, else 0."),
    "logical_and": ("broadcast_logical_and", "1 where both are not 0, else 0."),
    "logical_or": ("broadcast_logical_or", "1 where one of them is not 0, else 0."),
    "logical_xor": ("broadcast_logical_xor", "1 where exactly one of them is not 0, else 0."),
}


def arithmetic() -> dict[str, Callable[..., Symbol]]:
    """Functions of two symbols, or a symbol and a number, by name."""
    return {name: _binary(name, op, doc) for name, (op, doc) in _ARITHMETIC.items()}


#: What MXNet calls the operands where it isn't lhs and rhs.
_OPERANDS = {
    **dict.fromkeys(("maximum", "minimum", "hypot"), ("left", "right")),
    **dict.fromkeys(("power", "pow"), ("base", "exp")),
}


#: What they are of two numbers: a number.
_OF_NUMBERS: dict[str, Callable[[Any, Any], Any]] = {
    **{"maximum": max, "minimum": min, "hypot": np.hypot},
    **dict.fromkeys(("power", "pow"), pow),
}


def _hint(function_name: str, lhs: Any, rhs: Any) -> str:
    """What a node without a name is called after: ``_maximum``, ``_rpowerscalar``."""
    kind = "power" if function_name == "pow" else function_name
    if isinstance(lhs, Symbol) and isinstance(rhs, Symbol):
        return f"_{kind}"
    turned = kind == "power" and not isinstance(lhs, Symbol)
    return f"_{'r' if turned else ''}{kind}scalar"


def _binary(function_name: str, op: str, doc: str) -> Callable[..., Symbol]:
    of_numbers = _OF_NUMBERS.get(function_name)

    def apply(lhs: Any, rhs: Any, name: str | None) -> Any:
        if of_numbers and not isinstance(lhs, Symbol) and not isinstance(rhs, Symbol):
            return of_numbers(lhs, rhs)
        hint = op if of_numbers is None else _hint(function_name, lhs, rhs)
        return _core.sym_apply(op, (lhs, rhs), {}, choose_name(name, hint), {}, hint)

    names = ", ".join(_OPERANDS.get(function_name, ("lhs", "rhs")))
    scope: dict[str, Any] = {"_apply": apply, "__name__": __name__}
    exec(f"def {function_name}({names}, name=None): return _apply({names}, name)", scope)
    function: Callable[..., Symbol] = scope[function_name]
    function.__doc__ = doc
    return function


def zeros(shape: Any, dtype: Any = None, name: str | None = None, **kwargs: Any) -> Symbol:
    """Zeros, float32 unless ``dtype`` says otherwise."""
    return _source("_zeros", {"shape": shape, **kwargs}, dtype, name)


def ones(shape: Any, dtype: Any = None, name: str | None = None, **kwargs: Any) -> Symbol:
    """Ones, float32 unless ``dtype`` says otherwise."""
    return _source("_ones", {"shape": shape, **kwargs}, dtype, name)


def full(
    shape: Any, val: float, dtype: Any = None, name: str | None = None, **kwargs: Any
) -> Symbol:
    """``val`` everywhere, float32 unless ``dtype`` says otherwise."""
    return _source("_full", {"shape": shape, "value": val, **kwargs}, dtype, name)


def arange(
    start: float,
    stop: float | None = None,
    step: float = 1.0,
    repeat: int = 1,
    infer_range: bool = False,
    name: str | None = None,
    dtype: Any = None,
) -> Symbol:
    """Numbers from ``start`` up to ``stop`` (excluded); with one argument from 0 to it.

    With ``infer_range`` and no ``stop`` they go on from ``start``: as many as the use wants.
    """
    attrs = {"start": start, "stop": stop, "step": step, "repeat": repeat}
    if infer_range:
        attrs["infer_range"] = True
    return _source("_arange", attrs, dtype, name)


def linspace(
    start: float,
    stop: float,
    num: int,
    endpoint: bool = True,
    name: str | None = None,
    dtype: Any = None,
) -> Symbol:
    """``num`` numbers at equal distances from ``start`` to ``stop``."""
    attrs = {"start": start, "stop": stop, "num": num, "endpoint": endpoint}
    return _source("_linspace", attrs, dtype, name)


def eye(
    N: int, M: int = 0, k: int = 0, dtype: Any = None, name: str | None = None, **kwargs: Any
) -> Symbol:
    """Ones on diagonal ``k``, zeros elsewhere."""
    return _source("_eye", {"N": N, "M": M, "k": k, **kwargs}, dtype, name)


def _source(op: str, attrs: dict[str, Any], dtype: Any, name: str | None) -> Symbol:
    if dtype is not None:
        attrs["dtype"] = dtype
    return _core.sym_apply(op, (), attrs, choose_name(name, op))
