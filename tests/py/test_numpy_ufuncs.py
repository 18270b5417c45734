"""Ufuncs on traced arrays against NumPy: values, dtypes, shapes, scalars, and no graph break."""

from __future__ import annotations

import re

import numpy as np
import pytest
from numpy_samples import DTYPES, FLOATS, SHAPES, sample
from traced import Recorded, check

from jupyter_hybrid.np_face.lower import lowering

UNARY = [
    "negative", "absolute", "sign", "square", "sqrt", "cbrt", "exp", "expm1", "log", "log2",
    "log10", "log1p", "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh",
    "arcsinh", "arccosh", "arctanh", "floor", "ceil", "trunc", "rint", "logical_not", "isnan",
    "isinf", "isfinite", "invert", "degrees", "radians", "fabs", "positive", "conjugate", "exp2",
    "modf",
]  # fmt: skip
BINARY = [
    "add", "subtract", "multiply", "divide", "maximum", "minimum", "hypot", "arctan2", "power",
    "float_power", "remainder", "floor_divide", "equal", "not_equal", "greater", "greater_equal",
    "less", "less_equal", "logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or",
    "bitwise_xor", "fmax", "fmin", "heaviside", "logaddexp", "logaddexp2", "divmod", "fmod",
    "left_shift", "right_shift",
]  # fmt: skip


def covered(ufunc: np.ufunc, *dtypes: np.dtype) -> bool:
    """False where NumPy's loop has a dtype that graphs do not have (float16 for uint8, ...)."""
    try:
        loop = ufunc.resolve_dtypes((*dtypes, *(None,) * ufunc.nout))
    except TypeError:
        return True  # an error in both
    signed_exponent = ufunc is np.power and loop[1].kind == "i"
    return set(loop) <= lowering.DTYPES and not signed_exponent


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.parametrize("dtype", DTYPES)
def test_unary(name, dtype):
    captured = covered(getattr(np, name), np.dtype(dtype))
    for shape in SHAPES:
        check(lambda np, x: getattr(np, name)(x), sample(shape, dtype), captured=captured)


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("dtype", DTYPES)
def test_binary(name, dtype):
    captured = covered(getattr(np, name), np.dtype(dtype), np.dtype(dtype))
    for shapes in (((3, 4), (4,)), ((), (0, 3)), ((3, 1), (1, 2))):
        arrays = [sample(s, dtype, seed=i) for i, s in enumerate(shapes)]
        check(lambda np, x, y: getattr(np, name)(x, y), *arrays, captured=captured)


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("number", [2, 1.5, True, -1, 0, 300])
def test_python_numbers_promote_weakly(name, number):
    for dtype in DTYPES:
        x = sample((3, 4), dtype)
        check(lambda np, x: getattr(np, name)(x, number), x, captured=False)
        check(lambda np, x: getattr(np, name)(number, x), x, captured=False)


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize(
    "dtypes", [("float32", "int64"), ("int32", "uint8"), ("bool", "float32"), ("uint8", "int64")]
)
def test_promotion_of_arrays(name, dtypes):
    arrays = [sample((3,), d, seed=i) for i, d in enumerate(dtypes)]
    check(lambda np, x, y: getattr(np, name)(x, y), *arrays, captured=False)


@pytest.mark.parametrize("dtype", FLOATS)
def test_special_values(dtype):
    values = np.array([0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan, 1e-40], dtype)
    one, other = (np.ascontiguousarray(v.ravel()) for v in np.meshgrid(values, values))
    for name in BINARY:
        if name not in ("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"):
            check(lambda np, x, y, n=name: getattr(np, n)(x, y), one, other)
    for name in UNARY:
        if name != "invert":
            check(lambda np, x, n=name: getattr(np, n)(x), values)


def test_comparison_with_a_number_beyond_the_dtype():
    x = sample((5,), "uint8")
    for test in ("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__"):
        check(lambda np, x, t=test: [getattr(x, t)(300), getattr(x, t)(-1)], x)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_out_where_and_dtype(dtype):
    def function(np, x):
        out = np.zeros_like(x)
        np.add(x, 1, out=out)
        np.multiply(x, 2, out)
        np.subtract(x, 1, out=out, where=x > 0)
        return out, np.add(x, 1, dtype=np.float64), np.sqrt(x, dtype=np.float64)

    check(function, sample((3, 4), dtype))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_methods_of_ufuncs(dtype):
    def function(np, x):
        one = x.copy()
        np.add.at(one, np.array([0, 0, 2]), 1)
        return (
            np.add.outer(x[0], x[1]), np.subtract.outer(x[0], x), np.multiply.reduce(x, axis=None),
            np.add.reduce(x), np.maximum.reduce(x, axis=-1), np.logical_and.reduce(x), one,
        )  # fmt: skip

    check(function, sample((3, 4), dtype), ulp=16)


def test_in_place_and_scalars():
    def function(np, x):
        y = x
        y += 1.5
        s = x.sum()
        t = s
        t += 1
        return x, s, t, isinstance(s, np.float64), isinstance(x, np.ndarray), {s: 1}[s]

    check(function, sample((4,), "float64"), captured=False)


def test_errors_are_numpys():
    for function in (
        lambda np, x: x + np.ones(7),
        lambda np, x: x.__iadd__(1.5),
        lambda np, x: x**-1,
        lambda np, x: np.add(x, 1, out=np.zeros(2)),
        lambda np, x: np.invert(x * 1.5),
        lambda np, x: x + "a",
    ):
        check(function, np.arange(12).reshape(3, 4), captured=False)


def test_errstate_leaves_the_graph():
    def function(np, x):
        with np.errstate(divide="raise"):
            return 1 / x

    with pytest.raises(FloatingPointError):
        Recorded(function, (np.zeros(3),))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"all": "warn"}, r"np.seterr\(under='warn'\) asks for warnings of underflow \(all='warn'"),
        ({"over": "raise"}, r"np.seterr\(over='raise'\) asks to be told of errors where"),
    ],
)
def test_what_is_asked_of_floating_point_errors_is_named(asked, said):
    with np.errstate(**asked):
        recorded = Recorded(lambda np, x: x * 2, (np.ones(3),))
    np.testing.assert_array_equal(recorded.value, np.full(3, 2.0))
    assert any(re.match(said, reason) for _, reason in recorded.breaks)
    assert not Recorded(lambda np, x: x * 2, (np.ones(3),)).breaks


def test_not_covered_is_named():
    recorded = Recorded(lambda np, x: np.nextafter(x, 1), (np.ones(3),))
    np.testing.assert_array_equal(recorded.value, np.nextafter(np.ones(3), 1))
    assert any("np.nextafter" in reason for _, reason in recorded.breaks)
    recorded = Recorded(lambda np, x: np.copysign(x, -1, dtype="f4"), (np.ones(3),))
    np.testing.assert_array_equal(recorded.value, np.full(3, -1, "f4"))
    assert any("np.copysign" in reason for _, reason in recorded.breaks)
    recorded = Recorded(lambda np, x: x * np.ones(3, "float16"), (np.ones(3),))
    assert any("float16" in reason for _, reason in recorded.breaks)
