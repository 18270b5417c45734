"""``x[key]`` and ``x[key] = value`` on traced arrays; iteration."""

from __future__ import annotations

import operator
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

import numpy as np

from ... import _core
from ...reasons import Reason
from .. import bridge
from ..bridge import fitted
from ..errors import LIKE_NUMPY, NotCovered, why_not
from ..float_errors import in_numpy
from ..lower import known_errors, lowering
from ..lower.lowering import NUMBERS
from . import gather
from .indexing import has_plain_bounds

_INDEXED = Reason("indexing with this index")
_STORED = Reason("writing with this index and value")
_READ = Reason("indexing reads the array")
_FITS = Reason("a number may not fit into the array")
_WRITTEN = Reason("an array is written in NumPy")
_FLAT = Reason("flat is read")


def _is_plain(key: Any) -> bool:
    """True for integers, slices, None and ``...`` alone."""
    kind = type(key)  # a traced number says it is an integer too: it stays an index array
    if kind is slice:
        return has_plain_bounds(key)
    if key is None or key is Ellipsis:
        return True
    return issubclass(kind, (int, np.integer)) and kind is not bool


def is_basic(key: Any) -> bool:
    """True for keys that select a window (a view)."""
    return all(map(_is_plain, key)) if type(key) is tuple else _is_plain(key)


def getitem(array: Any, key: Any) -> Any:
    """``array[key]`` where the core leaves it to this slow road."""
    __tracebackhide__ = True
    recorder = array.recorder
    if recorder.active:
        try:
            if recorder.script:  # the index may be a number of a traced loop
                taken = recorder.element(array, key)
                if taken is not None:
                    return taken
            return array.window_at(key) if is_basic(key) else gather.read(array, key)
        except (NotCovered, *LIKE_NUMPY) as problem:
            known_errors.of_index(array, key)
            known = why_not(problem)
            recorder.leave_graph(Reason("indexing: {why}", why=known) if known else _INDEXED)
    return array.to_numpy(_READ)[bridge.to_real(key)]


def setitem(array: Any, key: Any, value: Any) -> None:
    """``array[key] = value``, likewise."""
    __tracebackhide__ = True
    recorder = array.recorder
    if array.is_scalar:
        bridge.stand_in(array)[key] = value  # raises NumPy's error
    if recorder.active and not array.writeable:
        raise ValueError("assignment destination is read-only")
    if recorder.active:
        try:
            if is_basic(key):
                window = _core.region(array.shape, key)
                bridge.require_element(window.shape, value)
                operand = fitted(array, _stored(array, value), window.shape)
                array.assign(window.write(array.handle, operand))
            else:
                gather.write(array, key, value)
            return
        except (NotCovered, *LIKE_NUMPY) as problem:
            known_errors.of_index(array, key, value)
            known = why_not(problem)
            recorder.leave_graph(Reason("writing: {why}", why=known) if known else _STORED)
    value = bridge.to_real(value)
    key = bridge.to_real(key)
    recorder.flush_if_active(_WRITTEN)
    in_numpy(operator.setitem, (array.to_numpy(), key, value), {}, recorder)
    array.touched()


def _stored(array: Any, value: Any) -> Any:
    """A NumPy scalar that an array of integers may not hold is one that NumPy looks at.

    Raises NumPy's error: OverflowError, or ValueError for nan.
    """
    scalar = type(value) is bridge.Traced and value.is_scalar and not array.recorder.script
    if not scalar or array.dtype.kind not in "iu" or np.can_cast(value.dtype, array.dtype):
        return value
    stored = np.empty((), array.dtype)
    stored[()] = value.to_numpy(_FITS)
    return stored.item()


class Items:
    """Lengths and steps; a mixin of TracedArray."""

    __slots__ = ()

    def __len__(self: Any) -> int:
        if self.is_scalar or not self.shape:
            return len(bridge.stand_in(self))  # raises NumPy's error
        return self.shape[0]

    def __iter__(self: Any) -> Iterator[Any]:
        if self.is_scalar or not self.shape:
            return iter(bridge.stand_in(self))  # so does this
        return (self[i] for i in range(self.shape[0]))

    def __contains__(self: Any, value: Any) -> bool:
        return bool((self == value).any())

    @property
    def flat(self: Any) -> Any:
        return Flat(self)

    @flat.setter
    def flat(self: Any, value: Any) -> None:
        Flat(self)[:] = value


class Flat:
    """``x.flat``: the elements in C order, read, written and iterated over."""

    __slots__ = ("_array", "_elements", "index")

    def __init__(self, array: Any):
        self._array = array
        self._elements: Any = None  # for who iterates
        self.index = 0  # of the next one

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return np.flatiter

    @property
    def base(self) -> Any:
        return self._array

    @property
    def coords(self) -> tuple[int, ...]:
        return self.to_numpy().coords

    def to_numpy(self) -> np.flatiter:
        """The real array's, which has got as far."""
        real = bridge.to_real(self._array).flat
        deque(islice(real, self.index), maxlen=0)
        return real

    def __next__(self) -> Any:
        if self.index >= self._array.size:
            raise StopIteration
        if self._elements is None:
            self._elements = self.elements()
        self.index += 1
        return self._elements[self.index - 1]

    def elements(self) -> Any:
        array = self._array
        shape = array.shape
        return array.seen_through(
            lambda h: lowering.reshape(h, (-1,)),
            lambda _, value: lowering.reshape(value, shape),
            lambda base: base.flat,
        )

    def __getitem__(self, key: Any) -> Any:
        self.index = 0  # as NumPy's
        with suppress(*LIKE_NUMPY):
            found = self.elements()[key]
            return found if found.is_scalar else found.copy()
        return self.to_numpy()[bridge.to_real(key)]  # the error in NumPy's words

    def __setitem__(self, key: Any, value: Any) -> None:
        self.index = 0
        elements = self.elements()
        with suppress(*LIKE_NUMPY):
            repeated = value
            if type(value) not in NUMBERS and np.ndim(value):
                repeated = np.resize(value, elements[key].size)  # as NumPy: repeated or cut
            elements[key] = repeated
            return
        self.to_numpy()[bridge.to_real(key)] = bridge.to_real(value)  # the error in NumPy's words

    def __iter__(self) -> Iterator[Any]:
        return self

    def __len__(self) -> int:
        return self._array.size

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.array(self._array.to_numpy(_FLAT), dtype=dtype).reshape(-1)

    def copy(self) -> Any:
        return self._array.flatten()
