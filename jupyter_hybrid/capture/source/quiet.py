"""Does code touch no array? Then nothing that is pending sees it, and it runs as written.

The exact types of what its names hold decide: plain values and containers of them, what Python has
for these, and functions of the user's that read nothing else. An instance or a class of the user's
may lead anywhere; code that reads one is judged by what it records (:mod:`.patience`).
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
from contextlib import suppress
from typing import Any

from .. import numbers
from .definitions import users_definition
from .nodes import walk
from .scopes import bound_names, loaded_names, mangled
from .sources import is_pythons

_PLAIN = frozenset(
    {int, float, complex, bool, str, bytes, type(None), range, slice, type(...), bytearray}
    | {type(NotImplemented), numbers.RecordedInt, numbers.RecordedFloat}
)
_CONTAINERS = frozenset(
    {list, tuple, set, frozenset, dict, collections.deque, collections.Counter}
    | {collections.OrderedDict}
)
_EMPTY: tuple[Any, ...] = ([], (), "", range(0), {}, {}.values(), {}.items(), set())
# Those that hold nothing but what the collector knows of.
_HOLDERS = frozenset(
    {type(iter(v)) for v in _EMPTY} | {enumerate, zip, reversed, collections.defaultdict}
)
_IMPORTS = (ast.Import, ast.ImportFrom)
_IMPORT = "__import__"  # what such a statement reads
_HARMFUL = frozenset(
    {"eval", "exec", "globals", "locals", "vars", "memoryview", _IMPORT, "compile", "setattr"}
    | {"breakpoint", "delattr", "dir", "input", "open"}
)
_MODULES = frozenset(
    {"builtins", "math", "cmath", "random", "string", "itertools", "functools", "_functools"}
    | {"collections", "_collections", "heapq", "_heapq", "bisect", "_bisect", "operator"}
    | {"_operator", "statistics", "fractions", "decimal", "re", "json", "copy"}
)
_MOST = 3000  # values that are looked at, plain ones aside


def reads_of(nodes: list[Any], bound: frozenset[str] = frozenset()) -> frozenset[str]:
    """The names that statements read, ``bound`` aside."""
    imports = any(isinstance(n, _IMPORTS) for node in nodes for n in walk(node))
    return loaded_names(nodes) - bound | ({_IMPORT} if imports else frozenset())


@functools.lru_cache(maxsize=10_000)
def _reads_of_code(code: types.CodeType, filename: str) -> frozenset[str] | None:
    """The names that a function of the user's reads from outside; None: it is none, or unknown."""
    found = users_definition(code)
    if found is None:
        return None
    body = found.node.body if isinstance(found.node.body, list) else [found.node.body]
    names = reads_of(body, bound_names(found.node))
    return frozenset(mangled(name, found.class_name) for name in names)


def _is_pythons(value: Any) -> bool:
    """Is it what a harmless module of Python's has under this name?"""
    home, name = value.__module__, value.__name__
    module = sys.modules.get(home) if type(home) is str and home in _MODULES else None
    return is_pythons(module) and vars(module).get(name) is value and name not in _HARMFUL


def closed_over(function: types.FunctionType) -> dict[str, Any]:
    """The variables of outer functions that it has, but for those that are not bound yet."""
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with suppress(ValueError):
            found[name] = cell.cell_contents
    return found


def defaults_of(function: types.FunctionType) -> list[Any]:
    """What its parameters hold where nothing is given."""
    return [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]


class Search:
    """One question; looks at :data:`_MOST` values at most."""

    def __init__(self) -> None:
        self._seen: dict[int, Any] = {}  # by id
        self._passed = 0
        self.codes: list[types.CodeType] = []  # of the user's functions among it

    def names(self, names: frozenset[str], *scopes: Any) -> bool:
        """Do all these names hold such values in the scopes, innermost first?"""
        for name in names:
            scope = next((s for s in (*scopes, vars(builtins)) if name in s), None)
            if scope is not None and not self.value(scope[name]):
                return False
        return True

    def value(self, value: Any) -> bool:
        """Does nothing that can be reached from the value have to do with arrays?"""
        kind = type(value)
        if kind in _PLAIN or id(value) in self._seen:
            return True
        if len(self._seen) == _MOST:
            return False
        self._seen[id(value)] = value
        if kind in _CONTAINERS:
            return self._all(value)
        if kind in _HOLDERS or kind.__module__ == "itertools":
            return self._all(gc.get_referents(value))
        if kind is types.FunctionType:
            return _is_pythons(value) or self._function(value)
        if kind is types.ModuleType:
            return value.__name__ in _MODULES and is_pythons(value) and value is not builtins
        if kind is types.BuiltinFunctionType and type(value.__self__) in _CONTAINERS:
            return self.value(value.__self__)
        return kind in (types.BuiltinFunctionType, type) and _is_pythons(value)

    def _all(self, held: Any) -> bool:
        self._passed += len(held)
        if self._passed > 100_000:  # plain ones too
            return False
        if isinstance(held, dict):
            held = itertools.chain(held, held.values())
        return all(map(self.value, [v for v in held if type(v) not in _PLAIN]))

    def _function(self, function: types.FunctionType) -> bool:
        code = function.__code__
        names = _reads_of_code(code, code.co_filename)
        if names is None:
            return False
        self.codes.append(code)
        scopes = closed_over(function), function.__globals__
        return self.names(names, *scopes) and self._all(defaults_of(function))
