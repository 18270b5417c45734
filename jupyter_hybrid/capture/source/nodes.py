"""Syntax trees walked, copied and changed: what ``ast`` offers, at a fraction of its cost.

Every cell pays for this when it runs for the first time. Operators and contexts have no parts and
are shared.
"""

from __future__ import annotations

import ast
import gc
import sys
import time
from collections.abc import Callable
from typing import Any

from ... import _core

_trees = _core.syntax_trees
children, copied, walk = _trees.children, _trees.copied, _trees.walk
_FRAMES = 6  # of the stack that those who read a tree take for each node in another, and ...
_ELSE = 200  # ... beside that
_NO_NODES = frozenset(
    {"ctx", "op", "ops", "id", "attr", "arg", "module", "level", "kind", "type_comment", "simple"}
    | {"is_async", "conversion", "type_ignores"}
)
# What is evaluated later or never, as text, or is no expression though it looks like one.
_NOT_VISITED = frozenset({"annotation", "returns", "type_params", "pattern"})
_parts: dict[type, tuple[str, ...]] = {ast.Constant: (), ast.Global: (), ast.Nonlocal: ()}


class Rewriting:
    """Around the rewriting, and what units are made of: such trees have no circles, and so many new
    objects would make the collector go through all that is alive. ``seconds`` is what it has taken
    in this process; one inside another is counted once."""

    seconds = 0.0

    def __enter__(self) -> None:
        self._collects = gc.isenabled()
        gc.disable()
        self._before = Rewriting.seconds
        self._since = time.perf_counter()

    def __exit__(self, *_: Any) -> None:
        Rewriting.seconds = self._before + time.perf_counter() - self._since
        if self._collects:
            gc.enable()


def is_too_deep(tree: Any) -> bool:
    """Do so many nodes stand in each other that reading them would exceed the recursion limit?
    Python's own compiler has no such bound."""
    frame: Any = sys._getframe()
    frames = 0
    while frame is not None:
        frame, frames = frame.f_back, frames + 1
    room = sys.getrecursionlimit() - frames - _ELSE
    return bool(_trees.is_deeper(tree, max(0, room // _FRAMES)))


def finished(node: Any) -> Any:
    """A node that later steps of the rewriting leave alone."""
    node.finished = True
    return node


def is_finished(node: Any) -> bool:
    return getattr(node, "finished", False)


def given(display: Any) -> Any:
    """A list that is an argument: nobody else has it yet."""
    display.given = True
    return display


def is_given(display: Any) -> bool:
    return getattr(display, "given", False)


def _parts_of(kind: type) -> tuple[str, ...]:
    """The fields of a kind of node that may hold nodes."""
    found = _parts.get(kind)
    if found is None:
        names = (n for n in kind._fields if n not in _NO_NODES)  # type: ignore[attr-defined]
        found = _parts[kind] = tuple(names)
    return found


def placed(where: Any, made: Any) -> Any:
    """``made``, with the place of ``where`` in the text."""
    try:
        made.lineno, made.col_offset = where.lineno, where.col_offset
        made.end_lineno, made.end_col_offset = where.end_lineno, where.end_col_offset
    except AttributeError:  # arguments and modules have none
        pass
    return made


def call_of(owner: str, method: str, args: list[ast.expr], at: ast.AST, **rest: Any) -> ast.Call:
    """``owner.method(args)``, in the place of ``at``."""
    called = placed(at, ast.Attribute(placed(at, ast.Name(owner, ast.Load())), method, ast.Load()))
    if "end_lineno" in vars(called):  # Python puts a call where its method's name ends
        called.end_lineno, called.end_col_offset = called.lineno, called.col_offset
    made: ast.Call = placed(at, ast.Call(called, args, rest.get("keywords", [])))
    return made


def located(tree: Any) -> Any:
    """The tree; nodes without a place get that of the one around them."""
    _locate(tree, tree)
    return tree


def _locate(node: Any, around: Any) -> None:
    if getattr(node, "end_lineno", None) is None and "lineno" in node._attributes:
        placed(around, node)
    elif hasattr(node, "lineno"):
        around = node
    for child in children(node):
        _locate(child, around)


class Transformer:
    """As ``ast.NodeTransformer``; operators, contexts, annotations and patterns stay."""

    _visitors: dict[type, Callable[[Any, Any], Any]]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._visitors = {}

    def visit(self, node: Any) -> Any:
        """What stands in the node's place: a node, several, or None."""
        if getattr(node, "finished", False):
            return node
        kind = node.__class__
        method = self._visitors.get(kind)
        if method is None:
            method = getattr(type(self), f"visit_{kind.__name__}", None)
            if method is None:
                method = type(self).generic_visit if _parts_of(kind) else _stays
            self._visitors[kind] = method
        return method(self, node)

    def generic_visit(self, node: Any) -> Any:
        """Visits the nodes directly below."""
        for name in _parts_of(node.__class__):
            value = None if name in _NOT_VISITED else getattr(node, name, None)
            if value.__class__ is list:
                if value:
                    value[:] = self._visited(value)
            elif isinstance(value, ast.AST):
                new = self.visit(value)
                if new is None:
                    delattr(node, name)
                elif new is not value:
                    setattr(node, name, new)
        return node

    def visit_TypeAlias(self, node: Any) -> Any:
        return node

    def _visited(self, nodes: list[Any]) -> list[Any]:
        made: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.AST):
                new = self.visit(node)
                if isinstance(new, ast.AST):
                    made.append(new)
                elif new is not None:
                    made.extend(new)
            else:
                made.append(node)
        return made


def _stays(transformer: Transformer, node: Any) -> Any:
    return node


def through(method: str, *fields: str) -> Callable[[Any, Any], Any]:
    """A visitor after which what stands in these fields has passed through the method."""

    def visit(transformer: Any, node: Any) -> Any:
        transformer.generic_visit(node)
        change = getattr(transformer, method)
        for field in fields:
            found = getattr(node, field)
            made = [change(part) for part in found] if type(found) is list else change(found)
            setattr(node, field, made)
        return node

    return visit
