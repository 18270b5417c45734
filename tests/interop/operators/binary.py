"""Elementwise functions of several arrays, and with numbers."""

from __future__ import annotations

from case import Call, Family
from drawn import DTYPES, FLOATS, given, real

f = Family("binary")
CASES = f.cases
PAIRS = (((2, 1, 3), (1, 4, 3)), ((1,), (1,)), ((3, 1), (1, 5)))
positive = {"low": 0.5, "high": 3}

for name in [
    "add",
    "plus",
    "sub",
    "minus",
    "mul",
    "equal",
    "not_equal",
    "greater",
    "greater_equal",
    "lesser",
    "lesser_equal",
    "maximum",
    "minimum",
    "logical_and",
    "logical_or",
    "logical_xor",
]:
    full = f"broadcast_{name}"
    f.every(DTYPES, full, real(2, 1, 3), real(1, 4, 3))
    for left, right in PAIRS[1:]:
        f.add(full, real(*left), real(*right))
    f.add(full, real(7, 1, 2, 1), real(1, 3, 1, 5))
    f.add(full, real(2, 3), real(1, 1))
for name in ["div", "mod", "power", "hypot"]:
    full = f"broadcast_{name}"
    f.every(FLOATS, full, real(2, 1, 3, **positive), real(1, 4, 3, **positive))
    for left, right in PAIRS[1:]:
        f.add(full, real(*left, **positive), real(*right, **positive))
f.add("broadcast_mod", given([-3.5, 3.5, -3.5, 3.5, 5]), given([2, -2, -2, 2, 0.75]))
f.every(("int32", "int64", "int8"), "broadcast_mod", given([-7, 7, -7, 7]), given([3, -3, -3, 3]))
f.every(
    ("int32", "int64", "int8", "uint8"), "broadcast_div", given([7, 9, 8, 6]), given([2, 4, 3, 1])
)
f.every(("int32", "int64"), "broadcast_power", given([2, 3, 5]), given([3, 2, 0]))
f.add("broadcast_power", given([-2.0, -1.5, 2.0]), given([2.0, 3.0, -1.5]))
for name in ["add", "sub", "mul"]:
    f.every(DTYPES, f"elemwise_{name}", real(2, 3), real(2, 3))
f.every(FLOATS, "elemwise_div", real(2, 3), real(2, 3, **positive))
for name in ["elemwise_add", "elemwise_mul"]:
    f.add(name, real(1), real(1))
    f.add(name, real(2, 3), real(3, 2), raises=True)
f.add("broadcast_add", real(2, 3), real(4, 3), raises=True)
for name in ["add_n", "ElementWiseSum"]:
    f.every(DTYPES, name, real(2, 3), real(2, 3), real(2, 3))
    f.add(name, real(4))

COMMON = (
    "add subtract multiply equal not_equal greater greater_equal "
    "lesser lesser_equal maximum minimum logical_and logical_or logical_xor"
)
for name in COMMON.split():
    f.every(DTYPES, name, real(2, 1, 3), real(1, 4, 3))
    f.add(name, real(2, 3), 1.5)
    f.add(name, 1.5, real(2, 3))
    f.add(name, real(2, 3, dtype="int32"), 2)
    f.add(name, 2, 3, call=Call(gradient=False))
for name in ["divide", "true_divide", "modulo", "power"]:
    f.every(FLOATS, name, real(2, 1, 3, **positive), real(1, 4, 3, **positive))
    f.add(name, real(2, 3, **positive), 1.5)
    f.add(name, 1.5, real(2, 3, **positive))

for name in [
    "__add__",
    "__sub__",
    "__mul__",
    "__eq__",
    "__ne__",
    "__gt__",
    "__ge__",
    "__lt__",
    "__le__",
    "__radd__",
    "__rsub__",
    "__rmul__",
]:
    f.every(DTYPES, f".{name}", real(2, 3), 2)
    f.every(FLOATS, f".{name}", real(2, 3), 0.5)
    f.add(f".{name}", real(2, 3), real(1, 3))
for name in ["__truediv__", "__mod__", "__pow__", "__rtruediv__", "__rmod__", "__rpow__"]:
    f.every(FLOATS, f".{name}", real(2, 3, **positive), 1.5)
for name in ["__truediv__", "__mod__"]:
    f.every(("int32", "int64"), f".{name}", real(2, 3, low=1, high=9), 2)
for name in ["__iadd__", "__isub__", "__imul__", "__itruediv__", "__imod__"]:
    f.every(FLOATS, f".{name}", real(2, 3, **positive), 1.5, call=Call(gradient=False))
    f.add(f".{name}", real(2, 3), real(2, 3, **positive), call=Call(gradient=False))
f.every(DTYPES, ".__neg__", real(2, 3))
f.every(FLOATS, ".__abs__", real(2, 3))

f.every(DTYPES, "where", given([[0, 1, 2], [0, -1, 0]], fixed=True), real(2, 3), real(2, 3))
f.add("where", given([1, 0]), real(2, 3), real(2, 3))
f.add("where", given([1, 0], "int32", fixed=True), real(2, 3), real(2, 3))
# Rows are chosen, also where there are as many columns.
f.every(DTYPES, "where", given([1, 0, 2]), real(3, 3), real(3, 3))
f.add("where", given([0, 1]), real(2, 2, 2), real(2, 2, 2))
f.add("where", given([1]), real(1, 3), real(1, 3))
f.add("where", given([0, 1, 2], "uint8", fixed=True), real(3), real(3))
for condition, x, y in (([1, 0], 3, 3), ([[1], [0]], 2, 2), ([[1, 0]], 2, 2), ([1, 0], 2, 1)):
    f.add("where", given(condition), real(x, 2), real(y, 2), raises=True)
f.every(FLOATS, "contrib.allclose", given([1.0, 2.0]), given([1.0, 2.0]))
f.add("contrib.allclose", given([1.0, 2.0]), given([1.0, 2.1]))
f.add("contrib.allclose", given([1.0, 2.0]), given([1.0, 2.1]), rtol=0.1, atol=0.01)
f.add("contrib.allclose", given([float("nan")]), given([float("nan")]), equal_nan=False)
