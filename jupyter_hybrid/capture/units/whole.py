"""Whole arrays in units: views, NumPy's own loops over them, reductions, products, writes.

Elements are computed by the loops that NumPy's universal functions have, so bits are NumPy's.
Shapes are known when the loop runs: where they do not fit, the instruction leaves.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ...reasons import Reason
from . import arithmetic
from .arithmetic import Value
from .kinds import MOST_RANK, TYPES, is_array, is_integer, is_number
from .parts import Leaves

_OPERATORS: dict[Any, Any] = {**arithmetic.UFUNCS, ast.USub: np.negative,
    ast.UAdd: np.positive, ast.Invert: np.invert}  # fmt: skip
_IN_PLACE = frozenset({np.add, np.subtract, np.multiply, np.true_divide})  # NumPy does so, too
_DIES, _SCALAR = 4, 1  # flags of `apply`, of its first operand
_INDEX, _SLICE, _AXIS = range(3)
_FIRST = math.nan  # a reduction that begins with the first element
_AS_DOT, _NUMBER = 4, 8  # flags of `product`
_AS_IT_LIES, _STAYS = 2, 2  # a flag of `convert`, one of `reduce_axis`


# Views --------------------------------------------------------------------------------------------
def view(code: Any, base: Value, parts: Sequence[Any], expressions: Any) -> Value:
    """``base[parts]``: indices, slices and new axes; ``expressions`` makes values of nodes."""
    kind, register = base
    rank, spec = kind[2], []
    for part in _without_ellipsis(parts, rank):
        if isinstance(part, ast.Slice):
            bounds = [_bound(code, expressions, b) for b in (part.lower, part.upper, part.step)]
            spec.append((_SLICE, *bounds))
        elif isinstance(part, ast.Constant) and part.value is None:
            rank += 1
            spec.append((_AXIS, 0, 0, 0))
        else:
            found, index = expressions(part)
            if found == ("is", None) and isinstance(part, ast.Attribute):  # np.newaxis
                rank += 1
                spec.append((_AXIS, 0, 0, 0))
                continue
            if not is_integer(found):
                raise Leaves("an index of such a type", None)
            rank -= 1
            spec.append((_INDEX, index, 0, 0))
    if not 0 < rank <= MOST_RANK or len(parts) - (rank - kind[2]) < 0:
        raise Leaves("an element of such a value", None)
    made = code.emit("view", register, len(code.parts), len(spec), dies(code, base))
    code.parts += [number for part in spec for number in part]
    return ("array", kind[1], rank, kind[3]), made


def _without_ellipsis(parts: Sequence[Any], rank: int) -> Sequence[Any]:
    """The parts with a slice for each axis that ``...`` stands for."""
    at = [k for k, p in enumerate(parts) if isinstance(p, ast.Constant) and p.value is ...]
    if not at:
        return parts
    axes = [p for p in parts if not (isinstance(p, ast.Constant) and p.value in (None, ...))]
    axes = [p for p in axes if not (isinstance(p, ast.Attribute) and p.attr == "newaxis")]
    if len(at) > 1 or len(axes) > rank:
        raise Leaves("an index of such a type", None)
    every = [ast.Slice(None, None, None)] * (rank - len(axes))
    return [*parts[: at[0]], *every, *parts[at[0] + 1 :]]


def _bound(code: Any, expressions: Any, node: Any) -> int:
    if node is None or (isinstance(node, ast.Constant) and node.value is None):
        return -1
    kind, register = expressions(node)
    if not is_integer(kind):
        raise Leaves("a slice of such values", None)
    return int(register)


def turned(code: Any, base: Value) -> Value:
    """``x.T``."""
    return base[0], code.emit("turn", base[1], 0, 0, dies(code, base))


def dies(code: Any, value: Value) -> int:
    """1 where nobody has the array after the next instruction."""
    register = value[1]
    return int(is_array(value[0]) and code.is_temporary(register) and register != code.pinned)


# Element by element -------------------------------------------------------------------------------
@lru_cache(maxsize=4096)
def _letters(function: np.ufunc, *kinds: str) -> str:
    """Of the dtypes of NumPy's loop for kinds of numbers and ``.d`` of arrays."""
    given = [arithmetic.WEAK.get(k) or np.dtype("?" if k == "bool" else k[1]) for k in kinds]
    try:
        found = function.resolve_dtypes((*given, None))
    except TypeError:
        raise Leaves(Reason("np.{ufunc} of such values", ufunc=function.__name__), None) from None
    letters = "".join(d.char for d in found)
    if not set(letters) <= set(TYPES) or f"{letters[:-1]}->{letters[-1]}" not in function.types:
        raise Leaves(Reason("np.{ufunc} of such values", ufunc=function.__name__), None)
    return letters


