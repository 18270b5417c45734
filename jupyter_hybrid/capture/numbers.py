"""Recorded Python numbers: real ints and floats that remember how they were computed.

A recorded number *is* its value (a subclass of ``int`` or ``float``), so any code may take one. Its
arithmetic also adds a node to the cell's graph, so ``print((1 + 2) + (3 + 4))`` can be drawn and
folded. A result that a 64-bit kernel would not reproduce exactly becomes a plain number again.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .. import _core
from ..np_face.float_errors import in_numpy

_INT64 = range(-(2**63), 2**63)
_EXACT_IN_FLOAT = range(-(2**53), 2**53 + 1)
_MAX_NODES = 2000  # a counting loop must not fill the graph
_left = _MAX_NODES
_asked = 0  # serials that were asked for, each of which is used up
_recorded = 0  # nodes of the graph, ever, that numbers made


def start_cell() -> None:
    """Gives the cell that starts now its own allowance of recorded numbers."""
    global _left
    _left = _MAX_NODES


def serial() -> int:
    """What is recorded from here on has a higher serial."""
    global _asked
    _asked += 1
    return _core.trace_serial()


def others_recorded() -> int:
    """What grows when operators are recorded; those of numbers aside."""
    return serial() - _asked - _recorded


def plain(value: Any) -> Any:
    """The same number as an ordinary ``int`` or ``float``; anything else unchanged."""
    kind = type(value)
    if kind is RecordedInt:
        return int.__int__(value)
    if kind is RecordedFloat:
        return float.__float__(value)
    return value


def is_recorded(value: object) -> bool:
    """True for a number that carries a node of the cell's graph."""
    return type(value) in RECORDED


def record(value: int | float) -> int | float:
    """``value`` recorded as a constant of the graph, while the cell's allowance lasts."""
    global _left, _recorded
    if _left <= 0 or (type(value) is int and value not in _INT64):
        return value
    _left -= 1
    before = serial()
    made = _wrap(value, _core.trace_constant(value, text=repr(value)))
    _recorded += serial() - before - 1
    return made


def _wrap(value: int | float, node: Any) -> int | float:
    made = (RecordedInt if type(value) is int else RecordedFloat)(value)
    made.node = node
    _core.guards.note()  # code that nobody has seen finds a plain one in its name
    _core.set_apart([node])
    return made


def _derive(value: Any, op: str, operands: tuple) -> Any:
    """``value`` with the node ``op(operands)``; plain when a kernel would not give just it."""
    global _left, _recorded
    plains = [plain(o) for o in operands]
    if _left <= 0 or not _core.is_tracing() or any(type(p) not in (int, float) for p in plains):
        return value
    floating = type(value) is float
    limit = _EXACT_IN_FLOAT if floating else _INT64
    if any(type(p) is int and p not in limit for p in (*plains, value)):
        return value
    _left -= 1
    before = serial()
    nodes = [o.node if is_recorded(o) else _core.trace_constant(o, text=repr(o)) for o in operands]
    if floating:
        nodes = [
            n if type(p) is float else _core.invoke_core("cast", [n], {"dtype": "float64"})
            for n, p in zip(nodes, plains, strict=True)
        ]
    made = _wrap(value, _core.invoke_core(op, nodes, {}))
    _recorded += serial() - before - 1
    return made


def is_numpys(value: Any) -> bool:
    """Is it a number of NumPy's, and no stand-in?"""
    return issubclass(type(value), np.generic)


def _meet(function: Any, *operands: Any) -> Any:
    """``function`` of the numbers made plain, or of one that meets NumPy's."""
    operands = tuple(map(plain, operands))
    return (
        in_numpy(function, operands, {}) if any(map(is_numpys, operands)) else function(*operands)
    )


class _Arithmetic:
    """Operators of a recorded number: recorded where a kernel gives just the same, else plain.

    A NumPy scalar or array as the other operand meets the plain number, so that it stays a weak
    Python scalar in NumPy's promotion.
    """

    __array_priority__ = 2000.0  # NumPy lets our operators run before its own
    node: Any

    def __reduce_ex__(self, protocol):  # copies and pickles are plain numbers
        value = plain(self)
        return (type(value), (value,))

    def __neg__(self) -> Any:
        return _derive(-plain(self), "neg", (self,))


def _install(symbol: str, function: Any, op: str | None = None) -> None:
    def forward(self: Any, other: Any, *modulus: Any) -> Any:
        value = _meet(function, self, other, *modulus)
        return value if op is None else _derive(value, op, (self, other))

    def update(self: Any, other: Any) -> Any:  # Python's own errors name the operator
        value = _meet(in_place, self, other)
        return value if op is None else _derive(value, op, (self, other))

    def backward(self: Any, other: Any, *modulus: Any) -> Any:
        value = _meet(function, other, self, *modulus)
        return value if op is None else _derive(value, op, (other, self))

    in_place = getattr(operator, f"__i{symbol}__", None)
    if in_place is not None:
        setattr(_Arithmetic, f"__i{symbol}__", update)
    setattr(_Arithmetic, f"__{symbol}__", forward)
    setattr(_Arithmetic, f"__r{symbol}__", backward)


_install("add", operator.add, "add")
_install("sub", operator.sub, "sub")
_install("mul", operator.mul, "mul")
_install("truediv", operator.truediv, "div")
_install("pow", pow)
_install("divmod", divmod)
for _name in ("floordiv", "mod", "matmul", "lshift", "rshift", "and", "or", "xor"):
    _install(_name, getattr(operator, f"__{_name}__"))
for _name in ("lt", "le", "eq", "ne", "gt", "ge"):
    _compared = getattr(operator, _name)
    setattr(_Arithmetic, f"__{_name}__", lambda a, b, f=_compared: f(plain(a), plain(b)))


class RecordedInt(_Arithmetic, int):
    """An ``int`` with the graph node that computes it in ``node``."""

    __class__ = property(lambda self: int)
    __hash__ = int.__hash__


class RecordedFloat(_Arithmetic, float):
    """A ``float`` with the graph node that computes it in ``node``."""

    __class__ = property(lambda self: float)
    __hash__ = float.__hash__


RECORDED = frozenset({RecordedInt, RecordedFloat})
RecordedInt.__name__ = "int"  # in messages of Python's own errors
RecordedFloat.__name__ = "float"
