"""``with jupyter_hybrid.symbolic() as cell``: a block of a script that is run as a cell is."""

from __future__ import annotations

import ast
import ctypes
import dis
import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from types import CodeType, FrameType, TracebackType
from typing import Any

from .. import _core
from ..base import MXNetError
from ..capture import trace_state, tracebacks
from ..capture.bindings import Ending
from ..capture.cell import Cell
from ..capture.options import Options
from ..capture.recording import Recording, Right
from ..capture.source.nodes import copied
from ..capture.source.rewrite import assigned_names, rewrite_function
from ..capture.source.scopes import bound_names
from ..capture.source.sources import FUTURES, NoSource, file_of
from ..reasons import NONE, Reason
from ..reports.recorded import report_of
from ..reports.report import Report
from ..reports.session import session, start
from . import costs as measuring
from .costs import Costs
from .options import leaves_choice, options_of
from .own_source import check_current

_OPTIMIZED = 1  # CO_OPTIMIZED: a function's frame, whose variables are not a dict
_OUT = "__bindings__"


def symbolic(
    *,
    out: str | Iterable[str] | None = None,
    passes: str | Iterable[str] | None = None,
    no: str | Iterable[str] = (),
    force: bool = False,
    **others: Any,
) -> Block:
    """A with-block that runs symbolically, as a cell under ``%%hybridize``; no notebook is needed.

    The block's source is rewritten and recorded like a cell: arrays, ``np``, Python numbers;
    prints and other effects happen once, in order. Every name that it binds is computed when it
    ends, or with ``out`` those. Where the source can't stand for the block, the block
    runs as written and ``cell.report().graph_breaks`` says why: it leaves the block (``return``,
    ``break``, ``yield``, ``await``), begins with ``try``, stands in a class, has no source, or, in
    a function, makes functions, deletes or uses global names. A debugger does not stop inside it.
    A block that runs again and again runs as written once that was measured to be faster.

    Args:
        out: names to compute; every other one is planned away. None: all that the block binds.
        passes: names of the passes to run, exactly these; None: all.
        no: names of passes to leave out.
        force: record also what plain Python runs faster.
    """
    return Block(options_of("symbolic", others, passes, no, force, out))


class Everything(Ending):
    """An ending that defers no name: a script has nobody to tell what reading it would cost."""

    def _must(self, named: dict[str, Any], needed: list[Any], failed: bool) -> list[Any]:
        bound = named.values() if self.recorder.options.out is None else ()
        return super()._must(named, [*needed, *bound], failed)


class _Skip(BaseException):
    """Leaves the block as written at its first line; never seen by anybody."""


