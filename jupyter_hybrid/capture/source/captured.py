"""Variables that outlive their function's frame: captured by inner functions, global or nonlocal.

What is assigned to them is real from the start (:mod:`..homes`): a closure's cell and a module's
names are read by code that knows no stand-ins.
"""

from __future__ import annotations

import ast
from typing import Any

from .nodes import walk
from .scopes import FUNCTIONS, bound_names, loaded_names, own_nodes

_INNER = (*FUNCTIONS, ast.ClassDef, ast.GeneratorExp)


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


def given_names(arguments: ast.arguments) -> list[str]:
    """The parameters that are bound to what the caller has given."""
    a = arguments
    given = [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, [a.vararg])]
    return [g.arg for g in given]