def apply(code: Any, function: np.ufunc, values: Sequence[Value]) -> Value:
    """A universal function of arrays and numbers."""
    if function.nout != 1 or function.nin != len(values) or function.nin > 2 or function.signature:
        raise Leaves("a call with such arguments", None)
    if not all(is_array(k) or is_number(k) for k, _ in values):
        raise Leaves(Reason("np.{ufunc} of such values", ufunc=function.__name__), None)
    letters = _letters(function, *(f".{k[1]}" if is_array(k) else k for k, _ in values))
    code.watches = True
    loop = code.loop_number(function, letters, function in _IN_PLACE, 0.0)
    if not any(is_array(k) for k, _ in values):
        given = [arithmetic.cast(code, v, c) for v, c in zip(values, letters, strict=False)]
        return f".{letters[-1]}", code.emit("apply_s", *given, *[0] * (2 - len(given)), loop)
    flags, operands = 0, []
    for k, (value, letter) in enumerate(zip(values, letters, strict=False)):
        if is_array(value[0]):
            value = converted(code, value, letter)
            flags |= dies(code, value) * _DIES << k
            code.computes(value)
            operands.append(value[1])
        else:
            operands.append(arithmetic.cast(code, value, letter))
            flags |= _SCALAR << k
    rank = max(k[2] for k, _ in values if is_array(k))
    made = code.emit("apply", *operands, *[0] * (2 - len(operands)), loop, flags)
    code.computed_later[made] = len(code.nodes) - 1
    return ("array", letters[-1], rank, True), made


def converted(code: Any, value: Value, letter: str) -> Value:
    """The array with this dtype."""
    kind, register = value
    if kind[1] == letter:
        return value
    if not _converts(kind[1], letter):
        raise Leaves("an array of another dtype", None)
    code.watches = True
    made = code.emit("convert", register, TYPES.index(letter), 0, dies(code, value) + _AS_IT_LIES)
    return ("array", letter, kind[2], True), made


def _converts(one: str, other: str) -> bool:
    """Are the rules by which elements become such of another dtype C's?"""
    return one == other or ("D" not in one + other and (one not in "fd" or other in "fd?"))


def binary(code: Any, op: Any, left: Value, right: Value) -> Value:
    """``left op right``, one of them an array."""
    if isinstance(op, ast.MatMult):
        return product(code, left, right, False)
    function = _OPERATORS.get(type(op))
    if function is None:
        raise Leaves("an operator of such values", None)
    if isinstance(op, ast.Pow):
        known = code.constant_of(right[1]) if right[0] in ("int", "float") else None
        if not is_array(right[0]) and (known is None or known in (-1, 0, 0.5, 1)):
            raise Leaves("a power that NumPy computes in a way of its own", None)
        if known == 2 and is_array(left[0]):
            if left[0][1] not in "fdD":
                raise Leaves("a power that NumPy computes in a way of its own", None)
            return apply(code, np.square, [left])
    return apply(code, function, [left, right])


def unary(code: Any, op: Any, value: Value) -> Value:
    """``-x``, ``+x``, ``~x``."""
    function = _OPERATORS.get(type(op))
    if function is None:
        raise Leaves("the truth of an array", None)
    return apply(code, function, [value])