class Block:
    """What :func:`symbolic` returns; ``report()`` after the block."""

    def __init__(self, options: Options):
        self._options = options
        self._report: Report | None = None
        self._cell: Cell | None = None
        self._why = NONE
        self._skip: _Skip | None = None
        self._tracers: tuple[Any, Any] = (None, None)
        self._costs: Costs | None = None  # of the block's runs so far; None: nobody measures
        self._begun: float | None = None  # when it began to run as written, on the clock

    def report(self) -> Report:
        """The report of the block. Raises MXNetError inside it or before."""
        if self._report is None:
            raise MXNetError("the block has not ended yet")
        return self._report

    def __enter__(self) -> Block:
        start()
        frame = sys._getframe(1)
        if trace_state.recorder() is not None:
            self._why = Reason("a block inside a recorded cell")
            return self
        try:
            if _core.is_recording():
                raise NoSource("autograd records")
            self._cell = _block_at(frame)
        except NoSource as problem:
            self._why = problem.reason
            return self
        if leaves_choice(self._options):
            self._costs = self._cell.memo.setdefault(Costs, Costs())
            if self._costs.pays:
                self._begun = measuring.clock()
                return self
        body = self._cell.tree.body
        self._skip = _Skip()
        self._tracers = sys.gettrace(), frame.f_trace
        lines = range(_first_line(body[0]), (body[-1].end_lineno or body[-1].lineno) + 1)

        def leave(at: FrameType, event: str, argument: Any) -> Any:
            if event != "line" or at.f_lineno not in lines:
                return leave
            if _is_guarded(at.f_code, at.f_lasti):
                assert self._skip is not None
                raise self._skip
            self._why = Reason("the block can't be left at its first line")
            self._unwatch(at)
            return at.f_trace

        frame.f_trace = leave
        sys.settrace(lambda *a: None)
        return self

    def __exit__(
        self, kind: Any, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        begun, self._begun = self._begun, None
        if begun is not None:
            assert self._costs is not None and self._cell is not None
            if error is None:
                self._costs.written(measuring.clock() - begun)
            self._report = self._costs.report(self._cell, self._options)
            return False
        frame = sys._getframe(1)
        skip = self._skip
        if skip is not None:
            self._unwatch(frame)
        if skip is None or error is not skip:
            # The block ran as it stands: it was not to be skipped, or could not be.
            why = self._why or Reason("the block could not be taken over")
            cell = self._cell or Cell(
                None, frame.f_code.co_filename, [], 1, ast.Module([], []), [], False, False
            )
            self._report = Report.imperative(cell, self._options, why)
            return False
        assert self._cell is not None
        try:
            self._run(frame, self._cell)
        except BaseException as raised:
            _forget(raised, skip)
            tracebacks.clean(raised, self._cell.filename)
            raise
        return True

    def _unwatch(self, frame: FrameType) -> None:
        self._skip = None
        sys.settrace(self._tracers[0])
        frame.f_trace = self._tracers[1]

    def _run(self, frame: FrameType, cell: Cell) -> None:
        local = bool(frame.f_code.co_flags & _OPTIMIZED)
        names: dict[str, Any] = frame.f_globals
        if local:  # tools put names of their own there
            names = {n: v for n, v in frame.f_locals.items() if n.isidentifier()}
        with Right() as right:
            why_not = right.refused()
            if not why_not:
                self._record(cell, names, frame, local)
                return
        if local:
            try:
                _run_local(cell, names, frame, rewritten=False)
            finally:
                _bind_locals(frame, {n: names[n] for n in _bound(cell.tree) if n in names})
        else:
            for code in cell.codes():
                exec(code, names)
        self._report = Report.imperative(cell, self._options, why_not)

    def _record(self, cell: Cell, names: dict[str, Any], frame: FrameType, local: bool) -> None:
        begun = measuring.clock()
        recording = Recording(cell, self._options, names, session.later)
        recording.ending = Everything(recording.recorder)
        failed = True
        try:
            recording.begin()
            if local:
                _run_local(cell, names, frame, rewritten=True)
            else:
                for code in recording.codes():
                    exec(code, names)
            failed = False
        finally:
            recording.end([], failed)
            if local:
                _bind_locals(frame, {n: names[n] for n in _bound(cell.tree) if n in names})
        took = measuring.clock() - begun
        report = self._report = session.last_report = report_of(recording)
        bound = [names[n] for n in cell.names if n in names]
        if self._costs is not None and measuring.kinds(bound) is not None:
            self._costs.recorded(took - report.compile_s, recording.recorder)


@lru_cache(maxsize=64)
def _is_guarded(code: CodeType, offset: int) -> bool:
    """Does an error at this instruction reach a handler? From 3.11 on not at ``try:``."""
    entries = getattr(dis.Bytecode(code), "exception_entries", None)
    return entries is None or any(e.start <= offset < e.end for e in entries)


def _forget(error: BaseException, skip: _Skip) -> None:
    """Takes the skip out of the contexts of an error that the block raised."""
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        if one.__context__ is skip:
            one.__context__ = None
        one = one.__context__


# The block in its file ----------------------------------------------------------------------------
def _first_line(statement: ast.stmt) -> int:
    return min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", []))])


def _block_at(frame: FrameType) -> Cell:
    """The block that the frame is entering. Raises NoSource saying why it can't be taken over."""
    local = bool(frame.f_code.co_flags & _OPTIMIZED)
    if not local and frame.f_locals is not frame.f_globals:
        raise NoSource("the block stands in a class")
    return _block(frame.f_code, frame.f_lineno, local)


@lru_cache(maxsize=64)
def _block(code: CodeType, line: int, local: bool) -> Cell:
    lines, tree = file_of(code)
    check_current(code, tree)
    found = [
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.With)
        and len(n.items) == 1
        and n.lineno <= line <= (n.items[0].context_expr.end_lineno or n.lineno)
    ]
    if len(found) != 1:
        raise NoSource("the with statement was not found, or is not alone in its line")
    block = found[0]
    item = block.items[0]
    target = item.optional_vars
    header = max(part.end_lineno or part.lineno for part in (item.context_expr, target) if part)
    if _first_line(block.body[0]) <= header:
        raise NoSource("the block stands in the line of its with")
    _check_statements(block.body, code, local)
    body = ast.Module(block.body, [])
    last = block.end_lineno or len(lines)
    return Cell(
        id=None,
        filename=code.co_filename,
        lines=[line.rstrip("\n") for line in lines[:last]],
        first_line=_first_line(block.body[0]),
        tree=body,
        names=assigned_names(body),
        quiet=True,
        awaits=False,
        source="".join(lines[block.lineno - 1 : last]),
        flags=code.co_flags & FUTURES,
    )


