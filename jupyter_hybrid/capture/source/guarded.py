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
    a.b[k] = v    ->  G.into()[G.at()] = G.place(v, a.b, k)
    a[k] += v     ->  G.into()[G.at()] = R.augment("iadd", R.item(a, k), v)
    a.x = v       ->  G.set(v, a, "x")         yield a           ->  yield G.leave("...", a)
    a[k], b.x = c ->  R.into(G.holder(a))[k], R.owning(b).x = G.spread(c)
    except E:     ->  except E: R.caught(); the error's traceback is cleared of our frames

Calls go through the runtime, which asks for itself. The order of evaluation is the written one.
"""

from __future__ import annotations

import ast
from typing import Any

from ...reasons import Told
from .guarded_values import TAKEN_APART, WAITS, GuardedValues
from .nodes import call_of, finished, is_finished, placed
from .scopes import mangled


class Guarded(GuardedValues):
    """Puts the guards into a tree that is rewritten already."""

    def visit_For(self, node: Any) -> ast.stmt:
        node.iter = finished(self._steps(node))
        return self.generic_visit(node)

    visit_AsyncFor = visit_For

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        value = self.visit(node.value)
        to = node.targets[0]
        if len(node.targets) == 1 and isinstance(to, ast.Subscript):
            holder, key = self.visit(to.value), self.visit(to.slice)
            named = self._is_simple(holder)  # somebody else has it
            call = self._guard("store" if named else "place", [value, holder, key], node)
            return placed(node, ast.Expr(call)) if named else self._stored(call, to)
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

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        value: Any = self.visit(node.value)
        node.value = value
        if self._is_runtime(value, "augment") and self._is_runtime(value.args[1], "item"):
            return self._stored(value, value.args[1])
        return node

    def _stored(self, value: ast.expr, to: ast.expr) -> ast.stmt:
        """What stores it, in the place that it has found."""
        into, at = (self._guard(method, [], to) for method in ("into", "at"))
        target = placed(to, ast.Subscript(into, at, ast.Store()))
        return placed(value, ast.Assign([target], value))

    def visit_With(self, node: Any) -> ast.stmt:
        waits = isinstance(node, ast.AsyncWith)
        for item in node.items:
            given = self.visit(item.context_expr)
            entered = (
                self._awaited("manages", given) if waits else self._guard("context", [given], given)
            )
            item.context_expr = finished(entered)
        return self.generic_visit(node)

    visit_AsyncWith = visit_With

    def visit_Match(self, node: Any) -> ast.stmt:
        node.subject = finished(self._guard("text", [self.visit(node.subject)], node.subject))
        return self.generic_visit(node)

    def visit_match_case(self, node: Any) -> Any:
        node.guard = node.guard and finished(self._truth(node.guard))
        return self.generic_visit(node)

    def visit_Yield(self, node: Any) -> ast.expr:
        value = self.visit(node.value) if node.value else self._constant(None, node)
        node.value = self._leave(value, "a generator yields")
        return node

    visit_YieldFrom = visit_Yield

    def visit_Await(self, node: ast.Await) -> ast.expr:
        node.value = self._leave(self.visit(node.value), WAITS)
        return node

    def _visited(self, nodes: list[Any]) -> list[Any]:
        """The nodes, with a contact before statements that run code of their own."""
        made: list[Any] = []
        for node in nodes:
            why = "" if is_finished(node) else _runs_unseen(node)
            if why:
                made.append(self._contact(why, node))
            made += super()._visited([node])
        return made

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        self.generic_visit(node)
        at = node.body[0]
        node.body.insert(0, placed(at, ast.Expr(call_of(self._runtime, "caught", [], at))))
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        outside, self._class = self._class, node.name
        node.body = self._visited(node.body)
        node.body.append(self._contact(_made(node), node.body[-1]))
        self._class = outside
        return node


def _made(node: ast.ClassDef) -> Told:
    return "class {name} is made", "name", node.name


def _runs_unseen(statement: Any) -> Told:
    """Why there is a contact before it; "" for none."""
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return "" if getattr(statement, "module", "") == "__future__" else "an import"
    if isinstance(statement, ast.ClassDef):
        return _made(statement)
    return "a decorator" if getattr(statement, "decorator_list", None) else ""
