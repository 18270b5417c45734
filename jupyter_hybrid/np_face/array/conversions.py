"""Traced arrays as something else: numbers, text, real arrays. Each is a sync point."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from .. import dispatch
from ..float_errors import converted
from ..protocols import Recorder


class Conversions:
    """What needs an array's elements; a mixin of TracedArray."""

    __slots__ = ()
    recorder: Recorder
    is_scalar: bool

    def to_numpy(self, reason: str = "") -> Any:
        raise NotImplementedError

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        real = np.asarray(self.to_numpy("foreign code reads the array"))
        if dtype is not None and real.dtype != dtype:
            return real.astype(dtype)
        return real.copy() if copy else real

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        return dispatch.call_ufunc(self.recorder, ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        __tracebackhide__ = True
        return dispatch.call_function(self.recorder, function, args, kwargs)

    def __array_namespace__(self, *, api_version: Any = None) -> Any:
        np.empty(0).__array_namespace__(api_version=api_version)  # raises for unknown versions
        return np

    @property
    def device(self) -> str:
        return "cpu"

    def to_device(self, device: Any, /, *, stream: Any = None) -> Any:
        np.empty(0).to_device(device, stream=stream)  # raises for unknown devices
        return self

    def item(self, *args: Any, **kwargs: Any) -> Any:
        return self.to_numpy("item() reads a value").item(*args, **kwargs)

    def tolist(self) -> Any:
        return self.to_numpy("tolist() reads the values").tolist()

    def __hash__(self) -> int:
        if not self.is_scalar:
            raise TypeError("unhashable type: 'numpy.ndarray'")
        return hash(self.to_numpy("hash() reads a value"))

    def __bool__(self) -> bool:
        return bool(self.to_numpy("a condition reads a value"))

    def __int__(self) -> int:
        return converted(int, self.to_numpy("int() reads a value"))

    def __float__(self) -> float:
        return converted(float, self.to_numpy("float() reads a value"))

    def __complex__(self) -> complex:
        return complex(self.to_numpy("complex() reads a value"))

    def __index__(self) -> int:
        return operator.index(self.to_numpy("an index reads a value"))

    def __trunc__(self) -> int:
        return math.trunc(self.to_numpy("math.trunc() reads a value"))

    def __floor__(self) -> int:
        return math.floor(self.to_numpy("math.floor() reads a value"))

    def __ceil__(self) -> int:
        return math.ceil(self.to_numpy("math.ceil() reads a value"))

    def __round__(self, ndigits: int | None = None) -> Any:
        if self.is_scalar and type(ndigits) is int and self.recorder.active:
            return np.round(self, ndigits)
        return round(self.to_numpy("round() reads a value"), ndigits)

    def __repr__(self) -> str:
        return repr(self.to_numpy("repr() shows the values"))

    def __str__(self) -> str:
        return str(self.to_numpy("str() shows the values"))

    def __format__(self, spec: str) -> str:
        return format(self.to_numpy("a format shows the values"), spec)

    def __reduce_ex__(self, protocol: Any) -> Any:  # pickles are the real array
        return self.to_numpy("pickling reads the values").__reduce_ex__(protocol)

    def __reduce__(self) -> Any:
        return self.to_numpy("pickling reads the values").__reduce__()

    def __deepcopy__(self, memo: dict) -> Any:
        return self.copy("K")  # type: ignore[attr-defined]

    def __copy__(self) -> Any:
        return self.copy("K")  # type: ignore[attr-defined]
