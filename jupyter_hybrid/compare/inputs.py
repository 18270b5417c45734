"""What a compared cell starts from: copies of the arrays it reads, and the random states."""

from __future__ import annotations

import copy
import random
from collections import deque
from typing import Any

import numpy as np

from .. import _core
from .. import random as own_random

_GENERATORS = (np.random.Generator, np.random.RandomState, random.Random)
_CONTAINERS = (list, tuple, dict, set, deque)


class RandomStates:
    """The states of NumPy's, Python's and our own random numbers, to go back to."""

    def __init__(self) -> None:
        self._numpy = np.random.get_state(legacy=False)
        self._python = random.getstate()
        self._own = own_random.get_state()

    def restore(self) -> None:
        """Makes the next draws those that followed the making of this object."""
        np.random.set_state(self._numpy)
        random.setstate(self._python)
        own_random.set_state(self._own)


class Inputs:
    """One mode's working copies of what a cell reads; the user's own arrays are never written.

    Arrays keep their memory from run to run and get their contents back, so that a run after the
    first one finds them as warm as a user's would be. Views of one array stay views of one array.

    Args:
        names: the names that the cell reads and the namespace has.
        namespace: the user's.
        replaced: values that stand for the namespace's own, as a sweep sets them.
    """

    def __init__(
        self,
        names: list[str],
        namespace: dict[str, Any],
        replaced: dict[str, Any] | None = None,
    ):
        self._user = namespace
        self.names = set(names)
        self._given = {name: namespace[name] for name in names} | (replaced or {})
        self._arrays: dict[int, tuple[Any, Any]] = {}  # id of the original -> (it, working copy)
        self._same: set[int] = set()  # originals that no run changes
        self._runs = 0

    def namespace(self) -> dict[str, Any]:
        """A namespace for one more run, with the contents of the beginning."""
        if self._runs == 1:
            self._same = {k for k, (old, new) in self._arrays.items() if _same_bytes(old, new)}
        for key, (old, new) in list(self._arrays.items()):
            if key in self._same:
                continue
            if not _restored(old, new):
                del self._arrays[key]
        self._runs += 1
        memo: dict[int, Any] = {}
        return {**self._user, **{n: self._copied(v, memo) for n, v in self._given.items()}}

    def _copied(self, value: Any, memo: dict[int, Any]) -> Any:
        kind = type(value)
        if isinstance(value, np.ndarray):
            return self._array(value, memo)
        if isinstance(value, _core.NDArray) and kind is _core.NDArray:
            return self._kept(value, _nd_copy)
        if id(value) in memo:
            return memo[id(value)]
        if kind in (list, set, deque):
            made: Any = kind()
            memo[id(value)] = made
            add = made.add if kind is set else made.append
            for item in value:
                add(self._copied(item, memo))
            return made
        if kind is dict:
            made = memo[id(value)] = {}
            for key, item in value.items():
                made[key] = self._copied(item, memo)
            return made
        if kind is tuple:
            return tuple(self._copied(item, memo) for item in value)
        if isinstance(value, _GENERATORS) and value is not np.random.mtrand._rand:
            memo[id(value)] = copy.deepcopy(value)
            return memo[id(value)]
        return value

    def _array(self, value: np.ndarray, memo: dict[int, Any]) -> np.ndarray:
        if type(value) is not np.ndarray:
            return self._kept(value, lambda v: v.copy())
        root = value
        while isinstance(root.base, np.ndarray):
            root = root.base
        if root is value or not _is_dense(root) or root.dtype.hasobject:
            return self._kept(value, lambda v: v.copy(order="K"))
        if id(value) in memo:
            return memo[id(value)]
        base = self._kept(root, lambda v: v.copy(order="K"))
        offset = value.__array_interface__["data"][0] - root.__array_interface__["data"][0]
        made = np.ndarray(value.shape, value.dtype, _bytes(base), offset, value.strides)
        memo[id(value)] = made
        return made

    def _kept(self, value: Any, make: Any) -> Any:
        known = self._arrays.get(id(value))
        if known is None:
            known = self._arrays[id(value)] = (value, make(value))
        return known[1]


def _nd_copy(array: Any) -> Any:
    made = array.copy()
    if array.grad is not None:
        made.attach_grad()
        made.grad[:] = array.grad
    return made


def _is_dense(array: np.ndarray) -> bool:
    return array.flags.c_contiguous or array.flags.f_contiguous


def _bytes(array: np.ndarray) -> Any:
    """The memory of a dense array as bytes, not copied."""
    return array.reshape(-1, order="A").view(np.uint8).data


def _same_bytes(old: Any, new: Any) -> bool:
    if isinstance(old, _core.NDArray):
        return old.grad is None and _same_bytes(old.asnumpy(), new.asnumpy())
    if type(old) is not np.ndarray or old.dtype.hasobject or not _is_dense(old):
        return False
    if old.shape != new.shape or old.dtype != new.dtype or old.strides != new.strides:
        return False
    return _bytes(old) == _bytes(new) if old.nbytes < 4096 else _equal_large(old, new)


def _equal_large(old: np.ndarray, new: np.ndarray) -> bool:
    a, b = (v.reshape(-1, order="A").view(np.uint8) for v in (old, new))
    return np.array_equal(a, b)


def _restored(old: Any, new: Any) -> bool:
    """Puts the contents back; False when the copy is no longer of the original's form."""
    if isinstance(old, _core.NDArray):
        if tuple(old.shape) != tuple(new.shape) or old.grad is not None:
            return False
        new[:] = old
        return True
    same = type(old) is type(new) and old.shape == new.shape and old.dtype == new.dtype
    if not same or old.strides != new.strides or not new.flags.writeable:
        return False
    np.copyto(new, old)
    return True
