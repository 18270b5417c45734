"""How NumPy's functions become core operators: NumPy 2's promotion, shapes and result types."""

from __future__ import annotations

import math
import weakref
from typing import Any

import numpy as np

from ... import _core

DTYPES = frozenset(np.dtype(n) for n in ("float32", "float64", "int32", "int64", "uint8", "bool"))


class NotCovered(Exception):
    """This use has no lowering; the message says which and why. It runs in real NumPy."""


def core(op: str, inputs: list[Any], **attrs: Any) -> Any:
    """One core operator on traced or concrete arrays."""
    return _core.invoke_core(op, inputs, attrs)


def dtype_of(handle: Any) -> np.dtype:
    """NumPy's dtype of an array handle."""
    return np.dtype(handle.dtype)


def cast(handle: Any, dtype: np.dtype) -> Any:
    """``handle`` in ``dtype``; the same handle when it has it already."""
    if dtype_of(handle) == dtype:
        return handle
    return core("cast", [handle], dtype=dtype.name)


def broadcast_to(handle: Any, shape: tuple[int, ...]) -> Any:
    """``handle`` repeated to ``shape`` by NumPy's rules."""
    if tuple(handle.shape) == tuple(shape):
        return handle
    return core(
        "broadcast_to",
        [reshape(handle, (1,) * (len(shape) - len(handle.shape)) + tuple(handle.shape))],
        shape=tuple(shape),
    )