# Reductions and products --------------------------------------------------------------------------
_REDUCTIONS: dict[Any, tuple[np.ufunc, float]] = {
    np.sum: (np.add, 0.0), np.prod: (np.multiply, 1.0), np.max: (np.maximum, _FIRST),
    np.min: (np.minimum, _FIRST), np.amax: (np.maximum, _FIRST), np.amin: (np.minimum, _FIRST),
    np.any: (np.logical_or, 0.0), np.all: (np.logical_and, 1.0), np.mean: (np.add, 0.0),
}  # fmt: skip


def _reduced(code: Any, function: Any, values: Sequence[Value], named: dict[str, Value]) -> Value:
    given, *rest = values
    axis_of = named.pop("axis", rest.pop(0) if rest else (("is", None), 0))
    keeps = named.pop("keepdims", None)
    if rest or named or not is_array(given[0]):
        raise Leaves("a call with such arguments", None)
    axis = None
    if axis_of[0] != ("is", None):
        axis = code.small(axis_of[1]) if axis_of[0] == "int" else None
        rank = given[0][2]
        if axis is None or not -rank <= axis < rank:
            raise Leaves("an axis of such a value", None)
        axis %= rank
    if keeps is not None and (axis is None or code.constant_of(keeps[1]) is not True):
        raise Leaves("keepdims of such a value", None)
    if given[0][2] == 1:
        if keeps is not None:
            raise Leaves("keepdims of such a value", None)
        axis = None
    ufunc, beginning = _REDUCTIONS[function]
    letter = given[0][1]
    if ufunc in (np.logical_or, np.logical_and) and letter != "?":
        raise Leaves(Reason("np.{ufunc} of such values", ufunc=function.__name__), None)
    if function is np.mean and letter == "?":  # its sum is exact
        given, letter = converted(code, given, "d"), "d"
    if function is np.mean and letter != "d":
        raise Leaves("np.mean of such values", None)
    wide = "l" if letter in "?bhil" else "L"
    if ufunc in (np.add, np.multiply) and letter not in "fdD":
        given, letter = converted(code, given, wide), wide
    if f"{letter}{letter}->{letter}" not in ufunc.types:
        raise Leaves(Reason("np.{ufunc} of such values", ufunc=function.__name__), None)
    code.watches = True
    loop = code.loop_number(ufunc, letter * 3, False, beginning)
    count = _size(code, given, axis) if function is np.mean else -1
    if count >= 0:
        code.check("nonzero_i", count)  # Python warns of the mean of nothing
    if axis is None:
        made: Value = f".{letter}", code.emit("reduce", given[1], loop, 0, dies(code, given))
    else:
        stays = keeps is not None
        flags = dies(code, given) + _STAYS * stays
        register = code.emit("reduce_axis", given[1], loop, axis, flags)
        made = ("array", letter, given[0][2] - 1 + stays, True), register
    if function is not np.mean:
        return made
    if axis is None:
        return made[0], code.emit("div_f", made[1], code.emit("to_f", count))
    return apply(code, np.true_divide, [made, ("int", count)])


def _spread(code: Any, function: Any, values: Sequence[Value], named: dict[str, Value]) -> Value:
    """np.var and np.std of a vector, in the steps that NumPy takes."""
    if len(values) != 1 or named or values[0][0][:3] != ("array", "d", 1):
        raise Leaves("a call with such arguments", None)
    code.pinned = values[0][1]  # it is read twice
    middle = _reduced(code, np.mean, values, {})
    code.pinned = -1
    off = apply(code, np.subtract, [values[0], middle])
    made = _reduced(code, np.mean, [apply(code, np.square, [off])], {})
    return made if function is np.var else apply(code, np.sqrt, [made])


def _accumulated(code: Any, function: Any, values: Sequence[Value], named: Any) -> Value:
    """np.cumsum and np.cumprod of a vector."""
    if len(values) != 1 or named or not is_array(values[0][0]) or values[0][0][2] != 1:
        raise Leaves("a call with such arguments", None)
    given, letter = values[0], values[0][0][1]
    if letter not in "fdD":
        letter = "l" if letter in "?bhil" else "L"
        given = converted(code, given, letter)
    code.watches = True
    ufunc = np.add if function is np.cumsum else np.multiply
    loop = code.loop_number(ufunc, letter * 3, False, 0.0)
    made = code.emit("accumulate", given[1], loop, 0, dies(code, given))
    return ("array", letter, 1, True), made


