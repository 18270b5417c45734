"""Advanced indexing: integer arrays (one or several, mixed with the rest) and boolean masks."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ... import _core
from .. import bridge
from ..errors import NotCovered
from ..lower import lowering
from ..lower.lowering import (
    BOOL,
    INT64,
    broadcast_to,
    cast,
    copied,
    core,
    dtype_of,
    filled,
    reshape,
    transpose,
)
from . import in_range, layouts, masks
from .indexing import expand_ellipsis, has_plain_bounds

_FEW = 1024  # elements, and nodes, that are worth computing while the cell is recorded


def read(array: Any, key: Any) -> Any:
    """``array[key]``: a new array, or a selection by a mask."""
    mask = _whole_mask(array, key)
    if mask is not None and (array.layout is None or mask.ndim == array.ndim):
        return masks.select(array, mask.handle)
    found = plan(array, key)
    if not found.batch and found.shape and not array.recorder.script:  # integers: it is a view
        fixed, strides = _fixed(key), found.window.strides(array.strides)
        rest = tuple(strides[i] for i in found.order[len(found.indices) :])
        return array.seen_through(
            found.read, found.write, lambda base: base[bridge.to_real(fixed)], rest
        )
    node = found.read(array.handle)
    if node is array._handle:
        node = copied(node)
    made = bridge.Traced.of_node(array.recorder, node, scalar=not node.shape)
    if array.layout is None and found.keeps_order:
        return made
    return layouts.like_numpy(operator.getitem, made, (found.window_on(array), found.keys))


def _fixed(key: Any) -> Any:
    """An index of integers, with what could be written later as it is now."""
    if type(key) is tuple:
        return tuple(map(_fixed, key))
    if type(key) is bridge.Traced and not key.is_scalar:
        raise NotCovered("an array of rank 0 as index")
    return int(key) if type(key) is np.ndarray else key


def write(array: Any, key: Any, value: Any) -> None:
    """``array[key] = value``."""
    mask = _whole_mask(array, key)
    if mask is not None:
        array.assign(_write_masked(array, mask.handle, value))
        return
    found = plan(array, key)
    bridge.require_element(found.shape, value)
    node = bridge.fitted(array, value, found.shape)
    array.assign(found.write(array.handle, node))


# Masks --------------------------------------------------------------------------------------------
def _whole_mask(array: Any, key: Any) -> Any | None:
    """The traced mask when the key is one boolean array over the leading axes."""
    key = key[0] if type(key) is tuple and len(key) == 1 else key
    recorder = array.recorder
    if type(key) is np.ndarray and key.dtype == BOOL:
        key = bridge.Traced.of_input(recorder, np.array(key))  # as it is now
    if type(key) is not bridge.Traced or key.dtype != BOOL:
        return None
    shape = key.shape
    if not shape or shape != array.shape[: len(shape)]:
        raise NotCovered("a mask that does not cover the leading axes")
    if len(shape) < len(array.shape) and contents(key) is not None:
        return None  # a list of rows that is known now
    return key


def contents(array: Any) -> np.ndarray | None:
    """What is known of an array's elements while the cell is recorded: an existing ndarray's, or
    those of a short array made of constants alone, as ``np.linspace(0, 1, 5)``."""
    if type(array) is not bridge.Traced:
        return array if type(array) is np.ndarray else None
    if array.parent is None and array.origin is not None and not array.dirty:
        return array.origin
    if array.recorder.script:
        return None
    handle = array.handle
    if array.selected is not None or not handle._traced or array.size > _FEW:
        return None
    graph, inputs, keys, *_ = _core.traced_graph([handle], [], [""])
    if inputs or keys or len(graph.nodes) > _FEW:
        return None
    return _core.as_numpy(graph.run([])[0])


def _write_masked(array: Any, mask: Any, value: Any) -> Any:
    rows = array.shape[len(mask.shape) :]  # what one true element of the mask stands for
    if bridge.has_selected(value) and masks.equal(value.selected[0], mask):
        chosen = value.selected[1]
    else:
        chosen = fitted_rows(array, value, rows)
    if dtype_of(chosen).kind == "c" and array.dtype.kind != "c":
        raise NotCovered("{dtype} into {into}", dtype=dtype_of(chosen), into=array.dtype)
    wide = reshape(mask, tuple(mask.shape) + (1,) * len(rows))
    node = core("where", [wide, cast(chosen, array.dtype), array.handle])
    if tuple(node.shape) != array.shape:
        raise NotCovered("values of another shape than the array")
    return node


def fitted_rows(array: Any, value: Any, rows: tuple[int, ...]) -> Any:
    """A value that is the same for every true element of a mask."""
    operand = bridge.operand_of(array.recorder, value)
    own = () if type(operand) in lowering.NUMBERS else tuple(operand.shape)
    while own and own[0] == 1:
        own = own[1:]
    if len(own) > len(rows) or np.broadcast_shapes(own, rows) != rows:
        raise NotCovered("a mask takes as many values as data decide")
    if type(operand) not in lowering.NUMBERS:
        value = bridge.Node(reshape(operand, own))
    return bridge.fitted(array, value, rows)


# Integer arrays -----------------------------------------------------------------------------------
@dataclass
class Gather:
    """A window on the axes without index arrays, then a gather over the others."""

    window: _core.Region
    order: tuple[int, ...]  # of the window's axes: the gathered ones first
    indices: list[Any]  # one integer node per gathered axis
    batch: tuple[int, ...]  # their common shape
    place: int  # where the batch's axes stand in the result
    shape: tuple[int, ...]
    keys: tuple[Any, ...]  # of the window's axes: a slice, or an index array

    @property
    def keeps_order(self) -> bool:
        """Is a gather from an array in C order in C order, surely?"""
        plain = len(self.indices) == 1 and len(self.batch) < 2
        return plain and not self.order[0] and not self.place

    def window_on(self, array: Any) -> layouts.Geometry:
        """Of the window on ``array``."""
        strides = self.window.strides(array.strides)
        return layouts.Geometry(array.dtype, self.window.shape, strides)

    def places(self) -> Any:
        """The indices as one array, an index of all gathered axes a column."""
        parts = [broadcast_to(cast(i, INT64), self.batch) for i in self.indices]
        return core("stack", parts, axis=0)

    def read(self, x: Any) -> Any:
        """The node of ``x[key]``."""
        x = self.window.read(x)
        if len(self.indices) == 1:
            axis = self.order[0]
            made = core("take", [x, self.indices[0]], axis=axis, mode="raise", from_end=True)
            return self._placed(made, axis)
        made = core("gather_nd", [transpose(x, self.order), self.places()])
        return self._placed(made, 0)

    def _placed(self, made: Any, now: int) -> Any:
        """The batch's axes moved from ``now`` to their place."""
        rank = len(self.batch)
        rest = [i for i in range(len(made.shape)) if not now <= i < now + rank]
        batch = list(range(now, now + rank))
        order = rest[: self.place] + batch + rest[self.place :]
        return transpose(made, tuple(order))

    def write(self, x: Any, value: Any) -> Any:
        """The node of ``x`` with ``value`` (of ``self.shape``) written; the last of equal indices
        stays."""
        if 0 in self.shape:
            return copied(x)
        rank = len(self.batch)
        batch = list(range(self.place, self.place + rank))
        rest = [i for i in range(len(self.shape)) if i not in batch]
        value = transpose(value, tuple(batch + rest))
        first = transpose(self.window.read(x), self.order)
        where = self.places()
        shape = tuple(first.shape)
        put = core("scatter_nd", [value, where], shape=shape)
        depth = len(self.indices)
        hits = filled(self.batch, True, BOOL)
        hit = core("scatter_nd", [hits, where], shape=shape[:depth])
        hit = reshape(hit, shape[:depth] + (1,) * (len(shape) - depth))
        made = core("where", [hit, put, first])
        back = tuple(int(i) for i in np.argsort(self.order))
        made = transpose(made, back)
        return reshape(made, tuple(x.shape)) if self.window.full else self.window.write(x, made)


