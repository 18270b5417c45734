"""Operators of two arrays, or an array and a number, as ONNX nodes."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from .writer import NodeWriter, writes

_Write = Callable[[NodeWriter, str, str], str]


def _plain(kind: str, on_bool: str | None = None) -> _Write:
    def write(c: NodeWriter, a: str, b: str) -> str:
        if c.dtype().kind == "b":
            if on_bool is None:
                c.fail("ONNX has no such arithmetic on bool")
            return c.add(on_bool, a, b)
        return c.add(kind, a, b)

    return write


def _guarded(c: NodeWriter, b: str, result: Callable[[str], str]) -> str:
    """An integer quotient or rest by b, 0 where b is 0: ONNX leaves that open."""
    zero = c.add("Equal", b, c.number(0))
    return c.where(zero, c.number(0), result(c.where(zero, c.number(1), b)))


def _div(c: NodeWriter, a: str, b: str) -> str:
    if c.dtype().kind in "iu":
        return _guarded(c, b, lambda d: c.add("Div", a, d))
    return _plain("Div")(c, a, b)


def _mod(c: NodeWriter, a: str, b: str) -> str:
    if c.dtype().kind in "iu":
        return _guarded(c, b, lambda d: c.add("Mod", a, d))
    if c.dtype().kind == "b":
        c.fail("ONNX has no such arithmetic on bool")
    # ONNX's rest of floats has a's sign.
    rest = c.add("Mod", a, b, fmod=1)
    signs = c.add("Xor", c.add("Less", rest, c.number(0)), c.add("Less", b, c.number(0)))
    some = c.add("Not", c.add("Equal", rest, c.number(0)))
    return c.where(c.add("And", signs, some), c.add("Add", rest, b), rest)


def _floor_div(c: NodeWriter, a: str, b: str) -> str:
    if c.dtype().kind in "iu":
        return _guarded(c, b, lambda d: c.add("Div", c.add("Sub", a, c.add("Mod", a, d)), d))
    return c.add("Floor", _plain("Div")(c, a, b))


def _power(c: NodeWriter, a: str, b: str) -> str:
    if c.dtype().kind != "f":
        c.fail("ONNX does not define a power of integers that wraps around")
    return c.add("Pow", a, b)


def _hypot(c: NodeWriter, a: str, b: str) -> str:
    a, b = c.add("Abs", a), c.add("Abs", b)
    large, small = c.add("Max", a, b), c.add("Min", a, b)
    safe = c.where(c.add("Equal", large, c.number(0)), c.number(1), large)
    ratio = c.add("Div", small, safe)  # scaled: no overflow of the squares
    root = c.add("Sqrt", c.add("Add", c.add("Mul", ratio, ratio), c.number(1)))
    return c.add("Mul", large, root)


def _negative(c: NodeWriter, x: str) -> str:
    """Whether the sign is set, -0 included."""
    zero = c.number(0)
    return c.add("Or", c.add("Less", x, zero), c.add("Less", c.add("Reciprocal", x), zero))


def _arctan2(c: NodeWriter, a: str, b: str) -> str:
    right = c.where(c.add("Equal", a, c.number(0)), a, c.add("Atan", c.add("Div", a, b)))
    turn = c.where(_negative(c, a), c.number(-math.pi), c.number(math.pi))
    return c.add("Add", right, c.where(_negative(c, b), turn, c.number(0)))


def _compare(kind: str) -> _Write:
    def write(c: NodeWriter, a: str, b: str) -> str:
        if c.dtype().kind == "b":
            a, b = (c.cast(v, np.bool_, np.int32) for v in (a, b))
        found = c.add("Not", c.add("Equal", a, b)) if kind == "NotEqual" else c.add(kind, a, b)
        return c.cast(found, np.bool_, c.out_dtype)

    return write


def _logical(kind: str) -> _Write:
    def write(c: NodeWriter, a: str, b: str) -> str:
        found = c.add(kind, c.truth(a, c.dtype()), c.truth(b, c.dtype()))
        return c.cast(found, np.bool_, c.out_dtype)

    return write


def _bits(kind: str) -> _Write:
    def write(c: NodeWriter, a: str, b: str) -> str:
        if c.dtype().kind == "b":
            return c.add(kind, a, b)
        if c.opset < 18:
            c.fail(f"bits of integers need opset 18, given {c.opset}")
        return c.add(f"Bitwise{kind}", a, b)

    return write


_BINARY: dict[str, _Write] = {
    "add": _plain("Add", "Or"),
    "sub": _plain("Sub"),
    "mul": _plain("Mul", "And"),
    "div": _div,
    "mod": _mod,
    "power": _power,
    "maximum": _plain("Max", "Or"),
    "minimum": _plain("Min", "And"),
    "hypot": _hypot,
    "arctan2": _arctan2,
    "floor_div": _floor_div,
    "equal": _compare("Equal"),
    "not_equal": _compare("NotEqual"),
    "greater": _compare("Greater"),
    "greater_equal": _compare("GreaterOrEqual"),
    "lesser": _compare("Less"),
    "lesser_equal": _compare("LessOrEqual"),
    "logical_and": _logical("And"),
    "logical_or": _logical("Or"),
    "logical_xor": _logical("Xor"),
    "bit_and": _bits("And"),
    "bit_or": _bits("Or"),
    "bit_xor": _bits("Xor"),
}


@writes(*_BINARY)
def binary(c: NodeWriter) -> str:
    return _BINARY[str(c.node.op)](c, *c.inputs)


def _integer_power(c: NodeWriter, x: str, exponent: int) -> str:
    """x to a power of at least 0, by squaring; wraps around as products do."""
    if exponent < 0:
        c.fail("ONNX does not define a negative power of integers")
    result = None
    while exponent:
        if exponent & 1:
            result = x if result is None else c.add("Mul", result, x)
        exponent >>= 1
        if exponent:
            x = c.add("Mul", x, x)
    return result if result is not None else _ones(c)


def _ones(c: NodeWriter) -> str:
    shape = c.add("Shape", c.inputs[0])
    return c.add("Expand", c.number(1), shape)


@writes(*(f"{name}_scalar" for name in _BINARY))
def with_number(c: NodeWriter) -> str:
    name = str(c.node.op).removesuffix("_scalar")
    if name == "power" and c.dtype().kind in "iu":
        return _integer_power(c, c.inputs[0], int(c.attrs["scalar"]))
    return _BINARY[name](c, c.inputs[0], c.number(c.attrs["scalar"]))


@writes(*(f"r{name}_scalar" for name in ("sub", "div", "mod", "power", "arctan2", "floor_div")))
def number_first(c: NodeWriter) -> str:
    name = str(c.node.op).removesuffix("_scalar").removeprefix("r")
    return _BINARY[name](c, c.number(c.attrs["scalar"]), c.inputs[0])