def _size(code: Any, value: Value, axis: int | None) -> int:
    """The register of how many elements an array has, or those along an axis."""
    kind, register = value
    if axis is not None:
        return int(code.emit("length", register, axis))
    made = code.emit("length", register, 0)
    for k in range(1, kind[2]):
        made = code.emit("mul_i", made, code.emit("length", register, k))
    return int(made)


def product(code: Any, left: Value, right: Value, as_dot: bool) -> Value:
    """``left @ right``, or np.dot of them."""
    kinds = left[0], right[0]
    if not all(is_array(k) and k[2] <= 2 for k in kinds):
        raise Leaves("a product of such values", None)
    letter = np.result_type(kinds[0][1], kinds[1][1]).char
    if letter not in TYPES:
        raise Leaves("a product of such values", None)
    code.watches = True
    left, right = converted(code, left, letter), converted(code, right, letter)
    loop = code.loop_number(np.matmul, letter * 3, False, 0.0)
    rank = kinds[0][2] + kinds[1][2] - 2
    flags = dies(code, left) + _AS_DOT * as_dot + _NUMBER * (rank == 0)
    flags += 2 * dies(code, right) * (left[1] != right[1])  # it is given back once
    made = code.emit("product", left[1], right[1], loop, flags)
    return (("array", letter, rank, True) if rank else f".{letter}"), made


# Functions of NumPy's -----------------------------------------------------------------------------
def _dot(code: Any, function: Any, values: Sequence[Value], named: dict[str, Value]) -> Value:
    if len(values) != 2 or named:
        raise Leaves("a call with such arguments", None)
    return product(code, values[0], values[1], function not in (np.matmul, np.vdot))


def _inner(code: Any, function: Any, values: Sequence[Value], named: dict[str, Value]) -> Value:
    """np.inner and np.vdot of two vectors of floats."""
    if named or not all(is_array(k) and k[2] == 1 and k[1] in "fd" for k, _ in values):
        raise Leaves("a call with such arguments", None)
    return _dot(code, function, values, named)


def _differences(code: Any, function: Any, values: Sequence[Value], named: Any) -> Value:
    """np.diff of a vector."""
    kind, register = values[0]
    if len(values) != 1 or named or not is_array(kind) or kind[2] != 1 or kind[1] == "?":
        raise Leaves("a call with such arguments", None)
    one = ast.Constant(1), ast.Constant(-1)
    code.pinned = register
    parts = [
        view(code, values[0], [ast.Slice(*bounds)], lambda n: ("int", code.constant(n.value)))
        for bounds in ((one[0], None), (None, one[1]))
    ]
    code.pinned = -1
    return apply(code, np.subtract, parts)


def _norm(code: Any, function: Any, values: Sequence[Value], named: Any) -> Value:
    """np.linalg.norm of a vector of floats."""
    kind = values[0][0]
    if len(values) != 1 or named or not (is_array(kind) and kind[2] == 1 and kind[1] in "fd"):
        raise Leaves("a call with such arguments", None)
    # NumPy multiplies it in one piece.
    dtype = TYPES.index(kind[1])
    made = code.emit("convert", values[0][1], dtype, 0, dies(code, values[0]))
    whole: Value = (("array", kind[1], 1, True), made)
    squares = product(code, whole, whole, True)
    return apply(code, np.sqrt, [squares])


def _outer(code: Any, function: Any, values: Sequence[Value], named: dict[str, Value]) -> Value:
    if len(values) != 2 or named or not all(is_array(k) and k[2] == 1 for k, _ in values):
        raise Leaves("a call with such arguments", None)
    every, new = ast.Slice(None, None, None), ast.Constant(None)
    column = view(code, values[0], [every, new], None)
    row = view(code, values[1], [new, every], None)
    return apply(code, np.multiply, [column, row])


