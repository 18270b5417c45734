"""The real ndarray of an array that is not computed yet: the object is there, its contents wait.

A traced array stays in variables. Whatever else keeps one (a list, an attribute, a closure) gets
its ndarray at once; the contents are computed and copied there before anybody can look. While the
ndarray lives, code that loads it gets the traced array again. When it dies, nothing is computed for
it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from weakref import WeakValueDictionary, ref

import numpy as np

from ... import _core
from ...reasons import Reason
from . import layouts

_KEPT_SCALAR = Reason("a scalar is kept outside variables")
_KEPT = Reason("an array is kept outside variables")
_COPIED = Reason("a view is a copy")
_LARGE = 1 << 16  # bytes: less is copied


class Promise(ref):
    """A weak reference to the ndarray, which holds the traced array as long as that lives."""

    __slots__ = ("array", "key", "table", "there")
    array: Any
    key: int
    there: bool  # the contents were computed in its memory
    table: dict[int, Promise]


def _void(promise: Promise) -> None:
    promise.table.pop(promise.key, None)
    promise.array = None


class Promises:
    """The promises of one recorder."""

    def __init__(self) -> None:
        self._waiting: dict[int, Promise] = {}  # by id of the ndarray, which lives
        self._views: WeakValueDictionary[int, Any] = WeakValueDictionary()  # of kept ones

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, array: Any, made: np.ndarray) -> Promise:
        """``made`` has been given to somebody in the place of ``array``."""
        promise = Promise(made, _void)
        promise.array, promise.key, promise.table = array, id(made), self._waiting
        promise.there = False
        self._waiting[id(made)] = promise
        return promise

    def find(self, value: np.ndarray) -> Any:
        """What stands for this ndarray; None where nothing does."""
        promise = self._waiting.get(id(value))
        if promise is not None:
            return promise.array
        view = self._views.get(id(value))
        known = view is not None and view._opened is not None and view._opened[1] is value
        return view if known else None

    def covers(self, value: np.ndarray) -> bool:
        """Are contents of this ndarray's memory still to come?"""
        base: Any = value
        while base is not None:
            if id(base) in self._waiting:
                return True
            base = base.base if isinstance(base, np.ndarray) else None
        return False

    def arrays(self) -> list[Any]:
        """The traced arrays whose ndarrays wait for contents, no views."""
        found = (p.array for p in list(self._waiting.values()))
        return [a for a in found if a is not None and a.parent is None]

    def places(self) -> dict[int, tuple[Any, Any]]:
        """Where large contents may be computed at once: by id of the traced node, its promise and
        the memory as an array of the graph."""
        found = {}
        for promise in list(self._waiting.values()):
            array, made = promise.array, promise()
            if array is None or made is None or array.parent is not None:
                continue
            if made.nbytes >= _LARGE and made.flags.c_contiguous and array._handle._traced:
                found[id(array._handle)] = promise, _core.from_numpy(made, copy=False)
        return found

    def keep(self) -> None:
        """Gives every ndarray its contents; what was computed for that has a value."""
        for array in self.arrays():
            with suppress(_core.MXNetError):  # an operator's own error stays in the array
                array.to_numpy()
        for promise in sorted(self._waiting.values(), key=_depth):  # views; or failed
            view, made = promise.array, promise()
            if made is not None and view is not None and view.parent is not None:
                view._opened, view.promise = (view.parent.to_numpy(), made), None
                self._views[id(made)] = view
        self._waiting.clear()


def _depth(promise: Any) -> int:
    """A view of how many views it is of: each has its ndarray before those that are views of it."""
    array, depth = promise.array, 0
    while array is not None and array.parent is not None:
        array, depth = array.parent, depth + 1
    return depth


def promised(array: Any) -> Any:
    """The ndarray of a traced array, now; a NumPy scalar, and what data lay out, is computed."""
    recorder = array.recorder
    if array.parent is None:
        if array.origin is not None:
            return array.origin
        if not is_pending(array) or not can_wait(array):
            return array.to_numpy(_KEPT_SCALAR if array.is_scalar else _KEPT)
    known = made_for(array)
    if known is not None:
        return known
    if array.parent is not None:
        base = promised(array.parent)
        if array._opened is not None and array._opened[0] is base:
            return array._opened[1]
        made = array._view.window(base)
        if made.base is None:  # a copy, whose contents can't follow
            return array.to_numpy(_COPIED)
    else:
        made = layouts.empty(array.shape, array.layout, array.dtype)
        made = made.view() if array.is_window else made
    array.promise = recorder.promises.add(array, made)
    return made


def can_wait(array: Any) -> bool:
    """Can an ndarray be made of what is known already, or is there one?"""
    if array.parent is not None or array.origin is not None:
        return True
    return not is_pending(array) or not (array.is_scalar or array.selected)


def is_pending(array: Any) -> bool:
    """Has it to be computed, by a cell that is still recorded?"""
    if not array.recorder.active or array.origin is not None:
        return False
    return array.selected is not None or array.handle._traced


def made_for(array: Any) -> np.ndarray | None:
    """The ndarray that was promised, if somebody still has it."""
    return array.promise() if array.promise is not None else None


def filled(array: Any, handle: Any) -> np.ndarray | None:
    """The ndarray that was promised, with its contents; None without one."""
    made = made_for(array)
    if made is None:
        return None
    if array.promise.there:
        handle.wait_to_read()
    else:
        np.copyto(made, _core.as_numpy(handle, array.recorder.settled))
    array.promise = None
    return made
