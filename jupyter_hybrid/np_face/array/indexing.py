"""Basic indexing (ints, slices, None, ``...``) as slice and reshape nodes, for reads and writes."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import _core
from .. import bridge
from ..errors import NotCovered
from ..lower.lowering import copied, core, reshape


@dataclass(frozen=True)
class Region:
    """The window that a basic index selects: a slice per axis, then the final shape."""

    begin: tuple[int | None, ...]
    end: tuple[int | None, ...]
    step: tuple[int, ...]
    full: bool  # the whole array, in its own order
    sliced: tuple[int, ...]  # shape after slicing, every axis kept
    shape: tuple[int, ...]  # shape of the result
    scalar: bool  # every axis taken by an int, and nothing else said
    axes: tuple[int | None, ...]  # which axis a result axis comes from; None: it is new

    def read(self, x: Any) -> Any:
        """The node of ``x[index]``."""
        if not self.full:
            x = core("slice", [x], begin=self.begin, end=self.end, step=self.step)
        return reshape(x, self.shape)

    def write(self, x: Any, value: Any) -> Any:
        """The node of ``x`` with the window replaced by ``value`` (of shape ``self.shape``)."""
        if 0 in self.sliced:
            return x
        value = reshape(value, self.sliced)
        if self.full:
            return copied(value)
        return core("slice_assign", [x, value], begin=self.begin, end=self.end, step=self.step)

    def strides(self, strides: tuple[int, ...]) -> tuple[int, ...]:
        """Byte strides of the window into an array of these strides."""
        return tuple(0 if a is None else strides[a] * self.step[a] for a in self.axes)


def expand_ellipsis(keys: list[Any], rank: int) -> list[Any]:
    """The keys with ``...`` (or the end) replaced by full slices. Raises NotCovered."""
    at = [i for i, k in enumerate(keys) if k is Ellipsis]
    used = len([k for k in keys if k is not None and k is not Ellipsis])
    if len(at) > 1 or used > rank:
        raise NotCovered("an index of more axes than the array has")
    place = at[0] if at else len(keys)
    return [*keys[:place], *[slice(None)] * (rank - used), *keys[place + 1 :]]


def has_plain_bounds(key: slice) -> bool:
    """Does asking them run no code of the user's? That is for NumPy to do, once."""
    if _core.guards.data(key):
        return True
    plain = (int, float, np.integer, np.ndarray, bridge.Traced, _core.NDArray, type(None))
    return all(issubclass(type(bound), plain) for bound in (key.start, key.stop, key.step))


def window_of(key: slice, dim: int) -> tuple[int | None, int | None, int, int]:
    """(begin, end, step, count) of a slice of an axis; end None: before the first element."""
    start, stop, step = key.indices(dim)
    count = len(range(start, stop, step))
    if not count:
        return 0, 0, 1, 0
    if step > 0:
        return start, stop, step, count
    return start, stop if stop >= 0 else None, step, count


def region(shape: tuple[int, ...], index: Any) -> Region:
    """The window of a basic index. Raises NotCovered; errors are for NumPy to raise."""
    keys = list(index) if type(index) is tuple else [index]
    dots = any(k is Ellipsis for k in keys)
    begin: list[int | None] = []
    end: list[int | None] = []
    step, sliced, final = [], [], []
    axes: list[int | None] = []
    full = scalar = True
    axis = 0
    for key in expand_ellipsis(keys, len(shape)):
        if key is None:
            final.append(1)
            axes.append(None)
            scalar = False
            continue
        dim = shape[axis]
        if type(key) is slice:
            first, last, stride, count = window_of(key, dim)
            final.append(count)
            axes.append(axis)
            scalar = False
        else:
            if type(key) is bool:
                raise NotCovered("a boolean index")
            try:
                i = operator.index(key)
            except TypeError:
                raise NotCovered(f"an index of type {type(key).__name__}") from None
            if not -dim <= i < dim:
                raise NotCovered("an index out of bounds")
            i += dim if i < 0 else 0
            first, last, stride, count = i, i + 1, 1, 1
        full = full and first == 0 and stride == 1 and count == dim
        begin.append(first)
        end.append(last)
        step.append(stride)
        sliced.append(count)
        axis += 1
    return Region(
        tuple(begin), tuple(end), tuple(step), full, tuple(sliced), tuple(final),
        scalar and not dots, tuple(axes),
    )  # fmt: skip
