"""A cell's text made runnable: parsed, line numbers as the user sees them, compiled."""

from __future__ import annotations
import __future__

import ast
import io
import linecache
import tokenize
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from inspect import CO_COROUTINE
from types import CodeType
from typing import Any, Literal, NamedTuple

from ..np_face.float_errors import unheard
from .cell_files import register
from .running import running
from .source.loops import may_try
from .source.nodes import Rewriting, copied, is_too_deep
from .source.rewrite import assigned_names, defined_functions, rewrite
from .source.scopes import awaits
from .source.sources import FUTURES, remember
from .source.with_units import with_units

_NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER, tokenize.DEDENT}
_PREPARED = 64  # cells that are kept ready to run again
_prepared: OrderedDict[tuple, Cell] = OrderedDict()
#: How a cell runs: recorded as graphs, as written but for loops that run compiled, or as written.
Way = Literal["recorded", "compiled", "written"]


@dataclass(eq=False)
class Cell:
    """One cell, ready to run; not changed by running.

    ``lines`` is the whole cell, the magic lines first; every line number in errors, graphs and
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
    source: str = ""  # the body as Python, after IPython's transformations
    flags: int = 0  # of the compiler: the session's ``from __future__`` imports
    warns: bool = False  # Python does, whenever it is compiled
    is_deep: bool = False  # so nested that it can only run as written
    memo: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)  # found out about it
    loops: list[range] = field(default_factory=list, init=False, repr=False)  # tried as units
    _codes: dict[tuple[int, Way], CodeType] = field(default_factory=dict, repr=False)

    def codes(self, way: Way = "written") -> Iterator[CodeType]:
        """Its statements, each compiled when the one before has run, as IPython does. They give
        None; a last one that is an expression gives its value, which is shown."""
        return (self.code(number, way) for number in range(len(self.tree.body)))

    def code(self, number: int, way: Way) -> CodeType:
        """A statement, rewritten for that way to run it."""
        if self.warns:
            as_written = self._compile(number, "written")
            if way == "written":
                return as_written
        known = self._codes.get((number, way))
        if known is None:
            with Rewriting(), unheard():
                known = self._codes[number, way] = self._compile(number, way)
        return known

    @cached_property
    def _functions(self) -> frozenset[str]:
        return defined_functions(self.tree) if "def" in self.source else frozenset()

    def _compile(self, number: int, way: Way) -> CodeType:
        flags = self.flags | (ast.PyCF_ALLOW_TOP_LEVEL_AWAIT if self.awaits else 0)
        tree: Any = ast.Module([self.tree.body[number]], [])
        if way == "recorded":
            tree = rewrite(copied(tree), self.filename, self._functions)
        elif way == "compiled":
            first = len(may_try)
            tree = with_units(copied(tree), self.filename)
            self.loops.append(range(first, len(may_try)))
        is_last = number == len(self.tree.body) - 1
        if not (is_last and isinstance(self.tree.body[number], ast.Expr)):
            return compile(tree, self.filename, "exec", flags, True)
        (last,) = tree.body
        return compile(ast.Expression(last.value), self.filename, "eval", flags, True)


def prepare(
    shell: Any,
    body: str,
    magic_line: str | None,
    cell_id: str | None,
    read: Callable[[str], str],
) -> Cell:
    """Parses a cell's body. Raises SyntaxError at the user's own line.

    A cell that was run before is found again with its compiled code.

    Args:
        shell: the IPython shell; its input transformers and compiler cache are used.
        body: the text below the magic line.
        magic_line: the first line as written; None when symbolic is the default mode.
        cell_id: the notebook's id of the cell, where there is one.
        read: gives a text after IPython's transformations.
    """
    found = running.whole(body)
    if found is not None:
        text, offset = found
    else:
        offset = 0 if magic_line is None else 1
        text = body if magic_line is None else f"{magic_line}\n{body}"
    number = _number(shell)
    numbers = getattr(shell.compile, "_filename_map", None)  # which cell a file name stands for
    flags = shell.compile.flags & FUTURES
    # IPython reads a single line by what its names mean now; several lines by themselves.
    several = "\n" in body.strip()
    source = "" if several else read(body) if body.strip() else body
    key = (text, body, source, offset, cell_id, flags, id(shell))
    known = _prepared.get(key)
    if known is not None and numbers is not None and known.filename in linecache.cache:
        if known.warns:
            _parsed(known.source, offset, known.filename, flags)
        _prepared.move_to_end(key)
        register(known.filename, cell_id)
        numbers[known.filename] = number
        return known
    if several:
        source = read(body)
    filename = shell.compile.cache(text, number, raw_code=text)
    tree = _parsed(source, offset, filename, flags)
    register(filename, cell_id)
    remember(filename, "\n" * offset + source)
    deep = is_too_deep(tree)
    made = Cell(
        id=cell_id,
        filename=filename,
        lines=text.splitlines(),
        first_line=offset + 1,
        tree=tree,
        names=[] if deep else assigned_names(tree),
        quiet=";" in source and _ends_quietly(source),
        awaits=("await" in source or "async" in source) and awaits(tree.body),
        source=source,
        flags=flags | _future_flags(shell, tree),
        warns=looked_at(source).warns,
        is_deep=deep,
    )
    _prepared[key] = made
    if len(_prepared) > _PREPARED:
        _prepared.popitem(last=False)
    return made


def _parsed(source: str, offset: int, filename: str, flags: int) -> Any:
    return compile("\n" * offset + source, filename, "exec", flags | ast.PyCF_ONLY_AST, True)


class Looks(NamedTuple):
    """What a text is for the compiler."""

    valid: bool
    awaits: bool = False  # at its top level
    warns: bool = False


@lru_cache(maxsize=64)
def looked_at(source: str) -> Looks:
    """Compiles a cell's Python, of which nobody is told."""
    with unheard() as warned:
        try:
            code = compile(source, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, True)
        except (SyntaxError, ValueError):
            return Looks(False)
        waits = bool(code.co_flags & CO_COROUTINE)
        return Looks(True, waits and awaits(ast.parse(source).body), bool(warned))


def _ends_quietly(source: str) -> bool:
    """Is ``;`` the last of it, comments aside?"""
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    texts = [t.string for t in tokens if t.type not in _NO_CODE]
    return texts[-1:] == [";"]


def _number(shell: Any) -> int:
    """The running cell's number, as ``In[number]`` shows it."""
    result = getattr(getattr(shell, "displayhook", None), "exec_result", None)
    number = getattr(result, "execution_count", None)
    return shell.execution_count if number is None else number


def _future_flags(shell: Any, tree: ast.Module) -> int:
    """The cell's own ``from __future__`` imports; as in IPython they hold for later cells too."""
    flags = 0
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            for alias in node.names:
                flags |= getattr(getattr(__future__, alias.name, None), "compiler_flag", 0)
    shell.compile.flags |= flags
    return flags
