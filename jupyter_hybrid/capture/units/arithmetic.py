"""What operators and functions of numbers become: instructions, and the result's kind.

Python's own numbers follow Python, NumPy's the loop that NumPy itself names for these dtypes. Where
a result would be an exception, a warning or more than 64 bits, the instruction leaves.
"""

from __future__ import annotations

import ast
import sys
from functools import lru_cache
from typing import Any

import numpy as np

from ...reasons import Reason
from .kinds import INTEGERS, TYPES, bits, is_integer, is_number, is_sequence
from .parts import Leaves

UFUNCS = {
    ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.true_divide,
    ast.FloorDiv: np.floor_divide, ast.Mod: np.remainder, ast.Pow: np.power,
    ast.BitAnd: np.bitwise_and, ast.BitOr: np.bitwise_or, ast.BitXor: np.bitwise_xor,
    ast.LShift: np.left_shift, ast.RShift: np.right_shift,
    ast.Eq: np.equal, ast.NotEq: np.not_equal, ast.Lt: np.less, ast.LtE: np.less_equal,
    ast.Gt: np.greater, ast.GtE: np.greater_equal,
}  # fmt: skip
_NAMES = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floordiv",
    ast.Mod: "mod", ast.Pow: "pow", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
    ast.LShift: "shl", ast.RShift: "shr",
}  # fmt: skip
_BITWISE = (ast.BitAnd, ast.BitOr, ast.BitXor)
_RANKS = {"bool": 0, "int": 1, "float": 2, "complex": 3}
WEAK = {"int": int, "float": float, "complex": complex}
#: Comparisons: the instruction, and whether the operands change places.
COMPARED = {
    ast.Eq: ("eq", False), ast.NotEq: ("ne", False), ast.Lt: ("lt", False), ast.LtE: ("le", False),
    ast.Gt: ("lt", True), ast.GtE: ("le", True),
}  # fmt: skip
Value = tuple[Any, int]  # kind, register


@lru_cache(maxsize=4096)
def _loop(ufunc: np.ufunc, left: str, right: str) -> tuple[str, str, str]:
    """The letters of the dtypes of NumPy's loop for two kinds."""
    given = [WEAK.get(k) or np.dtype("?" if k == "bool" else k[1]) for k in (left, right)]
    try:
        found = ufunc.resolve_dtypes((*given, None))
    except TypeError:
        raise Leaves(Reason("np.{ufunc} of such values", ufunc=ufunc.__name__), None) from None
    letters = "".join(d.char for d in found)
    if not set(letters) <= set(TYPES):
        raise Leaves(Reason("np.{ufunc} of such values", ufunc=ufunc.__name__), None)
    return letters[0], letters[1], letters[2]


def binary(code: Any, op: Any, left: Value, right: Value) -> Value:
    """``left op right``."""
    kind = type(op)
    if kind not in _NAMES or not (is_number(left[0]) and is_number(right[0])):
        raise Leaves("an operator of such values", None)
    if left[0] in _RANKS and right[0] in _RANKS:
        return _of_python(code, kind, left, right)
    if left[0] == "complex" and right[0] == ".d":  # a float to Python's complex numbers
        return _of_python(code, kind, left, ("float", right[1]))
    return _of_numpy(code, kind, left, right)


# Python's numbers ---------------------------------------------------------------------------------
def _of_python(code: Any, op: Any, left: Value, right: Value) -> Value:
    rank = max(_RANKS[left[0]], _RANKS[right[0]])
    name = _NAMES[op]
    if op in _BITWISE or op in (ast.LShift, ast.RShift):
        if rank > 1:
            raise Leaves("an operator of such values", None)
        both = op in _BITWISE and rank == 0
        return "bool" if both else "int", code.emit(f"{name}_i", left[1], right[1])
    if rank == 3:
        if left[0] != right[0] and sys.version_info >= (3, 14):  # a real operand stays real
            raise Leaves("a complex number meets a real one", None)
        if op is ast.Pow:
            return "complex", _power(code, _as_complex(code, left), right, True)
        a, b = (_as_complex(code, value) for value in (left, right))
        return "complex", _complex(code, op, a, b, False)
    if rank < 2:
        if op is ast.Div:
            for value in (left, right):
                code.check("exact_i", value[1])
            code.check("nonzero_i", right[1])
            return "float", code.emit("div_f", as_float(code, left), as_float(code, right))
        return "int", _integers(code, name, left, right)
    a, b = as_float(code, left), as_float(code, right)
    if op in (ast.Div, ast.FloorDiv, ast.Mod):
        code.check("nonzero_f", b)
    made = code.emit(f"{name}_f", a, b)
    if op is ast.Pow:
        code.check("finite_f", made, a)
        code.check("finite_f", made, b)
    return "float", made


