"""Functions of the user's that a loop calls by name: a unit has their statements in its own.

Only plain ones: without variables of outer functions, of the same globals as the loop, with
parameters that are given one by one. What they were is looked at before each run.
"""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from ..source.definitions import users_definition
from ..source.nodes import walk
from ..source.scopes import bound_names, own_nodes

_OTHER_FRAMES = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_OTHERS = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
_PLAIN = frozenset({int, float, bool, type(None)})
_BUILTINS = frozenset(vars(builtins))


@dataclass(frozen=True, eq=False)
class Definition:
    """What is known of a function's text.

    Attributes:
        parameters: their names, in order.
        body: its statements, a lambda's as a return.
        variables: the names that it binds.
        reads: other names in it.
        calls: those among them that it calls.
        returns: how many values each return gives as a tuple; 0: one value, or none.
        writes: may it write elements?
    """

    parameters: list[str]
    body: list[Any]
    variables: list[str]
    reads: list[str]
    calls: list[str]
    returns: int
    writes: bool


@dataclass(frozen=True, eq=False)
class Callee:
    """A function that a loop calls: its text, and what its last parameters are if not given."""

    code: CodeType
    definition: Definition
    defaults: tuple[Any, ...]

    def is_like(self, other: Callee) -> bool:
        """Has a unit of the one the same statements as one of the other?"""
        return self.code is other.code and _same(self.defaults, other.defaults)


Callees = dict[str, Callee]


def called_names(nodes: Iterable[Any]) -> list[str]:
    """The names that statements call, Python's own aside."""
    calls = (n.func for node in nodes for n in walk(node) if isinstance(n, ast.Call))
    found = dict.fromkeys(f.id for f in calls if isinstance(f, ast.Name))
    return [name for name in found if name not in _BUILTINS]


def callees_of(called: dict[str, Any], outer: dict[str, Any]) -> tuple[Callees, Callees]:
    """The functions among what is called, by name, and those that they call among the globals."""
    own: Callees = {}
    others: Callees = {}
    waiting = []
    for name, value in called.items():
        callee = _callee(value, outer)
        if callee is not None:
            own[name] = callee
            waiting.append(callee)
    while waiting:
        for name in waiting.pop().definition.calls:
            if name not in others:
                callee = _callee(outer.get(name), outer)
                if callee is not None:
                    others[name] = callee
                    waiting.append(callee)
    return own, others


def are_alike(one: tuple[Callees, Callees], other: tuple[Callees, Callees]) -> bool:
    """Do the same names stand for like functions?"""
    return all(
        a.keys() == b.keys() and all(a[name].is_like(b[name]) for name in a)
        for a, b in zip(one, other, strict=True)
    )


def _callee(function: Any, outer: dict[str, Any]) -> Callee | None:
    if type(function) is not FunctionType or function.__globals__ is not outer:
        return None
    code = function.__code__
    if code.co_freevars or code.co_kwonlyargcount or code.co_flags & (_OTHER_FRAMES | _OTHERS):
        return None
    definition = _definition(code, code.co_filename)
    if definition is None:
        return None
    defaults = function.__defaults__ or ()
    return Callee(code, definition, defaults) if _PLAIN.issuperset(map(type, defaults)) else None


def _same(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    if one is other:
        return True
    return list(map(type, one)) == list(map(type, other)) and repr(one) == repr(other)


@lru_cache(maxsize=1000)
def _definition(code: CodeType, filename: str) -> Definition | None:
    """None: it can't be had, or has something that no unit knows."""
    found = users_definition(code)
    if found is None or found.class_name:
        return None
    node = found.node
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
        or (isinstance(n, ast.Subscript) and not isinstance(n.ctx, ast.Load))
        or isinstance(n, ast.Call)
        for n in own_nodes(body)
    )
    calls = [name for name in called_names(body) if name in reads]
    others = [*given, *sorted(variables.difference(given))]
    return Definition(given, body, others, list(reads), calls, next(iter(lengths), 0), writes)
