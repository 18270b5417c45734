"""Cells and functions as written, but for loops that may run compiled and calls of functions that
have such loops.

Nothing of it is recorded: there are no stand-ins, and what is no loop runs as it stands::

    for t in s: BODY     ->     if may_try[7]:
    else: ORELSE                    for R.phase in R.tries(7, s):
                                        try:
                                            R.unit() and (...); if R.broke(): break
                                            for t in R.steps: BODY
                                            else: continue
                                            break
                                        finally: R.end_phase()
                                    else: ORELSE
                                else: the loop

    f(x)                 ->     (R.twin(8, f) if may_try[8] else f)(x)
    a.f(x)               ->     R.twin(9, a.f)(x) if may_try[9] else a.f(x)
"""

from __future__ import annotations

import ast
import builtins
import math
from typing import Any

import numpy as np

from ..trace_state import LOOPS
from ..units import Unit, refused_at_sight
from .comprehensions import CONSUMERS, LIST
from .copies import Copies
from .loops import register_call
from .nodes import copied, finished, placed, walk
from .scopes import COMPREHENSIONS

_CONSUMERS = frozenset(function.__name__ for function in CONSUMERS)
_NOT_HERE = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.Lambda, ast.Starred)
_DEEPEST = 3  # so many loops in each other: their bodies stand twice
_KNOWN = frozenset(vars(builtins))
_METHODS = frozenset(
    name for kind in (list, dict, set, str, int, np.ndarray, np, math) for name in dir(kind)
)


class WithUnits(Copies):
    """Puts hooks around loops, and where functions are called by name."""

    def visit_For(self, node: ast.For) -> Any:
        if not self._may_be_unit(node):
            return self.generic_visit(node)
        number = self.loop_number(node, Unit(self.as_written(node)))
        tried = self._as_unit(node)
        through: Any = node.iter
        parts: list[ast.expr] = []
        if _is_over(through):  # what goes through several is told, and not hidden in an iterator
            parts = [through.func, *map(self.visit, through.args)]
        self._visit_parts(node)
        plain = copied(node)
        method = "tries_over" if parts else "tries"
        start = self._runtime(method, [number, *(parts or [node.iter])], through)
        orelse, node.iter = node.orelse, self._steps(start)
        node.orelse = [placed(start, ast.Continue())]
        hooked = self._phases(node, start, [[*tried, node, placed(start, ast.Break())]], orelse)
        return self._where_it_may_be_tried(number, hooked, plain)

    def visit_While(self, node: ast.While) -> Any:
        if not self._may_be_unit(node):
            return self.generic_visit(node)
        trial = self.as_written(node)
        number = self.loop_number(node, Unit(self.as_written(node)))
        tried = self._as_unit(trial)
        self._visit_parts(node)
        plain = copied(node)
        start = self._runtime("tries_while", [number], node)
        orelse, ends = node.orelse, bool(node.orelse)
        phases = self._turns(node, trial, start, tried, ends)
        return self._where_it_may_be_tried(number, self._phases(node, start, phases, orelse), plain)

    def _may_be_unit(self, node: Any) -> bool:
        if self.loops >= _DEEPEST or not self.may_copy(node):
            return False
        refused = refused_at_sight(node)
        if refused is not None:
            self.loop_number(node, refused=refused)
        return refused is None

    def _visit_parts(self, node: Any) -> None:
        self.loops += 1
        self.generic_visit(node)
        self.loops -= 1

    def _where_it_may_be_tried(self, number: Any, hooked: Any, plain: Any) -> ast.stmt:
        """``if may_try[number]: hooked``, else the loop with the hooks of those in it alone."""
        return placed(plain, ast.If(self._may_try(number), [hooked], [plain]))

    @staticmethod
    def _may_try(number: Any) -> ast.expr:
        table = placed(number, ast.Name(LOOPS, ast.Load()))
        made: ast.expr = placed(number, ast.Subscript(table, copied(number), ast.Load()))
        return made

    def visit_ListComp(self, node: ast.ListComp) -> Any:
        return self._comprehension(node, "joined")

    def _comprehension(self, node: Any, method: str, *consumer: Any) -> Any:
        loop = None if self.loops >= _DEEPEST or not self.may_copy(node) else as_loop(node)
        if loop is None:
            return self.generic_visit(node)
        number = self.loop_number(node, Unit(loop))
        self._visit_parts(node)
        plain = copied(node)
        values = node.generators[0].iter
        node.generators[0].iter = self._runtime("others", [], node)
        first = self._runtime("listed", [number, values, *consumer], node)
        hooked = self._runtime(method, [first, node], plain)
        return placed(plain, ast.IfExp(self._may_try(number), hooked, plain))

    def visit_Call(self, node: ast.Call) -> Any:
        consumed = _is_consumed(node)
        if consumed:
            node.args = [self._comprehension(node.args[0], "passed_on", copied(node.func))]
        else:
            self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id not in _KNOWN:
            number, twin = self._twin(node.func)
            test = self._may_try(number)
            node.func = placed(node.func, ast.IfExp(test, twin, copied(node.func)))
        elif _may_be_method(node.func):
            plain = copied(node)  # Python makes no bound method for such a call
            number, node.func = self._twin(node.func)
            return placed(plain, ast.IfExp(self._may_try(number), node, plain))
        return node

    def _twin(self, function: ast.expr) -> tuple[ast.expr, ast.expr]:
        """The number of a call, and what stands for its function."""
        number: Any = placed(function, ast.Constant(register_call()))
        return number, self._runtime("twin", [number, function], function)

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef

    def inside(self, node: Any) -> Any:
        """The function with its own code rewritten, in place."""
        self.function = node
        if isinstance(node, ast.Lambda):
            node.body = self.visit(node.body)
        else:
            node.body = self._visited(node.body)
        return node


def _is_consumed(node: ast.Call) -> bool:
    """Does a builtin function go through a generator expression at once?"""
    several = len(node.args) != 1 or node.keywords or not isinstance(node.args[0], ast.GeneratorExp)
    return not several and isinstance(node.func, ast.Name) and node.func.id in _CONSUMERS


def _may_be_method(function: ast.expr) -> bool:
    """Of the user's: not what Python's containers and NumPy have."""
    if not isinstance(function, ast.Attribute) or function.attr in _METHODS:
        return False
    return isinstance(function.value, (ast.Name, ast.Attribute, ast.Call))


def as_loop(node: Any) -> ast.For | None:
    """A comprehension as a loop that appends, with names of its own; None: it is no unit."""
    parts = list(walk(node))
    if isinstance(node.elt, (ast.Name, ast.Constant)) or any(
        isinstance(n, _NOT_HERE) for n in parts
    ):
        return None  # a list of the very objects is Python's
    inner = [n for n in parts if isinstance(n, COMPREHENSIONS) and n is not node]
    if inner or any(g.is_async for g in node.generators):
        return None
    own = {n.id for g in node.generators for n in walk(g.target) if isinstance(n, ast.Name)}
    made: Any = copied(node)
    for part in walk(made):
        if isinstance(part, ast.Name) and part.id in own:
            part.id = f"<{part.id}>"
    given = placed(node, ast.Name(LIST, ast.Load()))
    append = placed(node, ast.Attribute(given, "append", ast.Load()))
    body: Any = placed(node, ast.Expr(placed(node, ast.Call(append, [made.elt], []))))
    for generator in reversed(made.generators):
        for test in reversed(generator.ifs):
            body = placed(node, ast.If(test, [body], []))
        body = placed(node, ast.For(generator.target, generator.iter, [body], []))
    found: ast.For = finished(body)
    return found


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
