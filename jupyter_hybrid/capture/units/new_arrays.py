"""Arrays that units make: of numbers, of other arrays side by side, in other shapes."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import arithmetic
from .arithmetic import Value
from .kinds import MOST_RANK, TYPES, is_array, is_integer, is_number
from .parts import Leaves
from .whole import assign, converted, dies, view

_STRONG = {"int": "l", "float": "d", "complex": "D", "bool": "?"}  # np.array() takes them for such


# New arrays ---------------------------------------------------------------------------------------
_BEGUN: dict[Any, Any] = {np.zeros: 0, np.ones: 1, np.full: None}


def _filled(code: Any, function: Any, values: Sequence[Any], named: dict[str, Value]) -> Value:
    shape, *rest = values
    number: Value = ("int", code.constant(_BEGUN[function] or 0))
    if function is np.full:
        if not rest:
            raise Leaves("a call with such arguments", None)
        number = rest.pop(0)
    of = named.pop("dtype", rest.pop(0) if rest else None)
    if rest or named or type(number) is list or not is_number(number[0]):
        raise Leaves("a call with such arguments", None)
    letter = _letter(of)
    if function is np.full and of is None:
        letter = _STRONG.get(number[0]) or number[0][1]
    return _new(code, shape if type(shape) is list else [shape], number, letter)


def _filled_like(code: Any, function: Any, values: Sequence[Any], named: dict[str, Value]) -> Value:
    (kind, register), *rest = values
    of = named.pop("dtype", rest.pop(0) if rest else None)
    if rest or named or not is_array(kind):
        raise Leaves("a call with such arguments", None)
    shape = [("int", code.emit("length", register, axis)) for axis in range(kind[2])]
    code.check("ordered", register)
    number = "int", code.constant(int(function is np.ones_like))
    return _new(code, shape, number, kind[1] if of is None else _letter(of))


def _letter(of: Value | None) -> str:
    """Of a dtype that is given as a type."""
    if of is None:
        return "d"
    kind = of[0] if type(of) is tuple else of
    known = kind[1] if type(kind) is tuple and kind[0] == "is" else None
    if known not in (int, float, bool, complex) and not (
        isinstance(known, np.dtype) or (isinstance(known, type) and issubclass(known, np.generic))
    ):
        raise Leaves("a dtype of such a value", None)
    letter = np.dtype(known).char
    if letter not in TYPES:
        raise Leaves("a dtype of such a value", None)
    return letter


def _new(code: Any, shape: Sequence[Value], number: Value, letter: str) -> Value:
    known = all(type(v) is tuple and is_integer(v[0]) for v in shape)
    if not known or not 0 < len(shape) <= MOST_RANK:
        raise Leaves("a shape of such values", None)
    value = arithmetic.stored(code, number, letter)
    first = code.consecutive([register for _, register in shape])
    made = code.emit("filled", first, len(shape), value, TYPES.index(letter))
    return ("array", letter, len(shape), True), made


def _copied(code: Any, function: Any, values: Sequence[Value], named: dict[str, Value]) -> Value:
    if len(values) != 1 or named or not is_array(values[0][0]):
        raise Leaves("a call with such arguments", None)
    kind, register = values[0]
    number = TYPES.index(kind[1])
    made = code.emit("convert", register, number, 0, dies(code, values[0]))
    return ("array", kind[1], kind[2], True), made


def as_type(code: Any, base: Value, args: Sequence[Any]) -> Value:
    """``array.astype(dtype)``, where its elements become such by C's rules."""
    if len(args) != 1:
        raise Leaves("a call with such arguments", None)
    of = code._value(args[0])
    letter = _letter(of)
    if letter == base[0][1]:
        made = code.emit("convert", base[1], TYPES.index(letter), 0, dies(code, base))
        return ("array", letter, base[0][2], True), made
    return converted(code, base, letter)


def _of_numbers(code: Any, function: Any, values: Sequence[Any], named: dict[str, Value]) -> Value:
    """np.array of a list of numbers, or of such lists."""
    if len(values) != 1 or type(values[0]) is not list or not values[0]:
        raise Leaves("a call with such arguments", None)
    of = named.pop("dtype", None)
    rows = values[0] if type(values[0][0]) is list else [values[0]]
    if named or not all(type(row) is list and len(row) == len(rows[0]) for row in rows):
        raise Leaves("a call with such arguments", None)
    numbers = [value for row in rows for value in row]
    if not numbers or not all(type(v) is tuple and is_number(v[0]) for v in numbers):
        raise Leaves("a call with such arguments", None)
    found = np.result_type(*(np.dtype(_STRONG.get(k) or k[1]) for k, _ in numbers)).char
    letter = found if of is None else _letter(of)
    if letter not in TYPES or letter not in (found, "d"):
        raise Leaves("a call with such arguments", None)
    lengths = [len(rows), len(rows[0])] if type(values[0][0]) is list else [len(rows[0])]
    elements = [arithmetic.stored(code, value, letter) for value in numbers]
    shape: list[Value] = [("int", code.constant(n)) for n in lengths]
    made = _new(code, shape, ("int", code.constant(0)), letter)
    for k, element in enumerate(elements):
        at = [code.constant(i) for i in (divmod(k, lengths[1]) if len(lengths) == 2 else (k,))]
        operands = (*at, 0)[:2]
        code.check(f"store_{len(at)}", element, made[1], *operands, TYPES.index(letter))
    return made


