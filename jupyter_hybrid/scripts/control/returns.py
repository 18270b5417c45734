"""Early returns lowered to one at the end, so that what is left are plain branches and loops.

::

    if c: return a      ->  if c: R = a
    B                       else: B; R = b
    return b                return R

In a loop ``return a`` becomes ``R = a; D = True; break``, and what follows the loop runs when ``D``
is false. R has no value before the loop: the nodes carry a stand-in that D keeps from being read.
"""

from __future__ import annotations

import ast
import copy
from typing import Any

RETURN = "__jupyter_hybrid_return__"
DONE = "__jupyter_hybrid_done__"
_GROWTH = 8  # statements after lowering for one before; nested returns copy what follows them
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_NESTING = (ast.If, ast.For, ast.While)


class _Refused(Exception):
    pass


def lower_returns(function: ast.FunctionDef) -> str:
    """Lowers the function's early returns in place; why it stays as it is, or ""."""
    if not any(isinstance(s, _NESTING) and _returns(s) for s in function.body):
        inner = [s for s in function.body if not isinstance(s, ast.Return) and _returns(s)]
        return f"it returns inside `{type(inner[0]).__name__.lower()}`" if inner else ""
    try:
        lowered = _Lowering(function)
        body = [*function.body]
        if not isinstance(body[-1], ast.Return):
            body.append(ast.copy_location(ast.Return(ast.Constant(None)), body[-1]))
        made = lowered.block(copy.deepcopy(body), False)
    except _Refused as reason:
        return str(reason)
    last = ast.Return(ast.Name(RETURN, ast.Load()))
    function.body = [*made, ast.copy_location(last, body[-1])]
    ast.fix_missing_locations(function)
    return ""


class _Lowering:
    def __init__(self, function: ast.FunctionDef):
        self.left = 200 + _GROWTH * sum(isinstance(n, ast.stmt) for n in ast.walk(function))

    def block(self, body: list[ast.stmt], in_loop: bool) -> list[ast.stmt]:
        """The statements without a return; all their paths set R, or fall out of a loop."""
        made: list[ast.stmt] = []
        for i, s in enumerate(body):
            self.left -= 1
            if self.left < 0:
                raise _Refused("its returns are nested too deeply")
            if isinstance(s, ast.Return):
                return [*made, *self._leave(s, in_loop)]
            if not _returns(s):
                made.append(s)
                if isinstance(s, (ast.Raise, ast.Break, ast.Continue)):
                    return made
            elif isinstance(s, ast.If):
                if in_loop:  # `break` and `continue` are lowered when the loop is traced
                    s.body, s.orelse = self.block(s.body, True), self.block(s.orelse, True)
                    made.append(s)
                    continue
                rest = body[i + 1 :]
                s.body = self.block([*s.body, *copy.deepcopy(rest)], False) or [_at(s, ast.Pass())]
                s.orelse = self.block([*s.orelse, *rest], False)
                return [*made, s]
            elif isinstance(s, (ast.For, ast.While)):
                if s.orelse:
                    raise _Refused("a loop with an else clause returns")
                s.body = self.block(s.body, True)
                if in_loop:
                    again = ast.If(_at(s, ast.Name(DONE, ast.Load())), [_at(s, ast.Break())], [])
                    made += [s, _at(s, again)]
                    continue
                rest = self.block(body[i + 1 :], False)
                if _endless(s):
                    return [*made, _set(DONE, False, s), s]
                after = ast.If(_at(s, ast.Name(DONE, ast.Load())), [_at(s, ast.Pass())], rest)
                return [*made, _set(DONE, False, s), s, _at(s, after)]
            else:
                raise _Refused(f"it returns inside `{type(s).__name__.lower()}`")
        return made

    def _leave(self, s: ast.Return, in_loop: bool) -> list[ast.stmt]:
        value = s.value or _at(s, ast.Constant(None))
        stored = _at(s, ast.Assign([_at(s, ast.Name(RETURN, ast.Store()))], value))
        return [stored, _set(DONE, True, s), _at(s, ast.Break())] if in_loop else [stored]


def _at(where: ast.AST, node: Any) -> Any:
    return ast.copy_location(node, where)


def _set(name: str, value: bool, at: ast.AST) -> ast.stmt:
    return _at(at, ast.Assign([_at(at, ast.Name(name, ast.Store()))], _at(at, ast.Constant(value))))


def _returns(node: ast.AST) -> bool:
    """Does a return of this function stand in the statement?"""
    if isinstance(node, ast.Return):
        return True
    if isinstance(node, (*_SCOPES, ast.expr)):
        return False
    return any(_returns(child) for child in ast.iter_child_nodes(node))


def _endless(loop: ast.For | ast.While) -> bool:
    """Is it ``while True`` without a break of its own but those of returns?"""
    if not isinstance(loop, ast.While) or not isinstance(loop.test, ast.Constant):
        return False
    return bool(loop.test.value) and not _breaks(loop.body)


def _breaks(body: list[ast.stmt]) -> bool:
    for i, s in enumerate(body):
        if isinstance(s, ast.Break):
            before = body[i - 1] if i else None
            done = isinstance(before, ast.Assign) and getattr(before.targets[0], "id", "") == DONE
            if not done:
                return True
        if isinstance(s, ast.If):
            after_loop = isinstance(s.test, ast.Name) and s.test.id == DONE
            if not after_loop and (_breaks(s.body) or _breaks(s.orelse)):
                return True
    return False
