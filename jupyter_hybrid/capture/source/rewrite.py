"""Rewrites a cell's syntax tree so that loads, calls and numbers pass through the recorder.

``x`` becomes ``__jupyter_hybrid__.load(x)``; in ``f(x)`` it is asked what to call in f's place.
Line and column numbers are kept, so errors and the graph point at what the user wrote. Without an
active recorder the rewritten code behaves as the original. The functions and lambdas of a cell
stay as they are: who calls them from rewritten code enters a twin (:mod:`..twins`).
"""

from __future__ import annotations

import ast
from typing import Any

from ..trace_state import RUNTIME
from .copies import Copies
from .guarded import Guarded
from .nodes import children, finished, given, placed, walk
from .rewrite_exits import INPLACE, Exits
from .scopes import COMPREHENSIONS, bound_names, shared_names, stored_names

# Calls that look at their caller's frame: they must stay where they are.
_FRAME_CALLS = frozenset(
    {
        "super", "locals", "globals", "vars", "dir", "eval", "exec", "breakpoint", "get_ipython",
        "namedtuple", "NamedTuple", "TypedDict", "NewType", "TypeVar", "make_dataclass", "Enum",
        "IntEnum", "Flag", "IntFlag", "StrEnum", "warn", "currentframe", "_getframe",
    }
)  # fmt: skip
# A number that stands alone in them is no arithmetic of the cell's.
_NOT_ARITHMETIC = (
    ast.Compare, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Slice, ast.FormattedValue,
    ast.Subscript, ast.arguments,
)  # fmt: skip
_LISTS = (ast.List, ast.ListComp)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _is_number(node: ast.AST) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


