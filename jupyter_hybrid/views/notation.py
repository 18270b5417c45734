"""Operators as a textbook writes them: ``b * a``, ``x - 2``, ``tanh(b)``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

_INFIX = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "mod": "%", "power": "**", "floor_div": "//",
    "equal": "==", "not_equal": "!=", "greater": ">", "greater_equal": ">=", "lesser": "<",
    "lesser_equal": "<=", "bit_and": "&", "bit_or": "|", "bit_xor": "^", "left_shift": "<<",
    "right_shift": ">>",
}  # fmt: skip
_LONGEST = 28
UNNAMED = "·"  # a value without a name


def notation(node: Any, operands: Sequence[str]) -> str:
    """An elementwise operator on its operands; of others, of long ones and of functions of what
    has no name the operator's name.

    Args:
        node: with ``op``, ``family`` and ``attrs``.
        operands: what each value that it reads is called, "" for those without a name.
    """
    written = ""
    if any(operands) or len(operands) == 1:  # "· + ·" would say less than "add"
        written = _infix(node, [_operand(name) for name in operands])
    if not written and node.family == "elementwise" and operands and all(operands):
        written = "" if node.attrs else f"{node.op}({', '.join(operands)})"
    return written if 0 < len(written) <= _LONGEST else str(node.op)


def _operand(name: str) -> str:
    plain = not name or re.fullmatch(r"[\w.·-]+", name)
    return (name or UNNAMED) if plain else f"({name})"


def short(node: Any) -> str:
    """Without its operands, beside others in one kernel: ``* 2``, ``+``, ``tanh``."""
    return _infix(node, ["", ""]).strip() or str(node.op)


def says_attributes(node: Any, label: str) -> bool:
    """Does a label of :func:`notation` have the operator's number in it?"""
    return set(node.attrs) == {"scalar"} and label != node.op and not label.endswith(f"= {node.op}")


def number_text(number: Any) -> str:
    """A number as it is written, one of many digits shortened: 2, 0.5, 123456789, 3.14159."""
    if isinstance(number, float) and number.is_integer() and abs(number) < 1e15:
        number = int(number)
    text = repr(number)
    return text if isinstance(number, int) or len(text) <= 10 else f"{number:.6g}"


def _infix(node: Any, operands: Sequence[str]) -> str:
    op = node.op or ""
    if op in _INFIX and len(operands) == 2:
        return f"{operands[0]} {_INFIX[op]} {operands[1]}"
    base = op.removesuffix("_scalar")
    number = node.attrs.get("scalar") if base != op else None
    if number is None or not operands:
        return ""
    if base in _INFIX:
        return f"{operands[0]} {_INFIX[base]} {number_text(number)}"
    if base.startswith("r") and base[1:] in _INFIX:
        return f"{number_text(number)} {_INFIX[base[1:]]} {operands[0]}"
    return ""