def reshape(handle: Any, shape: tuple[int, ...]) -> Any:
    """Same elements, exact ``shape`` (no codes, one -1 resolved here)."""
    shape = tuple(int(s) for s in shape)
    size = math.prod(handle.shape)
    if shape.count(-1) == 1:
        known = -math.prod(shape)
        if known == 0 or size % known:
            raise NotCovered(f"reshape of {tuple(handle.shape)} to {shape}")
        shape = tuple(size // known if s == -1 else s for s in shape)
    if math.prod(shape) != size or -1 in shape:
        raise NotCovered(f"reshape of {tuple(handle.shape)} to {shape}")
    if tuple(handle.shape) == shape:
        return handle
    if 0 in shape:
        raise NotCovered("reshape of an array without elements")
    return core("reshape", [handle], shape=shape)


# Ufuncs -----------------------------------------------------------------------------------------
_UNARY: dict[Any, str] = {
    np.negative: "neg", np.absolute: "abs", np.sign: "sign", np.square: "square",
    np.sqrt: "sqrt", np.cbrt: "cbrt", np.reciprocal: "reciprocal", np.exp: "exp",
    np.expm1: "expm1", np.log: "log", np.log2: "log2", np.log10: "log10", np.log1p: "log1p",
    np.sin: "sin", np.cos: "cos", np.tan: "tan", np.arcsin: "arcsin", np.arccos: "arccos",
    np.arctan: "arctan", np.sinh: "sinh", np.cosh: "cosh", np.tanh: "tanh",
    np.arcsinh: "arcsinh", np.arccosh: "arccosh", np.arctanh: "arctanh", np.floor: "floor",
    np.ceil: "ceil", np.trunc: "trunc", np.rint: "rint", np.logical_not: "logical_not",
    np.isnan: "isnan", np.isinf: "isinf", np.isfinite: "isfinite",
}  # fmt: skip
_BINARY: dict[Any, str] = {
    np.add: "add", np.subtract: "sub", np.multiply: "mul", np.true_divide: "div",
    np.maximum: "maximum", np.minimum: "minimum", np.hypot: "hypot", np.arctan2: "arctan2",
    np.power: "power", np.remainder: "mod", np.floor_divide: "floor_div",
    np.equal: "equal", np.not_equal: "not_equal", np.greater: "greater",
    np.greater_equal: "greater_equal", np.less: "lesser", np.less_equal: "lesser_equal",
    np.logical_and: "logical_and", np.logical_or: "logical_or", np.logical_xor: "logical_xor",
}  # fmt: skip
_SCALAR_RIGHT = {
    "add": "add_scalar", "sub": "sub_scalar", "mul": "mul_scalar", "div": "div_scalar",
    "power": "power_scalar", "maximum": "maximum_scalar", "minimum": "minimum_scalar",
    "mod": "mod_scalar", "floor_div": "floor_div_scalar", "equal": "equal_scalar",
    "not_equal": "not_equal_scalar", "greater": "greater_scalar",
    "greater_equal": "greater_equal_scalar", "lesser": "lesser_scalar",
    "lesser_equal": "lesser_equal_scalar",
}  # fmt: skip
_SCALAR_LEFT = {
    "add": "add_scalar", "mul": "mul_scalar", "sub": "rsub_scalar", "div": "rdiv_scalar",
    "power": "rpower_scalar", "maximum": "maximum_scalar", "minimum": "minimum_scalar",
    "equal": "equal_scalar", "not_equal": "not_equal_scalar", "greater": "lesser_scalar",
    "greater_equal": "lesser_equal_scalar", "lesser": "greater_scalar",
    "lesser_equal": "greater_equal_scalar",
}  # fmt: skip
_PYTHON_SCALARS = (bool, int, float)


def covers(ufunc: np.ufunc) -> bool:
    """True when the ufunc has a lowering for some dtypes."""
    return ufunc in _UNARY or ufunc in _BINARY or ufunc is np.matmul


def ufunc_call(ufunc: np.ufunc, operands: list[Any]) -> Any:
    """The node of ``ufunc(*operands)``; operands are handles or Python scalars."""
    kinds: tuple = tuple(type(o) if type(o) in _PYTHON_SCALARS else dtype_of(o) for o in operands)
    if ufunc is np.matmul:
        return matmul(*operands)
    if ufunc not in _UNARY and ufunc not in _BINARY:
        raise NotCovered(f"np.{ufunc.__name__}")
    weak = tuple(np.dtype(bool) if k is bool else k for k in kinds)
    try:
        loop = ufunc.resolve_dtypes((*weak, None))
    except (TypeError, OverflowError) as error:
        raise NotCovered(f"np.{ufunc.__name__}: {error}") from None
    if not all(d in DTYPES for d in loop):
        raise NotCovered(f"np.{ufunc.__name__} on {', '.join(str(d) for d in loop)}")
    if ufunc in _UNARY:
        return _unary(ufunc, operands[0], loop)
    return _binary(ufunc, operands, loop)


def _unary(ufunc: np.ufunc, operand: Any, loop: tuple) -> Any:
    if loop[0].kind in "iub" and ufunc in (np.isnan, np.isinf, np.isfinite, np.reciprocal):
        raise NotCovered(f"np.{ufunc.__name__} on {loop[0]}")
    if loop[0].kind in "iub" and ufunc in (np.floor, np.ceil, np.trunc):
        return operand
    return core(_UNARY[ufunc], [cast(operand, loop[0])])


def _fits(value: Any, dtype: np.dtype) -> bool:
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return type(value) is not float and info.min <= int(value) <= info.max
    return True


def _binary(ufunc: np.ufunc, operands: list[Any], loop: tuple) -> Any:
    op = _BINARY[ufunc]
    left, right = operands
    if (
        op == "power"
        and loop[0].kind in "iu"
        and not (type(right) in _PYTHON_SCALARS and right >= 0)
    ):
        raise NotCovered("np.power of integers to array exponents")
    for value, dtype in zip(operands, loop, strict=False):
        if type(value) in _PYTHON_SCALARS and not _fits(value, dtype):
            raise NotCovered(f"np.{ufunc.__name__} of {dtype} and {value!r}")
    if op == "power" and type(right) in _PYTHON_SCALARS and loop[0].kind == "f" and right == 2:
        return core("square", [cast(left, loop[0])])  # as NumPy's own **
    if type(right) in _PYTHON_SCALARS and op in _SCALAR_RIGHT:
        return core(_SCALAR_RIGHT[op], [cast(left, loop[0])], scalar=scalar(right, loop[1]))
    if type(left) in _PYTHON_SCALARS and op in _SCALAR_LEFT:
        return core(_SCALAR_LEFT[op], [cast(right, loop[1])], scalar=scalar(left, loop[0]))
    handles = [
        _core.trace_constant(scalar(o, d), dtype=d.name, text=repr(o))
        if type(o) in _PYTHON_SCALARS
        else cast(o, d)
        for o, d in zip(operands, loop, strict=False)
    ]
    return core(op, handles)


def scalar(value: Any, dtype: np.dtype) -> int | float | bool:
    """A Python number as an element of ``dtype``, given back as a Python number."""
    if dtype.kind == "f":
        return float(dtype.type(value))
    return bool(value) if dtype.kind == "b" else int(value)


def matmul(a: Any, b: Any) -> Any:
    """``a @ b`` for 1-D and 2-D floats and integers of one dtype."""
    if type(a) in _PYTHON_SCALARS or type(b) in _PYTHON_SCALARS:
        raise NotCovered("np.matmul with a scalar")
    dtype = np.result_type(dtype_of(a), dtype_of(b))
    ranks = (len(a.shape), len(b.shape))
    if dtype.kind != "f" or not all(r in (1, 2) for r in ranks):
        raise NotCovered(f"np.matmul of {dtype} with {ranks[0]} and {ranks[1]} dimensions")
    if a.shape[-1] != b.shape[0]:
        raise NotCovered(f"np.matmul of {tuple(a.shape)} and {tuple(b.shape)}")
    (a, swap_a), (b, swap_b) = _untransposed(a), _untransposed(b)
    flags = {"transpose_a": True} if swap_a else {}
    flags |= {"transpose_b": True} if swap_b else {}
    return core("dot", [cast(a, dtype), cast(b, dtype)], **flags)


# A product reads a matrix either way: what `x.T` was made from, by id of its node.
_transposes: dict[int, tuple[weakref.ref, Any]] = {}


def transpose(x: Any, order: tuple[int, ...]) -> Any:
    """``x`` with its axes in another order; of a matrix, remembered for :func:`matmul`."""
    made = core("transpose", [x], axes=order)
    if order == (1, 0):
        key = id(made)
        gone = weakref.ref(made, lambda _: _transposes.pop(key, None))
        _transposes[key] = (gone, x)
    return made


def _untransposed(x: Any) -> tuple[Any, bool]:
    known = _transposes.get(id(x))
    return (known[1], True) if known is not None and known[0]() is x else (x, False)


# Reductions -------------------------------------------------------------------------------------
def reduction(name: str, x: Any, axis: Any, keepdims: bool, dtype: Any = None) -> Any:
    """``np.sum(x, axis)`` and the like, with NumPy's result types."""
    kind = dtype_of(x).kind
    if not math.prod(x.shape):
        raise NotCovered(f"np.{name} of an array without elements")
    if name in ("sum", "prod", "mean"):
        default = dtype_of(x)
        if kind in "iub":
            default = np.dtype(
                "float64" if name == "mean" else "uint64" if kind == "u" else "int64"
            )
        wanted = np.dtype(dtype) if dtype is not None else default
        if wanted not in DTYPES or (name == "mean" and wanted.kind != "f"):
            raise NotCovered(f"np.{name} with dtype {wanted}")
        x = cast(x, wanted)
    elif dtype is not None:
        raise NotCovered(f"np.{name} with dtype=")
    attrs: dict[str, Any] = {"keepdims": bool(keepdims)}
    if axis is not None:
        axes = axis if isinstance(axis, tuple) else (axis,)
        axes = tuple(int(a) for a in axes)
        if any(not -len(x.shape) <= a < len(x.shape) for a in axes):
            raise NotCovered(f"np.{name} over axis {axis}")
        attrs["axis"] = axes if name not in ("argmax", "argmin") else axes[0]
    if name in ("argmax", "argmin"):
        return cast(core(name, [x], **attrs), np.dtype("int64"))
    if name in ("any", "all") and kind != "b":
        x = core("not_equal_scalar", [x], scalar=0)
    return core(name, [x], **attrs)


def variance(x: Any, axis: Any, keepdims: bool, ddof: float, root: bool) -> Any:
    """``np.var`` / ``np.std``: mean of squared distances to the mean, in two passes as NumPy."""
    if dtype_of(x).kind != "f":
        x = cast(x, np.dtype("float64"))
    mean = reduction("mean", x, axis, True)
    square = core("square", [core("sub", [x, mean])])
    total = reduction("sum", square, axis, keepdims)
    count = math.prod(x.shape) / max(1, math.prod(total.shape)) - ddof
    if count <= 0:
        raise NotCovered("np.var with ddof >= the number of elements")
    result = core("div_scalar", [total], scalar=float(count))
    return core("sqrt", [result]) if root else result
