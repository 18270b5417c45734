"""A cell's text made runnable: parsed, line numbers as the user sees them, compiled."""

from __future__ import annotations

import ast
import copy
import linecache
from dataclasses import dataclass
from types import CodeType
from typing import Any

from .rewrite import assigned_names, has_top_level_await, rewrite


@dataclass
class Cell:
    """One cell, ready to run.

    ``lines`` is the whole cell, the magic line first; every line number in errors, graphs and
    reports is 1-based in it.
    """

    id: str | None
    filename: str
    lines: list[str]
    first_line: int
    tree: ast.Module
    names: list[str]  # bound by the cell, in order
    quiet: bool  # the last line ends in ";": its value is not shown
    awaits: bool  # at its top level

    def code(self, rewritten: bool) -> tuple[CodeType, CodeType | None]:
        """(statements, last expression or None), rewritten for recording or as written."""
        tree = copy.deepcopy(self.tree)
        if rewritten:
            tree = rewrite(tree)
        last = tree.body[-1] if tree.body else None
        shown = None
        if isinstance(last, ast.Expr):
            tree.body.pop()
            shown = compile(ast.Expression(last.value), self.filename, "eval")
        return compile(tree, self.filename, "exec"), shown


def prepare(shell: Any, body: str, magic_line: str | None, cell_id: str | None) -> Cell:
    """Parses a cell's body. Raises SyntaxError at the user's own line.

    Args:
        shell: the IPython shell; its input transformers and compiler cache are used.
        body: the text below the magic line.
        magic_line: the first line as written; None when symbolic is the default mode.
        cell_id: the notebook's id of the cell, where there is one.
    """
    offset = 0 if magic_line is None else 1
    text = body if magic_line is None else f"{magic_line}\n{body}"
    source = shell.transform_cell(body) if body.strip() else body
    filename = shell.compile.cache(text, shell.execution_count, raw_code=text)
    linecache.checkcache(filename)
    padded = "\n" * offset + source
    tree = ast.parse(padded, filename, "exec")
    return Cell(
        id=cell_id,
        filename=filename,
        lines=text.splitlines(),
        first_line=offset + 1,
        tree=tree,
        names=assigned_names(tree),
        quiet=source.rstrip().endswith(";"),
        awaits=has_top_level_await(tree),
    )
