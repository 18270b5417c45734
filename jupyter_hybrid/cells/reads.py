"""What a cell reads, with the functions of the user's that it calls; and how it is guarded.

Guarded are plain values and functions by what they are, arrays by their kind: what a program of
such a cell computes follows from that, and from the elements of the arrays.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import math
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .. import _core, nd
from .._generate import faces, room_faces
from ..capture.cell import Cell
from ..capture.recording import PLAIN
from ..capture.source.definitions import users_definition
from ..capture.units.pure import PURE
from ..np_face.lower.followed import FOURIER, LINEAR, NAMES
from ..np_face.lower.registry import FUNCTIONS, VIEWS
from ..np_face.makers import makes
from .purity import ATTRIBUTES, METHODS, NotSkipped, Reads, reads_of, reads_of_function

_BUILTINS = frozenset(
    {
        range, len, enumerate, zip, reversed, min, max, sum, abs, round, int, float, bool, complex,
        tuple, list, dict, slice, divmod, pow, any, all, isinstance,
    }
)  # fmt: skip
#: What draws random numbers: no two runs give the same.
_DRAWS = ("random_", "sample_", "uniform", "normal", "shuffle")
_COMPUTE = PURE.union(
    FUNCTIONS,
    VIEWS,
    (getattr(np, n) for n in NAMES),
    (getattr(np.linalg, n) for n in LINEAR),
    (getattr(np.fft, n) for n in FOURIER),
    (getattr(nd, face.name) for face in faces() if not face.name.startswith(_DRAWS)),
    (getattr(nd.linalg, face.name) for face in room_faces("linalg")),
    (getattr(nd.contrib, face.name) for face in room_faces("contrib")),
)
_FUNCTIONS = frozenset(map(type, _COMPUTE)) | {types.BuiltinFunctionType}
_OTHER_FRAMES = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_MOST_LEAVES = 200  # of lists, tuples and dicts
_CONTAINERS = frozenset({tuple, list, dict})
_TOO_MANY: list[Any] = []  # what holds more is not looked through
_SCALARS = frozenset(np.sctypeDict.values())
ABSENT = object()


@dataclass(frozen=True, eq=False)
class Place:
    """Where an array is: a name of the cell (``scope`` None) or of a module, keys on from there."""

    scope: dict[str, Any] | None
    name: str
    keys: tuple[Any, ...] = ()

    def find(self, names: dict[str, Any]) -> Any:
        found = (names if self.scope is None else self.scope)[self.name]
        for key in self.keys:
            found = found[key]
        return found


@dataclass(frozen=True, eq=False)
class Made:
    """An array that the cell makes of numbers alone, always of the same ones."""

    value: np.ndarray

    def find(self, names: dict[str, Any]) -> Any:
        return self.value


@dataclass
class Read:
    """What a cell reads.

    Attributes:
        values: by scope (0: the cell's names), by name.
        scopes: their names; of the cell's None.
        attributes: of modules among them: owner, name, value.
    """

    values: dict[tuple[int, str], Any] = field(default_factory=dict)
    scopes: list[dict[str, Any] | None] = field(default_factory=lambda: [None])
    attributes: dict[tuple[int, str], tuple[Any, str, Any]] = field(default_factory=dict)

    def guards(self) -> list[tuple[dict[str, Any] | None, str, Any]]:
        """(scope, name, guard) of each. Raises NotSkipped."""
        made = []
        for (scope, name), value in self.values.items():
            guard = guard_of(value)
            if guard is None:
                raise NotSkipped("{name} is a {kind}", name=name, kind=type(value).__name__)
            made.append((self.scopes[scope], name, guard))
        return made

    def objects(self) -> list[Any]:
        """Every array and container that is read, in order."""
        return [v for value in self.values.values() for v in _inside(value)]

    def arrays(self) -> Iterator[tuple[Place, Any]]:
        """Every array that is read, and where it is."""
        for (scope, name), value in self.values.items():
            for keys, array in _leaves(value):
                yield Place(self.scopes[scope], name, keys), array


def read_by(cell: Cell, names: dict[str, Any]) -> Read:
    """What the cell is about to read; its imports and definitions have run. Raises NotSkipped."""
    reads = _reads(cell)
    finder = _Finder(names)
    finder.look(0, reads, None)
    return finder.read


def prologue(cell: Cell) -> list[Any]:
    """The imports and definitions that the cell begins with."""
    return cell.tree.body[: _reads(cell).prologue]


def run_prologue(cell: Cell, names: dict[str, Any]) -> None:
    """Imports, and defines functions, as the body does. Raises NotSkipped where code would run, or
    the body will raise."""
    for number, statement in enumerate(prologue(cell)):
        if not isinstance(statement, ast.FunctionDef) and not _is_loaded(statement):
            raise NotSkipped("line {line} imports what is new", line=statement.lineno)
        try:
            eval(cell.code(number, "written"), names)
        except Exception as error:
            raise NotSkipped(
                "line {line} raises {kind}", line=statement.lineno, kind=type(error).__name__
            ) from None


def _is_loaded(statement: Any) -> bool:
    """Does the import only look names up?"""
    if isinstance(statement, ast.Import):
        return all(a.name in sys.modules for a in statement.names)
    module = None if statement.level else sys.modules.get(statement.module)
    # A module may have a function that makes what it has not.
    return module is not None and all(a.name in vars(module) for a in statement.names)


def sure_names(cell: Cell) -> frozenset[str]:
    """The names that the cell binds whatever its conditions and loops do."""
    return _reads(cell).bound


def _reads(cell: Cell) -> Reads:
    found = cell.memo.get("reads")
    if found is None:
        try:
            if cell.awaits:
                raise NotSkipped("it awaits")
            found = reads_of(cell.tree)
        except NotSkipped as problem:
            found = problem.reason
        cell.memo["reads"] = found
    if isinstance(found, str):
        raise NotSkipped(found)
    return found


class _Finder:
    """Follows reads into the functions that they lead to."""

    def __init__(self, names: dict[str, Any]):
        self.read = Read()
        self._names = names
        self._done: set[tuple[int, frozenset[str]]] = set()  # `id` of functions, which are held

    def look(self, scope: int, reads: Reads, bound: frozenset[str] | None) -> None:
        """
        Args:
            bound: names of the cell that have their values from it when a function is called; None:
                these are the cell's own reads.
        """
        for name, before in reads.loads.items():
            known = before if bound is None else bound
            if scope == 0 and bound is not None and name in bound:
                self._own(name, reads)
                continue
            self._value(scope, name, name in reads.bare, known)
        for name, path, called in reads.paths:
            if not (scope == 0 and bound is not None and name in bound):
                self._path(scope, name, path, called)

    def _own(self, name: str, reads: Reads) -> None:
        """The cell has given it a value, of which as much is known as of all it computes."""
        for owner, path, called in reads.paths:
            if owner == name and not _is_of_value(path, called):
                raise NotSkipped(
                    "{name}.{path} is not known to be pure", name=name, path=".".join(path)
                )

    def _of(self, scope: int, name: str) -> Any:
        held = self.read.scopes[scope]
        return (self._names if held is None else held).get(name, ABSENT)

    def _value(self, scope: int, name: str, bare: bool, bound: frozenset[str]) -> None:
        value = self._of(scope, name)
        self.read.values[scope, name] = value
        if value is ABSENT:
            found = vars(builtins).get(name, ABSENT)
            if found is not ABSENT:
                if not _is_closed_builtin(found):
                    raise NotSkipped("{name}() is not known to be pure", name=name)
                self.read.attributes[id(builtins), name] = builtins, name, found
        elif _is_module(value):
            if bare:
                raise NotSkipped("{name} is a module", name=name)
        else:
            for part in _inside(value):
                if type(part) is types.FunctionType and not is_pure(part):
                    self._function(name, part, bound)

    def _function(self, name: str, function: types.FunctionType, bound: frozenset[str]) -> None:
        code = function.__code__
        if (id(function), bound) in self._done:
            return
        self._done.add((id(function), bound))
        definition = users_definition(code)
        if definition is None or code.co_freevars or code.co_flags & _OTHER_FRAMES:
            raise NotSkipped("{name}() is not known to be pure", name=name)
        try:
            reads = reads_of_function(definition.node)
        except NotSkipped as problem:
            raise NotSkipped("{why} of {name}()", why=problem.reason, name=name) from None
        self.look(self._scope(function.__globals__), reads, bound)

    def _scope(self, names: dict[str, Any]) -> int:
        if names is self._names:
            return 0
        for number, known in enumerate(self.read.scopes):
            if known is names:
                return number
        self.read.scopes.append(names)
        return len(self.read.scopes) - 1

    def _path(self, scope: int, name: str, path: tuple[str, ...], called: bool) -> None:
        """Of modules each part is looked up: it has to be pure, or a number or dtype."""
        value, rest = self._of(scope, name), path
        while _is_module(value) and rest:
            found = vars(value).get(rest[0], ABSENT)
            self.read.attributes[id(value), rest[0]] = value, rest[0], found
            value, rest = found, rest[1:]
        if rest:
            pure = _is_of_value(rest, called)
        else:
            number = value is None or issubclass(type(value), (int, float, np.dtype))
            pure = is_pure(value) or (number and not called)
        if not pure:
            raise NotSkipped(
                "{name}.{path} is not known to be pure", name=name, path=".".join(path)
            )


def _is_of_value(path: tuple[str, ...], called: bool) -> bool:
    """Are these attributes of arrays and numbers?"""
    *before, last = path
    return ATTRIBUTES.issuperset(before) and last in (METHODS if called else ATTRIBUTES)


def _is_closed_builtin(value: Any) -> bool:
    is_error = type(value) is type and issubclass(value, BaseException)
    return is_error or (type(value) in (type, types.BuiltinFunctionType) and value in _BUILTINS)


def is_pure(function: Any) -> bool:
    """True for functions of NumPy, nd and math that compute, and write arrays alone; for types.

    Of objects of the user's nothing is asked that may run code: a hash, ``__class__``.
    """
    kind = type(function)
    if kind is np.ufunc:
        return getattr(np, function.__name__, None) is function
    if kind is type:
        return function in _BUILTINS or issubclass(function, np.generic)
    if kind is types.BuiltinFunctionType and function.__module__ == "math":
        return getattr(math, function.__name__, None) is function
    return kind in _FUNCTIONS and (makes(function) or function in _COMPUTE)


def _is_module(value: Any) -> bool:
    return issubclass(type(value), types.ModuleType)


# Guards -------------------------------------------------------------------------------------------
def guard_of(value: Any) -> Any:
    """What the graph of a cell that reads ``value`` depends on; None where that can't be told."""
    kind = type(value)
    if kind in _CONTAINERS and _inside(value) is _TOO_MANY:
        return None
    if kind is np.ndarray:
        flags = value.flags
        if not value.ndim or not flags.aligned:
            return None
        return kind, value.dtype, value.shape, value.strides, flags.writeable
    if kind in PLAIN:
        return kind, value, kind is float and math.copysign(1, value)
    make = _GUARDS.get(kind)
    if make is not None:
        return make(value)
    if kind in _SCALARS:
        return kind, value.dtype, value.tobytes()
    if value is ABSENT or _is_module(value) or is_pure(value):
        return _Is(value)
    return None


class _Is:
    """Equal to itself around the very same object."""

    def __init__(self, value: Any):
        self._value = value

    def __eq__(self, other: object) -> bool:
        return type(other) is _Is and self._value is other._value

    __hash__ = object.__hash__


def _of_nd(value: Any) -> Any:
    plain = not value._traced and value.grad is None
    return (_core.NDArray, value.dtype, value.shape, value.ctx) if plain else None


def _of_function(value: Any) -> Any:
    if is_pure(value):
        return _Is(value)
    defaults = guard_of(value.__defaults__ or ())
    named = guard_of(value.__kwdefaults__ or {})
    if defaults is None or named is None or value.__dict__:
        return None
    if any(True for _ in _leaves((value.__defaults__, value.__kwdefaults__))):
        return None  # no name finds the array
    code = value.__code__
    return types.FunctionType, code, code.co_filename, _Is(value.__globals__), defaults, named


def _of_items(value: Any) -> Any:
    keys, items = (tuple(value), value.values()) if type(value) is dict else ((), value)
    if any(type(key) not in PLAIN for key in keys):
        return None
    if any(map(_is_module, items)):
        return None  # its methods would be functions of anybody's
    guards = tuple(map(guard_of, items))
    return None if None in guards else (type(value), tuple(map(guard_of, keys)), guards)


_GUARDS: dict[type, Callable[[Any], Any]] = {
    _core.NDArray: _of_nd, types.FunctionType: _of_function, tuple: _of_items, list: _of_items,
    dict: _of_items,
}  # fmt: skip


def _inside(value: Any) -> list[Any]:
    """The value and what is in containers and defaults, but for plain values."""
    found = [value]
    for number, known in enumerate(found):
        if number > _MOST_LEAVES:  # or for ever, in itself
            return _TOO_MANY
        items: Iterable[Any] = ()
        if type(known) in _CONTAINERS:
            if len(known) > _MOST_LEAVES:
                return _TOO_MANY
            items = known.values() if type(known) is dict else known
        elif type(known) is types.FunctionType:
            items = known.__defaults__, known.__kwdefaults__
        found += [v for v in items if type(v) not in PLAIN]
    return found


def _leaves(value: Any, keys: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if type(value) in (np.ndarray, _core.NDArray):
        yield keys, value
    elif type(value) in (tuple, list, dict):
        for key, item in value.items() if type(value) is dict else enumerate(value):
            yield from _leaves(item, (*keys, key))
