"""TracedArray: what an ndarray is while a cell is recorded, and a deferred value afterwards."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ... import _core
from ...reasons import Reason
from ..errors import NotCovered
from ..lower import lowering
from ..protocols import Recorder
from . import in_place, items, layouts, operators, promises
from .conversions import Conversions
from .items import Items
from .methods import Methods

READ = Reason("a value is read")
_SEQUENCE = 1 << 5  # the flag of a type that Python's ``match`` asks for


class View(NamedTuple):
    """How a view shows its base's memory; :class:`_core.Region` is one of basic indices."""

    read: Callable[[Any], Any]  # base's node -> own
    write: Callable[[Any, Any], Any] | None  # (base's node, own new contents) -> base's new ones
    window: Callable[[Any], Any]  # base's ndarray -> own


class TracedArray(Items, Methods, Conversions, _core.TracedBase):
    """An array of the cell's graph that answers as ``numpy.ndarray`` does.

    Operations with a lowering add nodes. Whatever needs elements computes them first (a sync
    point) and continues in real NumPy. After the cell a deferred value is still this object: it
    computes itself when somebody reads it. State, operators and basic indices are in the core.
    """

    __array_priority__ = 1000.0
    __slots__ = ()

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
        if self.input is not None:
            _core.forget_contents(self.input)
        self.origin = self.input = self.computed = self._handle = self._real = None
        self.parent = self._view = self._opened = None
        self.dirty = False

    def seen_through(
        self,
        read: Callable[[Any], Any],
        write: Callable[[Any, Any], Any] | None,
        window: Callable[[Any], Any],
        strides: tuple[int, ...] | None = None,
    ) -> TracedArray:
        """An array that shares this one's memory, as :class:`View` says; ``strides`` in bytes, None
        for C order. Without ``write`` it is read-only."""
        made = TracedArray(self.recorder, read(self.handle))
        made.parent, made._view, made._seen = self, View(read, write, window), self.version
        if strides is not None:
            made.layout = layouts.unless_c_order(made.shape, strides, made.itemsize)
        return made

    # State ----------------------------------------------------------------------------------------
    @property
    def writeable(self) -> bool:
        """False for a read-only ndarray and for views that NumPy makes read-only."""
        if self.parent is not None:
            return self._view.write is not None and self.parent.writeable
        return not self.is_scalar and (self.origin is None or self.origin.flags.writeable)

    def store(self) -> None:
        """Writes the computed contents into the existing ndarray."""
        if self.dirty and self.origin is not None:
            self.dirty = False
            self.recorder.stores += 1
            written = self._handle
            np.copyto(self.origin, _core.as_numpy(written, self.recorder.settled))
            self._refresh()
            _core.note_contents(self.input, written)
            self.version += 1

    def touched(self) -> None:
        """Real NumPy or foreign code may have written the real array: views read it again."""
        if self.parent is not None:
            self.parent.touched()
        else:
            if self.origin is not None and not self.dirty:
                self._refresh()
            if self.input is not None:
                _core.forget_contents(self.input)
            self.version += 1

    def _refresh(self) -> None:
        """The contents are those of the ndarray's memory, which a strided input is a copy of."""
        if self._is_copy:
            self.input = share(self.origin)
        self._handle = self.input

    def to_numpy(self, reason: Reason = READ) -> Any:
        """The ndarray (or NumPy scalar) itself, computed now if need be."""
        if self.parent is not None:
            base = self.parent.to_numpy(reason)
            if self._opened is None or self._opened[0] is not base:
                self._opened = (
                    base,
                    self._view.window(base),
                )  # one object, as often as it is asked for
            return self._opened[1]
        if self.selected is not None:
            self._compute_selection()
        if self.origin is not None:
            self.recorder.looked += 1
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
            raise NotCovered("an array of dtype {dtype} stays in NumPy", dtype=self.origin.dtype)
        mask, values = self.selected
        self.recorder.leave_graph(
            Reason("a boolean mask selects a number of elements that data decide")
        )
        self.recorder.sync(
            [h for h in (mask, values) if h._traced], Reason("a mask selects elements")
        )
        self.take_selection()

    def take_selection(self) -> None:
        """The elements themselves, of a mask and values that are computed."""
        mask, values = self.selected
        self.selected = None
        self._stand_for(_core.as_numpy(values)[_core.as_numpy(mask)])
        self.recorder.adopt(self)

    # Attributes -----------------------------------------------------------------------------------
    # isinstance(x, np.ndarray) holds, as for the array it stands for.
    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return self.dtype.type if self.is_scalar else np.ndarray

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.size * self.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        return self.layout or layouts.c_strides(self.shape, self.itemsize)

    @strides.setter
    def strides(self, value: Any) -> None:
        in_place.put(self, "strides", value)

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
_core.tell_traced(
    TracedArray,
    {
        **operators.SLOW,
        "__getitem__": items.getitem,
        "__setitem__": items.setitem,
        "like_numpy": layouts.like_numpy,
        "put": in_place.put,
    },
)


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
            self._array, in_place.FLAGS_SET, lambda real: setattr(real.flags, name, value)
        )

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self, {"W": "writeable"}.get(name, name.lower()), value)

    def __repr__(self) -> str:
        return repr(self._flags())


def share(array: np.ndarray) -> Any:
    """An existing ndarray as a graph input: its own memory, or a copy where it is strided or
    read-only."""
    return _core.from_numpy(array, copy=None)
