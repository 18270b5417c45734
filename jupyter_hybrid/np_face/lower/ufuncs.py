"""Ufuncs with one core operator: which operator, which loop, and what a Python number becomes.

A call is planned once for (ufunc, kinds of the operands) by NumPy's own ``resolve_dtypes``; the
plan is a function of the operands' handles.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import _core
from ..errors import NotCovered
from ..float_errors import Named, harmless, require_quiet, state
from . import composed, lowering
from .linear import matmul
from .lowering import NUMBERS, cast, constant, copied, dtype_of, fits

_invoke = _core.invoke_ufunc

UNARY: dict[np.ufunc, str] = {
    np.negative: "neg", np.absolute: "abs", np.sign: "sign", np.square: "square",
    np.sqrt: "sqrt", np.cbrt: "cbrt", np.reciprocal: "reciprocal", np.exp: "exp",
    np.expm1: "expm1", np.log: "log", np.log2: "log2", np.log10: "log10", np.log1p: "log1p",
    np.sin: "sin", np.cos: "cos", np.tan: "tan", np.arcsin: "arcsin", np.arccos: "arccos",
    np.arctan: "arctan", np.sinh: "sinh", np.cosh: "cosh", np.tanh: "tanh",
    np.arcsinh: "arcsinh", np.arccosh: "arccosh", np.arctanh: "arctanh", np.floor: "floor",
    np.ceil: "ceil", np.trunc: "trunc", np.rint: "rint", np.logical_not: "logical_not",
    np.isnan: "isnan", np.isinf: "isinf", np.isfinite: "isfinite", np.invert: "invert",
    np.degrees: "degrees", np.rad2deg: "degrees", np.radians: "radians", np.deg2rad: "radians",
    np.fabs: "abs", np.conjugate: "conj",
}  # fmt: skip
BINARY: dict[np.ufunc, str] = {
    np.add: "add", np.subtract: "sub", np.multiply: "mul", np.true_divide: "div",
    np.maximum: "maximum", np.minimum: "minimum", np.hypot: "hypot", np.arctan2: "arctan2",
    np.power: "power", np.float_power: "power", np.remainder: "mod",
    np.floor_divide: "floor_div",
    np.equal: "equal", np.not_equal: "not_equal", np.greater: "greater",
    np.greater_equal: "greater_equal", np.less: "lesser", np.less_equal: "lesser_equal",
    np.logical_and: "logical_and", np.logical_or: "logical_or", np.logical_xor: "logical_xor",
    np.bitwise_and: "bit_and", np.bitwise_or: "bit_or", np.bitwise_xor: "bit_xor",
    np.left_shift: "left_shift", np.right_shift: "right_shift",
}  # fmt: skip
# On bools NumPy's arithmetic is logic, and so is the order of False and True.
_ON_BOOLS = {
    "add": "logical_or", "mul": "logical_and", "maximum": "logical_or", "minimum": "logical_and",
}  # fmt: skip
_MIRRORED = {
    "greater": "lesser", "greater_equal": "lesser_equal",
    "lesser": "greater", "lesser_equal": "greater_equal",
}  # fmt: skip
_COMMUTES = frozenset(
    (
        "add", "mul", "maximum", "minimum", "equal", "not_equal", "bit_and", "bit_or", "bit_xor",
        "hypot", "logical_and", "logical_or", "logical_xor",
    )
)  # fmt: skip
_REVERSED = frozenset(
    ["sub", "div", "power", "mod", "floor_div", "arctan2", "left_shift", "right_shift"]
)
_PYTHON = {
    "equal": operator.eq, "not_equal": operator.ne, "greater": operator.gt,
    "greater_equal": operator.ge, "lesser": operator.lt, "lesser_equal": operator.le,
}  # fmt: skip
_TESTS = frozenset(_PYTHON)

# What each core operator computes: the table is the judge of a dtype.
_COMPUTES = {
    op["name"]: frozenset(np.dtype(d) for d in op["dtypes"] if d in np.sctypeDict)
    for op in _core.op_table()
}

Plan = Callable[..., Any]  # handles and Python numbers -> node, or nodes of a multi-output ufunc
_plans: dict[tuple, Plan] = {}


def plan_of(ufunc: np.ufunc, *kinds: Any) -> Plan:
    """The lowering of ``ufunc`` for operands of these kinds (dtypes or Python number types).

    Raises NotCovered, or TypeError where NumPy has no loop.
    """
    key = (ufunc, *kinds)
    plan = _plans.get(key)
    if plan is None:
        plan = _plans[key] = _plan(ufunc, kinds)
    return plan


def ufunc_call(ufunc: np.ufunc, operands: list[Any], dtype: Any = None) -> Any:
    """The node of ``ufunc(*operands)``; operands are handles or Python numbers."""
    kinds = [type(o) if type(o) in NUMBERS else dtype_of(o) for o in operands]
    if dtype is None:
        return plan_of(ufunc, *kinds)(*operands)
    if isinstance(dtype, type) and issubclass(dtype, np.dtype):  # a class of dtypes
        dtype = np.empty(0, dtype).dtype
    return _planned_in(ufunc, tuple(kinds), np.dtype(dtype))(*operands)


def _planned_in(ufunc: np.ufunc, kinds: tuple, dtype: np.dtype) -> Plan:
    """The lowering with ``dtype=``: the loop whose result has it, operands cast to it."""
    loop = _loop(ufunc, kinds, dtype)
    for kind, wanted in zip(kinds, loop, strict=False):
        if isinstance(kind, np.dtype) and not np.can_cast(kind, wanted, "same_kind"):
            raise NotCovered(
                "np.{ufunc} with dtype {dtype} on {kind}",
                ufunc=ufunc.__name__,
                dtype=dtype,
                kind=kind,
            )
    return _lowered(ufunc, loop, kinds)


def _loop(ufunc: np.ufunc, kinds: tuple, result: np.dtype | None = None) -> tuple:
    given = *(np.dtype(bool) if k is bool else k for k in kinds), *(None,) * ufunc.nout
    options: Any = {}
    if result is not None:
        signature = (None,) * ufunc.nin + (result,) * ufunc.nout
        options = {"signature": signature, "casting": "unsafe"}
    try:
        return ufunc.resolve_dtypes(given, **options)
    except (TypeError, OverflowError) as error:
        raise NotCovered("np.{ufunc}: {error}", ufunc=ufunc.__name__, error=str(error)) from None


def _plan(ufunc: np.ufunc, kinds: tuple) -> Plan:
    if ufunc is np.matmul:
        if kinds[0] is not kinds[1] or kinds[0] not in _COMPUTES["dot"]:
            return matmul
        return _core.ufunc_plan("dot", kinds[0], general=matmul, transposes=lowering.transposes)
    if not all(k in NUMBERS or k in lowering.DTYPES for k in kinds):
        raise NotCovered(
            "np.{ufunc} on {kinds}", ufunc=ufunc.__name__, kinds=", ".join(map(str, kinds))
        )
    return _lowered(ufunc, _loop(ufunc, kinds), kinds)


def _lowered(ufunc: np.ufunc, loop: tuple, kinds: tuple) -> Plan:
    if ufunc not in UNARY and ufunc not in BINARY and ufunc not in composed.COMPOSED:
        raise NotCovered("np.{ufunc} is not covered", ufunc=ufunc.__name__)
    for dtype in loop:
        lowering.require_dtype(dtype, f"np.{ufunc.__name__}")
    if ufunc in composed.COMPOSED:
        if loop[0].kind == "c" and ufunc is not np.positive:
            raise NotCovered("np.{ufunc} on {dtype}", ufunc=ufunc.__name__, dtype=loop[0])
        return _composed(ufunc, loop)
    return _unary(ufunc, loop, kinds) if ufunc in UNARY else _binary(ufunc, loop, kinds)


def _in_core(op: str, kinds: tuple, dtype: np.dtype, **of_number: Any) -> Plan | None:
    """A plan without Python, where casts are safe and the number is an int or a float."""
    arrays = [k for k in kinds if isinstance(k, np.dtype)]
    if not all(np.can_cast(k, dtype) for k in arrays) or not {bool, complex}.isdisjoint(kinds):
        return None
    return _core.ufunc_plan(op, dtype, **of_number)


def _computes(op: str, ufunc: np.ufunc, dtype: np.dtype) -> str:
    if dtype not in _COMPUTES[op]:
        raise NotCovered("np.{ufunc} on {dtype}", ufunc=ufunc.__name__, dtype=dtype)
    return op


def _composed(ufunc: np.ufunc, loop: tuple) -> Plan:
    function = composed.COMPOSED[ufunc]

    def run(*operands: Any) -> Any:
        handles = [_as_handle(o, d) for o, d in zip(operands, loop, strict=False)]
        with Named(ufunc.__name__):
            return function(*handles)

    return run


def _as_handle(operand: Any, dtype: np.dtype) -> Any:
    if type(operand) not in NUMBERS:
        return cast(operand, dtype)
    _check_fits(operand, dtype)
    return constant(lowering.scalar(operand, dtype), dtype)


def _check_fits(value: Any, dtype: np.dtype) -> None:
    if not fits(value, dtype):
        raise NotCovered("{value} beside {dtype}", value=repr(value), dtype=dtype)


def _unary(ufunc: np.ufunc, loop: tuple, kinds: tuple) -> Plan:
    op, dtype = UNARY[ufunc], loop[0]
    whole = dtype.kind in "iub"
    if whole and op in ("isnan", "isinf", "isfinite"):
        answer = op == "isfinite"
        return lambda x: lowering.filled(tuple(x.shape), answer, lowering.BOOL)
    if whole and op in ("floor", "ceil", "trunc"):
        return copied
    if dtype.kind == "b" and op == "abs":
        return copied
    if whole and op == "reciprocal":  # NumPy's 1 / 0 is the machine's own
        raise NotCovered("np.reciprocal on {dtype}", dtype=dtype)
    _computes(op, ufunc, dtype)
    known = _in_core(op, kinds, dtype) if kinds[0] not in NUMBERS else None
    return known or (lambda x: _invoke(op, [_as_handle(x, dtype)], {}))


def _binary(ufunc: np.ufunc, loop: tuple, kinds: tuple) -> Plan:
    op = BINARY[ufunc]
    arrays = [isinstance(k, np.dtype) for k in kinds]
    left, right = loop[0], loop[1]
    if left.kind == "b" and op in _ON_BOOLS:
        op = _ON_BOOLS[op]
    if left.kind == "b" and op in ("sub", "mod", "floor_div", "power"):
        raise NotCovered("np.{ufunc} on bool", ufunc=ufunc.__name__)
    if op == "power" and left.kind in "iu" and arrays[1] and right.kind == "i":
        raise NotCovered("np.power of integers to signed exponents: a negative one is an error")
    if left != right:
        raise NotCovered(
            "np.{ufunc} of {left} and {right}", ufunc=ufunc.__name__, left=left, right=right
        )
    _computes(op, ufunc, left)
    if arrays[0] and arrays[1]:

        def both(a: Any, b: Any) -> Any:
            if dtype_of(a) is not left:
                a = cast(a, left)
            if dtype_of(b) is not right:
                b = cast(b, right)
            return _invoke(op, [a, b], {})

        return _in_core(op, kinds, left) or both
    if arrays[0]:
        return _with_number(op, left, right, False, kinds)
    if arrays[1]:
        return _with_number(op, right, left, True, kinds)
    raise NotCovered("np.{ufunc} of numbers", ufunc=ufunc.__name__)


def _with_number(op: str, dtype: np.dtype, number: np.dtype, first: bool, kinds: tuple) -> Plan:
    """``op(array, number)``, or ``op(number, array)`` when ``first``."""
    if first and op in _REVERSED:
        name = f"r{op}_scalar"
    elif first and op not in _COMMUTES:
        name = f"{_MIRRORED[op]}_scalar"
    else:
        name = f"{op}_scalar"
    integers = number.kind in "iu"
    negative_is_error = op == "power" and integers and not first
    if op == "logical_xor" or (number.kind == "b" and op in _TESTS) or complex in kinds:
        return _with_constant(op, dtype, number, first)

    def with_number(*operands: Any) -> Any:
        array, value = operands[::-1] if first else operands
        if integers:
            # A number beyond the dtype has every element on one side.
            if op in _TESTS and dtype_of(array).kind != "b" and not fits(value, number):
                answer = _PYTHON[op](*((value, 0) if first else (0, value)))
                return lowering.filled(tuple(array.shape), answer, lowering.BOOL)
            _check_fits(value, number)
            if negative_is_error and value < 0:
                raise NotCovered("integers to a negative integer power")
            if value >= 2**63:  # more than an attribute holds
                return _with_constant(op, dtype, number, first)(*operands)
        if dtype_of(array) is not dtype:
            array = cast(array, dtype)
        return _invoke(name, [array], {"scalar": value})

    general, special = with_number, {}
    if op == "power" and not first and dtype.kind in "fiu":
        general = _power(with_number, dtype)
        if dtype != kinds[0]:
            return general
        special["two"] = _in_core("square", kinds, dtype)
        special["half"] = _in_core("sqrt", kinds, dtype) if dtype.kind == "f" else None
    span = np.iinfo(number if integers else np.int64)
    low = 0 if negative_is_error else int(span.min)
    given = {"number_at": int(not first), "integers": (low, min(int(span.max), 2**63 - 1))}
    return _in_core(name, kinds, dtype, general=general, **given, **special) or general


def _power(general: Plan, dtype: np.dtype) -> Plan:
    """``x ** 2`` and ``x ** 0.5`` by the operators that round correctly, as NumPy's own arrays."""

    def power(array: Any, value: Any) -> Any:
        if value == 2:
            return _invoke("square", [cast(array, dtype)], {})
        if value == 0.5 and dtype.kind == "f":
            if dtype_of(array) is dtype:
                return _invoke("sqrt", [array], {})
            with Named("power"):  # of integers NumPy has no shorter way
                return _invoke("sqrt", [cast(array, dtype)], {})
        return general(array, value)

    return power


def _with_constant(op: str, dtype: np.dtype, number: np.dtype, first: bool) -> Plan:
    def run(*operands: Any) -> Any:
        array, value = operands[::-1] if first else operands
        pair = [cast(array, dtype), constant(lowering.scalar(value, number), number)]
        return _invoke(op, pair[::-1] if first else pair, {})

    return run


_core.tell_ufuncs(state, harmless, warnings, require_quiet, plan_of)