def _turned_round(code: Any, function: Any, values: Sequence[Value], named: Any) -> Value:
    """np.flip of every axis, or of one."""
    (kind, _), *rest = values
    axis = rest[0] if rest else named.pop("axis", None)
    if len(rest) > 1 or named or not is_array(kind):
        raise Leaves("a call with such arguments", None)
    which = range(kind[2])
    if axis is not None and axis[0] != ("is", None):
        number = code.small(axis[1]) if axis[0] == "int" else None
        if number is None or not -kind[2] <= number < kind[2]:
            raise Leaves("an axis of such a value", None)
        which = range(number % kind[2], number % kind[2] + 1)
    back, every = (ast.Slice(None, None, step) for step in (ast.Constant(-1), None))
    parts = [back if k in which else every for k in range(kind[2])]
    return view(code, values[0], parts, lambda node: ("int", code.constant(node.value)))


def _transposed(code: Any, function: Any, values: Sequence[Value], named: Any) -> Value:
    if len(values) != 1 or named or not is_array(values[0][0]):
        raise Leaves("a call with such arguments", None)
    return turned(code, values[0])


def _itself(code: Any, function: Any, values: Sequence[Value], named: Any) -> Value:
    """``np.asarray(x)`` is the very object."""
    if len(values) != 1 or named or not is_array(values[0][0]):
        raise Leaves("a call with such arguments", None)
    return values[0]


def _conjugate(code: Any, function: Any, values: Sequence[Value], named: Any) -> Value:
    """``x.conj()``, which is ``x`` itself where that is real."""
    found = _itself(code, function, values, named)
    return apply(code, np.conjugate, values) if found[0][1] == "D" else found


#: NumPy's functions that units know: (code, function, values, those given by name).
FUNCTIONS: dict[Any, Any] = {
    **dict.fromkeys(_REDUCTIONS, _reduced), np.dot: _dot, np.matmul: _dot, np.outer: _outer,
    np.linalg.norm: _norm, np.flip: _turned_round, np.transpose: _transposed, np.std: _spread,
    np.var: _spread, np.cumsum: _accumulated, np.cumprod: _accumulated,
    np.inner: _inner, np.vdot: _inner, np.diff: _differences, np.asarray: _itself,
    np.asanyarray: _itself, np.ndarray.conj: _conjugate,
}  # fmt: skip
#: Methods of arrays, which do as these functions do.
METHODS = {
    "sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min, "any": np.any, "all": np.all,
    "mean": np.mean, "copy": np.copy, "dot": np.dot, "std": np.std, "var": np.var,
    "cumsum": np.cumsum, "cumprod": np.cumprod, "argmax": np.argmax, "argmin": np.argmin,
    "ravel": np.ravel, "reshape": np.reshape, "conj": np.ndarray.conj,
    "conjugate": np.ndarray.conj,
}  # fmt: skip


# Writes -------------------------------------------------------------------------------------------
def assign(code: Any, target: Value, value: Value) -> None:
    """``target[...] = value``; the target's register is of a view, or of all of an array."""
    kind, register = target
    if not kind[3]:
        raise Leaves("a read-only array is written", None)
    last = dies(code, target)
    if is_array(value[0]):
        if not _converts(value[0][1], kind[1]):
            raise Leaves("an array is given elements of another dtype", None)
        code.watches = True
        code.computes(value)
        code.check("assign", register, value[1], 0, 0, last + 2 * dies(code, value))
    else:
        made = arithmetic.stored(code, value, kind[1])
        code.check("fill", register, made, 0, 0, last)


def update(code: Any, target: Value, op: Any, value: Value) -> None:
    """``target op= value`` for an array: its elements are written, in its own dtype."""
    made = binary(code, op, target, value)
    if isinstance(op, ast.MatMult) or not is_array(made[0]) or made[0][1] != target[0][1]:
        raise Leaves("an array is updated with another dtype", None)
    code.updates(made)
    code.pinned = -1
    assign(code, target, made)
