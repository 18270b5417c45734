"""Operators of a loop's numbers with numbers and arrays, and arrays read at such numbers."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ... import _core
from ...capture import numbers
from ...np_face import TracedArray
from ...np_face.protocols import Recorder
from .errors import NotConvertible
from .loop_number import ARITHMETIC, COMPARISONS, EXACT, LoopNumber, calculated, narrowed, of

_UFUNCS: dict[str, Any] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide,
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "eq": np.equal, "ne": np.not_equal,
}  # fmt: skip
_ND = {
    "add": "broadcast_add", "sub": "broadcast_sub", "mul": "broadcast_mul",
    "truediv": "broadcast_div", "lt": "broadcast_lesser", "le": "broadcast_lesser_equal",
    "gt": "broadcast_greater", "ge": "broadcast_greater_equal", "eq": "broadcast_equal",
    "ne": "broadcast_not_equal",
}  # fmt: skip
_IN_PLACE = frozenset({"iadd", "isub", "imul", "itruediv"})


def _in_dtype(x: LoopNumber, dtype: np.dtype) -> Any:
    """The node of the number in the dtype that NumPy gives it beside an array."""
    if x.kind is int:
        if dtype.kind in "iu":
            info = np.iinfo(dtype)
            if not info.min <= x.lo <= x.hi <= info.max:
                raise NotConvertible(f"an int of the loop may not fit {dtype}")
        elif max(abs(x.lo), abs(x.hi)) > EXACT:
            x = narrowed(x, EXACT, "an int of the loop is too large to be a float exactly")
    if np.dtype(x.node.dtype) == dtype:
        return x.node
    return _core.invoke_core("cast", [x.node], {"dtype": dtype.name})


def _with_array(name: str, number: LoopNumber, array: TracedArray, number_first: bool) -> Any:
    """NumPy's ``number op array``: the number takes the array's dtype where it can."""
    if name not in _UFUNCS or number.kind is bool:
        number._needs_value()
    return _by_ufunc(_UFUNCS[name], number, array, number_first)


def by_function(function: Any, args: tuple) -> Any:
    """NumPy's or nd's ``function(x, y)`` of a number and an array; None for another call."""
    if len(args) != 2 or (type(args[0]) is LoopNumber) is (type(args[1]) is LoopNumber):
        return None
    first = type(args[0]) is LoopNumber
    number, array = args if first else args[::-1]
    if number.kind is bool:
        return None
    ufunc = getattr(function, "ufunc", function)
    if isinstance(ufunc, np.ufunc) and type(array) is TracedArray:
        return _by_ufunc(ufunc, number, array, first)
    name = getattr(function, "__name__", "")
    own = (getattr(function, "__module__", None) or "").startswith("jupyter_hybrid")
    if own and name in ("maximum", "minimum") and type(array) is _core.NDArray:
        return _core.invoke(
            f"broadcast_{name}", [array, _in_dtype(number, np.dtype(array.dtype))], {}
        )
    return None


def _by_ufunc(ufunc: Any, number: LoopNumber, array: TracedArray, number_first: bool) -> Any:
    kinds: tuple = (number.kind, array.dtype) if number_first else (array.dtype, number.kind)
    try:
        loop = ufunc.resolve_dtypes((*kinds, None))
    except (TypeError, OverflowError) as error:
        raise NotConvertible(str(error)) from None
    node = _in_dtype(number, loop[0 if number_first else 1])
    scalar = TracedArray.of_node(array.recorder, node, scalar=True)
    return ufunc(scalar, array) if number_first else ufunc(array, scalar)


def _with_ndarray(name: str, number: LoopNumber, array: Any, number_first: bool) -> Any:
    """MXNet's: the number takes the array's dtype, and so does a comparison."""
    dtype = np.dtype(array.dtype)
    known = name in _ND and (dtype.kind == "f" or (dtype.kind in "iu" and number.kind is int))
    if not known or (dtype.kind in "iu" and name == "truediv") or number.kind is bool:
        number._needs_value()
    node = _in_dtype(number, dtype)
    return _core.invoke(_ND[name], [node, array] if number_first else [array, node], {})


def scalar_with_ndarray(name: str, scalar: Any, array: Any, scalar_first: bool) -> Any:
    """MXNet's, for the node of a NumPy scalar, which is a number beside an NDArray."""
    dtype, given = np.dtype(array.dtype), np.dtype(scalar.dtype)
    fits = dtype.kind == "f" or (dtype.kind in "iu" and given.kind in "iu" and name != "truediv")
    if name not in _ND or not fits or given.kind not in "iuf":
        raise NotConvertible(f"a NumPy scalar of {given} meets an NDArray of {dtype}")
    if given != dtype:
        scalar = _core.invoke_core("cast", [scalar], {"dtype": dtype.name})
    return _core.invoke(_ND[name], [scalar, array] if scalar_first else [array, scalar], {})


