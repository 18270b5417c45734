"""Cells and functions as written, but for loops that may run compiled and calls of functions that
have such loops.

Nothing of it is recorded: there are no stand-ins, and what is no loop runs as it stands::

    for t in s: BODY     ->     for R.phase in R.tries(7, s):
    else: ORELSE                    try:
                                        R.unit() and (...); if R.broke(): break
                                        for t in R.steps: BODY
                                        else: continue
                                        break
                                    finally: R.end_phase()
                                else: ORELSE

    f(x)                 ->     R.twin(f)(x)
"""

from __future__ import annotations

import ast
import builtins
from typing import Any

from ..units import Unit, may_run
from .copies import Copies
from .nodes import placed

_KNOWN = frozenset(vars(builtins))


class WithUnits(Copies):
    """Puts hooks around loops, and where functions are called by name."""

    def visit_For(self, node: ast.For) -> Any:
        if not (self.may_copy(node) and may_run(node)):
            return self.generic_visit(node)
        number = self.loop_number(node, Unit(self.as_written(node)))
        through: Any = node.iter
        if _is_over(through):  # what goes through several is told, and not hidden in an iterator
            parts = [through.func, *map(self.visit, through.args)]
            start = self._runtime("tries_over", [number, *parts], node)
        else:
            start = self._runtime("tries", [number, self.visit(through)], node)
        orelse, node.orelse = self._visited(node.orelse), []
        tried = self._as_unit(node)
        node.iter = self._steps(start)
        node.body = self._visited(node.body)
        node.orelse = [placed(start, ast.Continue())]
        return self._phases(node, start, [[*tried, node, placed(start, ast.Break())]], orelse)

    def visit_While(self, node: ast.While) -> Any:
        if not (self.may_copy(node) and may_run(node)):
            return self.generic_visit(node)
        trial = self.as_written(node)
        number = self.loop_number(node, Unit(self.as_written(node)))
        start = self._runtime("tries_while", [number], node)
        orelse, ends = self._visited(node.orelse), bool(node.orelse)
        tried = self._as_unit(trial)
        node.test = self.visit(node.test)
        node.body = self._visited(node.body)
        return self._phases(node, start, self._turns(node, trial, start, tried, ends), orelse)

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id not in _KNOWN:
            node.func = self._runtime("twin", [node.func], node.func)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef

    def inside(self, node: Any) -> Any:
        """The function with its own code rewritten, in place."""
        if isinstance(node, ast.Lambda):
            node.body = self.visit(node.body)
        else:
            node.body = self._visited(node.body)
        return node


def _is_over(node: Any) -> bool:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)) or node.keywords:
        return False
    starred = any(isinstance(a, ast.Starred) for a in node.args)
    return node.func.id in ("enumerate", "zip") and not starred


def with_units(tree: ast.Module, filename: str) -> ast.Module:
    """The rewritten module, in place."""
    tree.body = WithUnits(filename)._visited(tree.body)
    return tree


def function_with_units(node: Any, filename: str, class_name: str) -> Any:
    """A function's own code rewritten, in place. In a class, whose name mangles others, too."""
    return WithUnits(filename).inside(node)
