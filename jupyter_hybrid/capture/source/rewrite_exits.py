"""The rewriting's second half: where values leave an expression for a container or an attribute.

Stand-ins and recorded numbers live in names, arguments and results only (:mod:`..homes`). What an
attribute, a default, a class body, a set or a generator gets is real from the start
(``R.kept(x)``); lists and dicts are seen to when made (``R.held([a, b])``). Element and attribute
updates (``d["w"] += x``) go through the recorder, since what they update may be an array of the
graph.
"""

from __future__ import annotations

import ast
from typing import Any

from .nodes import Transformer, call_of, is_given, placed, through
from .scopes import given_names, mangled, stored_names
from .starred import held, held_in_case, held_in_step, starred_names

_NEVER_NUMBERS = (
    ast.Constant, ast.JoinedStr, ast.Lambda, ast.List, ast.Dict, ast.Set, ast.ListComp,
    ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Starred, ast.Compare, ast.Slice,
)  # fmt: skip
_NEVER_OURS = (ast.Constant, ast.JoinedStr, ast.Compare)
# The functions of `operator` that update in place.
INPLACE = {
    ast.Add: "iadd", ast.Sub: "isub", ast.Mult: "imul", ast.Div: "itruediv", ast.Mod: "imod",
    ast.FloorDiv: "ifloordiv", ast.Pow: "ipow", ast.MatMult: "imatmul", ast.BitAnd: "iand",
    ast.BitOr: "ior", ast.BitXor: "ixor", ast.LShift: "ilshift", ast.RShift: "irshift",
}  # fmt: skip