class Rewriter(Copies):
    """Puts the runtime's hooks into expressions; what branches and loops do stays as written.

    Args:
        functions: the names of those that the tree defines.
    """

    def __init__(self, functions: frozenset[str], filename: str):
        super().__init__(filename)
        self.functions = functions
        self._statement: ast.expr | None = None  # the latest expression that is one

    def _plain(self, node: ast.expr) -> ast.expr:
        """The expression visited, but with its own top-level number left as it is."""
        return node if _is_number(node) else self.visit(node)

    def generic_visit(self, node: Any) -> Any:
        if isinstance(node, _NOT_ARITHMETIC):
            for part in children(node):
                if _is_number(part):
                    finished(part)
        return super().generic_visit(node)

    # Numbers -----------------------------------------------------------------------------------
    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return self._number(node) if _is_number(node) else node

    def _number(self, node: ast.expr) -> ast.expr:
        """Recorded, but for those that a loop would record again and again."""
        return node if self.copies and self.loops else self._runtime("num", [node], node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        if _is_number(node):
            return self._number(node)
        self.generic_visit(node)
        return node

    # Loads -------------------------------------------------------------------------------------
    def visit_Name(self, node: ast.Name) -> ast.expr:
        if not isinstance(node.ctx, ast.Load):
            return node
        return self._runtime("load", [node], node)

    def _part(self, node: Any) -> ast.expr:
        self.generic_visit(node)
        return self._runtime("load", [node], node) if isinstance(node.ctx, ast.Load) else node

    visit_Attribute = visit_Subscript = _part

    # Calls -------------------------------------------------------------------------------------
    def visit_Call(self, node: ast.Call) -> ast.expr:
        func = node.func
        name = func.id if isinstance(func, ast.Name) else None
        visit = self.visit if name in self.functions else self._plain
        lists = [a for a in node.args if isinstance(a, _LISTS)]
        counts = self._counts_holders(node)
        node.args = [visit(a) for a in node.args]
        for keyword in node.keywords:
            keyword.value = visit(keyword.value)
        called = func.attr if isinstance(func, ast.Attribute) else name
        if isinstance(func, ast.Attribute):
            func.value = self.visit(func.value)
        elif not isinstance(func, ast.Name):
            node.func = self.visit(func)
        if called in _FRAME_CALLS:
            return node
        if not self.copies:
            return self._runtime("call", [node.func, *node.args], node, keywords=node.keywords)
        args, named = node.args, node.keywords
        method = "callee_of_new" if lists else "callee"
        for made in lists:
            given(made)
        if counts and not lists:
            return self._one_by_one(node)
        again: list[ast.expr] = []
        if args:
            again = [placed(node, ast.Starred(self._runtime("given", [], node), ast.Load()))]
        keywords = []
        if named:
            keywords = [placed(node, ast.keyword(None, self._runtime("named", [], node)))]
        callee = self._runtime(method, [node.func, *args], node, keywords=named)
        call = placed(node, ast.Call(callee, again, keywords))
        return self._runtime("load", [call], node)

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        self._statement = node.value
        return self.generic_visit(node)

    def _counts_holders(self, call: ast.Call) -> bool:
        """Is it a statement that calls a method of what perhaps nobody else has? The method may
        count who has it."""
        func = call.func
        if call is not self._statement or not isinstance(func, ast.Attribute):
            return False
        stars = [a for a in call.args if isinstance(a, ast.Starred)]
        return (
            not isinstance(func.value, ast.Name) and not stars and all(k.arg for k in call.keywords)
        )

    def _one_by_one(self, node: ast.Call) -> ast.expr:
        """A call with as many arguments as in the text."""
        callee = self._runtime("method", [node.func, *node.args], node, keywords=node.keywords)
        again: list[ast.expr] = [self._runtime("next", [], a) for a in node.args]
        keywords = []
        for k in node.keywords:
            value = self._runtime("next", [placed(k, ast.Constant(k.arg))], k)
            keywords.append(placed(k, ast.keyword(k.arg, value)))
        return self._runtime("load", [placed(node, ast.Call(callee, again, keywords))], node)

    def _written(self, value: ast.expr) -> ast.expr:
        """What an element or an array is given."""
        return self._plain(value)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        node.value = self._written(node.value)
        if not isinstance(node.target, ast.Name):
            node.target = self.visit(node.target)
            return node
        old = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        kind = placed(node, ast.Constant(INPLACE[type(node.op)]))
        value = self._runtime("inplace", [kind, self.visit(old), node.value], node)
        return placed(node, ast.Assign([node.target], value))

    # Comprehensions ----------------------------------------------------------------------------
    def _comprehension(self, node: Any) -> Any:
        steps = isinstance(node, ast.GeneratorExp)
        copies = self.may_copy(node) and (steps or not isinstance(self.function, ast.Lambda))
        if copies:
            plain, number = self.plain_comprehension(node), self.loop_number(node)
        outer = self.targets
        self.targets = (outer or frozenset()).union(
            *(stored_names(g.target) for g in node.generators)
        )
        self.loops += copies
        self.generic_visit(node)
        self.loops -= copies
        self.targets = outer
        if not copies:
            return node
        if steps:
            return self.generator_twice(node, plain, number)
        return self.comprehension_twice(node, plain, number)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    # Places that are not evaluated as the cell's own arithmetic ---------------------------------
    def _visit_function(self, node: Any) -> Any:
        self.visit(node.args)
        body = node.body
        node.body = [finished(s) for s in body] if isinstance(body, list) else finished(body)
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _visit_function

    def inside(self, node: Any) -> Any:
        """The function with its own code rewritten."""
        body = node.body
        outer = self.function, self.variables, self.in_class, self.loops, self.targets
        self.function, self.variables = node, bound_names(node)
        self.in_class, self.loops, self.targets = False, 0, None
        if isinstance(body, list):
            node.shared = shared_names(node, self.variables)
            node.body = self._visited(body)
        else:
            node.body = self.visit(body)
        self.function, self.variables, self.in_class, self.loops, self.targets = outer
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        outer, self.in_class = self.in_class, True
        node.body = self._visited(node.body)
        self.in_class = outer
        return node


def rewrite(tree: ast.Module, filename: str, functions: frozenset[str]) -> ast.Module:
    """The rewritten module, in place. ``tree`` has its final line numbers.

    Args:
        functions: the names of those that the cell defines.
    """
    made = rewritten(tree, Rewriter(functions, filename))
    return Guarded(RUNTIME).visit(made)


def rewritten(tree: ast.Module, rewriter: Rewriter) -> Any:
    """The module with the runtime's hooks, in place."""
    tree.body = rewriter._visited(tree.body)
    return Exits(rewriter.runtime).visit(tree)


def defined_functions(tree: ast.AST) -> frozenset[str]:
    """The names of the functions that are defined somewhere in the tree."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(n.name for n in walk(tree) if isinstance(n, kinds))


def rewrite_function(node: Any, filename: str, class_name: str) -> Any:
    """A function's own code rewritten, in place.

    Args:
        class_name: of the class around it, which mangles names.
    """
    made = Rewriter(defined_functions(node), filename).inside(node)
    made = Exits(RUNTIME, class_name).visit(made)
    return Guarded(RUNTIME, class_name).visit(made)


def assigned_names(tree: ast.Module) -> list[str]:
    """Names that the cell binds in its own namespace, in order of first binding."""
    names: dict[str, None] = {}
    _assigned(tree, names)
    return list(names)


def _assigned(node: Any, names: dict[str, None]) -> None:
    kind = node.__class__
    if kind is ast.Name:
        if node.ctx.__class__ is ast.Store:
            names.setdefault(node.id)
    elif kind in _SCOPES:
        names.setdefault(node.name)
        for inner in walk(node):
            if isinstance(inner, ast.Global):
                for name in inner.names:
                    names.setdefault(name)
    elif kind in COMPREHENSIONS:  # its targets are its own; walruses are ours
        for inner in walk(node):
            if isinstance(inner, ast.NamedExpr):
                names.setdefault(inner.target.id)
    elif kind is not ast.Lambda:
        if kind is ast.MatchAs and node.name:
            names.setdefault(node.name)
        for child in children(node):
            _assigned(child, names)
