"""Which ``if``, ``while`` and ``for`` statements may become nodes, and what replaces them.

The replacement still contains the statement as written: the runtime decides each time whether a
node takes its place. The functions that are traced for a node are compiled when first needed.
"""

from __future__ import annotations

import ast
import copy
import itertools
from collections import OrderedDict
from dataclasses import dataclass, field
from types import CodeType, FunctionType
from typing import Any

BREAK = "__jupyter_hybrid_break__"  # carried by a loop that may be left early
_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Pass)
_LOOPS = (ast.While, ast.For)
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
    outside: frozenset[str] | None  # names read elsewhere in its function; None: at module level
    breaks: bool
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
        if node.orelse:
            self.refuse(node, "a loop has an else clause")
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
    node: Any, filename: str, function: ast.AST | None, functions: frozenset[str]
) -> int | None:
    """The number under which the runtime finds the statement; None for those left as they are."""
    walk = _Walk()
    if isinstance(node, ast.If):
        for statement in (*node.body, *node.orelse):
            walk.visit(statement)
        if walk.breaks:
            walk.refuse(node, "it leaves a loop")
    else:
        walk._loop(node)
        walk._depth = 0
        walk.breaks = _leaves(node.body)
    if isinstance(node, _LOOPS) and node.orelse:
        return None
    number = next(_numbers)
    _statements[number] = Statement(
        node=copy.deepcopy(node),
        filename=filename,
        stored=tuple(walk.stored),
        loaded=frozenset(walk.loaded),
        writes=frozenset(walk.writes),
        outside=None if function is None else loads_of(function, node),
        breaks=walk.breaks,
        functions=functions,
        reason=walk.reason,
    )
    if len(_statements) > _KEPT:
        _statements.popitem(last=False)
    return number


def statement(number: int) -> Statement | None:
    """The statement that was registered; None when that is long ago."""
    return _statements.get(number)


def _leaves(body: list[ast.stmt]) -> bool:
    """Does a break or continue of this loop stand in its body?"""
    for s in body:
        if isinstance(s, (ast.Break, ast.Continue)):
            return True
        if isinstance(s, ast.If) and (_leaves(s.body) or _leaves(s.orelse)):
            return True
    return False


def _without_leaving(body: list[ast.stmt], at: ast.AST) -> list[ast.stmt]:
    """The body with ``break`` as a flag and ``continue`` as the end of its path."""
    result: list[ast.stmt] = []
    for i, s in enumerate(body):
        if isinstance(s, ast.Break):
            result.append(_flag(True, s))
            return result
        if isinstance(s, ast.Continue):
            return result
        if isinstance(s, ast.If) and (_leaves(s.body) or _leaves(s.orelse)):
            rest = body[i + 1 :]
            lowered = ast.If(
                s.test,
                _without_leaving([*s.body, *copy.deepcopy(rest)], at) or [_pass(s)],
                _without_leaving([*s.orelse, *rest], at) or [_pass(s)],
            )
            result.append(ast.copy_location(lowered, s))
            return result
        result.append(s)
    return result


def _pass(at: ast.AST) -> ast.stmt:
    return ast.copy_location(ast.Pass(), at)


def _flag(value: bool, at: ast.AST) -> ast.stmt:
    from .rewrite import RUNTIME

    call = ast.Call(
        ast.Attribute(ast.Name(RUNTIME, ast.Load()), "flag", ast.Load()),
        [ast.Constant(value)],
        [],
    )
    return ast.copy_location(ast.Assign([ast.Name(BREAK, ast.Store())], call), at)


def part(which: str, of: Statement, parameters: tuple[str, ...], globals: dict) -> Any:
    """A function of the statement's part: ``test``, ``body`` (or then-branch) or ``else``.

    Takes ``parameters``; gives its local names at the end, ``test`` the condition's value.
    """
    key = (which, parameters)
    code = of.compiled.get(key)
    if code is None:
        code = of.compiled[key] = _compile(which, of, parameters)
    return FunctionType(code, globals, code.co_name)


def _compile(which: str, of: Statement, parameters: tuple[str, ...]) -> CodeType:
    from .rewrite import rewrite_part

    node = copy.deepcopy(of.node)
    names = ast.arguments([], [ast.arg(p) for p in parameters], None, [], [], None, [])
    if which == "test":
        body: list[ast.stmt] = [ast.copy_location(ast.Return(node.test), node.test)]
    else:
        body = node.orelse if which == "else" else node.body
        if isinstance(node, _LOOPS) and of.breaks:
            body = [_flag(False, body[0]), *_without_leaving(body, body[0])]
        local = ast.Call(ast.Name("locals", ast.Load()), [], [])
        at = body[-1] if body else node
        body = [*body, ast.copy_location(ast.Return(local), at)]
    name = f"<{type(of.node).__name__.lower()}>"
    function = ast.FunctionDef("part", names, body, [], None)
    if "type_params" in ast.FunctionDef._fields:
        function.type_params = []  # type: ignore[attr-defined]
    ast.copy_location(function, node)
    module = ast.Module([function], [])
    ast.fix_missing_locations(module)
    rewrite_part(module, of.filename, of.functions)
    code = compile(module, of.filename, "exec")
    made = next(c for c in code.co_consts if isinstance(c, CodeType))
    return made.replace(co_name=name)
