"""Objects that were there before a cell ran: which they are, and their arrays made read-only."""

from __future__ import annotations

import gc
import types
from typing import Any

import numpy as np

from ..np_face import TracedArray
from .origin import in_library

_MAX_OBJECTS = 1_000_000
_LEAVES = (str, bytes, int, float, complex, bool, type(None), types.ModuleType, range)
_HIDDEN = frozenset({"In", "Out", "exit", "quit", "get_ipython", "open"})


class Foreign:
    """What a namespace reaches, by identity.

    Args:
        namespace: the user's; it must outlive this object, so that identities stay unique.
    """

    def __init__(self, namespace: dict[str, Any]):
        self._ids: set[int] = {id(namespace)}
        self._arrays: list[np.ndarray] = []
        self._protected: list[np.ndarray] = []
        self._copies: list[tuple[np.ndarray, np.ndarray]] = []
        todo = [
            value
            for name, value in namespace.items()
            if not name.startswith("_") and name not in _HIDDEN
        ]
        while todo and len(self._ids) < _MAX_OBJECTS:
            value = todo.pop()
            if id(value) in self._ids or _is_leaf(value):
                continue
            self._ids.add(id(value))
            if type(value) is TracedArray:  # nothing can write into it before it is computed
                continue
            if isinstance(value, np.ndarray):
                self._arrays.append(value)
                if isinstance(value.base, np.ndarray):
                    todo.append(value.base)
                if not value.dtype.hasobject:
                    continue
            if isinstance(value, types.FunctionType):
                if not in_library(value.__code__):
                    todo += [value.__globals__, value.__defaults__, value.__kwdefaults__]
                    todo += [c.cell_contents for c in value.__closure__ or () if _is_full(c)]
                continue
            todo += gc.get_referents(value)

    def holds(self, value: Any) -> bool:
        """True for an object that was there before, for modules and for classes of libraries."""
        if isinstance(value, types.ModuleType):
            return True
        if isinstance(value, type):
            return id(value) in self._ids or value.__module__ != "__main__"
        return id(value) in self._ids

    @property
    def protects(self) -> bool:
        """True when arrays are read-only now."""
        return bool(self._protected)

    def protect(self) -> None:
        """Makes the arrays read-only; those that could not be made writeable again are copied."""
        for array in self._arrays:
            if not array.flags.writeable:
                continue
            owner: Any = array
            while isinstance(owner.base, np.ndarray):
                owner = owner.base
            if owner.base is None:
                self._protected.append(array)
            else:
                self._copies.append((array, array.copy()))
        for array in self._protected:
            array.setflags(write=False)

    def release(self) -> bool:
        """Makes them writeable again; True when an array that could only be watched changed (its
        contents are put back)."""
        owners_first = sorted(self._protected, key=lambda a: isinstance(a.base, np.ndarray))
        waiting = owners_first
        while waiting:  # a view can be made writeable only after its base
            left = []
            for array in waiting:
                try:
                    array.setflags(write=True)
                except ValueError:
                    left.append(array)
            if len(left) == len(waiting):
                break
            waiting = left
        self._protected = []
        changed = False
        for array, before in self._copies:
            if array.tobytes() != before.tobytes():
                np.copyto(array, before)
                changed = True
        self._copies = []
        return changed


_full = object()


def _is_full(cell: Any) -> bool:
    try:
        return cell.cell_contents is not _full
    except ValueError:  # not bound yet
        return False


def _is_leaf(value: Any) -> bool:
    if isinstance(value, type):
        return value.__module__ != "__main__"
    return isinstance(value, _LEAVES)
