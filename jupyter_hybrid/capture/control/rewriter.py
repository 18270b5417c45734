"""The rewritten form of ``if``, ``while`` and ``for``: as written, after asking the runtime.

::

    if test: A          ->  if R.branch(3, test): A
    else: B                 elif R.converted: x, y = R.results()
                            else: B
    while test: A       ->  while R.test(4, test): A
                            if R.converted: x, y = R.results()
    for t in s: A       ->  for t in R.loop(5, s):
                                if R.take(): x, y, t = R.results(); break
                                A

A scripted ``for`` with a ``break`` may be unrolled though a branch on an array value holds it: then
the steps after it are there and do nothing::

                            L = False
    for t in s: A       ->  for T in R.loop(5, s):
                                if R.surely(L): break
                                if R.goes_on(L):
                                    t = T
                                    if R.take(): x, y, t = R.results(); break
                                if not L: t = T; A, where `break` is L = True
"""

from __future__ import annotations

import ast
import copy
from typing import Any

from . import syntax
from .leaving import without_leaving
from .returns import RETURN
from .syntax import ITEM, LEFT, leaves
from .truth_rewriter import TruthRewriter


class ControlRewriter(TruthRewriter):
    """Mixed into the cell's rewriter, which visits expressions and knows the scopes."""

    filename: str
    functions: frozenset[str]
    function: ast.AST | None  # that the statements are in, None at module level
    beyond: frozenset[str] | None  # names read outside of the code that is rewritten; None: any
    in_class: bool  # directly in a class body, whose names are no variables

    def _runtime(self, method: str, args: list[ast.expr], at: ast.AST, **rest: Any) -> ast.Call:
        raise NotImplementedError

    def _register(self, node: Any) -> int | None:
        if self.in_class:
            return None
        return syntax.register(
            node, self.filename, self.function, self.functions, self.beyond, self.script
        )

    def _stored(self, number: int) -> tuple[str, ...]:
        found = syntax.statement(number)
        assert found is not None
        return found.stored

    def _unpack(self, number: int, at: ast.AST) -> list[ast.stmt]:
        """``x, y = R.results()``."""
        names = self._stored(number)
        call = self._runtime("results", [], at)
        store = [ast.Name(n, ast.Store()) for n in names]
        if not names:
            return [ast.copy_location(ast.Expr(call), at)]
        return [ast.copy_location(ast.Assign([ast.Tuple(list(store), ast.Store())], call), at)]

    def _converted(self, at: ast.AST) -> ast.expr:
        call = self._runtime("results", [], at)
        return ast.copy_location(
            ast.Attribute(call.func.value, "converted", ast.Load()),  # type: ignore[attr-defined]
            at,
        )

    def _statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for statement in body:
            new = self.visit(statement)
            made.extend(new if isinstance(new, list) else [new])
        return made

    def visit_If(self, node: ast.If) -> ast.stmt:
        number = self._register(node)
        node.test = self.condition(node.test)
        node.body = self._statements(node.body)
        node.orelse = self._statements(node.orelse)
        if number is None:
            return node
        constant = ast.copy_location(ast.Constant(number), node.test)
        node.test = self._runtime("branch", [constant, node.test], node.test)
        taken = ast.If(self._converted(node.test), self._unpack(number, node.test), node.orelse)
        node.orelse = [ast.copy_location(taken, node.test)]
        return node

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        if node.value is not None:
            truth = getattr(node, "of_condition", False)
            last = isinstance(node.value, ast.Name) and node.value.id == RETURN
            node.value = self.condition(node.value) if truth else self.visit(node.value)
            if last:
                node.value = self._runtime("returned", [node.value], node)
        return node

    def visit_While(self, node: ast.While) -> Any:
        number = self._register(node)
        if self.script and leaves(node.body) and not leaves(node.body, (ast.Break,)):
            node.body = without_leaving(node.body, node, None) or [_at(node, ast.Pass())]
        node.test = self.condition(node.test)
        node.body = self._statements(node.body)
        node.orelse = self._statements(node.orelse)
        if number is None:
            return node
        constant = ast.copy_location(ast.Constant(number), node.test)
        node.test = self._runtime("test", [constant, node.test], node.test)
        after = ast.If(self._converted(node.test), self._unpack(number, node.test), [])
        return [node, ast.copy_location(after, node.test)]

    def visit_For(self, node: ast.For) -> Any:
        number = self._register(node)
        node.iter = self.visit(node.iter)
        left = ""
        if self.script and leaves(node.body):
            if leaves(node.body, (ast.Break,)):
                left = f"{LEFT}{number}"
            node.body = self._guarded(node, left, f"{ITEM}{number}")
        node.target = self.visit(node.target)
        node.body = self._statements(node.body)
        node.orelse = self._statements(node.orelse)
        if number is None:
            return node
        constant = ast.copy_location(ast.Constant(number), node.iter)
        node.iter = self._runtime("loop", [constant, node.iter], node.iter)
        leave = [*self._unpack(number, node.iter), ast.copy_location(ast.Break(), node.iter)]
        taken = _at(node.iter, ast.If(self._runtime("take", [], node.iter), leave, []))
        if not left:
            node.body = [taken, *node.body]
            return node
        given = _taken_from(node, f"{ITEM}{number}")
        node.target = _at(node.target, ast.Name(f"{ITEM}{number}", ast.Store()))
        over, goes_on = (
            self._runtime(method, [_at(node.iter, ast.Name(left, ast.Load()))], node.iter)
            for method in ("surely", "goes_on")
        )
        node.body = [
            _at(node.iter, ast.If(over, [_at(node.iter, ast.Break())], [])),
            _at(node.iter, ast.If(goes_on, [given, taken], [])),
            *node.body,
        ]
        return [_set(left, False, node), node]

    def _guarded(self, node: ast.For, left: str, item: str) -> list[ast.stmt]:
        """The body of an unrolled loop, which does nothing once the loop has been left."""
        body = without_leaving(node.body, node, lambda at: _set(left, True, at))
        body = body or [_at(node, ast.Pass())]
        if not left:
            return body
        test = ast.UnaryOp(ast.Not(), _at(node.iter, ast.Name(left, ast.Load())))
        body = [_taken_from(node, item), *body]
        return [_at(node.iter, ast.If(_at(node.iter, test), body, []))]


def _taken_from(node: ast.For, item: str) -> ast.stmt:
    """``t = T``."""
    value = _at(node.iter, ast.Name(item, ast.Load()))
    return _at(node.iter, ast.Assign([copy.deepcopy(node.target)], value))


def _at(where: ast.AST, node: Any) -> Any:
    return ast.copy_location(node, where)


def _set(name: str, value: bool, at: ast.AST) -> ast.stmt:
    return _at(at, ast.Assign([_at(at, ast.Name(name, ast.Store()))], _at(at, ast.Constant(value))))