def _complex(code: Any, op: Any, a: int, b: int, numpys: bool) -> int:
    """An operator of complex numbers, which NumPy and Python divide in two ways."""
    if op not in (ast.Add, ast.Sub, ast.Mult, ast.Div):
        raise Leaves("an operator of complex numbers", None)
    return int(code.emit(f"{_NAMES[op]}_c", a, b, *((numpys,) if op is ast.Div else ())))


def _power(code: Any, base: int, exponent: Value, pythons: bool) -> int:
    """A complex number to the power of 2 or 3, by products as Python and NumPy take them."""
    known = code.constant_of(exponent[1])
    if type(known) not in (int, float) or known not in (2, 3):
        raise Leaves("such a power of a complex number", None)
    square = code.emit("mul_c", base, base)
    if not pythons:  # zero is looked at by itself
        code.check("nonzero_i", code.emit("true_c", base))
        return int(square if known == 2 else code.emit("mul_c", base, square))
    one = code.emit("to_c", code.constant(1.0))
    first = one if known == 2 else code.emit("mul_c", one, base)
    made = code.emit("mul_c", first, square)
    for part in ("real_c", "imag_c"):  # where it is infinite, Python raises
        code.check("finite_f", code.emit(part, made), code.constant(0.0))
    return int(made)


def _integers(code: Any, name: str, left: Value, right: Value) -> int:
    if name in ("add", "sub"):
        known = code.small(right[1])
        if known is not None:
            return code.emit("add_ii", left[1], known if name == "add" else -known)
        if name == "add" and (known := code.small(left[1])) is not None:
            return code.emit("add_ii", right[1], known)
    return code.emit(f"{name}_i", left[1], right[1])


def as_float(code: Any, value: Value) -> int:
    """The register of a real number as a double."""
    kind, register = value
    if kind in ("float", ".d", ".f"):
        return register
    known = code.constant_of(register)
    if known is not None:
        return code.constant(float(known))
    return code.emit("to_f", register)


# NumPy's ------------------------------------------------------------------------------------------
def _of_numpy(code: Any, op: Any, left: Value, right: Value) -> Value:
    letters = _loop(UFUNCS[op], left[0], right[0])
    a, b, out = letters
    name = _NAMES[op]
    if a != b:
        raise Leaves("an operator of such values", None)
    x, y = cast(code, left, a), cast(code, right, b)
    if a == "?":
        if op not in _BITWISE:
            raise Leaves("arithmetic of booleans", None)
        return ".?", code.emit(f"{name}_i", x, y)
    if a == "D":
        code.watches = True
        if op is ast.Pow:
            return ".D", _power(code, x, right, False)
        return ".D", _complex(code, op, x, y, True)
    if a in INTEGERS:
        if op in (ast.LShift, ast.RShift):
            code.check("shift_fits", y, bits(a))
        made = _integers(code, name, (left[0], x), (right[0], y))
        if a != "l":
            code.check("fits", made, TYPES.index(a))
        return f".{a}", made
    code.watches = True
    if op is ast.Pow and any(is_integer(k) and k != "int" for k, _ in (left, right)):
        raise Leaves("a power that NumPy computes in a way of its own", None)
    if a == "f" and op in (ast.FloorDiv, ast.Mod, ast.Pow):
        raise Leaves("an operator of float32", None)
    made = code.emit(f"{name}_f", x, y)
    return f".{out}", code.emit("round_f", made) if out == "f" else made


def cast(code: Any, value: Value, letter: str) -> int:
    """The register of an operand as NumPy's loop of this dtype gets it."""
    kind, register = value
    if letter == "D":
        if kind in ("complex", ".D"):
            return register
        return code.emit("to_c", as_float(code, value))
    if letter in "fd":
        made = as_float(code, value)
        if letter == "d" or kind == ".f":
            return made
        code.watches = True  # NumPy warns where it does not fit
        return code.emit("round_f", made)
    if kind == "int" and letter != "l":  # NumPy says so where it does not fit
        code.check("fits", register, TYPES.index(letter))
    return register


