"""The functions that a script consists of, rewritten: its own and those that it calls."""

from __future__ import annotations

import ast
import inspect
import types
import weakref
from collections.abc import Callable
from typing import Any

from ...capture.source.sources import NoSource
from ...capture.twins import rewritten_code, with_code
from ..control.errors import NotConvertible
from ..control.loop_else import lower_else
from ..control.returns import lower_returns
from ..control.rewriter import rewrite
from ..own_source import function_of

_REFUSED: dict[type, str] = {
    ast.Global: "`global`", ast.Nonlocal: "`nonlocal`", ast.Delete: "`del`", ast.Try: "`try`",
    ast.With: "`with`", ast.AsyncWith: "`async with`", ast.AsyncFor: "`async for`",
    ast.AsyncFunctionDef: "`async def`", ast.ClassDef: "`class`", ast.Import: "`import`",
    ast.ImportFrom: "`import`", ast.Yield: "`yield`", ast.YieldFrom: "`yield`",
    ast.Await: "`await`", ast.NamedExpr: "`:=`",
}  # fmt: skip
_rewritten: weakref.WeakKeyDictionary[Any, Callable] = weakref.WeakKeyDictionary()
_own: weakref.WeakSet[types.CodeType] = weakref.WeakSet()  # code that is rewritten already


def place_of_function(function: Any) -> tuple[str, int]:
    """(file, line) of its definition."""
    code = function.__code__
    return code.co_filename, code.co_firstlineno


def is_rewritten(function: Any) -> bool:
    """Is it (a part of) a function that :func:`rewritten` made?"""
    return getattr(function, "__code__", None) in _own


def rewritten(function: types.FunctionType) -> Callable:
    """The function for tracing. Raises NotConvertible, or NoSource when there is none."""
    found = _rewritten.get(function)
    if found is None:
        found = _rewritten[function] = _rewrite(function)
    return found


def _rewrite(function: types.FunctionType) -> Callable:
    code = function.__code__
    if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR):
        raise NotConvertible("it is a generator or a coroutine", place_of_function(function))
    _, found = function_of(code)
    definition = found.copied()
    if _has_private_names(definition):
        raise NotConvertible("it uses names that its class mangles", place_of_function(function))
    _check(definition, code.co_filename)
    lower_else(definition)
    for inner in ast.walk(definition):
        if isinstance(inner, ast.FunctionDef):
            why = lower_returns(inner)
            if why:
                raise NotConvertible(why, (code.co_filename, inner.lineno))
    (node,) = rewrite(ast.Module([definition], []), code.co_filename).body
    made = with_code(function, rewritten_code(code, found, node))
    stack = [made.__code__]
    while stack:
        one = stack.pop()
        _own.add(one)
        stack.extend(c for c in one.co_consts if isinstance(c, types.CodeType))
    return made


def _has_private_names(definition: ast.FunctionDef) -> bool:
    """Does it use names that a class around it would mangle?"""
    names = [n.id for n in ast.walk(definition) if isinstance(n, ast.Name)]
    names += [n.attr for n in ast.walk(definition) if isinstance(n, ast.Attribute)]
    return any(n.startswith("__") and not n.endswith("__") for n in names)


def _check(definition: ast.FunctionDef, filename: str) -> None:
    for statement in definition.body:
        for node in ast.walk(statement):
            what = _REFUSED.get(type(node))
            stores = isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))
            if isinstance(node, ast.Attribute) and stores:
                what = "a write of an attribute"
            if type(node).__name__ == "TryStar":
                what = "`try`"
            if what:
                line = getattr(node, "lineno", definition.lineno)
                raise NotConvertible(f"{what} has no place in a graph", (filename, line))


def writes_to(function: types.FunctionType, name: str) -> tuple[str, int]:
    """Where a function writes an element of one of its names; else its definition."""
    try:
        _, found = function_of(function.__code__)
    except NoSource:
        return place_of_function(function)
    for node in ast.walk(found.node):
        writes = isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
        if writes and getattr(node.value, "id", "") == name:  # type: ignore[attr-defined]
            return function.__code__.co_filename, node.lineno  # type: ignore[attr-defined]
    return place_of_function(function)