class Exits(Transformer):
    """Puts real values where they leave; ``runtime`` is the runtime's name."""

    def __init__(self, runtime: str, class_name: str = ""):
        self._runtime = runtime
        self._in_class = False
        self._class_name = class_name  # of the innermost class, which private names belong to
        self._shared: frozenset[str] = frozenset()  # variables that somebody else reads

    def _call(self, method: str, args: list[ast.expr], at: ast.AST) -> ast.Call:
        return call_of(self._runtime, method, args, at)

    def _plain(self, node: Any) -> Any:
        """``node``, already visited, giving a plain number where it gives a number."""
        if node is None or isinstance(node, _NEVER_NUMBERS):
            return node
        if isinstance(node, ast.Tuple):
            return node  # its elements are plain
        return self._call("plain", [node], node)

    def _kept(self, node: Any) -> Any:
        """``node``, already visited, giving what something else than a variable keeps."""
        if node is None or isinstance(node, _NEVER_OURS):
            return node
        if isinstance(node, ast.Tuple) and not any(isinstance(e, ast.Starred) for e in node.elts):
            node.elts = [self._kept(e) for e in node.elts]
            return node
        return self._call("kept", [node], node)

    def _held(self, node: Any) -> Any:
        """A list or dict display, whose values are seen to."""
        return self._call("held", [node], node)

    # Displays and comprehensions ------------------------------------------------------------------
    def _elements(self, node: Any) -> Any:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            node.elts = [self._plain(e) for e in node.elts]
        return node

    visit_Tuple = _elements

    def visit_List(self, node: ast.List) -> ast.expr:
        if is_given(node):
            return self._elements(node)
        self.generic_visit(node)
        loads = isinstance(node.ctx, ast.Load)
        return self._held(node) if loads and not all(map(_is_constant, node.elts)) else node

    visit_Set, visit_SetComp = through("_kept", "elts"), through("_kept", "elt")
    visit_GeneratorExp = through("_plain", "elt")

    def visit_Dict(self, node: ast.Dict) -> ast.expr:
        self.generic_visit(node)
        node.keys = [self._kept(k) for k in node.keys]
        return node if all(map(_is_constant, node.values)) else self._held(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        self.generic_visit(node)
        held_in_step(node, self._call)
        return node

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        self.generic_visit(node)
        if not is_given(node):
            return self._held(node)
        node.elt = self._plain(node.elt)
        return node

    def visit_DictComp(self, node: ast.DictComp) -> ast.expr:
        self.generic_visit(node)
        node.key = self._kept(node.key)
        return self._held(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Store):
            node.slice = self._plain(node.slice)  # a key that stays in a dict
        elif isinstance(node.ctx, ast.Del) and not isinstance(node.slice, ast.Slice):
            node.slice = self._kept(node.slice)  # nobody else asks for it
        return node

    visit_Slice = through("_plain", "lower", "upper", "step")
    visit_Yield = through("_kept", "value")

    # Assignments ----------------------------------------------------------------------------------
    def _shared_among(self, *targets: ast.expr | None) -> list[str]:
        """Those variables among what is assigned."""
        stored = [name for t in targets if t is not None for name in stored_names(t)]
        return [name for name in dict.fromkeys(stored) if name in self._shared]

    def _seen_to(self, at: ast.AST, *targets: ast.expr | None) -> list[ast.stmt]:
        """What follows an assignment to these."""
        made = held(starred_names(*targets), at, self._call)
        return [*made, *self._again(self._shared_among(*targets), at)]

    def _again(self, names: list[str], at: ast.AST) -> list[ast.stmt]:
        """``name = R.kept(name)`` for each."""
        made: list[ast.stmt] = []
        for name in names:
            value = self._call("kept", [placed(at, ast.Name(name, ast.Load()))], at)
            to = placed(at, ast.Name(name, ast.Store()))
            made.append(placed(at, ast.Assign([to], value)))
        return made

    def visit_Assign(self, node: ast.Assign) -> Any:
        if isinstance(node.value, ast.Tuple) and all(map(_unpacks_to_names, node.targets)):
            node.value.elts = [self.visit(e) for e in node.value.elts]  # stays in names
            return [node, *self._seen_to(node, *node.targets)]
        self.generic_visit(node)
        names = all(map(_is_name, node.targets))
        if self._in_class or (names and self._shared_among(*node.targets)):
            node.value = self._kept(node.value)
            return node
        if not names:
            node.value = self._plain(node.value)
        return [node, *self._seen_to(node, *node.targets)]

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:
        self.generic_visit(node)
        if self._shared_among(node.target):
            node.value = self._kept(node.value)
        return node

    def _first_in_body(self, node: Any, *targets: ast.expr | None) -> Any:
        self.generic_visit(node)
        node.body = [*self._seen_to(node.body[0], *targets), *node.body]
        return node

    def visit_For(self, node: Any) -> Any:
        return self._first_in_body(node, node.target)

    def visit_With(self, node: Any) -> Any:
        return self._first_in_body(node, *(item.optional_vars for item in node.items))

    visit_AsyncFor, visit_AsyncWith = visit_For, visit_With

    def visit_match_case(self, node: Any) -> Any:
        self.generic_visit(node)
        held_in_case(node, self._call)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        self.generic_visit(node)
        if self._in_class or self._shared_among(node.target):
            node.value = self._kept(node.value)
        elif not _is_name(node.target):
            node.value = self._plain(node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        self.generic_visit(node)
        target = node.target
        if isinstance(target, ast.Subscript):
            found = self._call("item", [target.value, target.slice], target)
        elif isinstance(target, ast.Attribute):
            text = mangled(target.attr, self._class_name)
            name = placed(target, ast.Constant(text))
            found = self._call("attribute", [target.value, name], target)
        else:
            return node
        kind = ast.copy_location(ast.Constant(INPLACE[type(node.op)]), node)
        call = self._call("augment", [kind, found, self._plain(node.value)], node)
        return placed(node, ast.Expr(call))

    # Scopes ---------------------------------------------------------------------------------------
    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        outside = self._in_class, self._class_name, self._shared
        self._in_class, self._class_name, self._shared = True, node.name, frozenset()
        self.generic_visit(node)
        self._in_class, self._class_name, self._shared = outside
        return node

    visit_arguments = through("_kept", "defaults", "kw_defaults")

    def _function(self, node: Any) -> Any:
        self.visit(node.args)
        outside = self._in_class, self._shared
        self._in_class, self._shared = False, getattr(node, "shared", frozenset())
        if isinstance(node, ast.Lambda):
            node.body = self.visit(node.body)
        else:
            node.decorator_list = [self.visit(d) for d in node.decorator_list]
            node.body = self._body(node)
        self._in_class, self._shared = outside
        return node

    def _body(self, function: Any) -> list[ast.stmt]:
        """Its statements; parameters that somebody else reads are real before the first."""
        body, at = function.body, function.body[0]
        first: list[ast.stmt] = []
        if hasattr(function, "shared"):
            given = [name for name in given_names(function.args) if name in self._shared]
            named = function.args.kwarg
            first = [*self._again(given, at), *held([named.arg] if named else [], at, self._call)]
        start = 1 if ast.get_docstring(function, clean=False) is not None else 0
        return [*self._visited(body[:start]), *first, *self._visited(body[start:])]

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _function


def _is_constant(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant)


def _is_name(target: ast.expr) -> bool:
    return isinstance(target, ast.Name)


def _unpacks_to_names(target: ast.expr) -> bool:
    return isinstance(target, (ast.Tuple, ast.List)) and all(map(_is_name, target.elts))
