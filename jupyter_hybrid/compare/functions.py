"""Writes of a Python function that could reach beyond its own call, found in its source."""

from __future__ import annotations

import ast
import dis
import inspect
import textwrap
import types
from collections.abc import Callable
from functools import lru_cache
from typing import Any

Write = tuple[int, str, str]  # line in the function, kind, name


def unsafe_writes(frame: types.FrameType, foreign: Callable[[Any], bool]) -> str | None:
    """What the function that starts in ``frame`` would change outside its call, or None."""
    code = frame.f_code
    if code.co_name == "<module>":
        return None
    where = f"in {code.co_name}"
    writes = _writes(code)
    if writes is None:
        return f"calls {code.co_name}, whose source can't be read"
    for _, kind, name in writes:
        if kind == "global":
            return f"assigns the global {name!r} ({where})"
        if kind == "outside":
            return f"changes {name!r}, which {code.co_name} does not own"
        if name in frame.f_locals and foreign(frame.f_locals[name]):
            shown = type(frame.f_locals[name]).__name__
            return f"changes its argument {name!r}, a {shown} that was there before ({where})"
    return None


@lru_cache(maxsize=512)
def _writes(code: types.CodeType) -> tuple[Write, ...] | None:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(code)))
    except (OSError, TypeError, SyntaxError, IndentationError):
        return None if _stores(code) else ()
    return tuple(_find(tree, code))


def _stores(code: types.CodeType) -> bool:
    """Does the byte code write anything but its own locals?"""
    names = {"STORE_ATTR", "STORE_GLOBAL", "STORE_SUBSCR", "DELETE_ATTR", "DELETE_SUBSCR"}
    names.add("STORE_SLICE")  # 3.12 has it for elements, too
    return any(i.opname in names for i in dis.get_instructions(code))


def _find(tree: ast.AST, code: types.CodeType) -> list[Write]:
    parameters = set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    declared: set[str] = set()
    borrowed: set[str] = set()  # locals that name something reached through another object
    stored: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            declared |= set(node.names)
        elif isinstance(node, ast.Assign):
            taken = isinstance(node.value, (ast.Attribute, ast.Subscript, ast.Name, ast.IfExp))
            for target in node.targets:
                names = {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
                stored |= names
                borrowed |= names if taken else set()
        elif isinstance(node, (ast.For, ast.comprehension)):
            names = {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
            stored |= names
            borrowed |= names
    found: list[Write] = []
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            if node.id in declared:
                found.append((line, "global", node.id))
        elif isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(
            node.ctx, ast.Load
        ):
            root, deep = node.value, False
            while isinstance(root, (ast.Attribute, ast.Subscript)):
                root, deep = root.value, True
            name = root.id if isinstance(root, ast.Name) else ""
            if not name:
                continue  # of a call's result
            if name in parameters:
                found.append((line, "argument", name))
            elif name not in stored or (
                # Arrays are read-only meanwhile; anything else reached so may be shared.
                (name in borrowed or deep) and isinstance(node, ast.Attribute)
            ):
                found.append((line, "outside", name))
    return found
