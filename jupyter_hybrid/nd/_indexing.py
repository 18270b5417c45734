"""``x[...]`` with arrays, lists or booleans among the indices; the rest is done in the core.

The rules are NumPy's. Index arrays broadcast together; their axes stand where the first one stood
when they are neighbours, else in front. MXNet's index arrays may be floats, cut off toward 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from .._core import NDArray, is_recording


def getitem(x: NDArray, key: Any) -> NDArray:
    """Elements picked by index arrays or a boolean mask, as a new array.

    A mask and index lists become whole numbers on the host, so reading a mask waits for it; a
    single index array on the device does not.
    """
    plan = _plan(x, key)
    if len(plan.chosen) == 1 and isinstance(plan.chosen[0], NDArray):
        return _one_array_on_the_device(x, plan)
    sliced = _sliced(x, plan)
    order = [*plan.picked, *(a for a in range(sliced.ndim) if a not in plan.picked)]
    if order != list(range(sliced.ndim)):
        sliced = _core.invoke("transpose", [sliced], {"axes": order})
    sizes = sliced.shape[: len(plan.picked)]
    flat, shape = _flat_index(plan.chosen, sizes)
    rest = sliced.shape[len(sizes) :]
    rows = _reshaped(sliced, (int(np.prod(sizes)), *rest))
    taken = _reshaped(_take(rows, flat, 0), (*shape, *rest))
    if plan.front or not shape:
        return taken if taken.ndim else _reshaped(taken, (1,))
    n, at = len(shape), plan.picked[0]
    moved = [*range(n, n + at), *range(n), *range(n + at, taken.ndim)]
    if moved == list(range(taken.ndim)):
        return taken
    return _core.invoke("transpose", [taken], {"axes": moved})


def setitem(x: NDArray, key: Any, value: Any) -> None:
    """Writes where index arrays or a boolean mask say; waits for ``x``.

    Not while a graph is recorded for gradients: MXNet has no gradient of it.
    """
    if is_recording() and (x.grad is not None or isinstance(value, NDArray)):
        raise _core.MXNetError(
            "setitem: Inplace operations (+=, -=, x[:]=, etc) are not supported when recording "
            "with autograd, by index arrays; use where() or one_hot() inside autograd.record()"
        )
    host = x.asnumpy()
    items = key if isinstance(key, tuple) else (key,)
    where = tuple(_host_index(item) for item in items)
    host[where if isinstance(key, tuple) else where[0]] = _host(value)
    x[:] = _core.from_numpy(host)


@dataclass
class _Plan:
    """An index in parts: slices and new axes first, then the index arrays.

    ``items`` has no Ellipsis; an integer beside index arrays is one of them, of no axes.
    ``picked`` are the axes that the arrays ``chosen`` pick from after slicing. ``front``: the
    result's picked axes come first.
    """

    items: list[Any]
    picked: list[int]
    chosen: list[Any]
    front: bool


def _plan(x: NDArray, key: Any) -> _Plan:
    items = list(key) if isinstance(key, tuple) else [key]
    items, cut = _expand_ellipsis(items, x.ndim)
    used = sum(map(_axes, items))
    if used > x.ndim:
        raise IndexError(f"too many indices: the array has {x.ndim} axes, {used} were indexed")
    items += [slice(None)] * (x.ndim - used)
    places: list[int] = []
    picked: list[int] = []
    chosen: list[Any] = []
    axis = new = 0
    for place, item in enumerate(items):
        if item is None:
            new += 1
        elif isinstance(item, slice):
            axis += 1
        else:
            places.append(place)
            arrays = _numbers_of(item, x.shape[axis : axis + _axes(item)], axis)
            picked += range(axis + new, axis + new + len(arrays))
            chosen += arrays
            axis += len(arrays)
    front = places != list(range(places[0], places[0] + len(places)))
    front = front or places[0] < cut <= places[-1]  # an Ellipsis of no axes parts them, too
    return _Plan(items, picked, chosen, front)


def _numbers_of(item: Any, sizes: tuple[int, ...], axis: int) -> list[Any]:
    """The index arrays of one item: of a mask one for each of its axes."""
    mask = _as_mask(item)
    if mask is None:
        return [item if isinstance(item, NDArray) else _whole_numbers(item)]
    if mask.shape != sizes:
        raise IndexError(
            f"a mask of {mask.shape} elements for axes of sizes {sizes}, from axis {axis} on"
        )
    return list(np.nonzero(mask))


def _sliced(x: NDArray, plan: _Plan) -> NDArray:
    """What slices and new axes make of ``x``; the picked axes stay whole."""
    basic: list[Any] = []
    for item in plan.items:
        if item is None or isinstance(item, slice):
            basic.append(item)
        else:
            basic += [slice(None)] * _axes(item)
    if all(item == slice(None) for item in basic):
        return x
    return x[tuple(basic)]


def _one_array_on_the_device(x: NDArray, plan: _Plan) -> NDArray:
    """One index array: taken where it is, so that an index out of range is told by the operator."""
    kept = _core.invoke("identity", [x], {}) if x.ndim == 1 else _sliced(x, plan)
    attrs = {"axis": plan.picked[0], "mode": "raise", "from_end": True}
    taken = _core.invoke_core("take", [kept, plan.chosen[0]], attrs)
    return taken if taken.ndim else _reshaped(taken, (1,))


def _reshaped(x: NDArray, shape: tuple[int, ...]) -> NDArray:
    return x if x.shape == shape else x.reshape(shape) if 0 not in shape else _empty(x, shape)


def _empty(x: NDArray, shape: tuple[int, ...]) -> NDArray:
    """No elements; a size of 0 would mean another one to reshape()."""
    return _core.invoke("_zeros", [], {"shape": shape, "dtype": x.dtype}, None, x.context)


def _take(x: NDArray, index: np.ndarray, axis: int) -> NDArray:
    where = _core.from_numpy(np.ascontiguousarray(index, dtype=np.int64), True, x.context)
    return _core.invoke("take", [x, where], {"axis": axis, "mode": "clip"})


def _flat_index(indices: list[Any], sizes: tuple[int, ...]) -> tuple[np.ndarray, tuple[int, ...]]:
    checked = [_in_range(_whole_numbers(i), n) for i, n in zip(indices, sizes)]
    try:
        together = np.broadcast_arrays(*checked)
    except ValueError:
        shapes = " ".join(str(i.shape) for i in checked)
        raise IndexError(f"index arrays of shapes {shapes} do not broadcast together") from None
    flat = np.zeros(together[0].shape, dtype=np.int64)
    for index, size in zip(together, sizes):
        flat = flat * size + index
    return flat.reshape(-1), together[0].shape


def _in_range(index: np.ndarray, size: int) -> np.ndarray:
    if index.size and (index.min() < -size or index.max() >= size):
        bad = index[(index < -size) | (index >= size)].flat[0]
        raise IndexError(f"index {bad} is out of bounds for an axis of size {size}")
    return np.where(index < 0, index + size, index)


def _whole_numbers(item: Any) -> np.ndarray:
    if isinstance(item, (list, tuple)):
        item = [_host(part) for part in item]
    index = np.asarray(_host(item))
    if index.size == 0:
        return index.astype(np.int64)
    if index.dtype.kind == "f" and isinstance(item, NDArray):
        return index.astype(np.int64)  # MXNet's index arrays may be floats
    if index.dtype.kind not in "iu":
        raise IndexError(f"an index array must hold integers or booleans, not {index.dtype}")
    return index.astype(np.int64)


def _as_mask(item: Any) -> np.ndarray | None:
    if isinstance(item, NDArray):
        return item.asnumpy() if item.dtype is np.bool_ else None
    if isinstance(item, (bool, np.bool_)):
        raise IndexError("a single boolean is no index; give a mask of the array's shape")
    if isinstance(item, np.ndarray):
        return item if item.dtype == np.bool_ else None
    if isinstance(item, list) and item and isinstance(item[0], (bool, np.bool_, list)):
        host = np.asarray(item)
        return host if host.dtype == np.bool_ else None
    return None


def _host(item: Any) -> Any:
    return item.asnumpy() if isinstance(item, NDArray) else item


def _host_index(item: Any) -> Any:
    if not isinstance(item, NDArray):
        return item
    host = item.asnumpy()
    return host.astype(np.int64) if host.dtype.kind == "f" else host


def _expand_ellipsis(items: list[Any], ndim: int) -> tuple[list[Any], int]:
    """The items with slices in the place of an Ellipsis, and its place; -1: there was none."""
    places = [i for i, item in enumerate(items) if item is Ellipsis]
    if not places:
        return items, -1
    if len(places) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    used = sum(_axes(item) for item in items if item is not Ellipsis)
    at = places[0]
    return [*items[:at], *[slice(None)] * (ndim - used), *items[at + 1 :]], at


def _axes(item: Any) -> int:
    if item is None:
        return 0
    if isinstance(item, (slice, int, np.integer)) and not isinstance(item, bool):
        return 1
    mask = _as_mask(item)
    return 1 if mask is None else mask.ndim
