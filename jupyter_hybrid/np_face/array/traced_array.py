"""TracedArray: what an ndarray is while a cell is recorded, and a deferred value afterwards."""

from __future__ import annotations

import abc
import math
from collections.abc import Callable
from typing import Any
from weakref import ref

import numpy as np

from ... import _core
from ..errors import NotCovered
from ..lower import lowering
from ..lower.lowering import dtype_of
from ..protocols import Recorder
from . import in_place, layouts, promises
from .conversions import Conversions
from .items import Items
from .methods import Methods
from .operators import Operators

_note = _core.guards.note
_WINDOW = Callable[[Any], Any]
_SEQUENCE = 1 << 5  # the flag of a type that Python's ``match`` asks for


def _settable(read: Callable) -> Any:
    """An attribute that real NumPy sets."""
    return property(read, lambda array, value: in_place.put(array, read.__name__, value))


class TracedArray(Operators, Items, Methods, Conversions):
    """An array of the cell's graph that answers as ``numpy.ndarray`` does.

    Operations with a lowering add nodes. Whatever needs elements computes them first (a sync
    point) and continues in real NumPy. After the cell a deferred value is still this object: it
    computes itself when somebody reads it.
    """

    __array_priority__ = 1000.0
    __slots__ = (
        "__weakref__",
        "_epoch",
        "_handle",
        "_is_copy",
        "_opened",
        "_read",
        "_real",
        "_seen",
        "_window",
        "_write",
        "computed",
        "dirty",
        "input",
        "is_scalar",
        "is_window",
        "layout",
        "origin",
        "parent",
        "promise",
        "recorder",
        "selected",
        "used",
        "version",
    )  # fmt: skip

    def __init__(self, recorder: Recorder, handle: Any, scalar: bool = False):
        self.recorder = recorder
        _note()
        recorder.proxies.append(ref(self))
        self._handle = handle
        self.is_scalar = scalar  # NumPy gives a scalar here, not a 0-d array
        recorder.arrays += not scalar
        self.origin: Any = None  # the existing ndarray it stands for
        self.input: Any = None  # that ndarray as a graph input
        self.computed: Any = None  # the node that made the ndarray, when the cell computed it
        self.parent: TracedArray | None = None  # a view's base
        self.selected: Any = None  # (mask, values) of a x[mask] that was not computed
        self.layout: tuple[int, ...] | None = None  # byte strides; None: C order
        self.is_window = False  # on an array that nobody else has
        self.promise: Any = None  # of an ndarray that has still to get these contents
        self.dirty = False  # written since it was last stored to `origin`
        self.version = 0
        self._real: Any = None
        self._opened: Any = None  # of a view: (base's ndarray, own)
        self._read: Any = None  # of a view: base's node -> own,
        self._write: Any = None  # (base's node, own new contents) -> base's new contents,
        self._window: Any = None  # base's ndarray -> own
        self._seen = 0  # the base's version that was read
        self._is_copy = False  # `input` is a copy of `origin`
        self._epoch = recorder.epoch  # when the ndarray's memory was looked at
        self.used = recorder.tick

    # Making ---------------------------------------------------------------------------------------
    @classmethod
    def of_input(cls, recorder: Recorder, array: np.ndarray) -> TracedArray:
        """The traced array of an existing ndarray; its memory is read in place."""
        made = cls(recorder, None)
        made._stand_for(array)
        return made

    @classmethod
    def of_node(cls, recorder: Recorder, handle: Any, scalar: bool = False) -> TracedArray:
        """The traced array of a new node."""
        if not handle._traced:  # an existing array's own memory may change
            handle = lowering.copied(handle)
        return cls(recorder, handle, scalar)

    def _stand_for(self, array: np.ndarray) -> None:
        self.origin = array
        self.input = share(array)
        self._handle = self.input
        self._is_copy = not _core.shares_numpy(self.input)
        self._epoch = self.recorder.epoch
        self.layout = None if array.flags.c_contiguous else array.strides

    def release(self) -> None:
        """Lets go of the memory: the array stands for nothing until :meth:`_stand_for`."""
        self.origin = self.input = self.computed = self._handle = self._real = None
        self.parent = self._read = self._write = self._window = self._opened = None
        self.dirty = False

    def seen_through(
        self,
        read: _WINDOW,
        write: Callable[[Any, Any], Any] | None,
        window: _WINDOW,
        strides: tuple[int, ...] | None = None,
    ) -> TracedArray:
        """An array that shares this one's memory.

        Args:
            read: this array's node -> the view's node.
            write: (this array's node, the view's new contents) -> this array's new contents; None
                for a read-only view.
            window: this array as a real ndarray -> the view of it.
            strides: in bytes; None for C order.
        """
        made = TracedArray(self.recorder, read(self.handle))
        made.parent = self
        made._read, made._write, made._window = read, write, window
        made._seen = self.version
        if strides is not None:
            made.layout = layouts.unless_c_order(made.shape, strides, made.itemsize)
        return made

    # State ----------------------------------------------------------------------------------------
    @property
    def handle(self) -> Any:
        """The current node; a view follows what was written to its base."""
        parent = self.parent
        if parent is None:
            if self._handle is None:
                self._compute_selection()
            if self._epoch != self.recorder.epoch:
                self._epoch = self.recorder.epoch
                if self.origin is not None:
                    self.touched()
            return self._handle
        base = parent.handle
        if parent.version != self._seen:
            self._handle, self._seen = self._read(base), parent.version
            self._real = None
            self.version += 1
        return self._handle

    def assign(self, handle: Any) -> None:
        """Rebinds the array's contents after a write into it."""
        if not handle._traced:  # an existing array's own memory, which may change
            handle = lowering.copied(handle)
        if self.parent is not None:
            if self._write is None:
                raise ValueError("assignment destination is read-only")
            self.parent.assign(self._write(self.parent.handle, handle))
            self._handle, self._seen = self._read(self.parent.handle), self.parent.version
        elif self.origin is not None:
            if not self.origin.flags.writeable:
                raise ValueError("assignment destination is read-only")
            overlaps = self.recorder.before_write(self)
            self.dirty = True
            _note()
            self._handle = handle
            if overlaps:
                self.recorder.write_back()
                self.recorder.touch_others(self)
        else:
            self._handle = handle
            self.selected = None
        self._real = None
        self.version += 1

    @property
    def writeable(self) -> bool:
        """False for a read-only ndarray and for views that NumPy makes read-only."""
        if self.parent is not None:
            return self._write is not None and self.parent.writeable
        return not self.is_scalar and (self.origin is None or self.origin.flags.writeable)

    def store(self) -> None:
        """Writes the computed contents into the existing ndarray."""
        if self.dirty and self.origin is not None:
            self.dirty = False
            np.copyto(self.origin, _core.as_numpy(self._handle, self.recorder.settled))
            self._refresh()
            self.version += 1

    def touched(self) -> None:
        """Real NumPy or foreign code may have written the real array: views read it again."""
        if self.parent is not None:
            self.parent.touched()
        else:
            if self.origin is not None and not self.dirty:
                self._refresh()
            self.version += 1

    def _refresh(self) -> None:
        """The contents are those of the ndarray's memory, which a strided input is a copy of."""
        if self._is_copy:
            self.input = share(self.origin)
        self._handle = self.input

    def to_numpy(self, reason: str = "a value is read") -> Any:
        """The ndarray (or NumPy scalar) itself, computed now if need be."""
        if self.parent is not None:
            base = self.parent.to_numpy(reason)
            if self._opened is None or self._opened[0] is not base:
                self._opened = base, self._window(base)  # one object, as often as it is asked for
            return self._opened[1]
        if self.selected is not None:
            self._compute_selection()
        if self.origin is not None:
            if self.dirty:
                self.recorder.sync([self._handle], reason)
                self.recorder.write_back()
            return self.origin
        if self._real is None:
            handle = self._handle
            if handle._traced:
                self.recorder.read(self, reason)
            real = promises.filled(self, handle)
            if real is None:
                real = _core.as_numpy(handle, self.recorder.settled)
                if self.layout is not None:
                    real = layouts.laid_out(real, self.layout)
                real = real.view() if self.is_window else real
            if self.is_scalar or not self.recorder.active:
                self._real = real[()] if self.is_scalar else real
            else:  # from here on the ndarray is the array: somebody else may write it
                self._stand_for(real)
                self.computed = handle
                self.recorder.adopt(self)
                return real
        return self._real

    def _compute_selection(self) -> None:
        """``x[mask]`` whose length is needed: NumPy selects."""
        if self.selected is None:
            raise NotCovered(f"an array of dtype {self.origin.dtype} stays in NumPy")
        mask, values = self.selected
        self.recorder.leave_graph("a boolean mask selects a number of elements that data decide")
        self.recorder.sync([h for h in (mask, values) if h._traced], "a mask selects elements")
        self.selected = None
        self._stand_for(_core.as_numpy(values)[_core.as_numpy(mask)])
        self.recorder.adopt(self)

    # Attributes -----------------------------------------------------------------------------------
    # isinstance(x, np.ndarray) holds, as for the array it stands for.
    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return self.dtype.type if self.is_scalar else np.ndarray

    @_settable
    def shape(self) -> tuple[int, ...]:
        return tuple(self.handle.shape)

    @_settable
    def dtype(self) -> np.dtype:
        return dtype_of(self.selected[1] if self.selected is not None else self.handle)

    @property
    def ndim(self) -> int:
        return len(self.handle.shape)

    @property
    def size(self) -> int:
        return math.prod(self.handle.shape)

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.size * self.itemsize

    @_settable
    def strides(self) -> tuple[int, ...]:
        return self.layout or layouts.c_strides(self.shape, self.itemsize)

    @property
    def flags(self) -> Any:
        """As ndarray's; of an array that is not computed yet, what NumPy would say."""
        return Flags(self)


