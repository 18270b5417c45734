"""ndarray's methods on traced arrays: most are the NumPy function of the same name."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from ... import _core
from ...reasons import Reason
from .. import bridge, dispatch
from ..float_errors import in_numpy, is_quiet
from ..lower import lowering
from ..lower.lowering import cast
from . import in_place, layouts, masks

_FUNCTIONS: dict[str, Callable] = {
    name: getattr(np, name)
    for name in (
        "sum", "prod", "mean", "max", "min", "argmax", "argmin", "any", "all", "std", "var",
        "dot", "take", "round", "ravel", "squeeze", "swapaxes", "repeat", "cumsum",
        "cumprod", "diagonal", "trace", "argsort", "choose", "searchsorted",
    )
}  # fmt: skip
_ORDERS = ("C", "K", "A", "F")
# Methods of real arrays that write into them.
_WRITERS = frozenset({"sort", "partition", "put", "setfield", "byteswap", "itemset"})


def _checked(method: Callable) -> Callable:
    """The method; arguments that don't fit it are NumPy's to refuse."""

    @wraps(method)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            return method(self, *args, **kwargs)
        except TypeError as error:
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise
        return getattr(self.to_numpy(), method.__name__)(*args, **kwargs)

    return call


def _part(function: Callable) -> property:
    name = function.__name__

    def read(self: Any) -> Any:
        return self._apply(function, (), {})

    def write(self: Any, value: Any) -> None:
        if self.is_scalar or (name == "imag" and self.dtype.kind != "c"):
            setattr(self.to_numpy(), name, value)  # raises NumPy's error
        elif self.dtype.kind == "c":
            getattr(self, name)[...] = value
        else:
            self[...] = value

    return property(read, write)


class Methods:
    """The methods; a mixin of TracedArray."""

    __slots__ = ()

    def reshape(self: Any, *shape: Any, **kwargs: Any) -> Any:
        if not shape:
            return self.to_numpy().reshape(**kwargs)  # raises NumPy's error
        wanted = shape[0] if len(shape) == 1 else shape
        if type(wanted) is np.ndarray:
            wanted = wanted.tolist()
        return self._apply(np.reshape, (wanted,), kwargs, "reshape")

    @_checked
    def clip(self: Any, min: Any = None, max: Any = None, out: Any = None, **kwargs: Any) -> Any:
        return self._apply(np.clip, (min, max, out), kwargs, "clip")

    @_checked
    def transpose(self: Any, *axes: Any) -> Any:
        order = axes[0] if len(axes) == 1 and type(axes[0]) is not int else axes or None
        return self._apply(np.transpose, (order,), {}, "transpose")

    @property
    def mT(self: Any) -> Any:
        return self._apply(np.matrix_transpose, (), {})

    real, imag = _part(np.real), _part(np.imag)

    @_checked
    def conj(self: Any) -> Any:
        return np.conjugate(self) if self.dtype.kind == "c" else self

    conjugate = conj

    @_checked
    def astype(
        self: Any, dtype: Any, order: str = "K", casting: Any = "unsafe", subok: bool = True,
        copy: bool = True,
    ) -> Any:  # fmt: skip
        options = order in _ORDERS and type(copy) is type(subok) is bool
        wanted = np.dtype(dtype if type(dtype) is not bridge.Traced else dtype.to_numpy())
        if self.recorder.active and options and is_quiet():
            if not np.can_cast(self.dtype, wanted, casting) or (
                self.dtype.kind == "c" and wanted.kind != "c"
            ):
                given = (dtype, order, casting, subok, copy)
                return in_numpy(self.to_numpy().astype, given, {}, self.recorder)
            if wanted == self.dtype and not copy and (order == "K" or layouts.fits(self, order)):
                return self
            if wanted in lowering.DTYPES:
                if self.selected is not None:
                    made = masks.select(self, self.selected[0])
                    made.selected = (self.selected[0], cast(self.selected[1], wanted))
                    return made
                made = bridge.Traced.of_node(self.recorder, self._copied(wanted), self.is_scalar)
                return layouts.like_copy(made, self, order)
            self.recorder.leave_graph(Reason("astype({dtype})", dtype=wanted))
        return self.to_numpy().astype(dtype, order, casting, subok, copy)

    @_checked
    def copy(self: Any, order: str = "C") -> Any:
        if self.recorder.active and order in _ORDERS:
            made = bridge.Traced.of_node(self.recorder, self._copied(self.dtype), self.is_scalar)
            return layouts.like_copy(made, self, order)
        return self.to_numpy().copy(order)

    @_checked
    def flatten(self: Any, order: str = "C") -> Any:
        if self.recorder.active and (order == "C" or (order in ("K", "A") and self.layout is None)):
            node = lowering.reshape(self._copied(self.dtype), (-1,))
            return bridge.Traced.of_node(self.recorder, node)
        if self.recorder.active and order == "F":
            return self.transpose().flatten()
        return self.to_numpy().flatten(order)

    def _copied(self: Any, dtype: np.dtype) -> Any:
        if dtype != self.dtype:
            return _core.invoke_ufunc("cast", [self.handle], {"dtype": dtype.name})
        return lowering.copied(self.handle)

    @_checked
    def fill(self: Any, value: Any) -> None:
        if lowering.number_of(value) is not None and self.writeable:
            self[...] = value
        else:
            self._write_really("fill", (value,), {})

    @_checked
    def sort(
        self: Any, axis: int = -1, kind: Any = None, order: Any = None, *, stable: Any = None
    ) -> None:
        if self.recorder.active and axis is not None and order is None and self.writeable:
            self[...] = np.sort(self, axis, kind, stable=stable)
        else:
            self._write_really("sort", (axis, kind, order), {"stable": stable})

    @_checked
    def put(self: Any, indices: Any, values: Any, mode: str = "raise") -> None:
        self._apply(np.put, (indices, values, mode), {})

    def view(self: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs or len(args) > 1 or (args and args[0] not in (np.ndarray, self.dtype)):
            return self.to_numpy(Reason("a view as another type")).view(*args, **kwargs)
        return self if self.is_scalar else self[...]

    def _apply(self: Any, function: Callable, args: tuple, kwargs: dict, method: str = "") -> Any:
        if self.recorder.active and self.selected is not None:
            name = getattr(function, "__name__", "")
            node = masks.reduced(name, self, bool(kwargs or args))
            if node is not None:
                return bridge.wrapped(self.recorder, node)
        return dispatch.call_function(self.recorder, function, (self, *args), kwargs, method)

    def _write_really(self: Any, name: str, args: tuple, kwargs: dict) -> Any:
        """A method of the real array that writes into it."""
        self.recorder.flush_if_active(Reason(".{name} writes the array in NumPy", name=name))
        result = getattr(self.to_numpy(), name)(*map(bridge.to_real, args), **kwargs)
        self.touched()
        return result

    @_checked
    def setflags(self: Any, write: Any = None, align: Any = None, uic: Any = None) -> None:
        in_place.change(
            self,
            in_place.FLAGS_SET,
            lambda real: real.setflags(write=write, align=align, uic=uic),
        )

    @_checked
    def resize(self: Any, *new_shape: Any, refcheck: bool = True) -> None:
        in_place.resize(self, new_shape, refcheck)

    def __getattr__(self: Any, name: str) -> Any:
        function = _FUNCTIONS.get(name)
        if function is not None and not (name == "dot" and self.is_scalar):  # these have none
            return Method(self, name, function)
        kind = self.dtype.type if self.is_scalar else np.ndarray
        if not hasattr(kind, name) or (name.startswith("__array_") and not _is_written(name)):
            raise AttributeError(f"'numpy.{kind.__name__}' object has no attribute '{name}'")
        if name in _WRITERS and not self.is_scalar:
            return Method(self, name, None)
        return getattr(self.to_numpy(Reason(".{name} needs the array", name=name)), name)


def _is_written(name: str) -> bool:
    """Does the code that asks for a protocol's attribute name it? NumPy asks too, to find out how
    to read an array, and is to take ``__array__``."""
    code = sys._getframe(2).f_code
    return name in code.co_names or name in code.co_consts


# Such as `x.sum`: a function of NumPy's with the array first; None: the real array's own method.
class Method:
    __slots__ = ("__self__", "_function", "_name")

    def __init__(self, array: Any, name: str, function: Callable | None):
        self.__self__, self._name, self._function = array, name, function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._function is None:
            return self.__self__._write_really(self._name, args, kwargs)
        return self.__self__._apply(self._function, args, kwargs, self._name)

    @property
    def __doc__(self) -> Any:  # type: ignore[override]
        return self.__getattr__("__doc__")

    def __getattr__(self, name: str) -> Any:  # __name__, __qualname__, ...
        array = self.__self__
        like = np.empty((), array.dtype)[()] if array.is_scalar else np.empty(0, array.dtype)
        return getattr(getattr(like, self._name), name)
