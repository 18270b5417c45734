"""Runs one cell of the catalogue imperatively and hybridized, and compares what both did."""

from __future__ import annotations

import ast
import gc
import io
import linecache
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

import numpy as np
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

import jupyter_hybrid as mx
from jupyter_hybrid.capture.recorder import Recorder
from jupyter_hybrid.capture.recording import Recording

from .catalogue import CorpusCell
from .equality import Comparison

_OPTIONS = "--view none"
_FORCED = "--view none --force"  # all of it recorded, whether or not that pays
CONDITION = "a condition reads a value"  # Python follows it
# A value that is shown leaves the graph by the cell's own wish: an effect, no failure to capture.
SHOWN = (
    "print shows a value",
    "a format shows the values",
    "str() shows the values",
    "repr() shows the values",
)


@dataclass
class Run:
    """What one run of a cell left behind."""

    names: dict[str, Any]
    value: Any
    out: str
    error: tuple[str, str, int | None] | None  # type, message, 1-based line of the cell's text
    breaks: list[tuple[int | None, str]] = field(default_factory=list)
    contacts: list[tuple[int | None, str]] = field(default_factory=list)
    nodes: int = 0  # array operators in the graph as written


@dataclass
class Outcome:
    """The verdict on a cell: what differs, and what kept it from being one graph."""

    cell: CorpusCell
    differences: list[str]
    breaks: list[tuple[int | None, str]]
    prints: int  # breaks where the cell shows a value
    nodes: int
    # Breaks before code that the closed list does not have, and where a condition reads a value.
    refused: list[tuple[int | None, str]]
    error: str = ""

    @property
    def whole(self) -> bool:
        """True when nothing but showing a value interrupted the graph."""
        return not self.breaks

    @property
    def only_refused(self) -> bool:
        """True when nothing else interrupted it than the closed list and conditions."""
        return len(self.refused) == len(self.breaks)

    @property
    def operates(self) -> bool:
        """True when the cell operates on arrays, in its graph or beside it."""
        return self.nodes > 0 or not self.whole


@contextmanager
def _recorders(latest: list[Recorder]) -> Iterator[None]:
    """Keeps the recorder of the cell that ran last: one that raised gives no report."""
    original = Recording.begin  # nothing waits yet: this frame holds nothing up

    def begin(self: Recording) -> Any:
        latest[:] = [self.recorder]
        return original(self)

    Recording.begin = begin  # type: ignore[method-assign]
    try:
        yield
    finally:
        Recording.begin = original  # type: ignore[method-assign]


def _seed() -> None:
    np.random.seed(11)
    mx.random.seed(11)


def _own(names: dict[str, Any], hidden: set[str]) -> dict[str, Any]:
    return {k: v for k, v in names.items() if k not in hidden and not k.startswith("_")}


def _where(error: BaseException, filename: str, offset: int) -> int | None:
    line = getattr(error, "lineno", None) if isinstance(error, SyntaxError) else None
    step: TracebackType | None = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == filename:
            line = step.tb_lineno
        step = step.tb_next
    return None if line is None else line - offset


def imperatively(cell: CorpusCell, times: int) -> Run:
    """Plain Python: the setup, then ``times`` runs of the text; what the last one left."""
    _seed()
    names: dict[str, Any] = {"__name__": "__main__"}
    filename = f"<imperative {cell.id}>"
    tree = ast.parse(cell.text, filename)
    linecache.cache[filename] = (len(cell.text), None, cell.text.splitlines(True), filename)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    statements = compile(tree, filename, "exec", dont_inherit=True)
    shown = (
        None
        if last is None
        else compile(ast.Expression(last.value), filename, "eval", dont_inherit=True)
    )  # type: ignore[attr-defined]
    text = io.StringIO()
    value: Any = None
    error = None
    with redirect_stdout(text), redirect_stderr(io.StringIO()):
        exec(compile(cell.setup, "<setup>", "exec", dont_inherit=True), names)
        for _ in range(times):
            text.seek(0), text.truncate()
            value = error = None
            try:
                exec(statements, names)
                value = None if shown is None else eval(shown, names)
            except Exception as raised:
                error = (type(raised).__name__, str(raised), _where(raised, filename, 0))
    return Run(_own(names, set()), value, text.getvalue(), error)


