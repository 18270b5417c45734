"""Python's operators on traced arrays where the core leaves them to this slow road."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ... import _core
from ...reasons import Reason
from .. import dispatch


def _defers(other: Any) -> bool:
    """True for operands that ask NumPy to step back."""
    return getattr(type(other), "__array_ufunc__", False) is None


def _is_two(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, np.generic) and value == 2


def _with_ndarray(ufunc: np.ufunc, scalar: Any, array: Any, scalar_first: bool) -> Any:
    name = next(n for n, u in (_BINARY | _TESTS).items() if u is ufunc)
    return scalar.recorder.scalar_with_ndarray(name, scalar.handle, array, scalar_first)


_SEQUENCES = (list, tuple, str, bytes, bytearray)


def _binary(ufunc: np.ufunc, plain: Callable, first: bool) -> Callable:
    """``self + other``, or ``other + self`` where self is not the ``first``."""

    def binary(self: Any, other: Any) -> Any:
        if _defers(other):
            return NotImplemented
        in_script = self.is_scalar and self.recorder.script and self.recorder.active
        if in_script and type(other) is _core.NDArray:  # which takes it as a number
            return _with_ndarray(ufunc, self, other, first)
        if ufunc is np.multiply and self.is_scalar and isinstance(other, _SEQUENCES):
            return other * self.to_numpy(Reason("a sequence is repeated"))
        if not first:
            return dispatch.operate(self.recorder, ufunc, plain, (other, self))
        if ufunc is np.power and _is_two(other) and self.dtype == bool and not self.is_scalar:
            return np.square(self)  # NumPy's ** takes this way, and gives int8
        return dispatch.operate(self.recorder, ufunc, plain, (self, other))

    return binary


def _in_place(ufunc: np.ufunc, plain: Callable) -> Callable:
    as_binary = _binary(ufunc, plain, True)

    def in_place(self: Any, other: Any) -> Any:
        if self.is_scalar:  # a NumPy scalar is a value: the name gets a new one
            return as_binary(self, other)
        squares = ufunc is np.power and _is_two(other) and self.dtype == bool  # as ** does
        called, inputs = (np.square, (self,)) if squares else (ufunc, (self, other))
        return dispatch.call_ufunc(self.recorder, called, "__call__", inputs, {"out": (self,)})

    return in_place


def _unary(ufunc: np.ufunc, plain: Callable) -> Callable:
    def unary(self: Any) -> Any:
        return dispatch.operate(self.recorder, ufunc, plain, (self,))

    return unary


_BINARY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide,
    "floordiv": np.floor_divide, "mod": np.remainder, "pow": np.power, "matmul": np.matmul,
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
    "lshift": np.left_shift, "rshift": np.right_shift,
}  # fmt: skip
_TESTS = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal,
    "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip
_UNARY = {
    "neg": np.negative, "pos": np.positive, "abs": np.absolute, "invert": np.invert,
}  # fmt: skip


#: By the name of the special method.
SLOW: dict[str, Callable] = {}


def _add(name: str, method: Callable) -> None:
    method.__name__ = name
    method.__qualname__ = f"ndarray.{name}"
    SLOW[name] = method


for _name, _ufunc in _BINARY.items():
    _plain = getattr(operator, f"__{_name}__")
    _add(f"__{_name}__", _binary(_ufunc, _plain, True))
    _add(f"__r{_name}__", _binary(_ufunc, _plain, False))
    _add(f"__i{_name}__", _in_place(_ufunc, getattr(operator, f"__i{_name}__")))
for _name, _ufunc in _TESTS.items():
    _add(f"__{_name}__", _binary(_ufunc, getattr(operator, f"__{_name}__"), True))
_add("__divmod__", _binary(np.divmod, divmod, True))
_add("__rdivmod__", _binary(np.divmod, divmod, False))
for _name, _ufunc in _UNARY.items():
    _add(f"__{_name}__", _unary(_ufunc, getattr(operator, f"__{_name}__")))
