"""The functions that are traced for a node: a branch, a loop's body, its condition.

They are compiled when first needed.
"""

from __future__ import annotations

import ast
import copy
from types import CodeType, FunctionType
from typing import Any

from .leaving import pass_at, without_leaving
from .places import RUNTIME
from .rewriter import rewrite_part
from .syntax import BREAK, LOOPS, Statement


def _flag(value: bool, at: ast.AST) -> ast.stmt:
    call = ast.Call(
        ast.Attribute(ast.Name(RUNTIME, ast.Load()), "flag", ast.Load()),
        [ast.Constant(value)],
        [],
    )
    return ast.copy_location(ast.Assign([ast.Name(BREAK, ast.Store())], call), at)


def _left(at: ast.AST) -> ast.stmt:
    return _flag(True, at)


def part(which: str, of: Statement, parameters: tuple[str, ...], globals: dict) -> Any:
    """A function of the statement's part: ``test``, ``body`` (or then-branch) or ``else``.

    Takes ``parameters``; gives its local names at the end, ``test`` the condition's value.
    """
    key = (which, parameters)
    code = of.compiled.get(key)
    if code is None:
        code = of.compiled[key] = _compile(which, of, parameters)
    return FunctionType(code, globals, code.co_name)


def _compile(which: str, of: Statement, parameters: tuple[str, ...]) -> CodeType:
    node = copy.deepcopy(of.node)
    names = ast.arguments([], [ast.arg(p) for p in parameters], None, [], [], None, [])
    if which == "test":
        value = ast.copy_location(ast.Return(node.test), node.test)
        value.of_condition = True  # type: ignore[attr-defined]
        body: list[ast.stmt] = [value]
    else:
        body = node.orelse if which == "else" else node.body
        if isinstance(node, LOOPS) and of.breaks:
            at = body[0]
            body = without_leaving(body, at, _left) or [pass_at(at)]
            if of.flagged:
                body = [_flag(False, at), *body]
        local = ast.Call(ast.Name("locals", ast.Load()), [], [])
        at = body[-1] if body else node
        body = [*body, ast.copy_location(ast.Return(local), at)]
    name = f"<{type(of.node).__name__.lower()}>"
    function = ast.FunctionDef("part", names, body, [], None)
    if "type_params" in ast.FunctionDef._fields:
        function.type_params = []  # type: ignore[attr-defined]
    ast.copy_location(function, node)
    module = ast.Module([function], [])
    ast.fix_missing_locations(module)
    rewrite_part(module, of.filename, of.functions, of.outside)
    code = compile(module, of.filename, "exec")
    made = next(c for c in code.co_consts if isinstance(c, CodeType))
    return made.replace(co_name=name)
