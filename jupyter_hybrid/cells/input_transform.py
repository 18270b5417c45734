"""Input transformer: the default mode, and what a cell magic alone can't do.

A plain cell runs under ``%%hybridize`` when symbolic or auto is the default mode. IPython is given
a short call in the place of such a cell, and of one with a magic of ours. A hybridized cell that
awaits becomes an awaited call, so that IPython runs it in its event loop. One that is not Python
is left to IPython, which then shows the error at the user's own line. ``%%time`` and the like may
stand above or below ``%%hybridize``: they are put above it.
"""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import Any, NamedTuple

from IPython.core.interactiveshell import InteractiveShell

from ..capture.cell import looked_at
from ..capture.running import running
from ..np_face.frames import above
from ..reports.session import session
from .trifles import trifles

MAGIC = re.compile(r"%%(hybridize|imperative)(?![\w?])[ \t]*(.*)")
_INSERTED = re.compile(r"%%hybridize --implicit[^\\]*\\+n")  # in a text as code has it
_VIEW = re.compile(r"--view[ =]\s*\S+ *")
AROUND = re.compile(r"%%(time|timeit|capture|prun)(?![\w?])")
_RUNNERS = ("run_cell", "_run_cell", "run_cell_async", "do_execute")
AUTO = "--implicit --auto --view none"
_RUN = "__hybrid_cell__"  # the name in ``builtins`` of what runs a cell
_cells: dict[int, Called] = {}
_numbers: OrderedDict[Called, int] = OrderedDict()  # theirs
_counter = count()
_shell: Any = None
_last: dict[str, str] = {}  # the body that was looked at last, and what IPython made of it
_READ = 64  # bodies that are known
_read: OrderedDict[tuple[Any, str], str] = OrderedDict()  # by transformers and text
_seen: tuple[Any, ...] = ()  # IPython's own transformers, as they were last


class Called(NamedTuple):
    """A cell that IPython runs by a short call: its magic, the magic's line, the body."""

    magic: str
    line: str
    body: str

    @property
    def is_implicit(self) -> bool:
        """By the default mode?"""
        return "--implicit" in self.line

    @property
    def read(self) -> str:
        """What IPython's history has of it: the body, or what it makes of a magic."""
        if self.is_implicit:
            return self.body
        return f"get_ipython().run_cell_magic({self.magic!r}, {self.line!r}, {self.body!r})"


class suspended:
    """Keeps the transformer from being applied again to the body of a cell."""

    depth = 0

    def __enter__(self) -> None:
        suspended.depth += 1

    def __exit__(self, *exc: Any) -> None:
        suspended.depth -= 1


def use(shell: Any, run: Callable[[int], Any]) -> None:
    """The shell whose other transformers read the bodies; ``run`` runs a cell by its number."""
    global _shell
    _shell = shell
    setattr(builtins, _RUN, run)


def cell_of(number: int) -> Called:
    """The cell that is called by this number."""
    return _cells[number]


def is_ours(read: str) -> bool:
    """Is this what IPython has read in the place of a cell?"""
    return read.startswith(_RUN) or "--implicit" in read


def as_typed(read: str, source: str | None) -> str:
    """What its history has of such a cell without us, of which ``source`` is the Python."""
    left = _INSERTED.sub("", read)
    return source.rstrip("\n") if source is not None and left == read else left


def transform(lines: list[str]) -> list[str]:
    """What IPython runs instead of these lines of a cell."""
    if suspended.depth or not lines:
        return lines
    if session.mode == "auto" and not len(running) and trifles.begins("".join(lines)):
        return lines
    _last.clear()
    around, at = [], 0  # lines such as %%time, and where the body starts
    magic = None
    while at < len(lines):
        if magic is None and (found := MAGIC.match(lines[at])):
            magic = found
        elif AROUND.match(lines[at]):
            around.append(lines[at])
        elif lines[at].strip():
            break
        at += 1
    body = lines[at:]
    if magic is None:
        if session.mode == "imperative" or _is_part_of_a_cell() or not _has_python(body):
            return lines
        if session.mode == "auto" and (_has_ways_of_its_own() or trifles.begins("".join(body))):
            return lines
        options = AUTO if session.mode == "auto" else "--implicit" + " --force" * session.force
        name = "hybridize"
    else:
        name, options = magic[1], magic[2].strip()
    source = _plain("".join(body))
    valid, awaits, warns = looked_at(source)
    if warns and not around:
        _look_as_ipython("\n" * at + source)
    if not valid:  # as many lines, and IPython's own error
        if name == "hybridize":
            session.unrecorded("it is not valid Python")
        return ["\n"] * at + body if magic is not None and not around else lines
    if awaits and around and magic is None:
        return lines  # IPython's to judge
    if awaits and options == AUTO:
        return lines  # it runs as written
    timed = [line for line in around if line.startswith("%%timeit")]
    if timed and magic is None and (options == AUTO or _has_setup(timed[-1])):
        return lines  # what is timed is the user's own code; what it is to set up is in no cell
    if timed and name == "hybridize":
        options = f"{_VIEW.sub('', options)} --scratch --view none".lstrip()
    if awaits and not around:
        call = "await get_ipython().magics_manager.registry['HybridMagics'].awaited"
        return [f"{call}({name!r}, {options!r}, {''.join(body)!r})\n"]
    if source.strip() and not around:
        return [_short_call(Called(name, options, "".join(body)))]
    return [*around, f"%%{name} {options}".rstrip() + "\n", *(body or ["\n"])]


