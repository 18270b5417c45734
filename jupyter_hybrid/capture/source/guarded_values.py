"""Guards of expressions; those of statements, and what they are, stand in :mod:`.guarded`."""

from __future__ import annotations

import ast
from typing import Any

from ...reasons import Told
from ..trace_state import GUARDS
from .nodes import Transformer, call_of, finished, placed, through
from .scopes import mangled

# The numbers that csrc/bind/guards.cc gives them.
_BINARY = (
    ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult,
    ast.LShift, ast.RShift, ast.BitAnd, ast.BitOr, ast.BitXor,
)  # fmt: skip
_COMPARISONS = (ast.Lt, ast.LtE, ast.Eq, ast.NotEq, ast.Gt, ast.GtE, ast.In, ast.NotIn)
WAITS = "the cell waits for something else"
TAKEN_APART = (ast.Tuple, ast.List)


# Hooks that the guards have in the runtime's place.
_FAST = frozenset({"load", "callee", "given", "named", "inplace"})


class GuardedValues(Transformer):
    """The expressions; ``runtime`` is the runtime's name."""

    def __init__(self, runtime: str, around: str = ""):
        self._runtime = runtime
        self._class = around  # the class around the code, which mangles names

    def _guard(self, method: str, args: list[ast.expr], at: ast.AST) -> ast.Call:
        return call_of(GUARDS, method, args, at)

    def _of_runtime(self, method: str, *args: ast.expr) -> ast.expr:
        return call_of(self._runtime, method, list(args), args[-1])

    def _constant(self, value: Any, at: ast.AST) -> ast.expr:
        return placed(at, ast.Constant(value))

    def _leave(self, value: ast.expr, reason: Told) -> ast.expr:
        """The value, after a contact."""
        return self._guard("leave", [self._constant(reason, value), value], value)

    def _settled(self, value: ast.expr, reason: Told) -> ast.expr:
        """The value of an operand that is used when others have been evaluated."""
        if self._is_simple(value):
            return self._text(value)
        return self._leave(value, reason)

    def _contact(self, reason: Told, at: ast.AST) -> ast.stmt:
        call = self._guard("contact", [self._constant(reason, at)], at)
        return placed(at, ast.Expr(call))

    def _is_runtime(self, node: ast.expr, *methods: str) -> bool:
        if node.__class__ is not ast.Call:
            return False
        called: Any = node.func
        return self._is_own_attribute(called) and (not methods or called.attr in methods)

    def _is_own_attribute(self, node: Any) -> bool:
        if node.__class__ is not ast.Attribute or node.value.__class__ is not ast.Name:
            return False
        return bool(node.value.id == self._runtime) or (
            node.value.id == GUARDS and node.attr in _FAST
        )

    def _is_simple(self, node: ast.expr) -> bool:
        """Evaluating it records nothing."""
        if self._is_runtime(node, "load", "num", "plain", "kept"):
            node = node.args[0]  # type: ignore[attr-defined]
        return isinstance(node, (ast.Name, ast.Constant)) or (
            isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)
        )

    # Calls: the runtime's own ask for themselves --------------------------------------------------
    def visit_Call(self, node: ast.Call) -> ast.expr:
        if not self._is_runtime(node) and isinstance(node.func, ast.Attribute):
            node.func.value = self.visit(node.func.value)  # it looks at its caller's frame
        elif not self._is_runtime(node):
            node.func = self.visit(node.func)
        if self._is_runtime(node, *_FAST):
            node.func.value.id = GUARDS  # type: ignore[attr-defined]
        looks = not self._is_runtime(node) and not isinstance(node.func, ast.Call)
        node.args = [self.visit(a) for a in node.args]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        if looks:
            self._given_as_written(node)
        for keyword in node.keywords:
            if keyword.arg is None and not self._is_runtime(keyword.value, "named"):
                keyword.value = self._guard("spread", [keyword.value], keyword.value)
        return node

    def _given_as_written(self, node: ast.Call) -> None:
        """The arguments of code that looks at its caller's names: real, after a contact."""
        given = [*node.args, *(k.value for k in node.keywords)]
        given = [a.value if isinstance(a, ast.Starred) else a for a in given]
        kept = [self._of_runtime("kept", a) for a in given]
        if kept:
            kept[-1] = self._leave(kept[-1], "code that looks at its caller's names")
        for i, argument in enumerate(node.args):
            if isinstance(argument, ast.Starred):
                argument.value = kept[i]
            else:
                node.args[i] = kept[i]
        for keyword, value in zip(node.keywords, kept[len(node.args) :], strict=True):
            keyword.value = value

    def visit_Starred(self, node: ast.Starred) -> ast.expr:
        given = self._is_runtime(node.value, "given")
        node.value = self.visit(node.value)
        if isinstance(node.ctx, ast.Load) and not given:
            node.value = self._guard("spread", [node.value], node.value)
        return node

    # Operators ------------------------------------------------------------------------------------
    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        left, right = self.visit(node.left), self.visit(node.right)
        number = self._constant(_BINARY.index(type(node.op)), node)
        return self._guard("binary", [number, left, right], node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        if isinstance(node.operand, ast.Constant):
            return node
        node.operand = self._truth(node.operand)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        operands = [self.visit(v) for v in (node.left, *node.comparators)]
        if len(node.ops) == 1:
            if type(node.ops[0]) in _COMPARISONS:
                number = self._constant(_COMPARISONS.index(type(node.ops[0])), node)
                return self._guard("compare", [number, *operands], node)
        else:  # Python compares each with the next as soon as it has that
            operands = [self._settled(v, "a comparison") for v in operands]
        node.left, *node.comparators = operands
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        *tested, last = node.values
        node.values = [*map(self._truth, tested), self.visit(last)]
        return node

    def _truth(self, test: ast.expr) -> ast.expr:
        visited = self.visit(test)
        return self._guard("own", [visited], visited)

    def _tested(self, node: Any) -> Any:
        node.test = finished(self._truth(node.test))
        return self.generic_visit(node)

    visit_If = visit_While = visit_IfExp = visit_Assert = _tested

    def _text(self, value: ast.expr) -> ast.expr:
        return self._guard("text", [value], value)

    visit_FormattedValue = through("_text", "value")

    # Attributes and elements ----------------------------------------------------------------------
    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        node.value = self.visit(node.value)
        if self._is_own_attribute(node):
            return node
        name = self._constant(mangled(node.attr, self._class), node)
        if isinstance(node.ctx, ast.Load):
            return self._guard("attribute", [node.value, name], node)
        if isinstance(node.ctx, ast.Store):
            node.value = self._of_runtime("owning", node.value)
        else:
            node.value = self._guard("owner", [node.value, name], node)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        node.value, key = self.visit(node.value), self.visit(node.slice)
        if isinstance(node.ctx, ast.Load):
            return self._guard("item", [node.value, key], node)
        node.value = self._guard("holder", [node.value], node)
        if isinstance(node.ctx, ast.Store):
            node.value = self._of_runtime("into", node.value)
        node.slice = self._asked(key)
        return node

    def _asked(self, key: ast.expr) -> ast.expr:
        """A key that is asked for its number or its hash, as are a slice's bounds and what is in a
        tuple."""
        if isinstance(key, ast.Tuple):
            key.elts = [self._asked(e) for e in key.elts]
        elif isinstance(key, ast.Slice):
            for name in ("lower", "upper", "step"):
                bound = getattr(key, name)
                setattr(key, name, bound and self._asked(bound))
        elif not isinstance(key, (ast.Constant, ast.Starred)):
            return self._settled(key, "an element is written")
        return key

    # Displays -------------------------------------------------------------------------------------
    visit_Set, visit_SetComp = through("_hashed", "elts"), through("_hashed", "elt")
    visit_DictComp = through("_hashed", "key")

    def visit_Dict(self, node: ast.Dict) -> ast.expr:
        self.generic_visit(node)
        if all(k is None or isinstance(k, ast.Constant) for k in node.keys):
            node.values = [
                v if k else self._guard("spread", [v], v) for k, v in zip(node.keys, node.values)
            ]
            return node
        if None not in node.keys:  # their keys are hashed when all is evaluated
            pairs = [part for pair in zip(node.keys, node.values) for part in pair]
            return self._guard("mapping", pairs, node)  # type: ignore[arg-type]
        node.keys = [k and self._hashed(k) for k in node.keys]
        node.values = [self._leave(v, "the keys of a dict") for v in node.values]
        return node

    def _hashed(self, key: ast.expr) -> ast.expr:
        return key if isinstance(key, ast.Constant) else self._text(key)

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        node.iter = finished(self._steps(node))
        node.ifs = [finished(self._truth(test)) for test in node.ifs]
        return self.generic_visit(node)

    # Steps ----------------------------------------------------------------------------------------
    def _steps(self, node: Any) -> ast.expr:
        """What a loop goes through."""
        if self._is_own_attribute(node.iter) or self._is_runtime(node.iter, "turns", "rest"):
            return self.visit(node.iter)
        if self._is_runtime(node.iter, "phases", "first", "each"):
            *number, values = [self.visit(a) for a in node.iter.args]
            node.iter.args = [*number, self._guard("walk", [values, self._apart(node)], values)]
            return node.iter
        through = self.visit(node.iter)
        if isinstance(node, ast.AsyncFor) or getattr(node, "is_async", False):
            return self._awaited("waits", through)
        return self._guard("walk", [through, self._apart(node)], through)

    def _awaited(self, method: str, value: ast.expr) -> ast.expr:
        return self._of_runtime(method, self._constant(WAITS, value), value)

    def _apart(self, node: Any) -> ast.expr:
        """Are the items that a loop gives taken apart?"""
        return self._constant(isinstance(node.target, TAKEN_APART), node.iter)
