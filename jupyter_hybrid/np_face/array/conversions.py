"""Traced arrays as something else: numbers, text, real arrays. Each is a sync point."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...reasons import Reason
from .. import dispatch
from ..float_errors import converted
from ..protocols import Recorder

_FOREIGN = Reason("foreign code reads the array")
_ITEM = Reason("item() reads a value")
_TOLIST = Reason("tolist() reads the values")
_HASH = Reason("hash() reads a value")
_SIZE = Reason("its size in memory is asked for")
_ROUND = Reason("round() reads a value")


class Conversions:
    """What needs an array's elements; a mixin of TracedArray."""

    __slots__ = ()
    recorder: Recorder
    is_scalar: bool

    def to_numpy(self, reason: Reason = _FOREIGN) -> Any:
        raise NotImplementedError

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        real = np.asarray(self.to_numpy(_FOREIGN))
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
        return self.to_numpy(_ITEM).item(*args, **kwargs)

    def tolist(self) -> Any:
        return self.to_numpy(_TOLIST).tolist()

    def __hash__(self) -> int:
        if not self.is_scalar:
            raise TypeError("unhashable type: 'numpy.ndarray'")
        return hash(self.to_numpy(_HASH))

    def __sizeof__(self) -> int:
        return self.to_numpy(_SIZE).__sizeof__()

    def __round__(self, ndigits: int | None = None) -> Any:
        if self.is_scalar and type(ndigits) is int and self.recorder.active:
            return np.round(self, ndigits)
        return round(self.to_numpy(_ROUND), ndigits)

    def __deepcopy__(self, memo: dict) -> Any:
        return self.copy("K")  # type: ignore[attr-defined]

    def __copy__(self) -> Any:
        return self.copy("K")  # type: ignore[attr-defined]


def _reading(function: Callable, why: Reason) -> Callable:
    def read(self: Any, *args: Any) -> Any:
        return function(self.to_numpy(why), *args)

    return read


for _name, _function, _why in (
    ("bool", bool, Reason("a condition reads a value")),
    ("int", partial(converted, int), Reason("int() reads a value")),
    ("float", partial(converted, float), Reason("float() reads a value")),
    ("complex", complex, Reason("complex() reads a value")),
    ("index", operator.index, Reason("an index reads a value")),
    ("trunc", math.trunc, Reason("math.trunc() reads a value")),
    ("floor", math.floor, Reason("math.floor() reads a value")),
    ("ceil", math.ceil, Reason("math.ceil() reads a value")),
    ("repr", repr, Reason("repr() shows the values")),
    ("str", str, Reason("str() shows the values")),
    ("format", format, Reason("a format shows the values")),
    # Pickles are the real array.
    (
        "reduce_ex",
        lambda real, protocol: real.__reduce_ex__(protocol),
        Reason("pickling reads the values"),
    ),
    ("reduce", operator.methodcaller("__reduce__"), Reason("pickling reads the values")),
):
    setattr(Conversions, f"__{_name}__", _reading(_function, _why))
