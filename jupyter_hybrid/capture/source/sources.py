"""The source of running code: which part of a file a function or a with-block is."""

from __future__ import annotations
import __future__

import ast
import linecache
import os
import sysconfig
import time
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from ...np_face.float_errors import unheard
from ...np_face.frames import OWN
from ...reasons import Reasoned

#: Compiler flags of all ``from __future__`` imports.
FUTURES = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
_STARTED = time.time()
#: Folders of Python's library, and of it and what is installed beside it.
STDLIB = tuple({sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib")})
INSTALLED = (*STDLIB, *{sysconfig.get_path(name) + os.sep for name in ("purelib", "platlib")})
_cells: dict[str, str] = {}  # the Python of cells under a magic, by file name
_recorded: set[str] = set()  # files of which a part has been recorded


class NoSource(Reasoned):
    """The source can't be had; the message says why."""


@lru_cache(maxsize=32)
def _parsed(text: str, filename: str) -> ast.Module:
    try:
        with unheard():
            return ast.parse(text, filename)
    except (SyntaxError, ValueError):
        raise NoSource("its source is not Python") from None
    except (RecursionError, MemoryError):  # its functions were compiled one by one, or elsewhere
        raise NoSource("its source is nested too deeply") from None


def remember(filename: str, text: str) -> None:
    """A cell's text as Python, on its lines; the one that tools show has the magic above."""
    _cells[filename] = text


def is_cell(filename: str) -> bool:
    """Does this name stand for a text that can't change: a cell's?"""
    if filename in _cells:
        return True
    cached = linecache.cache.get(filename)
    return cached is not None and len(cached) > 1 and cached[1] is None


def module_of(function: FunctionType) -> str:
    """Where its code was written: `functools.wraps` copies another function's ``__module__``."""
    name = function.__globals__.get("__name__")
    return name if type(name) is str else ""


def is_pythons(module: Any) -> bool:
    """Is it a module of Python's own? A file of the user's may have the name of one."""
    origin = getattr(getattr(module, "__spec__", None), "origin", None)
    if type(origin) is not str:
        return False
    return origin in ("built-in", "frozen") or (
        origin.startswith(STDLIB) and "site-packages" not in origin
    )


def note_recorded(filename: str) -> None:
    """A part of this file is recorded: its functions are the user's, wherever it lies."""
    _recorded.add(filename)


def is_users(filename: str) -> bool:
    """A cell, or a module below the notebook's folder that is not installed."""
    if filename in _recorded or is_cell(filename):
        return True
    path = os.path.abspath(filename)
    return not path.startswith((*INSTALLED, *OWN)) and path.startswith(os.getcwd() + os.sep)


def file_of(code: CodeType) -> tuple[list[str], ast.Module]:
    """(lines, syntax tree) of the file that the code was compiled from. Raises NoSource."""
    text = _cells.get(code.co_filename)
    if text is not None:
        return text.splitlines(True), _parsed(text, code.co_filename)
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename)
    if not lines:
        raise NoSource("there is no source of {co_filename}", co_filename=code.co_filename)
    return lines, _parsed("".join(lines), code.co_filename)


def check_unchanged(filename: str) -> None:
    """Raises NoSource when the file has been written since this process began."""
    try:
        changed = os.stat(filename).st_mtime
    except OSError:
        changed = _STARTED
    if changed >= _STARTED and not is_cell(filename):
        raise NoSource("its file was changed after it was imported")