def _counted(code: Any, function: Any, values: Sequence[Value], named: dict[str, Value]) -> Value:
    """np.arange of integers."""
    if named or not 1 <= len(values) <= 3 or not all(k == "int" for k, _ in values):
        raise Leaves("a call with such arguments", None)
    registers = code.range_of([register for _, register in values])
    count = code.emit("steps_of", *registers)
    return ("array", "l", 1, True), code.emit("iota", registers[0], registers[2], count)


def _joined(code: Any, function: Any, values: Sequence[Any], named: dict[str, Value]) -> Value:
    """np.concatenate and np.hstack of vectors of one dtype, np.append of two."""
    parts = values if function is np.append else values[0]
    if named or type(parts) is not list or len(values) != (2 if function is np.append else 1):
        raise Leaves("a call with such arguments", None)
    if not parts or not all(type(part) is tuple for part in parts):
        raise Leaves("a call with such arguments", None)
    letter = parts[0][0][1] if is_array(parts[0][0]) else ""
    if any(not is_array(k) or k[1] != letter or k[2] != 1 for k, _ in parts):
        raise Leaves("a call with such arguments", None)
    ends: list[int] = []
    for _, register in parts:
        length = code.emit("length", register, 0)
        ends.append(code.emit("add_i", ends[-1], length) if ends else length)
    made = _new(code, [("int", ends[-1])], ("int", code.constant(0)), letter)
    code.pinned = made[1]
    for k, part in enumerate(parts):
        bounds: list[Any] = [ends[k - 1] if k else None, ends[k]]  # registers
        assign(code, view(code, made, [ast.Slice(*bounds)], lambda r: ("int", r)), part)
    code.pinned = -1
    return made


def _stacked(code: Any, function: Any, values: Sequence[Any], named: dict[str, Value]) -> Value:
    """Vectors of one dtype as the rows of a matrix; in np.column_stack its columns."""
    if len(values) != 1 or named or type(values[0]) is not list or not values[0]:
        raise Leaves("a call with such arguments", None)
    parts = values[0]
    known = all(type(v) is tuple and is_array(v[0]) and v[0][2] == 1 for v in parts)
    if not known or len({k[1] for k, _ in parts}) > 1:
        raise Leaves("a call with such arguments", None)
    length = code.emit("length", parts[0][1], 0)
    for _, register in parts[1:]:
        code.check("nonzero_i", code.emit("eq_i", length, code.emit("length", register, 0)))
    turns = function is np.column_stack
    shape = [("int", code.constant(len(parts))), ("int", length)]
    number = "int", code.constant(0)
    made = _new(code, shape[::-1] if turns else shape, number, parts[0][0][1])
    code.pinned = made[1]
    every = ast.Slice(None, None, None)
    for k, part in enumerate(parts):
        at = [every, ast.Constant(k)] if turns else [ast.Constant(k), every]
        row = view(code, made, at, lambda node: ("int", code.constant(node.value)))
        assign(code, row, part)
    code.pinned = -1
    return made


def _listed(code: Any, function: Any, values: Sequence[Any], named: dict[str, Value]) -> Value:
    """np.array of a list."""
    is_list = len(values) == 1 and type(values[0]) is list and bool(values[0])
    first = values[0][0] if is_list else None
    of_arrays = type(first) is tuple and is_array(first[0])
    return (_stacked if of_arrays else _of_numbers)(code, function, values, named)


def _shaped(code: Any, function: Any, values: Sequence[Any], named: dict[str, Value]) -> Value:
    """np.reshape and np.ravel of what is in C's order: a view."""
    given, *rest = values
    shape: Any = rest[0] if len(rest) == 1 and type(rest[0]) is list else rest
    if function is np.ravel and not rest:
        shape = [("int", code.constant(-1))]
    if named or not shape or type(given) is list or not is_array(given[0]):
        raise Leaves("a call with such arguments", None)
    if len(shape) > MOST_RANK or not all(type(v) is tuple and v[0] == "int" for v in shape):
        raise Leaves("a shape of such values", None)
    first = code.consecutive([register for _, register in shape])
    made = code.emit("reshape", given[1], first, len(shape), dies(code, given))
    return ("array", given[0][1], len(shape), given[0][3]), made


#: As those in :mod:`.whole`.
FUNCTIONS: dict[Any, Any] = {
    **dict.fromkeys(_BEGUN, _filled), np.zeros_like: _filled_like, np.ones_like: _filled_like,
    np.copy: _copied, np.array: _listed, np.stack: _stacked,
    np.vstack: _stacked, np.column_stack: _stacked, np.arange: _counted, np.concatenate: _joined,
    np.hstack: _joined, np.append: _joined, np.reshape: _shaped, np.ravel: _shaped,
}  # fmt: skip
#: Those that may be given lists or tuples.
OF_LISTS = frozenset(FUNCTIONS) - {np.zeros_like, np.ones_like, np.copy, np.arange, np.ravel}
