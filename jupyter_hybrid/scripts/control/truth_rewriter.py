"""``and``, ``or``, ``not``, chained comparisons and ``a if c else b`` on recorded values.

::

    if a and b:    ->  if R.all_of(lambda: a, lambda: b):
    if a < b < c:  ->  if R.chained(("lt", "lt"), a, lambda: b, lambda: c):
    not a          ->  R.negated(a)
    x if c else y  ->  R.chosen(c, lambda: x, lambda: y)

What is called is in :mod:`.truth`.
"""

from __future__ import annotations

import ast

from ...capture.source.rewrite import Rewriter

_COMPARISONS: dict[type, str] = {
    ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne",
}  # fmt: skip


class TruthRewriter(Rewriter):
    """Rewrites expressions that ask for a truth value."""

    def condition(self, node: ast.expr) -> ast.expr:
        """An expression of which only the truth matters."""
        if isinstance(node, ast.BoolOp):
            method = "all_of" if isinstance(node.op, ast.And) else "any_of"
            return self._runtime(method, [self._later(v, True) for v in node.values], node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self._runtime("negated", [self.condition(node.operand)], node)
        names = [_COMPARISONS.get(type(op)) for op in getattr(node, "ops", ())]
        if len(names) > 1 and None not in names:
            assert isinstance(node, ast.Compare)
            return self._chain("chained", names, node)
        return self.visit(node)

    def _later(self, value: ast.expr, truth: bool = False) -> ast.expr:
        nothing = ast.arguments([], [], None, [], [], None, [])
        body = self.condition(value) if truth else self.visit(value)
        return ast.copy_location(ast.Lambda(nothing, body), value)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        return self.condition(node) if isinstance(node.op, ast.Not) else super().visit_UnaryOp(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        """One of the operands, not only its truth."""
        method = "first_false" if isinstance(node.op, ast.And) else "first_true"
        return self._runtime(method, [self._later(v) for v in node.values], node)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """Chained comparisons are an ``and`` of their parts."""
        names = [_COMPARISONS.get(type(op)) for op in node.ops]
        if len(names) == 1 or None in names:
            return self.generic_visit(node)
        return self._chain("compared", names, node)

    def _chain(self, method: str, names: list[str | None], node: ast.Compare) -> ast.expr:
        parts = [ast.copy_location(ast.Constant(n), node) for n in names]
        listed = ast.copy_location(ast.Tuple(list(parts), ast.Load()), node)
        args = [listed, self.visit(node.left), *map(self._later, node.comparators)]
        return self._runtime(method, args, node)

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        node.test = self._runtime("asserted", [self.condition(node.test)], node)
        node.msg = node.msg and self.visit(node.msg)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        args = [self.condition(node.test), self._later(node.body), self._later(node.orelse)]
        return self._runtime("chosen", args, node)
