"""The rewriting's last part: operations that may run code nobody has seen ask first.

Whatever the cell does with a value of a type that is not on the closed list
(``csrc/bind/guards.h``) is a contact: everything that waits on memory which that code can reach is
computed before it runs. ``G`` is the guard object:

::

    a + b         ->  G.binary(0, a, b)        for t in s:       ->  for t in G.walk(s, False):
    a < b         ->  G.compare(0, a, b)       with c as t:      ->  with G.context(c) as t:
    a.x           ->  G.attribute(a, "x")      if a:             ->  if G.own(a):
    a[k]          ->  G.item(a, k)             a, b = c          ->  a, b = G.spread(c)
    a[k] = v      ->  G.store(v, a, k)         f"{a}"            ->  f"{G.text(a)}"
    a.x = v       ->  G.set(v, a, "x")         yield a           ->  yield G.leave("...", a)
    a[k], b.x = c ->  R.into(G.holder(a))[k], R.owning(b).x = G.spread(c)
    except E:     ->  except E: R.caught(); the error's traceback is cleared of our frames

Calls go through the runtime, which asks for itself. The order of evaluation is the written one.
"""

from __future__ import annotations

import ast
from typing import Any

from .guarded_values import TAKEN_APART, WAITS, GuardedValues
from .nodes import call_of, is_finished, placed
from .scopes import mangled


class Guarded(GuardedValues):
    """Puts the guards into a tree that is rewritten already."""

    def visit_For(self, node: Any) -> ast.stmt:
        node.iter = self._steps(node)
        node.target = self.visit(node.target)
        self._bodies(node, "body", "orelse")
        return node

    visit_AsyncFor = visit_For

    def _tested(self, node: Any) -> ast.stmt:
        node.test = self._truth(node.test)
        self._bodies(node, "body", "orelse")
        return node

    visit_If = visit_While = _tested

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        node.test = self._truth(node.test)
        node.msg = node.msg and self.visit(node.msg)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        value = self.visit(node.value)
        to = node.targets[0]
        if len(node.targets) == 1 and isinstance(to, ast.Subscript):
            holder, key = self.visit(to.value), self._as_value(self.visit(to.slice))
            call = self._guard("store", [value, holder, key], node)
            return placed(node, ast.Expr(call))
        if len(node.targets) == 1 and isinstance(to, ast.Attribute):
            name = self._constant(mangled(to.attr, self._class), to)
            call = self._guard("set", [value, self.visit(to.value), name], node)
            return placed(node, ast.Expr(call))
        if any(isinstance(t, TAKEN_APART) for t in node.targets) and not isinstance(
            value, (ast.Tuple, ast.List)
        ):
            value = self._guard("spread", [value], value)
        node.value, node.targets = value, [self.visit(t) for t in node.targets]
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        node.value = node.value and self.visit(node.value)
        if node.value is not None:
            node.target = self.visit(node.target)
        return node

    def visit_With(self, node: ast.With) -> ast.stmt:
        for item in node.items:
            item.context_expr = self.visit(item.context_expr)
            item.context_expr = self._guard("context", [item.context_expr], item.context_expr)
            item.optional_vars = item.optional_vars and self.visit(item.optional_vars)
        self._bodies(node, "body")
        return node

    def visit_AsyncWith(self, node: ast.AsyncWith) -> ast.stmt:
        for item in node.items:
            item.context_expr = self._awaited("manages", self.visit(item.context_expr))
        self._bodies(node, "body")
        return node

    def visit_Match(self, node: Any) -> ast.stmt:
        node.subject = self._guard("text", [self.visit(node.subject)], node.subject)
        for case in node.cases:
            case.guard = case.guard and self._truth(case.guard)
            self._bodies(case, "body")
        return node

    def visit_Yield(self, node: Any) -> ast.expr:
        value = self.visit(node.value) if node.value else self._constant(None, node)
        node.value = self._leave(value, "a generator yields")
        return node

    visit_YieldFrom = visit_Yield

    def visit_Await(self, node: ast.Await) -> ast.expr:
        node.value = self._leave(self.visit(node.value), WAITS)
        return node

    def _bodies(self, node: Any, *fields: str) -> None:
        for name in fields:
            setattr(node, name, self.statements(getattr(node, name)))

    def statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The statements, with a contact before those that run code of their own."""
        made: list[ast.stmt] = []
        for statement in body:
            if is_finished(statement):
                made.append(statement)
                continue
            if isinstance(statement, (ast.Import, ast.ImportFrom)):
                if getattr(statement, "module", "") != "__future__":
                    made.append(self._contact("an import", statement))
            elif isinstance(statement, ast.ClassDef):
                made.append(self._contact(f"class {statement.name} is made", statement))
            elif getattr(statement, "decorator_list", None):
                made.append(self._contact("a decorator", statement))
            made.append(self.visit(statement))
        return made

    def visit_Try(self, node: Any) -> ast.stmt:
        self._bodies(node, "body", "orelse", "finalbody")
        for handler in node.handlers:
            handler.type = handler.type and self.visit(handler.type)
            self._bodies(handler, "body")
            handler.body.insert(0, self._caught(handler.body[0]))
        return node

    visit_TryStar = visit_Try

    def _caught(self, at: ast.stmt) -> ast.stmt:
        """What a handler does first."""
        return placed(at, ast.Expr(call_of(self._runtime, "caught", [], at)))

    # Scopes ---------------------------------------------------------------------------------------
    def visit_Module(self, node: ast.Module) -> ast.Module:
        self._bodies(node, "body")
        return node

    def visit_FunctionDef(self, node: Any) -> Any:
        if not isinstance(node, ast.Lambda):
            node.decorator_list = [self.visit(d) for d in node.decorator_list]
        node.args.defaults = [self.visit(d) for d in node.args.defaults]
        node.args.kw_defaults = [d and self.visit(d) for d in node.args.kw_defaults]
        if isinstance(node, ast.Lambda):
            node.body = self.visit(node.body)
        else:
            self._bodies(node, "body")
        return node

    visit_AsyncFunctionDef = visit_Lambda = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        outside, self._class = self._class, node.name
        self._bodies(node, "body")
        node.body.append(self._contact(f"class {node.name} is made", node.body[-1]))
        self._class = outside
        return node

    def visit_TypeAlias(self, node: Any) -> Any:
        return node