def _operate(name: str, a: Any, b: Any) -> Any:
    for number, other, first in ((a, b, True), (b, a, False)):
        if type(number) is not LoopNumber:
            continue
        if type(other) is TracedArray:
            return _with_array(name, number, other, first)
        if type(other) is _core.NDArray:
            return _with_ndarray(name, number, other, first)
        if isinstance(other, np.generic):
            raise NotConvertible("a number of the loop meets a NumPy scalar")
    x, y = of(a), of(b)
    return NotImplemented if x is None or y is None else calculated(name, x, y)


def _install(symbol: str) -> None:
    def forward(self, other):
        return _operate(symbol, self, other)

    def backward(self, other):
        return _operate(symbol, other, self)

    setattr(LoopNumber, f"__{symbol}__", forward)
    if symbol in ARITHMETIC:
        setattr(LoopNumber, f"__r{symbol}__", backward)


for _symbol in (*ARITHMETIC, *COMPARISONS):
    _install(_symbol)


def inplace(kind: str, target: Any, value: Any) -> Any:
    """``target += value`` and the like, where ``value`` may be a number of the loop."""
    if type(value) is not LoopNumber or type(target) is not TracedArray:
        return getattr(operator, kind)(target, value)
    if target.is_scalar:
        return getattr(operator, kind.removeprefix("i") if kind in _IN_PLACE else kind)(
            target, value
        )
    if kind not in _IN_PLACE:
        raise NotConvertible("a number of the loop in place")
    made = _operate(kind[1:], target, value)
    if made.dtype != target.dtype or made.shape != target.shape:
        raise NotConvertible(f"a number of the loop does not fit {target.dtype} in place")
    target.assign(made.handle)
    return target


def element(array: TracedArray, key: Any) -> TracedArray | None:
    """``array[key]`` where ``key`` contains ints of the loop; None when it does not."""
    keys = key if type(key) is tuple else (key,)
    if not any(type(k) is LoopNumber for k in keys):
        return None
    if any(type(k) not in (LoopNumber, int, slice, numbers.RecordedInt) for k in keys):
        raise NotConvertible("an int of the loop beside other kinds of index")
    if len(keys) > array.ndim or any(type(k) is LoopNumber and k.kind is not int for k in keys):
        raise NotConvertible("an index that is not an int for each axis")
    node = array.handle
    for axis in reversed(range(len(keys))):
        k = keys[axis]
        if type(k) is LoopNumber:
            node = taken_at(array.recorder, node, axis, k)
    rest = tuple(k for k in keys if type(k) is not LoopNumber)
    taken = TracedArray.of_node(array.recorder, node, scalar=not node.shape)
    return taken[rest] if rest else taken


def taken_at(recorder: Recorder, node: Any, axis: int, k: LoopNumber) -> Any:
    """``node[k]`` along an axis; where k may be out of bounds, an error when it runs."""
    size = node.shape[axis]
    index = calculated("add", k, of(size)) if k.hi < 0 else k  # type: ignore[arg-type]
    mode = "clip"
    if not 0 <= index.lo <= index.hi < size:
        if not recorder.script:
            raise NotConvertible(f"an index of the loop may be out of bounds for size {size}")
        recorder.checks += 1
        index, mode = k, "raise"
    attrs = {"axis": axis, "mode": mode, "from_end": True}
    return _core.invoke_core("take", [node, index.node], attrs)


def row(recorder: Recorder, array: Any, key: Any) -> Any:
    """``array[key]`` of an NDArray where ``key`` is an int of the loop, or a tuple with some."""
    keys = key if type(key) is tuple else (key,)
    if len(keys) > len(array.shape) or any(
        type(k) is not LoopNumber and not isinstance(k, int) for k in keys
    ):
        raise NotConvertible("an int of the loop beside other kinds of index")
    node = array
    for axis in reversed(range(len(keys))):
        number = of(keys[axis])
        if number is None or number.kind is not int:
            raise NotConvertible("an index that is not an int for each axis")
        node = taken_at(recorder, node, axis, number)
    if not node.shape:  # MXNet's arrays have an axis
        node = _core.invoke_core("reshape", [node], {"shape": (1,)})
    return node
