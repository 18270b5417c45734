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
THEN = " → "  # between operators that run one after the other


def notation(node: Any, operands: Sequence[str]) -> str:
    """An elementwise operator on its operands; of others, of long ones and of functions of what
    has no name the operator's name.

    Args:
        node: with ``op``, ``family`` and ``attrs``.
        operands: what each value that it reads is called, "" for those without a name.
    """
    written = ""
    if any(operands) or len(operands) == 1:  # "· + ·" would say less than "add"
        written = _written(node, [_operand(name) for name in operands])
    if not written and node.family == "elementwise" and operands and all(operands):
        written = "" if node.attrs else f"{node.op}({', '.join(operands)})"
    return written if 0 < len(written) <= _LONGEST else str(node.op)


def _operand(name: str) -> str:
    """In parentheses where its own text would be read with the operator's."""
    return (name or UNNAMED) if not name or re.fullmatch(r"[\w.]+", name) else f"({name})"


def short(node: Any) -> str:
    """Without its operands, beside others in one kernel: ``* 2``, ``+``, ``tanh``."""
    return _written(node, ["", ""]).strip() or str(node.op)


def other_attributes(node: Any, label: str) -> str:
    """The operator's attributes as text, without the number that a label of :func:`notation` says
    in full, and without those that are not set or that say how MXNet 1.x counts axes."""
    number = node.attrs.get("scalar")
    told = number is not None and label.rpartition("= ")[2] != node.op
    left_out = "scalar=" if told and _exact(number) == number_text(number) else "="
    parts = node.attrs_text.split(", ")
    left = (left_out, "at_least_1d=")
    return ", ".join(p for p in parts if not p.startswith(left) and not p.endswith("=None"))


def number_text(number: Any) -> str:
    """A number as it is written, one of many digits shortened: 2, 0.5, 123456789, 3.14159."""
    text = _exact(number)
    return text if len(text) <= 10 or "." not in text else f"{number:.6g}"


def _exact(number: Any) -> str:
    whole = isinstance(number, float) and number.is_integer() and abs(number) < 1e15
    return repr(int(number) if whole else number)


def _written(node: Any, operands: Sequence[str]) -> str:
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
        return f"{_operand(number_text(number))} {_INFIX[base[1:]]} {operands[0]}"
    if node.family != "elementwise":
        return ""
    of = operands[0][1:-1] if operands[0].startswith("(") else operands[0]
    ends = [of or UNNAMED, number_text(number)]
    if base == "rarctan2":
        base, ends = "arctan2", ends[::-1]
    return f"{base}({', '.join(ends)})"
