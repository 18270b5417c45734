"""Numbers inside a recorded branch or loop body: Python's arithmetic on a value that is not known.

A loop that counts with Python numbers (``k += 1``, ``for i in range(n)``) becomes a loop node when
its arithmetic is one that 64-bit kernels reproduce exactly; the interval of an ``int`` shows that
nothing overflows. Whatever needs the value itself raises :class:`NotConvertible`.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ... import _core
from ...capture import numbers, trace_state
from .errors import NotConvertible

EXACT = 2**53  # ints up to here are exact as float64
_FACTOR = 2**30  # of a product that might leave 64 bits
STEPS = 2**40  # no loop makes more
LARGEST = 2**40  # of ints that arrays become


class LoopNumber:
    """An ``int``, ``float`` or ``bool`` of a loop step, as a 0-d node of 64 bits (or bool)."""

    __slots__ = ("base", "hi", "kind", "lo", "node", "offset")
    __array_ufunc__ = None  # arrays leave mixed arithmetic to the reflected operators below
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, node: Any, kind: type, lo: int = 0, hi: int = 0):
        self.node, self.kind, self.lo, self.hi = node, kind, lo, hi
        self.base: Any = None  # this number is that of node `base` + `offset`
        self.offset = 0
        if kind is int and not -(2**62) < lo <= hi < 2**62:
            raise NotConvertible("an int of the loop may leave 64 bits")

    @property  # type: ignore[misc]
    def __class__(self) -> Any:  # what isinstance() asks
        return self.kind

    @property
    def ends(self) -> tuple[int, int]:
        return self.lo, self.hi

    # What needs the value ------------------------------------------------------------------------
    def _needs_value(self, *args: Any) -> Any:
        raise NotConvertible(
            f"the value of {_KINDS[self.kind]} is needed that is known only when the graph runs"
        )

    __bool__ = __int__ = __float__ = __complex__ = _needs_value
    __repr__ = __str__ = __format__ = __round__ = _needs_value

    def __index__(self) -> int:
        return self._needs_value()

    # Arithmetic ----------------------------------------------------------------------------------
    def __neg__(self) -> Any:
        if self.kind is bool:
            self._needs_value()
        return LoopNumber(_core.invoke_core("neg", [self.node], {}), self.kind, -self.hi, -self.lo)

    def __pos__(self) -> Any:
        return self

    def __pow__(self, other: Any, modulus: Any = None) -> Any:
        other = numbers.plain(other)
        if self.kind is float:
            raise NotConvertible("a power of a float rounds in its own way; write out x * x")
        if modulus is not None or type(other) is not int or not 0 <= other <= 16:
            raise NotConvertible("a power of an int needs a constant exponent from 0 to 16")
        if self.kind is bool:
            self._needs_value()
        made: Any = 1
        for _ in range(other):
            made = self if type(made) is not LoopNumber else calculated("mul", made, self)
        return made

    def _no_operator(self, other: Any) -> Any:
        raise NotConvertible(
            f"{_KINDS[self.kind]} known only when the graph runs has + - * / % // ** and < > =="
        )

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    __rpow__ = __matmul__ = __rmatmul__ = _no_operator
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = _no_operator

    def _logic(self, other: Any, operator_name: str) -> Any:
        x = of(other)
        if self.kind is not bool or x is None or x.kind is not bool:
            return self._no_operator(other)
        return LoopNumber(_core.invoke_core(operator_name, [self.node, x.node], {}), bool)

    def __and__(self, other: Any) -> Any:
        return self._logic(other, "logical_and")

    def __or__(self, other: Any) -> Any:
        return self._logic(other, "logical_or")

    def __xor__(self, other: Any) -> Any:
        return self._logic(other, "logical_xor")

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def __invert__(self) -> Any:
        return self._no_operator(self)

    def __abs__(self) -> Any:
        if self.kind is bool:
            self._needs_value()
        far = max(abs(self.lo), abs(self.hi))
        return LoopNumber(_core.invoke_core("abs", [self.node], {}), self.kind, 0, far)


_KINDS = {int: "an int", float: "a float", bool: "a truth value"}
ARITHMETIC = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "mod": "mod",
               "floordiv": "floor_div"}  # fmt: skip
COMPARISONS = {"lt": "lesser", "le": "lesser_equal", "gt": "greater", "ge": "greater_equal",
                "eq": "equal", "ne": "not_equal"}  # fmt: skip


def of(value: Any, node: Any | None = None) -> LoopNumber | None:
    """A plain Python number as a LoopNumber of one value; None for anything else."""
    value = numbers.plain(value)
    if type(value) is LoopNumber:
        return value
    if type(value) not in (bool, int, float):
        return None
    if type(value) is int and not -(2**62) < value < 2**62:
        raise NotConvertible("an int of the loop leaves 64 bits")
    dtype = {bool: "bool", int: "int64", float: "float64"}[type(value)]
    made = node if node is not None else _core.trace_constant(value, dtype, repr(value))
    exact = int(value) if type(value) is not float else 0
    return LoopNumber(made, type(value), exact, exact)


def carried(kind: type, node: Any, lo: int = -STEPS, hi: int = STEPS) -> LoopNumber:
    """The number that every step gets anew; ``lo`` and ``hi`` bound an int."""
    made = LoopNumber(node, kind, lo, hi)
    made.base, made.offset = node, 0
    return made


def as_float(x: LoopNumber) -> Any:
    """The node of a number as float64."""
    if x.kind is float:
        return x.node
    if max(abs(x.lo), abs(x.hi)) > EXACT:
        x = narrowed(x, EXACT, "an int of the loop is too large to be a float exactly")
    return _core.invoke_core("cast", [x.node], {"dtype": "float64"})


def calculated(name: str, a: LoopNumber, b: LoopNumber) -> LoopNumber:
    """``a op b`` for numbers, exactly as Python computes it."""
    if bool in (a.kind, b.kind):
        a._needs_value()
    floating = float in (a.kind, b.kind) or name == "truediv"
    nodes = [as_float(a), as_float(b)] if floating else [a.node, b.node]
    if name in COMPARISONS:
        return LoopNumber(_core.invoke_core(COMPARISONS[name], nodes, {}), bool)
    if floating and name in ("mod", "floordiv"):
        raise NotConvertible("% and // of floats known only when the graph runs; use ints")
    if name in ("truediv", "mod", "floordiv") and (b.kind is float or b.lo <= 0 <= b.hi):
        nodes[1] = _divisor(nodes[1])
    if name == "mul" and not floating and max(abs(x * y) for x in a.ends for y in b.ends) >= 2**62:
        a, b = (narrowed(x, _FACTOR, "an int of the loop may leave 64 bits") for x in (a, b))
        nodes = [a.node, b.node]
    made = _core.invoke_core(ARITHMETIC[name], nodes, {})
    if floating:
        return LoopNumber(made, float)
    if name == "mod":
        most = max(map(abs, b.ends)) - 1
        return LoopNumber(made, int, 0 if b.lo > 0 else -most, most if b.hi > 0 else 0)
    if name == "floordiv" and (b.lo != b.hi or b.lo == 0):
        most = max(map(abs, a.ends))
        return LoopNumber(made, int, 0 if a.lo >= 0 and b.lo >= 0 else -most, most)
    python = getattr(operator, name)
    ends = [python(x, y) for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
    result = LoopNumber(made, int, min(ends), max(ends))
    if name == "add" and b.lo == b.hi and a.base is not None:
        result.base, result.offset = a.base, a.offset + b.lo
    elif name == "add" and a.lo == a.hi and b.base is not None:
        result.base, result.offset = b.base, b.offset + a.lo
    elif name == "sub" and b.lo == b.hi and a.base is not None:
        result.base, result.offset = a.base, a.offset - b.lo
    return result


def narrowed(x: LoopNumber, most: int, reason: str) -> LoopNumber:
    """The int where it lies in ±most: in a script an error when it does not."""
    if max(map(abs, x.ends)) <= most:
        return x
    recorder = trace_state.recorder()
    if recorder is None:
        raise NotConvertible(reason)
    recorder.checks += 1
    made = _core.invoke_core("exact_int", [x.node], {"limit": most})
    return LoopNumber(made, int, max(x.lo, -most), min(x.hi, most))


def _divisor(node: Any) -> Any:
    """The same number, an error when it runs and is 0, as in Python."""
    recorder = trace_state.recorder()
    if recorder is None:
        raise NotConvertible("a division whose divisor may be zero raises in Python")
    recorder.checks += 1
    zero = _core.trace_constant(0, np.dtype(node.dtype).name, "0")
    other = _core.invoke_core(
        "cast", [_core.invoke_core("not_equal", [node, zero], {})], {"dtype": "int64"}
    )
    one = _core.invoke_core("exact_int", [other], {"divisor": True})
    if np.dtype(node.dtype) != np.int64:
        one = _core.invoke_core("cast", [one], {"dtype": np.dtype(node.dtype).name})
    return _core.invoke_core("mul", [node, one], {})
