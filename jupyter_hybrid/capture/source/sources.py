"""The source of running code: which part of a file a function or a with-block is."""

from __future__ import annotations
import __future__

import ast
import linecache
import os
import time
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType

#: Compiler flags of all ``from __future__`` imports.
FUTURES = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
_STARTED = time.time()


class NoSource(Exception):
    """The source can't be had; the message says why."""


@lru_cache(maxsize=32)
def _parsed(text: str, filename: str) -> ast.Module:
    try:
        return ast.parse(text, filename)
    except (SyntaxError, ValueError):
        raise NoSource("its source is not Python") from None


def file_of(code: CodeType) -> tuple[list[str], ast.Module]:
    """(lines, syntax tree) of the file that the code was compiled from. Raises NoSource."""
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename)
    if not lines:
        raise NoSource(f"there is no source of {code.co_filename}")
    return lines, _parsed("".join(lines), code.co_filename)


def function_of(code: CodeType) -> tuple[list[str], ast.FunctionDef]:
    """(lines of its file, definition) of a function. Raises NoSource."""
    lines, tree = file_of(code)
    found = [
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.FunctionDef)
        and n.name == code.co_name
        and min([n.lineno, *(d.lineno for d in n.decorator_list)]) == code.co_firstlineno
    ]
    if len(found) != 1:
        raise NoSource("its definition was not found in its file")
    check_current(code, tree)
    return lines, found[0]


def check_current(code: CodeType, tree: ast.Module) -> None:
    """Raises NoSource when the file may have been edited after the code was compiled from it."""
    cached = linecache.cache.get(code.co_filename)
    if cached is not None and len(cached) > 1 and cached[1] is None:
        return  # a notebook cell: its file name stands for this text
    flags = code.co_flags & FUTURES
    again = compile(tree, code.co_filename, "exec", flags, True)
    for other in _codes(again):
        if other == code:
            return
    # Code that a tool rewrote on import, as pytest does with assert.
    try:
        changed = os.stat(code.co_filename).st_mtime
    except OSError:
        changed = _STARTED
    if changed >= _STARTED:
        raise NoSource("its file was changed after it was imported")


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
