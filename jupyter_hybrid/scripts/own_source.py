"""The source of a function or block that is to be scripted, where it is still what runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import CodeType

from ..capture.source.definitions import Definition, candidates, definition_of
from ..capture.source.sources import FUTURES, NoSource, check_unchanged, file_of, is_cell


def function_of(code: CodeType) -> tuple[list[str], Definition]:
    """(lines of its file, definition) of a function, of one too that a tool rewrote on import, as
    pytest does with ``assert``. Raises NoSource."""
    lines, _ = file_of(code)
    try:
        found = definition_of(code)
    except NoSource:
        similar = candidates(code)
        if len(similar) != 1:
            raise
        check_unchanged(code.co_filename)
        (found,) = similar
    if not isinstance(found.node, ast.FunctionDef):
        raise NoSource("it is no function with a name")
    return lines, found


def check_current(code: CodeType, tree: ast.Module) -> None:
    """Raises NoSource when the file may have been edited after the code was compiled from it."""
    if is_cell(code.co_filename):
        return
    flags = code.co_flags & FUTURES
    again = compile(tree, code.co_filename, "exec", flags, True)
    for other in _codes(again):
        if other == code:
            return
    check_unchanged(code.co_filename)  # a tool may have rewritten it on import


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
