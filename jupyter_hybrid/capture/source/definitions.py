"""Which part of a text a function was compiled from.

Functions that begin in the code's line and have its name are compiled once more, each alone between
the functions and classes around it; the one that gives the same code is it. What was made in
another way (``exec``, a text that has changed since, a tool that rewrites modules) has none.
"""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import Any

from ...np_face.float_errors import unheard
from .nodes import copied, is_too_deep, located, placed
from .scopes import FUNCTIONS
from .sources import FUTURES, NoSource, file_of, is_users

_TYPE_PARAMS: dict[str, Any] = {"type_params": []} if sys.version_info >= (3, 12) else {}


@dataclass(frozen=True)
class Definition:
    """A function in a syntax tree that nobody changes."""

    node: Any  # a function definition or a lambda
    around: tuple[Any, ...]  # the functions and classes that it stands in, outermost first

    @property
    def place(self) -> tuple[int, str]:
        """Its first line and its name, as code has them."""
        decorators = getattr(self.node, "decorator_list", [])
        first = min([self.node.lineno, *(d.lineno for d in decorators)])
        return first, getattr(self.node, "name", "<lambda>")

    @property
    def class_name(self) -> str:
        """The class that mangles its private names."""
        classes = [s.name for s in self.around if isinstance(s, ast.ClassDef)]
        return classes[-1] if classes else ""

    def copied(self) -> Any:
        """The function for its code alone: what is evaluated where it is made is ``None``."""
        node = copied(self.node)
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                argument.annotation = None
        node.args.defaults = [_none(d) for d in node.args.defaults]
        node.args.kw_defaults = [d and _none(d) for d in node.args.kw_defaults]
        if not isinstance(node, ast.Lambda):
            node.decorator_list = [_none(d) for d in node.decorator_list]
            node.returns = None
            vars(node).update(_TYPE_PARAMS)
        return node

    def compiled(self, node: Any, code: CodeType) -> CodeType:
        """The code of ``node``, which stands for this function, whose own code is given."""
        free = list(code.co_freevars)
        if self.class_name and "__class__" in free:
            free.remove("__class__")  # of the class around it
        scopes = list(self.around)
        functions = [s for s in scopes if not isinstance(s, ast.ClassDef)]
        if free and not functions:  # variables of a comprehension
            functions = [placed(self.node, ast.Lambda(_arguments([]), self.node))]
            scopes = functions + scopes
        for scope in reversed(scopes):
            variables = free if functions and scope is functions[0] else []
            node = placed(self.node, _scope(scope, node, variables))
        tree = located(ast.Module([_statement(node)], []))
        with unheard():
            made = compile(tree, code.co_filename, "exec", code.co_flags & FUTURES, True)
        for _ in range(len(scopes) + 1):
            (made,) = (c for c in made.co_consts if isinstance(c, CodeType))
        return made


def definition_of(code: CodeType) -> Definition:
    """The definition that gives this code. Raises NoSource without one."""
    for found in candidates(code):
        try:
            if found.compiled(found.copied(), code) == code:
                return found
        except (SyntaxError, ValueError):
            continue  # not without what is left out
    raise NoSource("its definition was not found in its file")


def users_definition(code: CodeType) -> Definition | None:
    """The same of the user's code; None of that of others, or without a definition."""
    if not is_users(code.co_filename):
        return None
    try:
        return definition_of(code)
    except NoSource:
        return None


def candidates(code: CodeType) -> list[Definition]:
    """The functions that begin in its line and have its name. Raises NoSource without a file, or
    where one is nested too deeply to be read."""
    found = _by_place(file_of(code)[1]).get((code.co_firstlineno, code.co_name), [])
    if any(is_too_deep(definition.node) for definition in found):
        raise NoSource("it is nested too deeply")
    return found


@lru_cache(maxsize=32)
def _by_place(tree: ast.Module) -> dict[tuple[int, str], list[Definition]]:
    found: dict[tuple[int, str], list[Definition]] = {}
    stack: list[tuple[ast.AST, tuple[Any, ...]]] = [(tree, ())]
    while stack:
        node, around = stack.pop()
        if isinstance(node, FUNCTIONS):
            made = Definition(node, around)
            found.setdefault(made.place, []).append(made)
        scope = isinstance(node, (*FUNCTIONS, ast.ClassDef))
        for name, value in ast.iter_fields(node):
            inside = (*around, node) if scope and name == "body" else around
            children = value if isinstance(value, list) else [value]
            stack += [(c, inside) for c in children if isinstance(c, ast.AST)]
    return found


def _none(node: ast.expr) -> ast.expr:
    return placed(node, ast.Constant(None))


def _arguments(names: list[str]) -> ast.arguments:
    return ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, [])


def _statement(node: Any) -> ast.stmt:
    return node if isinstance(node, ast.stmt) else placed(node, ast.Expr(node))


def _scope(scope: Any, node: Any, variables: list[str]) -> Any:
    """A scope of this kind and name with the node and nothing else in it."""
    if isinstance(scope, ast.Lambda):
        return ast.Lambda(_arguments(variables), node)
    body = [_statement(node)]
    if isinstance(scope, ast.ClassDef):
        return ast.ClassDef(scope.name, [], [], body, [], **_TYPE_PARAMS)
    return ast.FunctionDef(scope.name, _arguments(variables), body, [], **_TYPE_PARAMS)
