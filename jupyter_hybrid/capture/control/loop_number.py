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
from ...np_face import TracedArray
from .. import numbers

_EXACT = 2**53  # ints up to here are exact as float64
_FACTOR = 2**30  # of a product that might leave 64 bits
_STEPS = 2**40  # no loop makes more
LARGEST = 2**40  # of ints that arrays become


class NotConvertible(BaseException):
    """This code can't be a node of the graph; the message says why. Python runs it then.

    Args:
        where: (file, line) when it is known and the traceback ends elsewhere.
    """

    def __init__(self, reason: str = "", where: tuple[str, int] | None = None):
        super().__init__(reason)
        self.where = where


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
            made = self if type(made) is not LoopNumber else _numbers("mul", made, self)
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
_ARITHMETIC = {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "mod": "mod",
               "floordiv": "floor_div"}  # fmt: skip
_COMPARISONS = {"lt": "lesser", "le": "lesser_equal", "gt": "greater", "ge": "greater_equal",
                "eq": "equal", "ne": "not_equal"}  # fmt: skip
_IN_PLACE = frozenset({"iadd", "isub", "imul", "itruediv"})
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


def carried(kind: type, node: Any, lo: int = -_STEPS, hi: int = _STEPS) -> LoopNumber:
    """The number that every step gets anew; ``lo`` and ``hi`` bound an int."""
    made = LoopNumber(node, kind, lo, hi)
    made.base, made.offset = node, 0
    return made


def as_float(x: LoopNumber) -> Any:
    """The node of a number as float64."""
    if x.kind is float:
        return x.node
    if max(abs(x.lo), abs(x.hi)) > _EXACT:
        x = _narrowed(x, _EXACT, "an int of the loop is too large to be a float exactly")
    return _core.invoke_core("cast", [x.node], {"dtype": "float64"})


def _numbers(name: str, a: LoopNumber, b: LoopNumber) -> LoopNumber:
    """``a op b`` for numbers, exactly as Python computes it."""
    if bool in (a.kind, b.kind):
        a._needs_value()
    floating = float in (a.kind, b.kind) or name == "truediv"
    nodes = [as_float(a), as_float(b)] if floating else [a.node, b.node]
    if name in _COMPARISONS:
        return LoopNumber(_core.invoke_core(_COMPARISONS[name], nodes, {}), bool)
    if floating and name in ("mod", "floordiv"):
        raise NotConvertible("% and // of floats known only when the graph runs; use ints")
    if name in ("truediv", "mod", "floordiv") and (b.kind is float or b.lo <= 0 <= b.hi):
        nodes[1] = _divisor(nodes[1])
    elif name in ("mod", "floordiv") and b.lo <= 0 and not _in_script():
        raise NotConvertible("% and // need ints and a positive constant divisor")
    if name == "mul" and not floating and max(abs(x * y) for x in a.ends for y in b.ends) >= 2**62:
        a, b = (_narrowed(x, _FACTOR, "an int of the loop may leave 64 bits") for x in (a, b))
        nodes = [a.node, b.node]
    made = _core.invoke_core(_ARITHMETIC[name], nodes, {})
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


def _narrowed(x: LoopNumber, most: int, reason: str) -> LoopNumber:
    """The int where it lies in ±most: in a script an error when it does not."""
    if max(map(abs, x.ends)) <= most:
        return x
    recorder = _recorder()
    if recorder is None or not recorder.script:
        raise NotConvertible(reason)
    recorder.checks += 1
    made = _core.invoke_core("exact_int", [x.node], {"limit": most})
    return LoopNumber(made, int, max(x.lo, -most), min(x.hi, most))


def _in_script() -> bool:
    recorder = _recorder()
    return recorder is not None and recorder.script


def _divisor(node: Any) -> Any:
    """The same number, an error when it runs and is 0, as in Python."""
    if not _in_script():
        raise NotConvertible("a division whose divisor may be zero raises in Python")
    _recorder().checks += 1
    zero = _core.trace_constant(0, np.dtype(node.dtype).name, "0")
    other = _core.invoke_core(
        "cast", [_core.invoke_core("not_equal", [node, zero], {})], {"dtype": "int64"}
    )
    one = _core.invoke_core("exact_int", [other], {"divisor": True})
    if np.dtype(node.dtype) != np.int64:
        one = _core.invoke_core("cast", [one], {"dtype": np.dtype(node.dtype).name})
    return _core.invoke_core("mul", [node, one], {})


def _recorder() -> Any:
    from ..source.hooks import install

    return install().recorder


def _in_dtype(x: LoopNumber, dtype: np.dtype) -> Any:
    """The node of the number in the dtype that NumPy gives it beside an array."""
    if x.kind is int:
        if dtype.kind in "iu":
            info = np.iinfo(dtype)
            if not info.min <= x.lo <= x.hi <= info.max:
                raise NotConvertible(f"an int of the loop may not fit {dtype}")
        elif max(abs(x.lo), abs(x.hi)) > _EXACT:
            x = _narrowed(x, _EXACT, "an int of the loop is too large to be a float exactly")
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
    return NotImplemented if x is None or y is None else _numbers(name, x, y)


def _install(symbol: str) -> None:
    def forward(self, other):
        return _operate(symbol, self, other)

    def backward(self, other):
        return _operate(symbol, other, self)

    setattr(LoopNumber, f"__{symbol}__", forward)
    if symbol in _ARITHMETIC:
        setattr(LoopNumber, f"__r{symbol}__", backward)


for _symbol in (*_ARITHMETIC, *_COMPARISONS):
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


def taken_at(recorder: Any, node: Any, axis: int, k: LoopNumber) -> Any:
    """``node[k]`` along an axis; where k may be out of bounds, an error when it runs."""
    size = node.shape[axis]
    index = _numbers("add", k, of(size)) if k.hi < 0 else k  # type: ignore[arg-type]
    mode = "clip"
    if not 0 <= index.lo <= index.hi < size:
        if not recorder.script:
            raise NotConvertible(f"an index of the loop may be out of bounds for size {size}")
        recorder.checks += 1
        index, mode = k, "raise"
    return _core.invoke_core("take", [node, index.node], {"axis": axis, "mode": mode})


def row(recorder: Any, array: Any, key: Any) -> Any:
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