def plan(array: Any, key: Any) -> Gather:
    """How ``array[key]`` is gathered. Raises NotCovered; errors are for NumPy to raise."""
    keys = list(key) if type(key) is tuple else [key]
    keys = [_index_array(k) for k in keys]
    keys = [part for k in keys for part in (k if type(k) is list else [k])]
    keys = expand_ellipsis(keys, array.ndim)
    gathered = [i for i, k in enumerate(keys) if not (k is None or type(k) is slice)]
    plain = [slice(None) if i in gathered else k for i, k in enumerate(keys)]
    window = _core.region(array.shape, tuple(plain))
    indices = [_checked(array.recorder, keys[i], window.shape[i]) for i in gathered]
    batch = np.broadcast_shapes(*(tuple(i.shape) for i in indices))
    together = gathered[-1] - gathered[0] + 1 == len(gathered)
    rest = [i for i in range(len(keys)) if i not in gathered]
    place = sum(1 for i in rest if i < gathered[0]) if together else 0
    shape = [window.shape[i] for i in rest]
    shape[place:place] = list(batch)
    asked = tuple(
        slice(None) if i in rest else k[0] if type(k) is tuple else k for i, k in enumerate(keys)
    )
    return Gather(window, (*gathered, *rest), indices, batch, place, tuple(shape), asked)


def _index_array(key: Any) -> Any:
    """A key as it is (slice, None, ...), or an index array: real or traced. Known masks become
    the list of their index arrays, each with the mask's size along its axis."""
    if key is None or key is Ellipsis:
        return key
    if type(key) is slice:
        if not has_plain_bounds(key):
            raise NotCovered("an index with such a bound")
        return key
    if isinstance(key, (bool, np.bool)):
        raise NotCovered("a boolean scalar as index")
    if type(key) is bridge.Traced:
        found = key
    else:
        if type(key) in (list, tuple):
            if bridge.has_traced(key):
                raise NotCovered("a list of traced numbers as index")
            key = np.asarray(key, dtype=INT64 if not len(key) else None)
        elif issubclass(type(key), (int, np.integer)):
            return np.asarray(int(key))
        if not isinstance(key, np.ndarray):
            raise NotCovered("an index of type {kind}", kind=type(key).__name__)
        found = key
    if found.dtype == BOOL:
        known = contents(found)
        if known is None:
            raise NotCovered("a mask selects a number of elements that data decide")
        return list(zip(known.nonzero(), known.shape, strict=True))
    if found.dtype.kind not in "iu":
        raise NotCovered("an index of {dtype}", dtype=found.dtype)
    return found


def _checked(recorder: Any, index: Any, dim: int) -> Any:
    """The node of an index array; its bounds are checked now, as NumPy does."""
    if type(index) is tuple:
        index, extent = index
        if extent != dim:
            raise NotCovered("a mask of another shape")
    if type(index) is bridge.Traced:
        in_range.require(recorder, index.handle, dim)
        return index.handle
    in_range.require_within(index, dim)
    index = index if index.dtype in lowering.DTYPES else index.astype(INT64)
    return lowering.input_of(index) if index.ndim else lowering.constant(index)
