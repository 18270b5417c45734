"""The rewriting's second half: where values leave an expression for a container or an attribute.

Recorded numbers live in names, arguments and results only. What is put into a list, dict, set or
generator, an attribute, an element, a default or a class body is a plain number from the start.
Element and attribute updates (``d["w"] += x``) go through the recorder, since what they update may
be an array of the graph.
"""

from __future__ import annotations

import ast
from typing import Any

from .nodes import Transformer, placed
from .scopes import mangled

_NEVER_NUMBERS = (
    ast.Constant, ast.JoinedStr, ast.Lambda, ast.List, ast.Dict, ast.Set, ast.ListComp,
    ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Starred, ast.Compare, ast.Slice,
)  # fmt: skip


class Exits(Transformer):
    """Unwraps numbers where they leave; ``names`` are the runtime and its in-place operators."""

    def __init__(self, runtime: str, inplace: dict[Any, str], class_name: str = ""):
        self._runtime = runtime
        self._inplace = inplace
        self._in_class = False
        self._class_name = class_name  # of the innermost class, which private names belong to

    def _call(self, method: str, args: list[ast.expr], at: ast.AST) -> ast.Call:
        attribute = ast.Attribute(ast.Name(self._runtime, ast.Load()), method, ast.Load())
        call = ast.Call(attribute, args, [])
        for node in (attribute, attribute.value, call):
            placed(at, node)
        return call

    def _plain(self, node: Any) -> Any:
        """``node``, already visited, giving a plain number where it gives a number."""
        if node is None or isinstance(node, _NEVER_NUMBERS):
            return node
        if isinstance(node, ast.Tuple):
            return node  # its elements are plain
        return self._call("plain", [node], node)

    # Displays and comprehensions ------------------------------------------------------------------
    def _elements(self, node: Any) -> Any:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            node.elts = [self._plain(e) for e in node.elts]
        return node

    visit_List = visit_Tuple = _elements

    def visit_Set(self, node: ast.Set) -> ast.expr:
        self.generic_visit(node)
        node.elts = [self._plain(e) for e in node.elts]
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.expr:
        self.generic_visit(node)
        node.keys = [self._plain(k) for k in node.keys]
        node.values = [
            self._plain(v) if k else v for k, v in zip(node.keys, node.values, strict=True)
        ]
        return node

    def _comprehension(self, node: Any) -> Any:
        self.generic_visit(node)
        node.elt = self._plain(node.elt)
        return node

    visit_ListComp = visit_SetComp = visit_GeneratorExp = _comprehension

    def visit_DictComp(self, node: ast.DictComp) -> ast.expr:
        self.generic_visit(node)
        node.key, node.value = self._plain(node.key), self._plain(node.value)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            node.slice = self._plain(node.slice)  # a key that stays in a dict
        return node

    def visit_Slice(self, node: ast.Slice) -> ast.expr:
        self.generic_visit(node)
        node.lower, node.upper, node.step = map(self._plain, (node.lower, node.upper, node.step))
        return node

    def visit_Yield(self, node: ast.Yield) -> ast.expr:
        self.generic_visit(node)
        node.value = self._plain(node.value)
        return node

    # Assignments ----------------------------------------------------------------------------------
    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        if isinstance(node.value, ast.Tuple) and all(map(_unpacks_to_names, node.targets)):
            node.value.elts = [self.visit(e) for e in node.value.elts]  # stays in names
            return node
        self.generic_visit(node)
        if self._in_class or not all(map(_is_name, node.targets)):
            node.value = self._plain(node.value)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        if node.value is not None:
            node.value = self.visit(node.value)
            if self._in_class or not isinstance(node.target, ast.Name):
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
        if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice):
            bounds = [target.slice.lower, target.slice.upper, target.slice.step]
            none = placed(target, ast.Constant(None))
            made = self._call("slice", [b or none for b in bounds], target)
            found.args[1] = made
        kind = ast.copy_location(ast.Constant(self._inplace[type(node.op)]), node)
        call = self._call("augment", [kind, found, self._plain(node.value)], node)
        return placed(node, ast.Expr(call))

    # Scopes ---------------------------------------------------------------------------------------
    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        outside = self._in_class, self._class_name
        self._in_class, self._class_name = True, node.name
        self.generic_visit(node)
        self._in_class, self._class_name = outside
        return node

    def _function(self, node: Any) -> Any:
        args = node.args
        args.defaults = [self._plain(self.visit(d)) for d in args.defaults]
        args.kw_defaults = [d and self._plain(self.visit(d)) for d in args.kw_defaults]
        outside, self._in_class = self._in_class, False
        if isinstance(node, ast.Lambda):
            node.body = self.visit(node.body)
        else:
            node.body = [self.visit(s) for s in node.body]
            node.decorator_list = [self.visit(d) for d in node.decorator_list]
        self._in_class = outside
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _function


def _is_name(target: ast.expr) -> bool:
    return isinstance(target, ast.Name)


def _unpacks_to_names(target: ast.expr) -> bool:
    return isinstance(target, (ast.Tuple, ast.List)) and all(map(_is_name, target.elts))