def _check_statements(body: list[ast.stmt], code: CodeType, local: bool) -> None:
    for node, in_loop in _own_nodes(body, False):
        if isinstance(node, (ast.Return, ast.Yield, ast.YieldFrom, ast.Await)) or (
            isinstance(node, (ast.Break, ast.Continue)) and not in_loop
        ):
            raise NoSource("line {lineno} leaves the block", lineno=node.lineno)
        if isinstance(node, (ast.AsyncFor, ast.AsyncWith)):
            raise NoSource("line {lineno} waits", lineno=node.lineno)
        if not local:
            continue
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            raise NoSource(
                "line {lineno} makes a function in a function's block", lineno=node.lineno
            )
        if isinstance(node, (ast.GeneratorExp, ast.Global, ast.Nonlocal, ast.Delete)):
            raise NoSource(
                "line {lineno} has a {kind} in a function's block",
                lineno=node.lineno,
                kind=type(node).__name__,
            )
        if isinstance(node, ast.Name):
            if node.id in ("locals", "vars", "dir", "eval", "exec", "super", "__class__"):
                raise NoSource("line {lineno} looks at the function's frame", lineno=node.lineno)
            if node.id.startswith("__") and not node.id.endswith("__"):
                raise NoSource("{id} is a name that a class mangles", id=node.id)
            stored = not isinstance(node.ctx, ast.Load)
            if stored and node.id not in (*code.co_varnames, *code.co_cellvars):
                raise NoSource(
                    "line {lineno} binds a name outside the function", lineno=node.lineno
                )
        if isinstance(node, ast.alias):
            name = (node.asname or node.name).partition(".")[0]
            if name not in (*code.co_varnames, *code.co_cellvars):
                raise NoSource(
                    "line {lineno} binds a name outside the function", lineno=node.lineno
                )
        if isinstance(node, ast.Attribute) and node.attr.startswith("__"):
            raise NoSource("line {lineno} uses a name that a class may mangle", lineno=node.lineno)


def _own_nodes(nodes: Iterable[ast.AST], in_loop: bool) -> Iterator[tuple[Any, bool]]:
    """(node, inside a loop of the block) of everything that is not inside a function of its own."""
    for node in nodes:
        yield node, in_loop
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            continue
        if isinstance(node, ast.comprehension):  # its targets are its own
            yield from _own_nodes([node.iter, *node.ifs], in_loop)
        elif isinstance(node, (ast.For, ast.While)):
            yield from _own_nodes(node.body, True)
            head = [n for n in ast.iter_child_nodes(node) if n not in node.body]
            yield from _own_nodes(head, in_loop)
        else:
            yield from _own_nodes(ast.iter_child_nodes(node), in_loop)


@lru_cache(maxsize=64)
def _bound(body: ast.Module) -> frozenset[str]:
    """The variables of a function that its block binds, modules too."""
    nothing = ast.arguments([], [], None, [], [], None, [])
    return bound_names(ast.FunctionDef("__block__", nothing, body.body, []))


# The block as code --------------------------------------------------------------------------------
def _run_local(cell: Cell, names: dict[str, Any], frame: FrameType, rewritten: bool) -> None:
    """A function's block; ``names`` are its variables, before and afterwards."""
    made: dict[str, Any] = {}
    exec(_local_code(cell, tuple(names), rewritten), frame.f_globals, made)
    try:
        made["__block__"](names, **names)
    finally:
        names.pop(_OUT, None)


@lru_cache(maxsize=64)
def _local_code(cell: Cell, names: tuple[str, ...], rewritten: bool) -> CodeType:
    """Defines ``__block__(bindings, **variables)``, which leaves its variables in ``bindings``."""
    frame = ast.parse(
        f"def __block__({', '.join([_OUT, *names])}):\n"
        f"    try: pass\n    finally: {_OUT}.update(locals())\n"
    )
    definition = frame.body[0]
    assert isinstance(definition, ast.FunctionDef)
    ((around,), definition.body) = definition.body, copied(cell.tree).body
    if rewritten:
        definition = rewrite_function(definition, cell.filename, "")
    assert isinstance(around, ast.Try)
    around.body, definition.body = definition.body, [around]
    return compile(ast.fix_missing_locations(frame), cell.filename, "exec", cell.flags, True)


def _bind_locals(frame: FrameType, values: dict[str, Any]) -> None:
    """Binds variables of a running function."""
    frame.f_locals.update(values)
    if sys.version_info < (3, 13):  # before PEP 667 f_locals is a copy
        ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))
