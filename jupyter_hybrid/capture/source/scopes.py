"""What a function's own statements bind and read; inner scopes are not theirs."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from .nodes import children, walk

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_INNER = (*FUNCTIONS, ast.ClassDef, ast.GeneratorExp)
_WAITS = (ast.Await, ast.AsyncFor, ast.AsyncWith)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def own_nodes(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Every node of the statements that is evaluated in their own scope or in a comprehension."""
    stack = list(nodes)
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, ast.Lambda):
            stack += [node.args]
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            stack += [*node.decorator_list, node.args]
        elif isinstance(node, ast.ClassDef):
            stack += [*node.decorator_list, *node.bases, *node.keywords]
        else:
            stack += children(node)


def awaits(body: Iterable[ast.AST], kinds: tuple[type, ...] = _WAITS) -> bool:
    """Do these statements await something themselves?"""
    return any(
        isinstance(n, kinds) or (isinstance(n, ast.comprehension) and n.is_async)
        for n in own_nodes(body)
    )


def yields(body: Iterable[ast.AST]) -> bool:
    """Does a function with this body make a generator or a coroutine?"""
    return awaits(body, (*_WAITS, ast.Yield, ast.YieldFrom))


def given_names(arguments: ast.arguments) -> list[str]:
    """The parameters that are bound to what the caller has given."""
    a = arguments
    given = [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, [a.vararg])]
    return [g.arg for g in given]


def bound_names(function: Any) -> frozenset[str]:
    """Names that are variables of the function: bound somewhere in it, or declared nonlocal."""
    found = {*given_names(function.args), *(a.arg for a in [function.args.kwarg] if a)}
    body = function.body if isinstance(function.body, list) else [function.body]
    inner: set[int] = set()  # targets of comprehensions are their own
    beyond: set[str] = set()
    for node in own_nodes(body):
        if isinstance(node, COMPREHENSIONS):
            targets = [n for c in node.generators for n in walk(c.target)]
            inner |= {id(n) for n in targets}
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load) and id(node) not in inner:
                found.add(node.id)
        elif isinstance(node, ast.Global):
            beyond |= set(node.names)
        elif isinstance(node, ast.Nonlocal):
            found |= set(node.names)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {(n.asname or n.name).partition(".")[0] for n in node.names}
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        else:
            names = (getattr(node, "name", None), getattr(node, "rest", None))
            found |= {n for n in names if isinstance(n, str) and not isinstance(node, ast.alias)}
    return frozenset(found - beyond)


def loaded_names(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Names that the statements read or delete, in inner scopes too."""
    found: set[str] = set()
    for node in nodes:
        for n in walk(node):
            if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Store):
                found.add(n.id)
            elif isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name):
                found.add(n.target.id)
    return frozenset(found)


def own_stores(node: Any) -> list[str]:
    """Names that a statement's own assignments and loops bind, those of comprehensions aside, as
    they stand in the text."""
    inner = {
        id(n) for c in own_nodes([node]) if isinstance(c, ast.comprehension) for n in walk(c.target)
    }
    stores = [
        n
        for n in own_nodes([node])
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and id(n) not in inner
    ]
    return list(dict.fromkeys(n.id for n in sorted(stores, key=_place)))


def _place(node: Any) -> tuple[int, int]:
    return node.lineno, node.col_offset


def stored_names(target: ast.AST) -> list[str]:
    """Names that an assignment to the target binds."""
    return [n.id for n in walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]


def shared_names(function: Any, variables: frozenset[str]) -> frozenset[str]:
    """Which of its variables the function assigns and somebody else reads."""
    found: set[str] = set()
    read: set[str] = set()
    for node in own_nodes(function.body):
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            found |= set(node.names)
        elif isinstance(node, _INNER):
            read |= _free_names(node)
    return frozenset(found | (read & variables))


def _free_names(inner: Any) -> frozenset[str]:
    read = loaded_names([inner])
    if not isinstance(inner, FUNCTIONS):
        return read
    outer = [n for n in walk(inner) if isinstance(n, ast.Nonlocal)]
    return (read - bound_names(inner)) | {name for n in outer for name in n.names}


def mangled(name: str, class_name: str) -> str:
    """An attribute's name as code in that class means it."""
    owner = class_name.lstrip("_")
    if not owner or not name.startswith("__") or name.endswith("__") or "." in name:
        return name
    return f"_{owner}{name}"