class Hybrid:
    """An IPython shell in which the cells run hybridized."""

    def __init__(self) -> None:
        self._latest: list[Recorder] = []
        self.shell = InteractiveShell.instance()
        self.shell.run_line_magic("load_ext", "jupyter_hybrid")
        self.hidden = {"In", "Out", "exit", "quit", "open", "get_ipython", "_", "_i", "_ii"}
        self.hidden |= {"_iii", "__", "___", "_oh", "_ih", "_dh"}
        # Shown values and tracebacks are not text that the cell prints.
        self.shell.showtraceback = lambda *args, **kwargs: None
        hook = self.shell.displayhook
        hook.compute_format_data = lambda result: ({}, {})
        hook.write_output_prompt = lambda: None
        hook.write_format_data = lambda data, metadata=None: None

    def _cell(self, text: str) -> tuple[Any, str, BaseException | None]:
        with capture_output(display=False) as captured:
            result = self.shell.run_cell(text, store_history=False)
        return result.result, captured.stdout, result.error_before_exec or result.error_in_exec

    def run(self, cell: CorpusCell, times: int, options: str = _OPTIONS) -> Run:
        """The setup as a plain cell, then ``times`` hybridized runs; what the last one left."""
        with _recorders(self._latest):  # stays as it was when the cell is skipped
            return self._run(cell, times, options)

    def _run(self, cell: CorpusCell, times: int, options: str) -> Run:
        _seed()
        namespace = self.shell.user_ns
        for name in [n for n in namespace if not n.startswith("_") and n not in self.hidden]:
            del namespace[name]
        gc.collect()  # what an earlier cell left in a circle is freed here, not in this one
        gc.freeze()
        with redirect_stderr(io.StringIO()):
            if cell.setup:
                *_, failed = self._cell(cell.setup)
                if failed is not None:
                    raise failed
            for _ in range(times):
                value, out, raised = self._cell(f"%%hybridize {options}\n{cell.text}")
        error = None
        if raised is not None:
            where = _where(raised, self._latest[-1].filename, 1)
            error = (type(raised).__name__, str(raised), where)
        assigned = list(_own(namespace, self.hidden))
        self._cell(f"({', '.join(assigned)},)" if assigned else "")  # deferred names become real
        names = {k: v for k, v in namespace.items() if k in assigned}
        run = Run(names, value, out, error)
        recorder = self._latest[-1]  # of a cell that raised, too
        run.breaks = list(recorder.breaks)
        run.contacts = list(recorder.contacts)
        graphs = (segment.graph for segment in recorder.segments)
        run.nodes = sum(1 for graph in graphs for n in graph.nodes if n.kind == "op")
        return run


def compare(cell: CorpusCell, wanted: Run, got: Run, label: str = "") -> list[str]:
    """What differs between two runs, in words."""
    found = Comparison(cell.floats)
    if cell.kernel_error:
        if wanted.error is None or got.error is None:
            found.differ("exception", f"is {got.error}, not {wanted.error}")
        kept = {k: v for k, v in got.names.items() if k in wanted.names}
        found.namespaces(wanted.names, kept)
        return [f"{label}{text}" for text in found.differences]
    found.namespaces(wanted.names, got.names)
    if wanted.error is None and got.error is None:
        found.values("the value", wanted.value, got.value)
    found.text("printed text", wanted.out, got.out)
    if wanted.error != got.error:
        found.differ("exception", f"is {got.error}, not {wanted.error}")
    return [f"{label}{text}" for text in found.differences]


def attempt(cell: CorpusCell, hybrid: Hybrid) -> Outcome:
    """Runs a cell in every way that must agree: once, all of it recorded, and twice in one
    namespace (a replay), where what does not pay is left to Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        once, twice = imperatively(cell, 1), imperatively(cell, 2)
        first = hybrid.run(cell, 1, _FORCED)
        differences = compare(cell, once, first)
        again = hybrid.run(cell, 2)
        differences += compare(cell, twice, again, "replayed, ")
    last = (
        first.error[2] if first.error else None
    )  # where NumPy raises its own error, the cell ends
    breaks = [b for b in first.breaks if b[1] not in SHOWN and (last is None or b[0] != last + 1)]
    return Outcome(
        cell=cell,
        differences=differences,
        breaks=breaks,
        refused=[b for b in breaks if b in first.contacts or b[1] == CONDITION],
        prints=sum(b[1] in SHOWN for b in first.breaks),
        nodes=first.nodes,
        error="" if once.error is None else once.error[0],
    )
