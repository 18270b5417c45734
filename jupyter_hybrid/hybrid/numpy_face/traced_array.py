"""TracedArray: what an ndarray is while a cell is recorded, and a deferred value afterwards."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ... import _core
from . import lowering
from .functions import FUNCTIONS, take
from .indexing import Region, region
from .lowering import NotCovered, cast, dtype_of

_WINDOW = Callable[[Any], Any]


def supported(array: np.ndarray) -> bool:
    """True for arrays that can enter a graph: native, aligned numbers, no subclass, <= 8 axes."""
    return (
        array.dtype in lowering.DTYPES
        and array.dtype.isnative
        and array.flags.aligned
        and array.ndim <= 8
    )


class TracedArray(np.lib.mixins.NDArrayOperatorsMixin):
    """An array of the cell's graph that answers as ``numpy.ndarray`` does.

    Operations with a lowering add nodes. Whatever needs elements computes them first (a sync
    point) and continues in real NumPy. After the cell a deferred value is still this object: it
    computes itself when somebody reads it.
    """

    __array_priority__ = 1000.0
    __hash__ = None  # type: ignore[assignment]
    __slots__ = (
        "__weakref__",
        "_handle",
        "_read",
        "_real",
        "_seen",
        "_window",
        "_write",
        "dirty",
        "input",
        "is_scalar",
        "origin",
        "parent",
        "recorder",
        "version",
    )  # fmt: skip

    def __init__(self, recorder: Any, handle: Any):
        self.recorder = recorder
        recorder.proxies.append(weakref.ref(self))
        self._handle = handle
        self.origin: np.ndarray | None = None  # the existing ndarray it stands for
        self.input: Any = None  # that ndarray as a graph input
        self.dirty = False  # written since it was last stored to `origin`
        self.version = 0
        self.is_scalar = False  # NumPy gives a scalar here, not a 0-d array
        self._real: np.ndarray | None = None
        self.parent: TracedArray | None = None  # a view's base ...
        self._read: _WINDOW | None = None  # ... how to read it from the base's node,
        self._write: Callable[[Any, Any], Any] | None = None  # ... write it into the base,
        self._window: _WINDOW | None = None  # ... and take it from the base's real array
        self._seen = 0

    # Making ---------------------------------------------------------------------------------------
    @classmethod
    def of_input(cls, recorder: Any, array: np.ndarray) -> TracedArray:
        """The traced array of an existing ndarray; its memory is read in place."""
        made = cls(recorder, None)
        made.origin = array
        made.input = made._handle = _core.from_numpy(array, copy=False)
        return made

    @classmethod
    def of_node(cls, recorder: Any, handle: Any, scalar: bool = False) -> TracedArray:
        """The traced array of a new node."""
        made = cls(recorder, handle)
        made.is_scalar = scalar
        return made

    def _view(
        self, read: _WINDOW, write: Callable[[Any, Any], Any], window: _WINDOW
    ) -> TracedArray:
        made = TracedArray(self.recorder, read(self.handle))
        made.parent, made._read, made._write, made._window = self, read, write, window
        made._seen = self.version
        return made

    # State ----------------------------------------------------------------------------------------
    @property
    def handle(self) -> Any:
        """The current node; a view follows what was written to its base."""
        parent = self.parent
        if parent is not None:
            base = parent.handle
            if parent.version != self._seen and self._read is not None:
                self._handle, self._seen = self._read(base), parent.version
                self._real = None
                self.version += 1
        return self._handle

    def _set(self, handle: Any) -> None:
        """Rebinds the array's contents after a write into it."""
        if self.parent is not None and self._write is not None:
            self.parent._set(self._write(self.parent.handle, handle))
            self._handle, self._seen = handle, self.parent.version
        else:
            if self.origin is not None:
                if not self.origin.flags.writeable:
                    raise ValueError("assignment destination is read-only")
                overlaps = self.recorder.before_write(self)
                self.dirty = True
                self._handle = handle
                if overlaps:
                    self.recorder.write_back()
                    return
            self._handle = handle
        self._real = None
        self.version += 1

    def store(self) -> None:
        """Writes the computed contents into the existing ndarray."""
        if self.dirty and self.origin is not None:
            self.dirty = False
            np.copyto(self.origin, _core.as_numpy(self._handle, self.recorder.settled))
            self._handle = self.input
            self.version += 1

    def real(self, reason: str = "a value is read") -> Any:
        """The ndarray (or NumPy scalar) itself, computed now if need be."""
        if self.parent is not None and self._window is not None:
            base = self.parent.real(reason)
            self._handle = self.handle
            return self._window(base)
        if self.origin is not None:
            if self.dirty:
                self.recorder.sync([self._handle], reason)
                self.recorder.write_back()
            return self.origin
        if self._real is None:
            handle = self._handle
            if handle._traced:
                self.recorder.read(self, reason)
            self._real = _core.as_numpy(handle, self.recorder.settled)
        return self._real[()] if self.is_scalar else self._real

    # Attributes -----------------------------------------------------------------------------------
    # isinstance(x, np.ndarray) holds, as for the array it stands for.
    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return self.dtype.type if self.is_scalar else np.ndarray

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.handle.shape)

    @property
    def dtype(self) -> np.dtype:
        return dtype_of(self.handle)

    @property
    def ndim(self) -> int:
        return len(self.handle.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.size * self.itemsize

    @property
    def T(self) -> Any:
        return self.transpose()

    # Protocols ------------------------------------------------------------------------------------
    def _to(self, value: Any) -> Any:
        """The node of an argument: traced, an existing ndarray, a NumPy scalar or 0-d array."""
        if type(value) is TracedArray:
            return value.handle
        if type(value) is _Handle:
            return value.node
        if isinstance(value, (np.generic, np.ndarray)) and type(value) is not np.ndarray:
            value = np.asarray(value)
        if type(value) is np.ndarray and supported(value):
            return self.recorder.wrap(value).handle if value.ndim else _constant(value)
        if type(value) in (bool, int, float):
            return _constant(np.asarray(value))
        raise NotCovered(f"an argument of type {type(value).__name__}")

    def _operand(self, value: Any) -> Any:
        kind = type(value)
        if kind in (bool, int, float):
            return value
        if isinstance(value, (int, float)) and not isinstance(value, np.generic):
            return float(value) if isinstance(value, float) else int(value)
        return self._to(value)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        out = kwargs.get("out")
        if self.recorder.active:
            try:
                if method == "reduce" and ufunc in _REDUCTIONS:
                    return self.__array_function__(
                        _REDUCTIONS[ufunc], (), inputs, {"axis": 0, **kwargs}
                    )
                if method != "__call__" or set(kwargs) - {"out"}:
                    raise NotCovered(f"np.{ufunc.__name__}.{method} with options")
                node = lowering.ufunc_call(ufunc, [self._operand(i) for i in inputs])
                if out is None:
                    return TracedArray.of_node(self.recorder, node, scalar=not node.shape)
                return self._store_result(ufunc, out[0], node)
            except NotCovered as reason:
                self.recorder.leave_graph(str(reason))
        return _in_numpy(getattr(ufunc, method), inputs, kwargs)

    def _store_result(self, ufunc: np.ufunc, target: Any, node: Any) -> Any:
        array = self.recorder.wrap(target)
        if type(array) is not TracedArray:
            raise NotCovered(f"np.{ufunc.__name__} into an array outside the graph")
        if not np.can_cast(dtype_of(node), array.dtype, "same_kind"):
            raise NotCovered(f"np.{ufunc.__name__} into {array.dtype}")
        if tuple(node.shape) != array.shape:
            try:
                if np.broadcast_shapes(node.shape, array.shape) != array.shape:
                    raise ValueError
            except ValueError:
                raise NotCovered(f"np.{ufunc.__name__} into shape {array.shape}") from None
            node = lowering.broadcast_to(node, array.shape)
        array._set(cast(node, array.dtype))
        return target

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        __tracebackhide__ = True
        if self.recorder.active:
            try:
                lowered = FUNCTIONS.get(function)
                if lowered is None:
                    raise NotCovered(f"np.{function.__name__} is not covered")
                if function in _VIEWS and args and type(args[0]) is TracedArray:
                    return args[0]._shape_view(function, lowered, args[1:], kwargs)
                node = lowered(self._to, *args, **kwargs)
                return TracedArray.of_node(self.recorder, node, scalar=not node.shape)
            except NotCovered as reason:
                self.recorder.leave_graph(str(reason))
            except (TypeError, ValueError, IndexError):
                self.recorder.leave_graph(f"np.{function.__name__} with these arguments")
        return _in_numpy(function, args, kwargs)

    def _shape_view(self, function: Any, lowered: Any, args: tuple, kwargs: dict) -> Any:
        """reshape, transpose and the like: a view that writes go through."""
        before = self.shape

        def read(base: Any) -> Any:
            return lowered(self._to, _Handle(base), *args, **kwargs)

        if function is np.transpose:
            axes = args[0] if args else kwargs.get("axes")
            order = range(len(before))[::-1] if axes is None else axes
            inverse = tuple(int(i) for i in np.argsort([int(a) % len(before) for a in order]))

            def write(base: Any, value: Any) -> Any:
                return lowered(self._to, _Handle(value), inverse)
        else:

            def write(base: Any, value: Any) -> Any:
                return lowering.reshape(value, before)

        return self._view(read, write, lambda base: function(base, *args, **kwargs))

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        real = np.asarray(self.real("foreign code reads the array"))
        return real.astype(dtype) if dtype is not None and real.dtype != dtype else real

    # Indexing -------------------------------------------------------------------------------------
    def __getitem__(self, key: Any) -> Any:
        __tracebackhide__ = True
        if self.recorder.active:
            try:
                index = self.recorder.wrap(key)
                if type(index) is TracedArray:
                    node = take(self.handle, index.handle, 0)
                    return TracedArray.of_node(self.recorder, node, scalar=not node.shape)
                window = region(self.shape, key)
                if window.scalar:
                    return TracedArray.of_node(self.recorder, window.read(self.handle), scalar=True)
                return self._view(window.read, window.write, lambda base: base[key])
            except NotCovered as reason:
                self.recorder.leave_graph(f"indexing: {reason}")
        return self.real("indexing reads the array")[_to_real(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        __tracebackhide__ = True
        if self.recorder.active and not self.is_scalar:
            try:
                window = region(self.shape, key)
                self._set(window.write(self.handle, self._fitted(value, window)))
                return
            except NotCovered as reason:
                self.recorder.leave_graph(f"writing: {reason}")
        self.recorder.flush_if_active("an array is written in NumPy")
        self.real()[_to_real(key)] = _to_real(value)

    def _fitted(self, value: Any, window: Region) -> Any:
        operand = self._operand(value)
        if type(operand) in (bool, int, float):
            if self.dtype.kind in "iu" and type(operand) is float:
                operand = int(operand)
            operand = _constant(np.asarray(operand).astype(self.dtype))
        if not np.can_cast(dtype_of(operand), self.dtype, "same_kind"):
            raise NotCovered(f"{dtype_of(operand)} into {self.dtype}")
        try:
            if np.broadcast_shapes(tuple(operand.shape), window.shape) != window.shape:
                raise ValueError
        except ValueError:
            raise NotCovered(f"a value of shape {tuple(operand.shape)}") from None
        return lowering.broadcast_to(cast(operand, self.dtype), window.shape)

    # Methods --------------------------------------------------------------------------------------
    def reshape(self, *shape: Any, **kwargs: Any) -> Any:
        wanted = shape[0] if len(shape) == 1 else shape
        return np.reshape(self, wanted, **kwargs)

    def transpose(self, *axes: Any) -> Any:
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes or None
        return np.transpose(self, order)

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        wanted = np.dtype(dtype)
        safe = self.dtype.kind in "iub" or wanted.kind == "f"
        if self.recorder.active and wanted in lowering.DTYPES and not args and not kwargs and safe:
            return TracedArray.of_node(self.recorder, self._copied(wanted))
        return self.real().astype(dtype, *args, **kwargs)

    def copy(self, order: str = "C") -> Any:
        if self.recorder.active and order in "CKA":
            return TracedArray.of_node(self.recorder, self._copied(self.dtype))
        return self.real().copy(order)

    def flatten(self, order: str = "C") -> Any:
        return self.copy(order).reshape(-1) if order == "C" else self.real().flatten(order)

    def _copied(self, dtype: np.dtype) -> Any:
        if dtype != self.dtype:
            return cast(self.handle, dtype)
        return lowering.core("identity", [self.handle])

    def item(self, *args: Any) -> Any:
        return self.real("item() reads a value").item(*args)

    def tolist(self) -> Any:
        return self.real("tolist() reads the values").tolist()

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        if not self.shape:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(self.shape[0]))

    def __bool__(self) -> bool:
        return bool(self.real("a condition reads a value"))

    def __int__(self) -> int:
        return int(self.real("int() reads a value"))

    def __float__(self) -> float:
        return float(self.real("float() reads a value"))

    def __complex__(self) -> complex:
        return complex(self.real("complex() reads a value"))

    def __index__(self) -> int:
        return self.real("an index reads a value").__index__()

    def __contains__(self, value: Any) -> bool:
        return _to_real(value) in self.real("`in` reads the values")

    def __repr__(self) -> str:
        return repr(self.real("repr() shows the values"))

    def __str__(self) -> str:
        return str(self.real("str() shows the values"))

    def __format__(self, spec: str) -> str:
        return format(self.real("a format shows the values"), spec)

    def __reduce_ex__(self, protocol: Any) -> Any:  # copies and pickles are the real array
        return self.real("pickling reads the values").__reduce_ex__(protocol)

    def __getattr__(self, name: str) -> Any:
        function = _METHODS.get(name)
        if function is not None:
            return _Method(self, function)
        if name.startswith("__array_") or not hasattr(np.ndarray, name):
            raise AttributeError(f"'numpy.ndarray' object has no attribute '{name}'")
        return getattr(self.real(f".{name} needs the array"), name)


class _Handle:
    """A bare node where a lowering expects an argument."""

    def __init__(self, node: Any):
        self.node = node


class _Method:
    """A method such as ``x.sum`` that is a function of NumPy's with the array first."""

    def __init__(self, array: TracedArray, function: Callable):
        self._array, self._function = array, function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(self._array, *args, **kwargs)


_REDUCTIONS: dict[Any, Callable] = {
    np.add: np.sum, np.multiply: np.prod, np.maximum: np.max, np.minimum: np.min,
    np.logical_and: np.all, np.logical_or: np.any,
}  # fmt: skip
_VIEWS = frozenset({np.reshape, np.ravel, np.transpose, np.expand_dims, np.squeeze})
_METHODS: dict[str, Callable] = {
    name: getattr(np, name)
    for name in (
        "sum", "prod", "mean", "max", "min", "argmax", "argmin", "any", "all", "std", "var",
        "dot", "clip", "squeeze", "ravel", "take", "round",
    )
}  # fmt: skip


def _constant(value: np.ndarray) -> Any:
    if value.ndim or value.dtype not in lowering.DTYPES:
        raise NotCovered(f"a constant of {value.dtype}")
    number = value.item()
    return _core.trace_constant(number, dtype=value.dtype.name, text=repr(number))


def _to_real(value: Any) -> Any:
    if type(value) is TracedArray:
        return value.real()
    if type(value) in (list, tuple):
        return type(value)(_to_real(v) for v in value)
    if type(value) is dict:
        return {k: _to_real(v) for k, v in value.items()}
    return value


def _in_numpy(function: Callable, args: Any, kwargs: dict) -> Any:
    """The call in real NumPy; an ``out`` array stays the object that was given."""
    given = kwargs.get("out")
    args = tuple(_to_real(a) for a in args)
    result = function(*args, **{k: _to_real(v) for k, v in kwargs.items()})
    if given is not None:
        return given[0] if isinstance(given, tuple) and len(given) == 1 else given
    return result
