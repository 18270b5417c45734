"""What a cell leaves behind, made again of what its program computes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .. import _core
from ..capture.recording import PLAIN, Bound
from ..capture.values import Value
from ..np_face import TracedArray
from ..np_face.array.layouts import laid_out
from ..reasons import Reason
from .purity import NotSkipped
from .reads import Place

_LAST = Reason("the last expression")
_KINDS = frozenset({*PLAIN, TracedArray, np.ndarray, _core.NDArray})


@dataclass(frozen=True)
class _Array:
    """An output as NumPy has it; others that are made of it share it."""

    output: int
    scalar: bool = False
    layout: tuple[int, ...] | None = None
    is_window: bool = False

    def make(self, made: list[Any], _: list[Any], names: dict[str, Any]) -> Any:
        array = made[self.output]
        if type(array) is _core.NDArray:  # that nd has, too
            array = _core.as_numpy(array)
        if self.layout is not None:
            array = laid_out(array, self.layout)
        if self.is_window:
            array = array.view()
        return array[()] if self.scalar else array


@dataclass(frozen=True)
class _Nd:
    """An output as nd has it."""

    output: int

    def make(self, made: list[Any], _: list[Any], names: dict[str, Any]) -> Any:
        return made[self.output]


@dataclass(frozen=True)
class _Existing:
    """An array that was there before."""

    place: Place

    def make(self, made: list[Any], _: list[Any], names: dict[str, Any]) -> Any:
        return self.place.find(names)


@dataclass(frozen=True)
class _Plain:
    value: Any

    def make(self, made: list[Any], _: list[Any], names: dict[str, Any]) -> Any:
        return self.value


@dataclass(frozen=True)
class _Window:
    """A part of another one's memory, which is in C order."""

    base: int
    shape: tuple[int, ...]
    offset: int
    strides: tuple[int, ...]
    dtype: np.dtype
    writeable: bool

    def make(self, made: list[Any], before: list[Any], names: dict[str, Any]) -> Any:
        base = before[self.base]
        seen: np.ndarray = np.ndarray(self.shape, self.dtype, base, self.offset, self.strides)
        if not self.writeable:
            seen.flags.writeable = False
        return seen


@dataclass(frozen=True)
class _Tuple:
    members: tuple[int, ...]

    def make(self, made: list[Any], before: list[Any], names: dict[str, Any]) -> Any:
        return tuple(before[k] for k in self.members)


def require(name: str | None, bound: Bound) -> None:
    """Raises NotSkipped of what is never made again."""
    if bound.kind is tuple:
        for member in bound.members:
            require(name, member)
    elif bound.kind not in _KINDS:
        raise NotSkipped("{what} is a {kind}", what=name or _LAST, kind=bound.kind.__name__)


def _base_of(view: Any, size: int) -> Any:
    """The array whose whole memory of that size a view is in; None where that is another's."""
    base = getattr(view, "base", None)
    return base if type(base) is np.ndarray and base.nbytes == size else None


def _memory(array: Any) -> int | None:
    storage = array._storage
    return None if storage is None else storage[0]


class Results:
    """Values in the order in which they are made, each once, and which of them a name gets.

    Args:
        outputs: what the program has computed.
        find: where an existing array is.
        tuples: that were there before.
        read: existing arrays that the program reads.
    """

    def __init__(
        self,
        outputs: list[Value],
        find: Callable[[Any], Place | None],
        tuples: list[Any],
        read: list[Any],
    ):
        self._memories = {_memory(array): -1 for array in read if type(array) is _core.NDArray}
        self._outputs = {value.key: number for number, value in enumerate(outputs)}
        self._sizes = [math.prod(value.shape) * np.dtype(value.dtype).itemsize for value in outputs]
        self._find = find
        self._tuples = {id(t): t for t in tuples if t}
        self._steps: list[Any] = []
        self._known: dict[Any, int] = {}
        self._names: list[tuple[str | None, int]] = []

    def bind(self, name: str | None, bound: Bound, value: Any) -> None:
        """A name is bound so; None: the last expression. Raises NotSkipped.

        Args:
            bound: of a kind that is made again, see :func:`require`.
        """
        self._names.append((name, self._of(name or _LAST, bound, value)))

    @cached_property
    def _outputs_alone(self) -> tuple[list[str | None], list[int]] | None:
        """The names, and which outputs they are bound to, where that is all."""
        if not all(type(step) is _Array and step == _Array(step.output) for step in self._steps):
            return None
        return [n for n, _ in self._names], [self._steps[k].output for _, k in self._names]

    def make(self, made: list[Any], names: dict[str, Any]) -> dict[str | None, Any]:
        """The values of the names, of the program's outputs. Nothing more is bound then."""
        if self._outputs_alone is not None:
            bound, outputs = self._outputs_alone
            return dict(zip(bound, map(made.__getitem__, outputs), strict=True))
        values: list[Any] = []
        for step in self._steps:
            values.append(step.make(made, values, names))
        return {name: values[k] for name, k in self._names}

    def numpys(self, written: list[int]) -> list[bool]:
        """By output, is it made as NumPy has it? ``written``: those whose elements others get."""
        arrays = {s.output for s in self._steps if type(s) is _Array}.union(written)
        arrays -= {s.output for s in self._steps if type(s) is _Nd}
        return [number in arrays for number in range(len(self._sizes))]

    def output(self, key: Any, what: str) -> int:
        """Which output has the value with that key. Raises NotSkipped."""
        if key not in self._outputs:
            raise NotSkipped("{what} is not a result of the program", what=what)
        return self._outputs[key]

    def _of(self, what: str, bound: Bound, value: Any) -> int:
        if id(value) in self._tuples:
            raise NotSkipped("{what} is a tuple that was there before", what=what)
        if bound.kind is tuple:
            members = zip(bound.members, value, strict=True)
            return self._add(_Tuple(tuple(self._of(what, b, v) for b, v in members)), id(value))
        if bound.kind in PLAIN:
            return self._add(_Plain(bound.value), id(value))
        if bound.kind is _core.NDArray:
            step = _Nd(self.output(bound.key, what))
            memory = _memory(value)
            if memory is None or self._memories.setdefault(memory, id(value)) != id(value):
                raise NotSkipped("{what} shares memory with another array", what=what)
            return self._add(step, id(value))
        if bound.origin is not None:
            base = bound.origin()
            place = self._find(base)
            if place is None:
                raise NotSkipped(
                    "{what} is an array that the cell has not read by a name", what=what
                )
            root, data = self._add(_Existing(place), id(base)), base
        else:
            output = self.output(bound.key, what)
            data = _base_of(value, self._sizes[output])
            made = _Array(output, bound.scalar, bound.layout, bound.is_window)
            root = self._add(made, ("output", output))
        if not bound.is_view:
            return root
        return self._window(what, root, data, value)

    def _window(self, what: str, root: int, data: Any, value: Any) -> int:
        """A view's place in its base's memory."""
        known = type(value) is type(data) is np.ndarray and data.flags.c_contiguous
        if not known or not np.may_share_memory(value, data):
            raise NotSkipped("{what} is a view of an array that is not in C order", what=what)
        offset = value.ctypes.data - data.ctypes.data
        step = _Window(root, value.shape, offset, value.strides, value.dtype, value.flags.writeable)
        return self._add(step, id(value))

    def _add(self, step: Any, key: Any) -> int:
        """``key``: of the very object, while what was bound is held."""
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = len(self._steps)
            self._steps.append(step)
        return known
