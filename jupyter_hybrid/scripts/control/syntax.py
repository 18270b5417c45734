"""Which ``if``, ``while`` and ``for`` statements may become nodes, and what they read and bind."""

from __future__ import annotations

import ast
import itertools
from collections import OrderedDict
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from ...capture.source.nodes import copied
from .counters import number_names

BREAK = "__jupyter_hybrid_break__"  # carried by a loop that may be left early
_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Pass)
LEFT = "__jupyter_hybrid_left__"  # an unrolled loop's: was it left in a step before?
ITEM = "__jupyter_hybrid_item__"  # what its next step would be given
LOOPS = (ast.While, ast.For)
_KEPT = 20_000  # statements; an older one is no longer converted
_statements: OrderedDict[int, Statement] = OrderedDict()
_numbers = itertools.count()


@dataclass
class Statement:
    """One statement that may become a node."""

    node: Any  # ast.If, ast.While or ast.For, as written
    filename: str
    stored: tuple[str, ...]  # names it binds or writes into, in order
    loaded: frozenset[str]
    writes: frozenset[str]  # names of arrays that it may write in place
    outside: frozenset[str]  # names read elsewhere in its function
    breaks: bool  # a `break` or `continue` of this loop stands in it
    flagged: bool  # a `break` does
    functions: frozenset[str]
    reason: str = ""  # why it can't be converted, "" when it may be
    compiled: dict[Any, CodeType] = field(default_factory=dict)


class _Walk(ast.NodeVisitor):
    """Names stored and loaded, and the first thing that no node can do."""

    def __init__(self) -> None:
        self.stored: dict[str, None] = {}
        self.loaded: set[str] = set()
        self.writes: set[str] = set()
        self.reason = ""
        self.breaks = False
        self._depth = 0

    def refuse(self, node: ast.AST, what: str) -> None:
        if not self.reason:
            self.reason = f"{what} (line {getattr(node, 'lineno', '?')})"

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.loaded.add(node.id)
        else:
            self.stored.setdefault(node.id)

    def _target(self, target: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self.stored.setdefault(target.id)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for part in target.elts:
                self._target(part)
        elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            self.stored.setdefault(target.value.id)
            self.loaded.add(target.value.id)
            self.writes.add(target.value.id)
            self.visit(target.slice)
        else:
            self.refuse(target, "it writes an attribute or an item")

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._target(target)
        self.visit(node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._target(node.target)
        if isinstance(node.target, ast.Name):
            self.loaded.add(node.target.id)
            self.writes.add(node.target.id)
        self.visit(node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._target(node.target)
        if node.value is not None:
            self.visit(node.value)

    def _loop(self, node: Any) -> None:
        if isinstance(node, ast.For):
            self._target(node.target)
            self.visit(node.iter)
        else:
            self.visit(node.test)
        self._depth += 1
        for statement in node.body:
            self.visit(statement)
        self._depth -= 1

    visit_While = visit_For = _loop

    def _leave(self, node: Any) -> None:
        if self._depth == 0:
            self.breaks = True

    visit_Break = visit_Continue = _leave

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.refuse(node, "it assigns with :=")

    def generic_visit(self, node: ast.AST) -> None:
        statement = isinstance(node, ast.stmt) and not isinstance(node, (*_SIMPLE, ast.If))
        if statement or isinstance(node, (ast.Lambda, ast.Yield, ast.YieldFrom, ast.Await)):
            self.refuse(node, f"it contains `{type(node).__name__.lower()}`")
        super().generic_visit(node)


def loads_of(tree: ast.AST, without: ast.AST) -> frozenset[str]:
    """Names read in ``tree`` outside ``without``."""
    names: set[str] = set()
    stack = [tree]
    while stack:
        node = stack.pop()
        if node is without:
            continue
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
            names.add(node.id)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
        stack.extend(ast.iter_child_nodes(node))
    return frozenset(names)


def register(
    node: Any,
    filename: str,
    function: ast.AST,
    functions: frozenset[str],
    beyond: frozenset[str],
) -> int:
    """The number under which the runtime finds the statement of a function."""
    walk = _Walk()
    if isinstance(node, ast.If):
        for statement in (*node.body, *node.orelse):
            walk.visit(statement)
        if walk.breaks:
            walk.refuse(node, "it leaves a loop")
    else:
        walk._loop(node)
        walk._depth = 0
        walk.breaks = leaves(node.body)
    if walk.writes:
        walk.writes -= number_names(function)
    number = next(_numbers)
    _statements[number] = Statement(
        node=copied(node),
        filename=filename,
        stored=tuple(walk.stored),
        loaded=frozenset(walk.loaded),
        writes=frozenset(walk.writes),
        outside=loads_of(function, node) | beyond,
        breaks=walk.breaks,
        flagged=isinstance(node, LOOPS) and leaves(node.body, (ast.Break,)),
        functions=functions,
        reason=walk.reason,
    )
    if len(_statements) > _KEPT:
        _statements.popitem(last=False)
    return number


def statement(number: int) -> Statement | None:
    """The statement that was registered; None when that is long ago."""
    return _statements.get(number)


def leaves(body: list[ast.stmt], how: tuple[type, ...] = (ast.Break, ast.Continue)) -> bool:
    """Does a break or continue of this loop stand in its body?"""
    for s in body:
        if isinstance(s, how):
            return True
        if isinstance(s, ast.If) and (leaves(s.body, how) or leaves(s.orelse, how)):
            return True
    return False


#: Stands for an expression that chooses: it binds no name.
EXPRESSION = Statement(
    ast.Pass(), "", (), frozenset(), frozenset(), frozenset(), False, False, frozenset()
)