def _short_call(cell: Called) -> str:
    """Runs the cell. IPython reads what this gives, which takes longer the longer it is, and if it
    is one line; its history has the cell itself."""
    number = _numbers.pop(cell, None)
    if number is None:
        number = next(_counter)
    _numbers[cell], _cells[number] = number, cell
    if len(_numbers) > _READ:
        _cells.pop(_numbers.popitem(last=False)[1])
    return f"{_RUN}({number})\n\n"


# Marks it for IPython: while a cell is being typed, whether it is complete must not depend on this.
transform.has_side_effects = True  # type: ignore[attr-defined]


def _plain(body: str) -> str:
    """The body after IPython's own transformations; unchanged when they fail."""
    if not body.strip() or _shell is None:
        return body
    with suspended():
        try:
            made = _last[body] = _transformed(body)
        except SyntaxError:
            return body
    return made


def transformed(body: str) -> str:
    """Several lines after IPython's own transformations, made already where they came this way."""
    found = _last.pop(body, None)
    return _transformed(body) if found is None else found


def _transformed(body: str) -> str:
    """A body after IPython's own transformations.

    The static ones tokenize it, which takes longer than many a cell runs, and depend on nothing
    but its text, so it is read once, unless others than IPython transform it. The dynamic ones
    are for single lines.
    """
    transformers = _transformers()
    if not transformers:
        return str(_shell.transform_cell(body))
    found = _read.get((transformers, body))
    if found is None:
        found = _read[transformers, body] = str(
            _shell.input_transformer_manager.transform_cell(body)
        )
        if len(_read) > _READ:
            _read.popitem(last=False)
    else:
        _read.move_to_end((transformers, body))
    if len(found.splitlines()) == 1:
        with _shell.builtin_trap:
            found = str(_shell.prefilter_manager.prefilter_lines(found)) + "\n"
    return found


def _transformers() -> tuple[Any, ...]:
    """IPython's, where there are no others but ours; else nothing."""
    global _seen
    manager = _shell.input_transformer_manager
    found = (*manager.cleanup_transforms, *manager.line_transforms, *manager.token_transformers)
    if type(_shell).transform_cell is not InteractiveShell.transform_cell:
        return ()
    if _shell.input_transformers_post or not (found == _seen or all(map(_is_ipythons, found))):
        return ()
    _seen = found
    return found


def _is_ipythons(transformer: Any) -> bool:
    return transformer is transform or str(transformer.__module__).startswith("IPython.")


def _look_as_ipython(source: str) -> None:
    """IPython compiles a cell to find out whether it awaits. Python warns of that, too."""
    with suppress(SyntaxError):  # the filters make it one
        compile(source, "<>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, True)


def _has_ways_of_its_own() -> bool:
    """Does IPython show or change more of a cell than its last expression? That stays its own."""
    changes = (type(t).__module__ for t in _shell.ast_transformers)
    return _shell.ast_node_interactivity != "last_expr" or not all(
        name.startswith("jupyter_hybrid.") for name in changes
    )


def _has_setup(timeit: str) -> bool:
    """Is there code beside the options of ``%%timeit``?"""
    return re.fullmatch(r"%%timeit(\s+-([nrtcpqov]\s*\d*)+)*\s*", timeit) is None


def _has_python(lines: list[str]) -> bool:
    """False for cells of comments, line magics, shell commands and help only, and other magics."""
    code = [line.strip() for line in lines if line.strip()]
    if code and code[0].startswith("%%"):
        return False
    return any(not re.match(r"[%!?#]", line) and not line.endswith("?") for line in code)


def _is_part_of_a_cell() -> bool:
    """True when a magic of the running cell (``%timeit x``) has its own code transformed."""
    if not len(running):
        return False
    names = (f.f_code.co_name for f in above(sys._getframe(2)))
    return next((n for n in names if n != "transform_cell"), "") not in _RUNNERS
