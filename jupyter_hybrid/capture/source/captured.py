"""Variables that outlive their function's frame: captured by inner functions, global or nonlocal.

What is assigned to them is real from the start (:mod:`..homes`): a closure's cell and a module's
names are read by code that knows no stand-ins.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from .nodes import Transformer, placed, walk
from .scopes import FUNCTIONS, bound_names, loaded_names, own_nodes

_INNER = (*FUNCTIONS, ast.ClassDef, ast.GeneratorExp)
_SCOPES = (*FUNCTIONS, ast.ClassDef)


def shared_names(function: Any) -> frozenset[str]:
    """The variables that the function assigns and that somebody else reads."""
    found: set[str] = set()
    read: set[str] = set()
    for node in own_nodes(function.body):
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            found |= set(node.names)
        elif isinstance(node, _INNER):
            read |= _free_names(node)
    return frozenset(found | (read & bound_names(function)))


def _free_names(inner: Any) -> frozenset[str]:
    read = loaded_names([inner])
    if not isinstance(inner, FUNCTIONS):
        return read
    outer = [n for n in walk(inner) if isinstance(n, ast.Nonlocal)]
    return (read - bound_names(inner)) | {name for n in outer for name in n.names}


def keep_shared(
    function: Any,
    names: frozenset[str],
    body: list[ast.stmt],
    call: Callable[[str, list[ast.expr], ast.AST], ast.expr],
) -> list[ast.stmt]:
    """The rewritten body, in which those variables get real values.

    Args:
        names: those variables.
        call: (method of the runtime, its arguments, place) -> the call.
    """
    a = function.args
    given = [g.arg for g in (*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, [a.vararg]))]
    keeper = _Keeper(names, call)
    first = keeper.again([n for n in given if n in names], body[0])
    if a.kwarg is not None:
        load = placed(body[0], ast.Name(a.kwarg.arg, ast.Load()))
        seen = placed(body[0], ast.Expr(call("held", [load], body[0])))
        first.append(seen)
    made = keeper.block(body) if names else body
    start = 1 if ast.get_docstring(function, clean=False) is not None else 0
    return [*made[:start], *first, *made[start:]]


class _Keeper(Transformer):
    def __init__(self, names: frozenset[str], call: Callable):
        self._names, self._call = names, call

    def visit(self, node: ast.AST) -> Any:
        return node if isinstance(node, _SCOPES) else super().visit(node)

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        return self._visited(body)

    def again(self, names: list[str], at: ast.AST) -> list[ast.stmt]:
        """``name = R.kept(name)`` for each."""
        made: list[ast.stmt] = []
        for name in names:
            value = self._call("kept", [placed(at, ast.Name(name, ast.Load()))], at)
            to = placed(at, ast.Name(name, ast.Store()))
            made.append(placed(at, ast.Assign([to], value)))
        return made

    def _stored(self, *targets: ast.expr | None) -> list[str]:
        found = [n for t in targets if t is not None for n in walk(t)]
        stored = [n.id for n in found if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        return [name for name in dict.fromkeys(stored) if name in self._names]

    def visit_Assign(self, node: ast.Assign) -> Any:
        self.generic_visit(node)
        names = self._stored(*node.targets)
        if names and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            node.value = self._call("kept", [node.value], node.value)
            return node
        return [node, *self.again(names, node)]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        self.generic_visit(node)
        if node.value is not None and self._stored(node.target):
            node.value = self._call("kept", [node.value], node.value)
        return node

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:
        self.generic_visit(node)
        if self._stored(node.target):
            node.value = self._call("kept", [node.value], node.value)
        return node

    def _first_in_body(self, node: Any, *targets: ast.expr | None) -> Any:
        self.generic_visit(node)
        node.body = [*self.again(self._stored(*targets), node.body[0]), *node.body]
        return node

    def visit_For(self, node: Any) -> Any:
        return self._first_in_body(node, node.target)

    visit_AsyncFor = visit_For

    def visit_With(self, node: Any) -> Any:
        return self._first_in_body(node, *(item.optional_vars for item in node.items))

    visit_AsyncWith = visit_With
