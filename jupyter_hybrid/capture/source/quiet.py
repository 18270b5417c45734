"""Does code touch no array? Then nothing that is pending sees it, and it runs as written.

Decided from the names that the code reads and from what they hold when it starts: what plain
values, harmless functions and classes of plain values compute is plain again.
"""

from __future__ import annotations

import ast
import builtins
import collections
import functools
import gc
import itertools
import sys
import types
from dataclasses import dataclass
from typing import Any

from .. import numbers
from .definitions import definition_of
from .nodes import walk
from .scopes import bound_names, loaded_names, mangled
from .sources import NoSource, is_pythons, is_users, module_of

_PLAIN = frozenset(
    {int, float, complex, bool, str, bytes, type(None), range, slice, type(...), bytearray}
    | {type(NotImplemented), numbers.RecordedInt, numbers.RecordedFloat}
)
_CONTAINERS = frozenset(
    {list, tuple, set, frozenset, dict, collections.deque, collections.defaultdict}
    | {collections.Counter, collections.OrderedDict}
)
_EMPTY: tuple[Any, ...] = ([], (), "", range(0), {}, {}.values(), {}.items(), set())
_ITERATORS = frozenset({type(iter(v)) for v in _EMPTY} | {enumerate, zip, reversed})
_HARMFUL = frozenset(
    {"eval", "exec", "globals", "locals", "vars", "memoryview", "__import__", "compile", "setattr"}
    | {"breakpoint", "delattr", "dir", "input", "open"}
)
_MODULES = frozenset(
    {"math", "cmath", "random", "_random", "string", "itertools", "functools", "_functools"}
    | {"collections", "_collections", "heapq", "_heapq", "bisect", "_bisect", "operator"}
    | {"_operator", "statistics", "fractions", "decimal", "re", "json", "copy", "enum"}
    | {"dataclasses", "typing", "string", "abc"}
)
_MOST = 3000  # values that are looked at, one by one or ...
_AT_ONCE = 30  # ... so many of a container
_IMPORTS = (ast.Import, ast.ImportFrom)


def _harmless(name: Any) -> types.ModuleType | None:
    """The module of this name, one of :data:`_MODULES`."""
    module = sys.modules.get(name) if type(name) is str and name in _MODULES else None
    return module if is_pythons(module) else None


@dataclass
class Reads:
    """What a piece of code reads from outside."""

    names: frozenset[str]
    harmful: bool = False  # whatever they hold: it imports, or looks at frames
    last: int = 0  # line of a function


def reads_of(nodes: list[Any], bound: frozenset[str] = frozenset()) -> Reads:
    """What statements read, ``bound`` aside."""
    imports = any(isinstance(n, _IMPORTS) for node in nodes for n in walk(node))
    return Reads(loaded_names(nodes) - bound, imports)


def known_function(code: types.CodeType) -> Reads | None:
    """What is known about a function of the user's."""
    return _looked_up(code, code.co_filename)


@functools.lru_cache(maxsize=10_000)
def _looked_up(code: types.CodeType, filename: str) -> Reads | None:
    if not is_users(filename):
        return None
    try:
        found = definition_of(code)
    except NoSource:
        return None
    body = found.node.body if isinstance(found.node.body, list) else [found.node.body]
    reads = reads_of(body, bound_names(found.node))
    reads.names = frozenset(mangled(n, found.class_name) for n in reads.names)
    reads.last = found.node.end_lineno or code.co_firstlineno
    return reads


class Search:
    """One question; looks at :data:`_MOST` values at most."""

    def __init__(self) -> None:
        self._left = _MOST
        self._seen: set[int] = set()
        self._kept: list[Any] = []  # what was seen: an id means nothing without its object
        self.codes: list[types.CodeType] = []  # of the user's functions among it

    def names(self, reads: Reads, *scopes: Any) -> bool:
        """Are all these names plain in the scopes, innermost first?"""
        if reads.harmful:
            return False
        for name in reads.names:
            for scope in scopes:
                if name in scope:
                    if not self.value(scope[name]):
                        return False
                    break
            else:
                if name in _HARMFUL:
                    return False
        return True

    def value(self, value: Any) -> bool:
        """Does nothing that can be reached from the value have to do with arrays?"""
        kind = type(value)
        if kind in _PLAIN:
            return True
        if id(value) in self._seen:
            return True
        self._left -= 1
        if self._left < 0:
            return False
        self._seen.add(id(value))
        self._kept.append(value)
        if kind in _CONTAINERS:
            return self._container(value, kind)
        if kind in _ITERATORS or kind.__module__ == "itertools":
            return all(map(self.value, gc.get_referents(value)))
        if kind is types.FunctionType:
            return self._function(value)
        if kind is types.ModuleType:
            return _harmless(value.__name__) is value
        if kind is types.BuiltinFunctionType:
            return self._builtin(value)
        if kind is types.MethodType:
            return self.value(value.__func__) and self.value(value.__self__)
        if kind in (staticmethod, classmethod):
            return self.value(value.__func__)
        if kind is functools._lru_cache_wrapper:
            return self.value(value.__wrapped__)
        if kind is property:
            parts = [value.fget, value.fset, value.fdel]
            return all(p is None or self.value(p) for p in parts)
        return self._class(value) if isinstance(value, type) else self._instance(value, kind)

    def _container(self, value: Any, kind: type) -> bool:
        if kind is collections.defaultdict and not self.value(value.default_factory):
            return False
        held = itertools.chain(value, value.values()) if isinstance(value, dict) else value
        while True:
            rest = [v for v in held if type(v) not in _PLAIN]
            self._left -= len(rest) // _AT_ONCE
            if not rest or self._left < 0 or not set(map(type, rest)) <= {tuple}:
                break
            held = itertools.chain.from_iterable(rest)
        return self._left >= 0 and all(map(self.value, rest))

    def _function(self, function: types.FunctionType) -> bool:
        module = _harmless(module_of(function))
        if module is not None and vars(module) is function.__globals__:
            return True
        code = function.__code__
        reads = known_function(code)
        if reads is None:
            return False
        self.codes.append(code)
        cells = {}
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            try:
                cells[name] = cell.cell_contents
            except ValueError:  # not bound yet
                continue
        held = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
        return self.names(reads, cells, function.__globals__) and all(map(self.value, held))

    def _builtin(self, function: Any) -> bool:
        owner = function.__self__
        if owner is builtins:
            return function.__name__ not in _HARMFUL
        if owner is None or isinstance(owner, types.ModuleType):
            return _harmless(function.__module__) is not None
        return self.value(owner)

    def _class(self, kind: type) -> bool:
        if vars(builtins).get(kind.__name__) is kind:
            return kind.__name__ not in _HARMFUL
        if _harmless(kind.__module__) is not None:
            return True
        if type(kind) is not type:
            return False
        parts = [v for n, v in vars(kind).items() if n not in ("__dict__", "__weakref__")]
        descriptors = (types.MemberDescriptorType, types.GetSetDescriptorType)
        return all(isinstance(v, descriptors) or self.value(v) for v in parts) and all(
            map(self.value, kind.__bases__)
        )

    def _instance(self, value: Any, kind: type) -> bool:
        if _harmless(kind.__module__) is not None and kind.__module__ != "typing":
            return kind.__module__ in ("random", "re", "fractions", "decimal")
        if kind.__module__ == "builtins" or not self.value(kind):
            return False
        if not all(map(self.value, getattr(value, "__dict__", {}).values())):
            return False
        slots = [n for c in kind.__mro__ for n in getattr(c, "__slots__", ())]
        return all(self.value(getattr(value, n, None)) for n in slots)