def attribute(array: Any, name: str) -> Any:
    """``array.name`` as NumPy's own object has it. Raises its AttributeError."""
    if type(array) is TracedArray and not hasattr(array.__class__, name):
        return array.__getattr__(name)
    return getattr(array, name)


def settable(array: Any, name: str) -> None:
    """Raises NumPy's error where its own object has no ``array.name`` to set or to delete."""
    scalar = type(array) is TracedArray and array.is_scalar
    sample = np.empty((), array.dtype)[()] if scalar else np.empty(0)
    if not hasattr(sample, name):
        delattr(sample, name)


_SCALARS = tuple(t for t in set(np.sctypeDict.values()) if t is not np.void)
#: Names of attributes that an array of NumPy's, or one of its scalars, lacks.
OWN_NAMES = frozenset(
    name
    for name in dir(TracedArray)
    if not all(hasattr(kind, name) for kind in (np.ndarray, *_SCALARS))
)
TracedArray.__name__ = "numpy.ndarray"  # what Python's own errors say


# NumPy's arrays are sequences to `match` from 2.5 on, and none of `collections.abc`.
if np.ndarray.__flags__ & _SEQUENCE:
    abc.ABCMeta("_Sequences", (), {"__abc_tpflags__": _SEQUENCE}).register(TracedArray)


class Flags:
    """``x.flags``; what is set reaches the real array."""

    __slots__ = ("_array",)

    def __init__(self, array: TracedArray):
        object.__setattr__(self, "_array", array)

    def _flags(self) -> Any:
        array = self._array
        if array.is_scalar:
            return np.empty((), array.dtype)[()].flags
        return promises.promised(array).flags

    def __getattr__(self, name: str) -> Any:
        return getattr(self._flags(), name)

    def __getitem__(self, name: str) -> Any:
        return self._flags()[name]

    def __setattr__(self, name: str, value: Any) -> None:
        in_place.change(
            self._array, ".flags are set", lambda real: setattr(real.flags, name, value)
        )

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self, {"W": "writeable"}.get(name, name.lower()), value)

    def __repr__(self) -> str:
        return repr(self._flags())


def share(array: np.ndarray) -> Any:
    """An existing ndarray as a graph input: its own memory, or a copy where it is strided or
    read-only."""
    try:
        return _core.from_numpy(array, copy=False)
    except _core.MXNetError:
        return _core.from_numpy(array)
