"""Which cell of the notebook a file name of compiled code stands for, as traces tell it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from .. import _core

_cells: dict[str, str] = {}


def register(filename: str, cell_id: str | None) -> None:
    """Lines of this file are a cell's from now on. (Cells with the same text share a name.)"""
    if cell_id and _cells.get(filename) != cell_id:
        _cells[filename] = cell_id
        _core.register_cell_file(filename, cell_id)


def cell_starts(shell: Any, info: Any) -> None:
    """IPython is about to run a cell, as it is or by us."""
    cell_id = getattr(info, "cell_id", None)
    if cell_id:
        register(_named(shell.compile, info.raw_cell), cell_id)


# A kernel names a cell's file by a hash of its text, which takes a while.
@lru_cache(maxsize=1024)
def _named(compiler: Any, text: str) -> str:
    return str(compiler.get_code_name(text, text, 0))
