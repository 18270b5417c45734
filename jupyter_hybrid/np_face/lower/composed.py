"""Ufuncs made of several core operators, each giving what NumPy's loop gives."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import _core
from .lowering import copied, core, dtype_of, filled

_LOG2, _LOG2E = math.log(2.0), 1 / math.log(2.0)


def _scalar(op: str, x: Any, value: Any) -> Any:
    return core(f"{op}_scalar", [x], scalar=value)


def _where(test: Any, yes: Any, no: Any) -> Any:
    return core("where", [test, yes, no])


def _is_negative(x: Any) -> Any:
    return _scalar("lesser", x, 0)


def _loop(op: str, inputs: list[Any], **attrs: Any) -> Any:
    """The operator that meets the floating-point errors of the whole."""
    return _core.invoke_ufunc(op, inputs, attrs)


def _pick(op: str) -> Callable:
    """fmax and fmin: the other operand where one is nan."""

    def lowered(a: Any, b: Any) -> Any:
        if dtype_of(a).kind == "b":
            return core("logical_or" if op == "maximum" else "logical_and", [a, b])
        both = core(op, [a, b])
        if dtype_of(a).kind != "f":
            return both
        return _where(core("isnan", [a]), b, _where(core("isnan", [b]), a, both))

    return lowered


def _heaviside(x: Any, at_zero: Any) -> Any:
    zero, one = filled((), 0, dtype_of(x)), filled((), 1, dtype_of(x))
    side = _where(_scalar("lesser", x, 0), zero, one)
    return _where(
        core("isnan", [x]), x, _where(_scalar("equal", x, 0), at_zero, side)
    )  # fmt: skip


def _log_sum(exp: Callable, log1p: Callable, of_two: float) -> Callable:
    def lowered(a: Any, b: Any) -> Any:
        gap = core("neg", [core("abs", [core("sub", [a, b])])])
        apart = core("add", [core("maximum", [a, b]), log1p(exp(gap))])
        # Equal operands, infinities among them, have no usable difference.
        return _where(core("equal", [a, b]), _scalar("add", a, of_two), apart)

    return lowered


def _modf(x: Any) -> tuple[Any, Any]:
    whole = core("trunc", [x])
    rest = core("sub", [x, whole])
    dtype = dtype_of(x)
    of_infinity = _where(_is_negative(x), filled((), -0.0, dtype), filled((), 0.0, dtype))
    zero = _where(core("isinf", [x]), of_infinity, _scalar("mul", x, 0.0))  # with x's sign
    none = core("logical_or", [core("isinf", [x]), _scalar("equal", rest, 0.0)])
    return _where(none, zero, rest), whole


def _fmod(a: Any, b: Any) -> Any:
    dtype = dtype_of(a)
    if dtype.kind == "u":
        return _loop("mod", [a, b])
    if dtype.kind == "i":  # with the sign of `a`: the least integer has no size
        rest = _loop("mod", [a, b])
        apart = core("logical_xor", [_is_negative(a), _is_negative(b)])
        apart = core("logical_and", [apart, _scalar("not_equal", rest, 0)])
        return _where(apart, core("sub", [rest, b]), rest)
    size = _loop("mod", [core("abs", [a]), core("abs", [b])])
    signed = _where(_is_negative(a), core("neg", [size]), size)
    return _where(_scalar("equal", a, 0), core("mul", [a, size]), signed)


COMPOSED: dict[np.ufunc, Callable] = {
    np.positive: copied,
    np.exp2: lambda x: _loop("rpower_scalar", [x], scalar=2.0),
    np.fmax: _pick("maximum"),
    np.fmin: _pick("minimum"),
    np.heaviside: _heaviside,
    np.logaddexp: _log_sum(
        lambda g: core("exp", [g]), lambda e: core("log1p", [e]), _LOG2
    ),
    np.logaddexp2: _log_sum(
        lambda g: _scalar("rpower", g, 2.0),
        lambda e: _scalar("mul", core("log1p", [e]), _LOG2E),
        1.0,
    ),
    np.divmod: lambda a, b: (_loop("floor_div", [a, b]), core("mod", [a, b])),
    np.modf: _modf,
    np.fmod: _fmod,
}  # fmt: skip
