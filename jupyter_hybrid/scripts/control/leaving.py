"""Loops that are left: ``break`` becomes a flag, ``continue`` the end of its path.

So they do in a body that is traced, and in a scripted loop that is unrolled, where a branch of a
``cond`` may hold them.
"""

from __future__ import annotations

import ast
import copy
from typing import Any

from .syntax import leaves


def without_leaving(body: list[ast.stmt], at: ast.AST, left: Any) -> list[ast.stmt]:
    """The body with ``break`` as the statement ``left(where)`` and ``continue`` as the end of its
    path."""
    result: list[ast.stmt] = []
    for i, s in enumerate(body):
        if isinstance(s, ast.Break):
            result.append(left(s))
            return result
        if isinstance(s, ast.Continue):
            return result
        if isinstance(s, ast.If) and (leaves(s.body) or leaves(s.orelse)):
            rest = body[i + 1 :]
            lowered = ast.If(
                s.test,
                without_leaving([*s.body, *copy.deepcopy(rest)], at, left) or [pass_at(s)],
                without_leaving([*s.orelse, *rest], at, left) or [pass_at(s)],
            )
            result.append(ast.copy_location(lowered, s))
            return result
        result.append(s)
    return result


def pass_at(at: ast.AST) -> ast.stmt:
    return ast.copy_location(ast.Pass(), at)
