"""The ``else`` of a loop lowered to an ``if`` on a flag, so that what is left are plain loops.

::

    for t in s:             E = True
        if c: break     ->  for t in s:
    else: B                     if c: E = False; break
                            if E: B
"""

from __future__ import annotations

import ast
from typing import Any

ENDED = "__jupyter_hybrid_ended__"


def lower_else(function: ast.FunctionDef) -> None:
    """Lowers the ``else`` clauses of the function's loops in place."""
    _Lowering().visit(function)
    ast.fix_missing_locations(function)


class _Lowering(ast.NodeTransformer):
    def __init__(self) -> None:
        self.made = 0

    def _loop(self, node: Any) -> Any:
        self.generic_visit(node)  # inner loops first: a `break` in their else is this loop's
        if not node.orelse:
            return node
        after, node.orelse = node.orelse, []
        self.made += 1
        flag = f"{ENDED}{self.made}"
        if not _mark(node.body, flag):
            return [node, *after]
        test = ast.copy_location(ast.Name(flag, ast.Load()), after[0])
        chosen = ast.copy_location(ast.If(test, after, []), after[0])
        return [_set(flag, True, node), node, chosen]

    visit_For = visit_While = _loop


def _mark(body: list[ast.stmt], flag: str) -> bool:
    """Sets the flag to False before every ``break`` of the loop; is there one?"""
    found = False
    for i, s in reversed([*enumerate(body)]):
        if isinstance(s, ast.Break):
            body.insert(i, _set(flag, False, s))
            found = True
        elif isinstance(s, ast.If):
            marked = [_mark(s.body, flag), _mark(s.orelse, flag)]
            found = found or any(marked)
    return found


def _set(name: str, value: bool, at: ast.AST) -> ast.stmt:
    made = ast.Assign([ast.Name(name, ast.Store())], ast.Constant(value))
    return ast.fix_missing_locations(ast.copy_location(made, at))
