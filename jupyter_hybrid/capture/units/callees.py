"""Functions of the user's that a loop calls by name: a unit has their statements in its own.

Only plain ones: of the same globals as the loop, with parameters that are given one by one.
Variables of outer functions are read as they are when a run begins: the loop binds none of that
name. What the functions were is looked at before each run.
"""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from types import CellType, CodeType, FunctionType
from typing import Any

from ..source.definitions import users_definition
from ..source.nodes import walk
from ..source.scopes import bound_names, own_nodes
from .parts import Free, Used, used_in

_OTHER_FRAMES = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_OTHERS = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
_PLAIN = frozenset({int, float, bool, type(None)})
_BUILTINS = frozenset(vars(builtins))
_MOST_KNOWN = 1000  # of each kind


@dataclass(frozen=True, eq=False)
class Definition:
    """What is known of a function's text.

    Attributes:
        parameters: their names, in order.
        body: its statements, a lambda's as a return.
        variables: the names that it binds.
        reads: other names in it.
        calls: those among them that it calls, or passes on.
        returns: how many values each return gives as a tuple; 0: one value, or none.
        writes: may it write elements or attributes?
        attributes: of its names.
        stores: the names that its statements bind.
    """

    parameters: list[str]
    body: list[Any]
    variables: list[str]
    reads: list[str]
    calls: list[str]
    returns: int
    writes: bool
    attributes: Used
    stores: frozenset[str]


@dataclass(frozen=True, eq=False)
class Callee:
    """A function that a loop calls.

    Attributes:
        defaults: what its last parameters are if not given.
        cells: variables of outer functions.
        inner: the functions among these that it calls.
        receiver: a method's first parameter.
    """

    code: CodeType
    definition: Definition
    defaults: tuple[Any, ...]
    cells: dict[str, CellType] = field(default_factory=dict)
    inner: Callees = field(default_factory=dict)
    receiver: str = ""

    @property
    def parameters(self) -> list[str]:
        """Those that are given by the call."""
        return self.definition.parameters[bool(self.receiver) :]

    @property
    def outside(self) -> Iterator[str]:
        """What it calls among the globals."""
        return (name for name in self.definition.calls if name not in self.cells)

    def is_like(self, other: Callee) -> bool:
        """Has a unit of the one the same statements as one of the other?"""
        if self is other:
            return True
        same = self.code is other.code and _same(self.defaults, other.defaults)
        return same and alike(self.inner, other.inner) and self.receiver == other.receiver

    def all_inner(self) -> Iterator[Callee]:
        """The functions that it calls so, and those that these do."""
        for callee in self.inner.values():
            yield callee
            yield from callee.all_inner()

    def reads(self, path: tuple[str, ...]) -> Iterator[Free]:
        """The variables of outer functions that are read by it and those that it calls."""
        yield from (Free(path, name) for name in self.definition.reads if name in self.cells)
        for name, callee in self.inner.items():
            yield from callee.reads((*path, name))


Callees = dict[str, Callee]
# By the id of their code, which they keep: those that are what they are by code and defaults alone.
_without_cells: dict[int, Callee] = {}


def called_names(nodes: Iterable[Any]) -> list[str]:
    """The names that statements call, Python's own aside, and those that they pass to these."""
    calls = (n for node in nodes for n in walk(node) if isinstance(n, ast.Call))
    found: dict[str, None] = {}
    for call in calls:
        if isinstance(call.func, ast.Name) and call.func.id not in _BUILTINS:
            given = (*call.args, *(k.value for k in call.keywords))
            found |= dict.fromkeys(n.id for n in (call.func, *given) if isinstance(n, ast.Name))
    return [name for name in found if name not in _BUILTINS]


def callees_of(
    called: dict[str, Any], methods: Iterable[Callee], outer: dict[str, Any]
) -> tuple[Callees, Callees]:
    """The functions among what is called, by name, and those that they, and methods, call among the
    globals.
    """
    own: Callees = {}
    others: Callees = {}
    waiting: list[Callee] = []
    for name, value in called.items():
        callee = callee_of(value, outer)
        if callee is not None:
            own[name] = callee
            waiting.append(callee)
    waiting += methods
    while waiting:
        callee = waiting.pop()
        if not callee.definition.calls:
            continue
        for name in (n for c in (callee, *callee.all_inner()) for n in c.outside):
            if name not in others:
                found = callee_of(outer.get(name), outer)
                if found is not None and not found.cells:
                    others[name] = found
                    waiting.append(found)
    return own, others


