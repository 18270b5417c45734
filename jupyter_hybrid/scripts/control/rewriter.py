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

from ...capture.source.nodes import located
from ...capture.source.rewrite import defined_functions, rewritten
from ...capture.source.scopes import bound_names
from . import syntax
from .leaving import without_leaving
from .places import RUNTIME
from .returns import RETURN
from .syntax import ITEM, LEFT, leaves
from .truth_rewriter import TruthRewriter


class ScriptRewriter(TruthRewriter):
    """Rewrites scripted functions.

    Args:
        functions: the names of those that the tree defines.
        beyond: names that are read where the code came from.
    """

    runtime, copies = RUNTIME, False

    def __init__(self, functions: frozenset[str], filename: str, beyond: frozenset[str]):
        super().__init__(functions, filename)
        self.beyond = beyond

    def _register(self, node: Any) -> int:
        return syntax.register(node, self.filename, self.function, self.functions, self.beyond)

    def _stored(self, number: int) -> tuple[str, ...]:
        found = syntax.statement(number)
        assert found is not None
        return found.stored

    def _unpack(self, number: int, at: ast.AST) -> list[ast.stmt]:
        """``x, y = R.results()``."""
        own = bound_names(self.function)
        names = [n for n in self._stored(number) if n in own]
        call = self._runtime("results", [], at)
        store: list[ast.expr] = [ast.Name(n, ast.Store()) for n in names]
        if not names:
            return [ast.copy_location(ast.Expr(call), at)]
        return [ast.copy_location(ast.Assign([ast.Tuple(store, ast.Store())], call), at)]

    def _converted(self, at: ast.AST) -> ast.expr:
        call = self._runtime("results", [], at)
        return ast.copy_location(
            ast.Attribute(call.func.value, "converted", ast.Load()),  # type: ignore[attr-defined]
            at,
        )

    def visit_If(self, node: ast.If) -> ast.stmt:
        number = self._register(node)
        node.test = self.condition(node.test)
        node.body = self._visited(node.body)
        node.orelse = self._visited(node.orelse)
        constant = ast.copy_location(ast.Constant(number), node.test)
        node.test = self._runtime("branch", [constant, node.test], node.test)
        if self._convertible(number):
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

    def _convertible(self, number: int) -> bool:
        """May a node come of it? Else nothing is bound in its place."""
        found = syntax.statement(number)
        return found is not None and not found.reason

    def visit_While(self, node: ast.While) -> Any:
        number = self._register(node)
        if leaves(node.body) and not leaves(node.body, (ast.Break,)):
            node.body = without_leaving(node.body, node, None) or [_at(node, ast.Pass())]
        node.test = self.condition(node.test)
        node.body = self._visited(node.body)
        node.orelse = self._visited(node.orelse)
        constant = ast.copy_location(ast.Constant(number), node.test)
        node.test = self._runtime("test", [constant, node.test], node.test)
        after = ast.If(self._converted(node.test), self._unpack(number, node.test), [])
        return [node, ast.copy_location(after, node.test)]

    def visit_For(self, node: ast.For) -> Any:
        number = self._register(node)
        node.iter = self.visit(node.iter)
        left = ""
        if leaves(node.body):
            if leaves(node.body, (ast.Break,)):
                left = f"{LEFT}{number}"
            node.body = self._guarded(node, left, f"{ITEM}{number}")
        node.target = self.visit(node.target)
        node.body = self._visited(node.body)
        node.orelse = self._visited(node.orelse)
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

    # Inner functions are part of what is traced ------------------------------------------------
    def _visit_function(self, node: Any) -> Any:
        self.visit(node.args)
        return self.inside(node)

    visit_FunctionDef = visit_Lambda = _visit_function

    # Elements -----------------------------------------------------------------------------------
    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Store):
            node.value = self._runtime("target", [node.value], node)
        if not isinstance(node.ctx, ast.Load):
            return node
        if isinstance(node.slice, (ast.Slice, ast.Constant)):
            return self._runtime("load", [node], node)
        return self._runtime("element", [node.value, node.slice], node)

    def _written(self, value: ast.expr) -> ast.expr:
        """An element of an array as it is now."""
        if isinstance(value, ast.Subscript):
            return self._runtime("snapshot", [self.visit(value)], value)
        return super()._written(value)

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        to = node.targets[0]
        if len(node.targets) > 1 or not isinstance(to, ast.Subscript):
            self.generic_visit(node)
            return node
        value = self._written(node.value)
        to = self.visit(to)
        call = self._runtime("store", [value, to.value, to.slice], node)
        return ast.fix_missing_locations(ast.copy_location(ast.Expr(call), node))


def rewrite(tree: ast.Module, filename: str) -> ast.Module:
    """The module of a scripted function rewritten, in place."""
    return rewrite_part(tree, filename, defined_functions(tree))


def rewrite_part(
    tree: ast.Module,
    filename: str,
    functions: frozenset[str],
    beyond: frozenset[str] = frozenset(),
) -> ast.Module:
    """The same for a piece of what was rewritten before.

    Args:
        beyond: names that are read where the piece came from.
    """
    return located(rewritten(tree, ScriptRewriter(functions, filename, beyond)))


def _taken_from(node: ast.For, item: str) -> ast.stmt:
    """``t = T``."""
    value = _at(node.iter, ast.Name(item, ast.Load()))
    return _at(node.iter, ast.Assign([copy.deepcopy(node.target)], value))


def _at(where: ast.AST, node: Any) -> Any:
    return ast.copy_location(node, where)


def _set(name: str, value: bool, at: ast.AST) -> ast.stmt:
    return _at(at, ast.Assign([_at(at, ast.Name(name, ast.Store()))], _at(at, ast.Constant(value))))
