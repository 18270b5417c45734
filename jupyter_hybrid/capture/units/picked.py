"""Elements of arrays that arrays choose in units: by indices, by truth, one of two.

Shapes and indices are looked at when the loop runs: where they do not fit, the instruction leaves.
What has no instruction here is a call of NumPy's own (:mod:`.pure`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import arithmetic, pure
from .arithmetic import Value
from .kinds import MOST_RANK, TYPES, is_array, is_number
from .parts import Leaves
from .whole import converted, dies

_INDICES = "li"  # letters of dtypes
_NUMBERS: dict[str, Any] = {"int": 1, "float": 1.0, "complex": 1j, "bool": True}


def element(code: Any, base: Value, index: pure.Index) -> Value:
    """``base[index]``: a copy."""
    by = index.alone
    if by is None:
        return pure.element(code, base, index)
    is_mask = _is_mask(by[0], base[0])
    rank = 1 if is_mask else by[0][2] + base[0][2] - 1
    if not is_mask and (by[0][1] not in _INDICES or rank > MOST_RANK):
        return pure.element(code, base, index)
    made = code.emit("take", base[1], by[1], 0, dies(code, base) + 2 * dies(code, by))
    return ("array", base[0][1], rank, True), made


def store(code: Any, base: Value, index: pure.Index, value: Value) -> None:
    """``base[index] = value``."""
    kind, by = base[0], index.alone
    given = value[0]
    rank = given[2] if is_array(given) else 0
    known = kind[3] and rank <= 1 and (is_array(given) or is_number(given))
    if by is None or not known or not (_is_mask(by[0], kind) or _are_indices(by[0], kind)):
        pure.store(code, base, index, value)
        return
    if is_array(given):
        value = converted(code, value, kind[1])
        flags, register = 4 * dies(code, value), value[1]
    else:
        flags, register = 1, arithmetic.stored(code, value, kind[1])
    code.check("put_at", base[1], by[1], register, 0, flags + 2 * dies(code, by))


def _is_mask(by: Any, kind: Any) -> bool:
    return bool(by[1] == "?" and by[2] == kind[2])


def _are_indices(by: Any, kind: Any) -> bool:
    """Of elements of a vector, for a vector of them?"""
    return by[1] in _INDICES and by[2] == kind[2] == 1


def _where(code: Any, function: Any, values: Sequence[Any], named: dict[str, Value]) -> Value:
    if len(values) != 3 or named:
        raise Leaves("a call with such arguments", None)
    condition, *two = values
    if not all(is_array(k) or is_number(k) for k, _ in two):
        raise Leaves("a call with such arguments", None)
    if condition[0] in ("bool", ".?") and all(is_number(k) for k, _ in two):
        return _one_of(code, condition, two)
    if not is_array(condition[0]) or condition[0][1] != "?":
        raise Leaves("a call with such arguments", None)
    letter = np.result_type(*map(_typed, two)).char
    if letter not in TYPES:
        raise Leaves("a call with such arguments", None)
    flags, operands = 4 * dies(code, condition), [condition]
    for k, value in enumerate(two):
        if is_array(value[0]):
            value = converted(code, value, letter)
            flags |= dies(code, value) * 8 << k
            operands.append(value)
        else:
            number = ".D" if letter == "D" else value[0]
            operands.append((number, arithmetic.stored(code, value, letter)))
            flags |= 1 << k
    first = code.consecutive_of(operands)
    made = code.emit("choose", first, TYPES.index(letter), 0, flags)
    return ("array", letter, max(v[0][2] for v in values if is_array(v[0])), True), made


def _one_of(code: Any, condition: Value, two: Sequence[Value]) -> Value:
    """np.where of numbers, which is an array without axes."""
    letter = np.result_type(*map(_typed, two)).char
    if letter not in TYPES or letter == "D":
        raise Leaves("a call with such arguments", None)
    yes, no = (arithmetic.stored(code, value, letter) for value in two)
    return f"0{letter}", code.emit("pick", condition[1], yes, no)


def _best(code: Any, function: Any, values: Sequence[Value], named: dict[str, Value]) -> Value:
    """np.argmax and np.argmin of a vector."""
    kind, register = values[0]
    if len(values) != 1 or named or not is_array(kind) or kind[2] != 1 or kind[1] == "D":
        raise Leaves("a call with such arguments", None)
    least = 2 * (function is np.argmin)
    return ".l", code.emit("arg_best", register, 0, 0, dies(code, values[0]) + least)


def _typed(value: Value) -> Any:
    """Something whose dtype NumPy finds as it does the value's."""
    kind = value[0]
    return np.dtype(kind[1]) if is_array(kind) or kind[0] == "." else _NUMBERS[kind]


#: As those in :mod:`.whole`.
FUNCTIONS: dict[Any, Any] = {np.where: _where, np.argmax: _best, np.argmin: _best}
