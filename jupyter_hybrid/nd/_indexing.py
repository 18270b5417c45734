"""``x[...]`` with arrays, lists or booleans among the indices; the rest is done in the core."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .._core import NDArray, is_recording


def getitem(x: NDArray, key: Any) -> NDArray:
    """Elements picked by index arrays or a boolean mask, as a new array.

    A mask and index lists become whole numbers on the host, so reading a mask waits for it; an
    index array on the device does not. Index arrays of one axis may be mixed with slices; several
    must stand together at the front.
    """
    items = list(key) if isinstance(key, tuple) else [key]
    items = _expand_ellipsis(items, x.ndim)
    arrays = [i for i, item in enumerate(items) if _is_array(item)]
    if len(arrays) == 1:
        return _one_array(x, items, arrays[0])
    if arrays != list(range(len(arrays))):
        raise IndexError("several index arrays must stand together, before any slice")
    chosen = [_whole_numbers(items[i]) for i in arrays]
    flat, shape = _flat_index(chosen, x.shape[: len(chosen)])
    rest = x.shape[len(chosen) :]
    rows = x.reshape((-1, *rest)) if rest else x.reshape((-1,))
    taken = _take(rows, flat, 0).reshape(shape + rest or (1,))
    tail = items[len(arrays) :]
    return taken[(slice(None),) * len(shape) + tuple(tail)] if tail else taken


def setitem(x: NDArray, key: Any, value: Any) -> None:
    """Writes where index arrays or a boolean mask say; waits for ``x``.

    Not while a graph is recorded for gradients: MXNet has no gradient of it.
    """
    if is_recording() and (x.grad is not None or isinstance(value, NDArray)):
        raise _core.MXNetError(
            "setitem: writing by index arrays has no gradient; use where() or one_hot() "
            "inside autograd.record()"
        )
    host = x.asnumpy()
    items = key if isinstance(key, tuple) else (key,)
    where = tuple(_host_index(item) for item in items)
    host[where if isinstance(key, tuple) else where[0]] = _host(value)
    x[:] = _core.from_numpy(host)


def _one_array(x: NDArray, items: list[Any], place: int) -> NDArray:
    index = items[place]
    mask = _as_mask(index)
    if mask is not None and mask.ndim > 1:
        axes = sum(item is not None for item in items[:place])
        head = x.shape[:axes]
        if x.shape[axes : axes + mask.ndim] != mask.shape:
            raise IndexError(
                f"a mask of shape {mask.shape} does not fit an array of shape {x.shape} "
                f"from axis {axes} on"
            )
        x = x.reshape((*head, -1, *x.shape[axes + mask.ndim :]))
        index = mask.reshape(-1)
    before = sum(1 for item in items[:place] if item is not None)
    if before >= x.ndim:
        raise IndexError(f"too many indices: the array has {x.ndim} axes")
    size = x.shape[before]
    if mask is not None and mask.ndim == 1 and mask.shape[0] != size:
        raise IndexError(f"a mask of {mask.shape[0]} elements for an axis of size {size}")
    basic = tuple(slice(None) if i == place else item for i, item in enumerate(items))
    kept = _core.invoke("identity", [x], {}) if not basic else x[basic]
    # Integers before the index array drop their axis.
    axis = sum(1 for item in items[:place] if not isinstance(item, (int, np.integer)))
    if isinstance(index, NDArray) and mask is None:
        return _core.invoke("take", [kept, index], {"axis": axis, "mode": "wrap"})
    return _take(kept, _in_range(_whole_numbers(index), size), axis)


def _take(x: NDArray, index: np.ndarray, axis: int) -> NDArray:
    where = _core.from_numpy(np.ascontiguousarray(index, dtype=np.int64), True, x.context)
    return _core.invoke("take", [x, where], {"axis": axis, "mode": "clip"})


def _flat_index(
    indices: list[np.ndarray], sizes: tuple[int, ...]
) -> tuple[np.ndarray, tuple[int, ...]]:
    if len(indices) > len(sizes):
        raise IndexError(f"too many indices: {len(indices)} for {len(sizes)} axes")
    checked = [_in_range(i, n) for i, n in zip(indices, sizes)]
    together = np.broadcast_arrays(*checked)
    flat = np.ravel_multi_index(tuple(together), sizes)
    return np.asarray(flat).reshape(-1), together[0].shape


def _in_range(index: np.ndarray, size: int) -> np.ndarray:
    if index.size and (index.min() < -size or index.max() >= size):
        bad = index[(index < -size) | (index >= size)].flat[0]
        raise IndexError(f"index {bad} is out of bounds for an axis of size {size}")
    return np.where(index < 0, index + size, index)


def _whole_numbers(item: Any) -> np.ndarray:
    mask = _as_mask(item)
    if mask is not None:
        if mask.ndim != 1:
            raise IndexError("beside other index arrays a mask must have one axis")
        return np.flatnonzero(mask)
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
    if isinstance(item, (list, np.ndarray)):
        host = np.asarray(item)
        return host if host.dtype == np.bool_ else None
    return None


def _is_array(item: Any) -> bool:
    return isinstance(item, (NDArray, np.ndarray, list, tuple, bool, np.bool_, range))


def _host(item: Any) -> Any:
    return item.asnumpy() if isinstance(item, NDArray) else item


def _host_index(item: Any) -> Any:
    if not isinstance(item, NDArray):
        return item
    host = item.asnumpy()
    return host.astype(np.int64) if host.dtype.kind == "f" else host


def _expand_ellipsis(items: list[Any], ndim: int) -> list[Any]:
    places = [i for i, item in enumerate(items) if item is Ellipsis]
    if not places:
        return items
    if len(places) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    used = sum(_axes(item) for item in items if item is not Ellipsis)
    at = places[0]
    return [*items[:at], *[slice(None)] * (ndim - used), *items[at + 1 :]]


def _axes(item: Any) -> int:
    if item is None:
        return 0
    mask = _as_mask(item)
    return 1 if mask is None else mask.ndim
