"""Runs one prepared cell, recorded (symbolic) or as it stands (imperative)."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from .. import _core
from . import numbers
from .bindings import Ending, handle_of
from .cell import Cell
from .cell_report import Report
from .deferred import DeferredNames
from .options import Options, UsageError
from .recorder import Recorder
from .runtime import install


def run_imperatively(cell: Cell, namespace: dict[str, Any]) -> Any:
    """Executes the cell as written; returns the value of its last expression."""
    __tracebackhide__ = True
    statements, shown = cell.code(rewritten=False)
    exec(statements, namespace)
    return eval(shown, namespace) if shown is not None else None


def run_symbolically(
    cell: Cell, options: Options, namespace: dict[str, Any], later: DeferredNames
) -> tuple[Any, Report]:
    """Records, compiles and runs the cell; returns (value of its last expression, report).

    The body runs once. What it raises is raised again after every value that it left behind has
    been computed, so that the namespace is as the imperative cell would leave it.
    """
    __tracebackhide__ = True
    runtime = install()
    if runtime.recorder is not None:
        nested = run_imperatively(cell, namespace)
        breaks: list[tuple[int | None, str]] = [
            (None, "a cell inside a recorded cell: it ran imperatively")
        ]
        return nested, Report(cell, options, [], breaks, [], {}, mode="imperative")
    recorder = Recorder(cell, options, namespace, later)
    statements, shown = cell.code(rewritten=True)
    _donate(recorder, options.donate)
    numbers.start_cell()
    _core.register_cell_file(cell.filename, cell.id or "")
    _core.begin_trace(0)
    runtime.recorder = recorder
    value: Any = None
    failed = True
    ending = Ending(recorder)
    try:
        exec(statements, namespace)
        if shown is not None:
            value = eval(shown, namespace)
        failed = False
    finally:
        runtime.recorder = None
        _core.end_trace()
        try:
            value = ending.finish(value, failed=failed)
        except Exception:
            if not failed:
                raise  # else the body's own error says more
        finally:
            recorder.active = False
            numbers.start_cell()
    report = Report(
        cell, options, recorder.segments, recorder.breaks, ending.deferred, ending.bound
    )
    return value, report


def _donate(recorder: Recorder, names: tuple[str, ...]) -> None:
    """Unbinds donated inputs and lets the program reuse their memory."""
    namespace = recorder.namespace
    for name in names:
        if name not in namespace:
            raise UsageError(f"--donate: no variable {name!r}")
        value = namespace[name]
        if type(value) is not np.ndarray and handle_of(value) is None:
            raise UsageError(f"--donate: {name!r} is not an array but {type(value).__name__}")
        others = sys.getrefcount(value) - 3  # the namespace, this variable, the argument
        if others > 0:
            raise UsageError(
                f"--donate: {name!r} has {others} other reference{'s' if others > 1 else ''}; "
                "only memory that nobody else can see may be reused"
            )
        recorder.donate(name, value)