def alike(one: Callees, other: Callees) -> bool:
    """Do the same names stand for like functions?"""
    if not one and not other:
        return True
    return one.keys() == other.keys() and all(one[name].is_like(other[name]) for name in one)


def callee_of(
    function: Any, outer: dict[str, Any], around: tuple[CodeType, ...] = ()
) -> Callee | None:
    """What a loop calls, if that is such a function; ``around``: functions that lead to it."""
    if type(function) is not FunctionType or function.__globals__ is not outer:
        return None
    code, defaults = function.__code__, function.__defaults__ or ()
    known = _without_cells.get(id(code))
    if known is not None and known.code not in around and known.defaults is defaults:
        return known
    if code.co_kwonlyargcount or code.co_flags & (_OTHER_FRAMES | _OTHERS) or code in around:
        return None
    definition = _definition(code, code.co_filename)
    if definition is None or not _PLAIN.issuperset(map(type, defaults)):
        return None
    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    found = (
        (name, callee_of(content_of(cells[name]), outer, (*around, code)))
        for name in definition.calls
        if name in cells
    )
    made = Callee(code, definition, defaults, cells, {n: c for n, c in found if c is not None})
    if not cells:
        if len(_without_cells) == _MOST_KNOWN:
            _without_cells.clear()
        _without_cells[id(code)] = made
    return made


def method_of(function: FunctionType, outer: dict[str, Any]) -> Callee | None:
    """The same for a function that is called as a method."""
    callee = callee_of(function, outer)
    return None if callee is None or callee.cells else _as_method(callee)


@lru_cache(maxsize=_MOST_KNOWN)
def _as_method(callee: Callee) -> Callee | None:
    if not callee.definition.parameters:
        return None
    own = callee.definition.parameters[0]
    return None if own in callee.definition.stores else replace(callee, receiver=own)


def content_of(cell: CellType, otherwise: Any = None) -> Any:
    """What a variable of an outer function holds; ``otherwise``: it is not bound."""
    try:
        return cell.cell_contents
    except ValueError:
        return otherwise


def _same(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    if one is other:
        return True
    return list(map(type, one)) == list(map(type, other)) and repr(one) == repr(other)


@lru_cache(maxsize=_MOST_KNOWN)
def _definition(code: CodeType, filename: str) -> Definition | None:
    """None: it can't be had, or has something that no unit knows."""
    found = users_definition(code)
    if found is None:
        return None
    node = found.node
    if found.class_name and any(map(_is_private, walk(node))):
        return None
    body = node.body
    if isinstance(node, ast.Lambda):
        body = [ast.copy_location(ast.Return(node.body), node.body)]
    given = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
    variables = bound_names(node)
    names = [n for statement in body for n in walk(statement) if isinstance(n, ast.Name)]
    reads = dict.fromkeys(n.id for n in names if n.id not in variables)
    made = [n.value for n in own_nodes(body) if isinstance(n, ast.Return)]
    lengths = {len(v.elts) if isinstance(v, ast.Tuple) else 0 for v in made}
    if len(lengths) > 1 or any(isinstance(n, (ast.Global, ast.Nonlocal)) for n in own_nodes(body)):
        return None
    writes = any(
        isinstance(n, ast.AugAssign)
        or (isinstance(n, (ast.Subscript, ast.Attribute)) and not isinstance(n.ctx, ast.Load))
        or isinstance(n, ast.Call)
        for n in own_nodes(body)
    )
    calls = [name for name in called_names(body) if name in reads]
    others = [*given, *sorted(variables.difference(given))]
    length = next(iter(lengths), 0)
    attributes = used_in(body)
    stores = frozenset(n.id for n in names if not isinstance(n.ctx, ast.Load))
    return Definition(given, body, others, list(reads), calls, length, writes, attributes, stores)


def _is_private(node: Any) -> bool:
    """Does it have a name that means another one in a class?"""
    name = getattr(node, "id", None) or getattr(node, "attr", None) or getattr(node, "arg", None)
    return type(name) is str and name.startswith("__") and not name.endswith("__")
