"""Every dtype in NumPy cells: ufuncs, reductions, products and casts against NumPy itself."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from cells import Shell

from jupyter_hybrid import _core

INTS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
ALL = ("bool", *INTS, *FLOATS, *COMPLEX)

UNARY = (
    "negative", "positive", "absolute", "sign", "square", "sqrt", "cbrt", "reciprocal", "exp",
    "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "arcsin", "arccos", "arctan",
    "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "floor", "ceil", "trunc", "rint",
    "logical_not", "isnan", "isinf", "isfinite", "invert", "conjugate", "exp2", "signbit",
)  # fmt: skip
BINARY = (
    "add", "subtract", "multiply", "divide", "floor_divide", "remainder", "fmod", "power",
    "maximum", "minimum", "hypot", "arctan2", "equal", "not_equal", "greater", "greater_equal",
    "less", "less_equal", "logical_and", "logical_or", "logical_xor", "bitwise_and",
    "bitwise_or", "bitwise_xor", "left_shift", "right_shift", "copysign",
)  # fmt: skip
REDUCTIONS = ("sum", "prod", "max", "min", "any", "all", "argmax", "argmin", "mean")
MIXED = ("add", "multiply", "divide", "maximum", "equal", "less", "logical_and")


@pytest.fixture
def shell() -> Shell:
    return Shell()


def values(dtype: str, seed: int, size: int = 40) -> np.ndarray:
    """Small numbers, the ends of the range, special values."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return rng.integers(0, 2, size).astype(bool)
    if kind.kind in "iu":
        info = np.iinfo(kind)
        low = max(info.min, -9)
        x = rng.integers(low, 10, size).astype(kind)
        x[:4] = info.max, info.min, 0, info.max // 3
        return x
    x = rng.uniform(-3, 3, size).astype(kind)
    if kind.kind == "c":
        x += (1j * rng.uniform(-3, 3, size)).astype(kind)
        x[:2] = 0, 1
    else:
        x[:6] = 0.0, -0.0, np.inf, -np.inf, np.nan, 1.0
    return x


def plain(body: list[str], names: dict[str, Any]) -> tuple[list[str], dict[str, Any]]:
    """The lines that NumPy accepts, and what it binds."""
    kept, namespace = [], {"np": np, **names}
    for line in body:
        try:
            exec(line, namespace)
        except TypeError:
            continue
        kept.append(line)
    return kept, namespace


def assert_same(got: Any, expected: Any, what: str) -> None:
    """Equal dtypes; integers and bools equal, floats within a few units of their precision."""
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.dtype == expected.dtype, what
    assert got.shape == expected.shape, what
    if expected.dtype.kind not in "fc":
        np.testing.assert_array_equal(got, expected, err_msg=what)
        return
    eps = np.finfo(expected.dtype).eps
    np.testing.assert_allclose(got, expected, rtol=32 * eps, atol=32 * eps, err_msg=what)


def compare(shell: Shell, body: list[str], names: dict[str, Any]) -> None:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kept, expected = plain(body, names)
        shell.ns.update(np=np, **names)
        shell.hybridize("\n".join(kept))
    for line in kept:
        name = line.split(" = ")[0]
        assert_same(shell.ns[name], expected[name], f"{line} with {names_text(names)}")


def names_text(names: dict[str, Any]) -> str:
    return ", ".join(f"{k}: {v.dtype}" for k, v in names.items())


@pytest.mark.parametrize("dtype", ALL)
def test_unary_ufuncs(shell, dtype):
    compare(shell, [f"r{i} = np.{f}(x)" for i, f in enumerate(UNARY)], {"x": values(dtype, 1)})