# Comparisons --------------------------------------------------------------------------------------
def compared(code: Any, op: Any, left: Value, right: Value) -> tuple[str, str, int, int]:
    """(result's kind, instruction without its part for the type, operands)."""
    if type(op) not in COMPARED:
        raise Leaves("a comparison of such values", None)
    name, swapped = COMPARED[type(op)]
    if left[0] == right[0] == "char":
        if name not in ("eq", "ne"):
            raise Leaves("the order of characters", None)
        return "bool", f"{name}_i", left[1], right[1]
    if not (is_number(left[0]) and is_number(right[0])):
        raise Leaves("a comparison of such values", None)
    if left[0] in _RANKS and right[0] in _RANKS:
        kind, rank = "bool", max(_RANKS[left[0]], _RANKS[right[0]])
        if rank >= 2:
            for value in (left, right):  # Python compares exactly
                known = code.constant_of(value[1])
                if value[0] == "int" and known is None:
                    code.check("exact_i", value[1])
                elif value[0] == "int" and int(float(known)) != known:
                    raise Leaves("a number that no float is", None)
            take = as_float if rank == 2 else _to_complex
            x, y = take(code, left), take(code, right)
        else:
            x, y = left[1], right[1]
        part = "iifc"[rank]
    else:
        kind = ".?"
        a, b, _ = _loop(UFUNCS[type(op)], left[0], right[0])
        if a != b and not set(a + b) <= set(INTEGERS):
            raise Leaves("a comparison of such values", None)
        x, y = cast(code, left, a), cast(code, right, b)
        part = "c" if a == "D" else "f" if a in "fd" else "i"
    if part == "c" and name not in ("eq", "ne"):
        raise Leaves("the order of complex numbers", None)
    return (kind, f"{name}_{part}", y, x) if swapped else (kind, f"{name}_{part}", x, y)


# One operand --------------------------------------------------------------------------------------
def unary(code: Any, op: Any, value: Value) -> Value:
    """``-x``, ``+x``, ``~x``, ``not x``."""
    kind, register = value
    if isinstance(op, ast.Not):
        truth = truth_of(code, value)
        if type(truth) is bool:
            return "bool", code.constant(not truth)
        return "bool", code.emit("not_i", truth)
    if not is_number(kind):
        raise Leaves("an operator of such a value", None)
    if isinstance(op, ast.Invert):
        if kind == "int" or kind in (".b", ".h", ".i", ".l"):
            return kind, code.emit("invert_i", register)
        if kind == ".?":
            return kind, code.emit("not_i", register)
        if kind in (".B", ".H", ".I"):
            return kind, code.emit("invert_u", register, bits(kind[1]))
        raise Leaves("~ of such a value", None)
    if kind == ".?":
        raise Leaves("arithmetic of booleans", None)
    kind = "int" if kind == "bool" else kind
    if isinstance(op, ast.UAdd):
        return kind, register
    known = code.constant_of(register)
    if known is not None and kind in ("int", "float") and known:
        return kind, code.constant(-known)
    if kind in ("complex", ".D"):
        return kind, code.emit("neg_c", register)
    if kind in ("float", ".d", ".f"):
        return kind, code.emit("neg_f", register)
    return kind, narrow(code, kind, code.emit("neg_i", register))


def narrow(code: Any, kind: str, register: int) -> int:
    """An integer that has to fit into its kind."""
    if kind not in ("int", ".l"):
        code.check("fits", register, TYPES.index(kind[1]))
    return register


def truth_of(code: Any, value: Value) -> Any:
    """The register of a truth value, or what is known of it."""
    kind, register = value
    if type(kind) is tuple and kind == ("is", None):
        return False
    if kind == "char":
        return True
    if is_sequence(kind):
        return code.emit("length", register, 0)
    if not is_number(kind):
        raise Leaves("the truth of such a value", None)
    known = code.constant_of(register)
    if known is not None:
        return bool(known)
    if kind in ("float", ".d", ".f"):
        return code.emit("true_f", register)
    if kind in ("complex", ".D"):
        return code.emit("true_c", register)
    return register


def stored(code: Any, value: Value, letter: str) -> int:
    """The register of what an array's element of this dtype is given."""
    kind, register = value
    if not is_number(kind) or (kind in ("complex", ".D") and letter != "D"):
        raise Leaves("an element is given such a value", None)
    if letter == "D":
        return register if kind in ("complex", ".D") else code.emit("to_c", as_float(code, value))
    if letter in "fd":
        if letter == "f" and is_integer(kind):  # which is rounded once
            code.check("exact_i", register)
        made = as_float(code, value)
        if letter == "d" or kind == ".f":
            return made
        code.watches = True
        return code.emit("round_f", made)
    if letter == "?":
        truth = truth_of(code, value)
        return code.constant(truth) if type(truth) is bool else as_bool(code, kind, truth)
    if kind in ("float", ".d", ".f"):
        register = code.emit("to_i", register)
    if letter != "l" and kind != f".{letter}":
        code.check("fits", register, TYPES.index(letter))
    return register


def _as_complex(code: Any, value: Value) -> int:
    """A number of Python's as its operators with complex ones take it."""
    if value[0] == "int":
        code.check("exact_i", value[1])
    return _to_complex(code, value)


def _to_complex(code: Any, value: Value) -> int:
    return value[1] if value[0] == "complex" else int(code.emit("to_c", as_float(code, value)))


def as_bool(code: Any, kind: Any, truth: int) -> int:
    """0 or 1 of an integer's truth."""
    if kind in ("bool", ".?", "float", ".d", ".f", "complex", ".D"):
        return truth
    return code.emit("not_i", code.emit("not_i", truth))
