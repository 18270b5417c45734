"""Functions that a unit knows: Python's, those of ``math``, NumPy's of one number."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...reasons import Reason
from .arithmetic import Value, as_bool, as_float, narrow, truth_of
from .kinds import TYPES, is_integer, is_number
from .parts import Leaves

MATH_1 = [
    math.sqrt, math.exp, math.log, math.log2, math.log10, math.sin, math.cos, math.tan, math.asin,
    math.acos, math.atan, math.sinh, math.cosh, math.tanh,
]  # fmt: skip
MATH_2 = [math.atan2, math.fmod, math.copysign]


def called(code: Any, function: Any, values: list[Value]) -> Value:
    """A call of a function that a unit knows."""
    known = FUNCTIONS.get(function) if function.__hash__ is not None else None
    if known is not None:
        if len(values) != 1:
            raise Leaves(Reason("{name}() with these arguments", name=function.__name__), None)
        made: Value = known(code, *values[0])
        return made
    if function is complex and len(values) == 2:
        return "complex", code.emit("make_c", *(_real(code, v) for v in values))
    if function in MATH_1 and len(values) == 1:
        x = _real(code, values[0])
        made_1 = code.emit("math_1", x, MATH_1.index(function))
        code.check("finite_f", made_1, x)
        return "float", made_1
    if function in MATH_2 and len(values) == 2:
        x, y = (_real(code, v) for v in values)
        made_2 = code.emit("math_2", x, MATH_2.index(function), y)
        code.check("finite_f", made_2, x)
        code.check("finite_f", made_2, y)
        return "float", made_2
    raise Leaves(Reason("a call of {name}()", name=getattr(function, "__name__", function)), None)


def _real(code: Any, value: Value) -> int:
    if not is_number(value[0]) or value[0] in ("complex", ".D", ".?", "bool"):
        raise Leaves("a function of such a value", None)
    return as_float(code, value)


def _abs(code: Any, kind: Any, register: int) -> Value:
    if not is_number(kind) or kind == ".?":
        raise Leaves("abs() of such a value", None)
    if kind in ("complex", ".D"):
        made = code.emit("abs_c", register)
        for part in ("real_c", "imag_c"):
            code.check("finite_f", made, code.emit(part, register))
        return ("float" if kind == "complex" else ".d"), made
    if kind in ("float", ".d", ".f"):
        return kind, code.emit("abs_f", register)
    kind = "int" if kind == "bool" else kind
    return kind, narrow(code, kind, code.emit("abs_i", register))


def _int(code: Any, kind: Any, register: int) -> Value:
    if kind in ("float", ".d", ".f"):
        return "int", code.emit("to_i", register)
    if is_number(kind) and kind not in ("complex", ".D"):
        return "int", register
    raise Leaves("int() of such a value", None)


def _float(code: Any, kind: Any, register: int) -> Value:
    if is_number(kind) and kind not in ("complex", ".D"):
        return "float", as_float(code, (kind, register))
    raise Leaves("float() of such a value", None)


def _bool(code: Any, kind: Any, register: int) -> Value:
    truth = truth_of(code, (kind, register))
    return "bool", code.constant(truth) if type(truth) is bool else as_bool(code, kind, truth)


def _ord(code: Any, kind: Any, register: int) -> Value:
    if kind != "char":
        raise Leaves("ord() of such a value", None)
    return "int", register


def _rounded(way: str) -> Any:
    def function(code: Any, kind: Any, register: int) -> Value:
        if kind == "int":
            return kind, register
        if kind not in ("float", ".d"):
            raise Leaves("rounding of such a value", None)
        return "int", code.emit("to_i", code.emit(way, register))

    return function


def _np_sqrt(code: Any, kind: Any, register: int) -> Value:
    if kind not in ("float", "int", ".d", ".f", ".l", ".i"):
        raise Leaves("np.sqrt of such a value", None)
    code.watches = True
    made = code.emit("math_1", as_float(code, (kind, register)), 0)
    return (kind, code.emit("round_f", made)) if kind == ".f" else (".d", made)


def _np_abs(code: Any, kind: Any, register: int) -> Value:
    if kind not in (".d", ".f", ".l", ".i", "float", "int"):
        raise Leaves("np.abs of such a value", None)
    made, register = _abs(code, kind, register)
    return {"float": ".d", "int": ".l"}.get(made, made), register


def _scalar(letter: str) -> Any:
    """``np.float64(x)`` and the like."""

    def function(code: Any, kind: Any, register: int) -> Value:
        if not is_number(kind) or kind in ("complex", ".D") or (letter == "?" and kind != ".?"):
            raise Leaves("a NumPy scalar of such a value", None)
        if letter in "fd":
            code.watches = True
            if letter == "f" and is_integer(kind):
                code.check("exact_i", register)
            made = as_float(code, (kind, register))
            return f".{letter}", code.emit("round_f", made) if letter == "f" else made
        if kind in ("float", ".d", ".f"):
            register = code.emit("to_i", register)
        if letter != "l":
            code.check("fits", register, TYPES.index(letter))
        return f".{letter}", register

    return function


#: Functions of one number.
FUNCTIONS: dict[Any, Any] = {
    abs: _abs, int: _int, float: _float, bool: _bool, ord: _ord,
    math.floor: _rounded("floor_f"), math.ceil: _rounded("ceil_f"), round: _rounded("near_f"),
    np.sqrt: _np_sqrt, np.abs: _np_abs,
    **{np.dtype(c).type: _scalar(c) for c in "?bhilBHIfd"},
}  # fmt: skip
