"""Basic indexing (ints, slices, None, ``...``) as slice and reshape nodes, for reads and writes."""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from typing import Any

from .lowering import NotCovered, core, reshape


@dataclass(frozen=True)
class Region:
    """The window that a basic index selects: a slice per axis, then the final shape."""

    begin: tuple[int, ...]
    end: tuple[int, ...]
    step: tuple[int, ...]
    full: bool  # the whole array
    sliced: tuple[int, ...]  # shape after slicing, every axis kept
    shape: tuple[int, ...]  # shape of the result
    scalar: bool  # every axis taken by an int

    def read(self, x: Any) -> Any:
        """The node of ``x[index]``."""
        if not self.full:
            x = core("slice", [x], begin=self.begin, end=self.end, step=self.step)
        return reshape(x, self.shape)

    def write(self, x: Any, value: Any) -> Any:
        """The node of ``x`` with the window replaced by ``value`` (of shape ``self.shape``)."""
        value = reshape(value, self.sliced)
        if self.full:
            return value
        return core("slice_assign", [x, value], begin=self.begin, end=self.end, step=self.step)


def region(shape: tuple[int, ...], index: Any) -> Region:
    """The window of a basic index. Raises IndexError as NumPy does, NotCovered for other kinds."""
    keys = list(index) if isinstance(index, tuple) else [index]
    used = sum(1 for k in keys if k is not None and k is not Ellipsis)
    if keys.count(Ellipsis) > 1:
        raise NotCovered("an index with two ellipses")
    if Ellipsis not in keys:
        keys.append(Ellipsis)
    at = next(i for i, k in enumerate(keys) if k is Ellipsis)
    if used > len(shape):
        raise IndexError(
            f"too many indices for array: array is {len(shape)}-dimensional, "
            f"but {used} were indexed"
        )
    keys[at : at + 1] = [slice(None)] * (len(shape) - used)
    begin, end, step, sliced, final = [], [], [], [], []
    axis = 0
    scalar = True
    for key in keys:
        if key is None:
            final.append(1)
            scalar = False
            continue
        dim = shape[axis]
        if isinstance(key, slice):
            start, stop, stride = key.indices(dim)
            if stride < 0:
                raise NotCovered("a slice with a negative step")
            count = max(0, math.ceil((stop - start) / stride))
            begin.append(start)
            end.append(max(start, stop))
            step.append(stride)
            sliced.append(count)
            final.append(count)
            scalar = False
        else:
            if isinstance(key, bool):
                raise NotCovered("a boolean index")
            try:
                i = operator.index(key)
            except TypeError:
                raise NotCovered("an index that is not a number or a slice") from None
            if not -dim <= i < dim:
                raise IndexError(f"index {i} is out of bounds for axis {axis} with size {dim}")
            i += dim if i < 0 else 0
            begin.append(i)
            end.append(i + 1)
            step.append(1)
            sliced.append(1)
        axis += 1
    if 0 in sliced:
        raise NotCovered("a window without elements")
    full = tuple(sliced) == tuple(shape)
    return Region(
        tuple(begin), tuple(end), tuple(step), full, tuple(sliced), tuple(final),
        scalar and not final and bool(shape),
    )  # fmt: skip
