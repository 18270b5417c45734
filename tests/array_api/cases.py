"""What is asked of the standard's functions: expressions, and the dtypes they are asked for.

An expression is evaluated twice: with ``np`` bound to ``array_api_strict``, and as a line of a
hybridized cell. A combination that array-api-strict refuses is not part of the standard.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import array_api_strict as strict
import numpy as np

BOOL = ("bool",)
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
FLOAT = ("float32", "float64")
COMPLEX = ("complex64", "complex128")
INT = SIGNED + UNSIGNED
REAL = INT + FLOAT
NUMERIC = REAL + COMPLEX
ALL = BOOL + NUMERIC


@dataclass(frozen=True)
class Case:
    """One line: a function of the standard on inputs of stated dtypes."""

    function: str
    text: str  # an expression of np and the inputs' names
    sums: bool = False  # its result may be summed in another order


def _table(names: str, *forms: str, sums: bool = False) -> Iterator[tuple[str, str, bool]]:
    for name in names.split():
        for form in forms:
            yield name, form.replace("F", f"np.{name}", 1), sums


# Inputs: x, y (2, 3); v (3,); e empty; s 0-d; f finite; p positive; i indices; suffixed by a dtype.
_ONE = [
    *_table(
        "abs acos acosh asin asinh atan atanh ceil conj cos cosh exp expm1 floor imag isfinite "
        "isinf isnan log log1p log2 log10 logical_not negative positive real reciprocal round "
        "sign signbit sin sinh square sqrt tan tanh trunc bitwise_invert",
        "F(x_D)", "F(f_D)", "F(e_D)", "F(s_D)",
    ),
    *_table("argmax argmin max min", "F(f_D)", "F(f_D, axis=1)", "F(f_D, axis=0, keepdims=True)"),
    *_table("max min", "F(x_D)", "F(x_D, axis=(0, 1))", "F(s_D)"),
    *_table(
        "sum prod", "F(f_D)", "F(f_D, axis=1)", "F(f_D, axis=(0, 1), keepdims=True)", "F(e_D)",
        "F(e_D, axis=0)", "F(s_D)", "F(x_D, axis=0)", "F(f_D, dtype=np.D)", sums=True,
    ),
    *_table(
        "mean std var", "F(f_D)", "F(f_D, axis=0)", "F(f_D, axis=1, keepdims=True)", "F(x_D)",
        sums=True,
    ),
    *_table("std var", "F(f_D, correction=1.0)", "F(f_D, axis=1, correction=1)", sums=True),
    *_table(
        "cumulative_sum cumulative_prod", "F(v_D)", "F(f_D, axis=1)",
        "F(f_D, axis=0, include_initial=True)", sums=True,
    ),
    *_table("all any", "F(x_D)", "F(x_D, axis=0)", "F(x_D, axis=(0, 1), keepdims=True)", "F(e_D)"),
    *_table("count_nonzero", "F(x_D)", "F(x_D, axis=0)", "F(x_D, axis=1, keepdims=True)"),
    *_table("diff", "F(v_D)", "F(f_D, axis=0)", "F(f_D, n=2)", "F(v_D, prepend=v_D)"),
    *_table("sort", "F(f_D)", "F(f_D, axis=0)", "F(v_D, descending=True)"),
    *_table("argsort", "F(f_D)", "F(f_D, axis=0)", "F(v_D, descending=True)"),
    *_table("broadcast_to", "F(v_D, (2, 3))", "F(s_D, (2, 2))", "F(v_D, (0, 3))"),
    *_table("expand_dims", "F(x_D, axis=0)", "F(x_D, axis=-1)", "F(s_D, axis=0)"),
    *_table("squeeze", "F(x_D[None, :, :], axis=0)", "F(v_D[:, None], axis=1)"),
    *_table("flip", "F(x_D)", "F(x_D, axis=1)", "F(x_D, axis=(0, 1))"),
    *_table("moveaxis", "F(x_D, 0, 1)", "F(x_D[None, ...], 0, -1)"),
    *_table("permute_dims", "F(x_D, (1, 0))", "F(x_D[None, ...], (2, 0, 1))"),
    *_table("matrix_transpose", "F(x_D)", "F(x_D[None, ...])"),
    *_table("repeat", "F(x_D, 2)", "F(x_D, 2, axis=1)", "F(v_D, np.asarray([1, 0, 2]))"),
    *_table("reshape", "F(x_D, (3, 2))", "F(x_D, (-1,))", "F(e_D, (3, 0))", "F(s_D, (1, 1))"),
    *_table("roll", "F(x_D, 1)", "F(x_D, -1, axis=1)", "F(x_D, (1, 2), axis=(0, 1))"),
    *_table("tile", "F(v_D, (2,))", "F(x_D, (2, 1))", "F(x_D, (2, 1, 2))"),
    *_table("unstack", "F(x_D)", "F(x_D, axis=1)"),
    *_table("tril triu", "F(x_D)", "F(x_D, k=1)"),
    *_table("take", "F(v_D, i)", "F(x_D, i, axis=1)"),
    *_table("take_along_axis", "F(x_D, j, axis=1)"),
    *_table("nonzero", "F(x_D)"),
    *_table("unique_values unique_counts unique_inverse unique_all", "F(u_D)"),
    *_table("zeros_like ones_like empty_like", "F(x_D)", "F(e_D)"),
    *_table("full_like", "F(x_D, 1)"),
    *_table("astype", *[f"F(f_D, np.{to})" for to in ALL]),
    *_table("isdtype", "F(np.D, 'numeric')", "F(np.D, ('bool', 'integral'))", "F(np.D, np.D)"),
    *_table("zeros ones", "F((2, 3), dtype=np.D)", "F(0, dtype=np.D)"),
    *_table("full", "F((2,), 1, dtype=np.D)"),
    *_table("eye", "F(3, dtype=np.D)", "F(2, 4, k=1, dtype=np.D)"),
    *_table("arange", "F(5, dtype=np.D)", "F(1, 10, 3, dtype=np.D)"),
    *_table("linspace", "F(0, 1, 5, dtype=np.D)", "F(0, 8, 4, endpoint=False, dtype=np.D)"),
    *_table("asarray", "F(x_D)", "F(x_D, copy=True)", "F([1, 0], dtype=np.D)"),
    *_table("meshgrid", "F(v_D, v_D)", "F(v_D, v_D, indexing='ij')"),
    *_table("broadcast_arrays", "F(x_D, v_D)"),
    *_table("concat", "F([x_D, x_D])", "F([x_D, e_D], axis=0)", "F((x_D, v_D), axis=None)"),
    *_table("stack", "F([x_D, x_D])", "F([x_D, x_D], axis=-1)"),
    *_table("matmul", "F(f_D, m_D)", "F(v_D, v_D)", "F(f_D[None, ...], m_D)", sums=True),
    *_table("vecdot", "F(f_D, f_D)", "F(f_D, v_D)", sums=True),
    *_table("tensordot", "F(f_D, m_D, axes=1)", "F(f_D, f_D, axes=2)", sums=True),
    *_table("isin", "F(x_D, v_D)", "F(x_D, v_D, invert=True)"),
    *_table("searchsorted", "F(o_D, v_D)", "F(o_D, v_D, side='right')"),
    *_table("clip", "F(f_D, 0, 2)", "F(f_D, min=1)", "F(f_D, v_D, x_D)"),
]  # fmt: skip
_OPERATORS = ("+", "-", "*", "/", "//", "%", "**", "<", "<=", "==", "!=", ">", ">=",
              "&", "|", "^", "<<", ">>")  # fmt: skip
_TWO = [
    *_table(
        "add atan2 bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift "
        "copysign divide equal floor_divide greater greater_equal hypot less less_equal logaddexp "
        "logical_and logical_or logical_xor maximum minimum multiply nextafter not_equal pow "
        "remainder subtract",
        "F(x_D, y_D)", "F(x_D, v_D)", "F(e_D, e_D)", "F(s_D, y_D)",
    ),
    *(("operators", f"x_D {op} y_D", False) for op in _OPERATORS),
    *(("operators", f"x_D {op} 2", False) for op in _OPERATORS),
    *(("operators", f"2 {op} y_D", False) for op in _OPERATORS),
    *(("operators", f"p_D {op} 1.5", False) for op in ("+", "-", "*", "/", "**", "<", ">=")),
    *(("operators", text, False) for text in ("-x_D", "+x_D", "~x_D", "abs(f_D)")),
    ("operators", "f_D @ m_D", True),
    *(
        ("indexing", f"x_D[{key}]", False)
        for key in (
            "0", "-1", "0, 1", ":, 1", "::2, 1:", "...", "..., 0", "None, 1", "::-1", "1:, ::-1",
            "0:0", "i", "i, j[0, :]",
        )
    ),
    ("indexing", "x_D[x_D == x_D]", False),
    ("attributes", "x_D.T", False),
    ("attributes", "x_D.mT", False),
    ("where", "np.where(b, x_D, y_D)", False),
    ("where", "np.where(b, x_D, v_D)", False),
    ("where", "np.where(b, x_D, 1)", False),
]  # fmt: skip
_PAIRS = ["np.add(x_D, y_E)",
          "np.equal(x_D, y_E)", "np.where(b, x_D, y_E)", "np.concat([x_D, y_E])",
          "np.maximum(f_D, f_E)", "np.result_type(x_D, y_E)", "np.can_cast(np.D, np.E)",
          "np.result_type(np.D, np.E)"]  # fmt: skip
_ONCE = ["np.finfo(np.float32).eps", "np.finfo(np.float64).max", "np.iinfo(np.int8).max",
         "np.iinfo(np.uint64).max", "np.arange(5)", "np.arange(0.0, 1.0, 0.25)", "np.zeros((2,))",
         "np.ones((1, 2))", "np.full((2,), 2.5)", "np.full((2,), True)", "np.eye(2)",
         "np.linspace(0, 1, 3)", "np.asarray([1, 2])", "np.asarray([1.0, 2.0])", "np.pi", "np.e",
         "np.inf", "np.newaxis is None", "np.empty((2, 3)).shape",
         "np.broadcast_shapes((2, 1), (3,))", "np.nan != np.nan"]  # fmt: skip


def inputs() -> dict[str, np.ndarray]:
    """The arrays that the expressions name."""
    nan, inf = np.nan, np.inf
    arrays: dict[str, np.ndarray] = {
        "b": np.array([[True, False, True], [False, True, True]]),
        "i": np.array([2, 0]),
        "j": np.array([[2, 0], [1, 1]]),
    }
    for name in ALL:
        dtype = np.dtype(name)
        low = -4 if name in SIGNED + FLOAT + COMPLEX else 4
        whole = np.array([[0, 1, 2], [3, low, 5]])
        if dtype.kind in "iu":
            x = np.array([[0, 1, 7], [np.iinfo(dtype).max, low, np.iinfo(dtype).min]], dtype)
            y = np.array([[3, 2, 1], [1, 5, 2]], dtype)
            f = whole.astype(dtype)
        elif dtype.kind == "f":
            x = np.array([[1.5, -2.25, 0.0], [nan, inf, -0.0]], dtype)
            y = np.array([[0.5, 3.0, -0.0], [1.0, -inf, 2.0]], dtype)
            f = (whole * 0.375 - 0.5).astype(dtype)
        elif dtype.kind == "c":
            x = np.array([[1 + 2j, -0.5j, 0.25], [2 - 1j, -3, 1j]], dtype)
            y = np.array([[0.5, 1 + 1j, 2], [3j, -1, 2 - 2j]], dtype)
            f = (whole * (0.25 + 0.5j)).astype(dtype)
        else:
            x = np.array([[True, False, True], [False, False, True]])
            y = np.array([[True, True, False], [False, True, False]])
            f = x
        arrays |= {
            f"x_{name}": x, f"y_{name}": y, f"f_{name}": f, f"m_{name}": np.ascontiguousarray(f.T),
            f"v_{name}": np.array([2, 1, 3]).astype(dtype), f"o_{name}": np.sort(f[0]),
            f"e_{name}": np.zeros((0, 3), dtype), f"s_{name}": np.array(f[1, 2]),
            f"p_{name}": np.abs(f).astype(dtype) + np.array(1, dtype),
            f"u_{name}": np.array([3, 1, 1, 0, 3]).astype(dtype),
        }  # fmt: skip
    return arrays


def cases() -> list[Case]:
    """Every case, function by function."""
    made = []
    for function, form, sums in (*_ONE, *_TWO):
        for dtype in ALL:
            text = form.replace("_D", f"_{dtype}").replace("np.D", f"np.{dtype}")
            made.append(Case(function, text, sums))
    for form in _PAIRS:
        for one, other in itertools.product(ALL, ALL):
            text = form.replace("_D", f"_{one}").replace("np.D", f"np.{one}")
            text = text.replace("_E", f"_{other}").replace("np.E", f"np.{other}")
            made.append(Case("promotion", text))
    made += [Case("constants and defaults", text) for text in _ONCE]
    return sorted(dict.fromkeys(made), key=lambda c: c.function)


def functions_asked() -> set[str]:
    """Names of the standard's namespace that some case calls."""
    import re

    return {name for case in cases() for name in re.findall(r"np\.(\w+)", case.text)}


def functions_of_the_standard() -> set[str]:
    """What array-api-strict offers besides optional extensions, dtypes and its own switches."""
    own = {
        "ArrayAPIStrictFlags", "array_api_strict_flags", "get_array_api_strict_flags",
        "reset_array_api_strict_flags", "set_array_api_strict_flags", "Device",
    }  # fmt: skip
    extensions = {"fft", "linalg"}
    return {n for n in strict.__all__ if not n.startswith("_")} - own - extensions
