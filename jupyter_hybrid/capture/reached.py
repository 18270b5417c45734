"""Which names of the notebook a cell's code can read beyond those in its text.

The functions that it can reach by name tell theirs. Where it reaches an object whose code nobody
has looked at, or asks for the names themselves, it may read any.
"""

from __future__ import annotations

import re
import types
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from .. import _core
from ..np_face import TracedArray
from .source.quiet import closed_over, defaults_of
from .twins import with_inner

_ASKS = frozenset(
    {
        "__globals__", "__main__", "eval", "exec", "f_back", "f_globals", "f_locals", "get_ipython",
        "globals", "locals", "user_ns", "vars",
    }
)  # fmt: skip
_PLAIN = (
    int, float, complex, bool, str, bytes, type(None), range, slice, TracedArray, _core.NDArray,
    types.ModuleType, types.BuiltinFunctionType, types.GetSetDescriptorType, type(np.concatenate),
    np.random.Generator, np.random.RandomState,
)  # fmt: skip
_MOST = 1000  # members of a container that are looked at


class Reached:
    """What code with these words can read of a namespace.

    Attributes:
        names: the names, those of the text included.
        any: it may read every name.
    """

    def __init__(self, source: str, words: Iterable[str], namespace: dict[str, Any]):
        self.names: set[str] = set()
        self._namespace = namespace
        self._seen: set[int] = set()  # ids of objects that the namespace holds
        self.any = not _ASKS.isdisjoint(re.findall(r"\w+", source))
        self._read(words)

    def _read(self, words: Iterable[str]) -> None:
        waiting = list(words)
        while waiting and not self.any:
            name = waiting.pop()
            if name in self.names:
                continue
            self.names.add(name)
            self.any = name in _ASKS
            if name in self._namespace:
                waiting += self._told(self._namespace[name])

    def _told(self, value: Any) -> Iterator[str]:
        """The names that an object's own code reads."""
        kind = type(value)
        if id(value) in self._seen or _is_plain(value):
            return
        self._seen.add(id(value))
        members: Iterable[Any] = ()
        if kind is types.FunctionType:
            if value.__globals__ is self._namespace:
                for code in with_inner(value.__code__):  # global names and attributes
                    yield from code.co_names
            held = closed_over(value).values()
            members = (*held, *defaults_of(value), *vars(value).values())
        elif kind is type:
            if value.__module__ != "__main__":
                return
            members = (*vars(value).values(), *value.__bases__)
        elif kind in (staticmethod, classmethod):
            members = (value.__func__,)
        elif kind is property:
            members = (value.fget, value.fset, value.fdel)
        elif kind in (list, tuple, set, dict) and len(value) <= _MOST:
            members = (*value, *value.values()) if kind is dict else value
        else:
            self.any = True
        for member in members:
            yield from self._told(member)


def _is_plain(value: Any) -> bool:
    """Is it known to run no code of the notebook's?"""
    kind = type(value)
    if kind is np.ndarray:
        return not value.dtype.hasobject
    if kind is np.ufunc:
        return getattr(np, value.__name__, None) is value
    return kind in _PLAIN or kind in np.sctypeDict.values() or isinstance(value, np.dtype)