@pytest.mark.parametrize("dtype", ALL)
def test_binary_ufuncs_of_one_dtype(shell, dtype):
    body = [f"r{i} = np.{f}(x, y)" for i, f in enumerate(BINARY)]
    y = values(dtype, 2)
    if np.dtype(dtype).kind == "i":
        y = abs(y // 2)  # NumPy refuses negative powers, and warns of the least number's size
    compare(shell, body, {"x": values(dtype, 1), "y": y})


@pytest.mark.parametrize("left", ALL)
def test_binary_ufuncs_promote(shell, left):
    for right in ALL:
        body = [f"r{i} = np.{f}(x, y)" for i, f in enumerate(MIXED)]
        y = values(right, 2)
        compare(shell, body, {"x": values(left, 1), "y": y})


@pytest.mark.parametrize("dtype", ALL)
def test_python_numbers_are_weak(shell, dtype):
    body = ["a = x + 3", "b = 2 * x", "c = x - 1", "d = x / 2", "e = x == 1", "f = 7 - x"]
    if np.dtype(dtype).kind in "iu":
        body += ["g = x // 3", "h = x % 3", "k = x << 2", "m = x >> 1", "n = x & 5", "p = x ** 2"]
    compare(shell, body, {"x": values(dtype, 3)})


@pytest.mark.parametrize("dtype", ALL)
def test_reductions(shell, dtype):
    x = values(dtype, 4).reshape(5, 8)
    if np.dtype(dtype).kind == "f":
        x = np.abs(np.nan_to_num(x, posinf=1, neginf=2)) + 1
    body = [f"r{i} = np.{f}(x, axis=1)" for i, f in enumerate(REDUCTIONS)]
    body += [f"s{i} = np.{f}(x)" for i, f in enumerate(REDUCTIONS) if f != "prod"]
    compare(shell, body, {"x": x})


@pytest.mark.parametrize("source", ALL)
def test_casts(shell, source):
    x = values(source, 5)
    if np.dtype(source).kind in "fc":
        x = x[6:]  # what does not fit an integer is the processor's
    body = [f"r{i} = x.astype('{t}')" for i, t in enumerate(ALL)]
    if np.dtype(source).kind in "fc":
        x = np.abs(x.real).astype(source)
    compare(shell, body, {"x": x})


@pytest.mark.parametrize("dtype", ALL)
def test_shapes_choices_and_products(shell, dtype):
    x, y = values(dtype, 6)[:24].reshape(4, 6), values(dtype, 7)[:24].reshape(4, 6)
    if np.dtype(dtype).kind == "f":
        x, y = np.nan_to_num(x, posinf=1, neginf=2), np.nan_to_num(y, posinf=1, neginf=2)
    body = [
        "a = x.T",
        "b = np.concatenate([x, y])",
        "c = np.stack([x, y], axis=1)",
        "d = np.where(x == y, x, y)",
        "e = x[1:3, ::2]",
        "f = x.reshape(6, 4)",
        "g = np.matmul(x, y.T)",
        "h = np.zeros((2, 3), x.dtype) + x[:2, :3]",
        "k = np.full_like(x, 1)",
        "m = x[::-1]",
    ]
    if np.dtype(dtype).kind == "b":
        body.remove("g = np.matmul(x, y.T)")
    compare(shell, body, {"x": x, "y": y})


# The core itself --------------------------------------------------------------------------------
def core(op: str, *arrays: np.ndarray, **attrs: Any) -> np.ndarray:
    return _core.as_numpy(_core.invoke_core(op, [_core.from_numpy(a) for a in arrays], attrs))


@pytest.mark.parametrize("dtype", INTS)
def test_bits_and_order(dtype):
    x, y = values(dtype, 8), abs(values(dtype, 9) // 3)
    y[:4] = 0, 1, np.dtype(dtype).itemsize * 8 - 1, 200 if dtype != "int8" else 100
    for op, f in (
        ("bit_and", np.bitwise_and),
        ("bit_or", np.bitwise_or),
        ("bit_xor", np.bitwise_xor),
        ("left_shift", np.left_shift),
        ("right_shift", np.right_shift),
    ):
        assert_same(core(op, x, y), f(x, y), f"{op} of {dtype}")
    assert_same(core("invert", x), np.invert(x), dtype)
    assert_same(core("sort", x), np.sort(x), dtype)
    assert_same(core("argsort", x, dtype="int64"), np.argsort(x, kind="stable"), dtype)
    top = core("topk", x, k=3, ret_typ="value")
    assert_same(top, np.sort(x)[::-1][:3], dtype)
    assert_same(core("take", x, np.array([3, 1], np.uint16)), x[[3, 1]], dtype)
    a, b = x.reshape(8, 5), x.reshape(5, 8)
    assert_same(core("dot", a, b), a @ b, dtype)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_operators(dtype):
    x = values(dtype, 10)
    with np.errstate(all="ignore"):
        assert_same(core("angle", x), np.angle(x), dtype)
    assert_same(core("real", x), x.real, dtype)
    assert_same(core("imag", x), x.imag, dtype)
    assert_same(core("conj", x), x.conj(), dtype)
    assert_same(core("sum", x), x.sum(), dtype)
    assert_same(core("mean", x), x.mean(), dtype)
    a, b = x.reshape(5, 8), x.reshape(8, 5)
    assert_same(core("dot", a, b), a @ b, dtype)
    assert_same(core("matmul", a, b), a @ b, dtype)
    for op in ("maximum", "greater", "floor", "sort", "argmax", "erf"):
        inputs = [x, x] if op in ("maximum", "greater") else [x]
        with pytest.raises(Exception, match=f"{op}: .*{dtype}"):
            core(op, *inputs)


@pytest.mark.parametrize("dtype", ALL)
def test_arrays_come_and_go_with_their_strides(dtype):
    x = values(dtype, 11)[:24].reshape(2, 3, 4)
    for window in (x, x[::-1], x[:, ::2], x.T, x[:, :, 1:1], x[1, 2, 3:], x[::-1, ::-1, ::-2]):
        for copy in (True, False):
            array = _core.from_numpy(window, copy=copy)
            np.testing.assert_array_equal(_core.as_numpy(array), window)
            doubled = core("where", window == window, window, window)
            np.testing.assert_array_equal(doubled, np.where(window == window, window, window))
            kept = _core.as_numpy(_core.invoke_core("identity", [array], {}))
            np.testing.assert_array_equal(kept, window)
    shared = _core.from_numpy(x[:, ::-2], copy=False)
    x[0, 2, 0] = 1
    assert _core.as_numpy(shared)[0, 0, 0] == 1


def test_numbers_written_in_a_cell():
    for value, dtype in ((2**64 - 1, "uint64"), (-3, "int8"), (2 + 3j, None), (1j, "complex64")):
        array = _core.trace_constant(value, dtype=dtype, text=repr(value))
        assert np.dtype(array.dtype) == np.dtype(dtype or "complex128")


def test_what_can_not_be_shared_is_named():
    x = np.arange(6.0)
    x.flags.writeable = False
    with pytest.raises(Exception, match=r"float64 of shape \(6,\), which is read-only"):
        _core.from_numpy(x, copy=False)
    with pytest.raises(Exception, match="byte order"):
        _core.from_numpy(np.arange(3, dtype=">i2"), copy=False)


def test_gradients_of_complex_arrays_are_refused():
    from jupyter_hybrid import MXNetError, autograd, nd

    x = nd.array([1.0, 2.0])
    x.attach_grad()
    with autograd.record():
        y = _core.invoke_core("abs", [_core.invoke_core("cast", [x], {"dtype": "complex64"})], {})
    with pytest.raises((MXNetError, ValueError), match="gradients of complex arrays"):
        y.backward()


def test_large_numbers_of_uint64_are_not_rounded():
    x = np.array([2**63, 1], np.uint64)
    with pytest.raises(Exception, match="larger numbers need an array"):
        core("add_scalar", x, scalar=2**63)
