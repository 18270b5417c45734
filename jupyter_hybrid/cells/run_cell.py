"""Runs one prepared cell, recorded (symbolic) or as it stands (imperative)."""

from __future__ import annotations

import gc
import sys
from collections.abc import Coroutine, Generator
from contextlib import nullcontext
from types import CodeType
from typing import Any

import numpy as np

from ..capture import trace_state, tracebacks
from ..capture.bindings import handle_of
from ..capture.cell import Cell
from ..capture.deferred import DeferredNames
from ..capture.options import Options, UsageError
from ..capture.recorder import Recorder
from ..capture.recording import Recording, Right
from ..capture.source.compiled import RanAlone
from ..capture.source.hooks import install
from ..capture.watchers import watching
from ..reasons import NONE, Reason
from ..reports.recorded import report_of
from ..reports.report import Report
from ..reports.session import session
from . import skip, ways


def run_imperatively(cell: Cell, namespace: dict[str, Any]) -> Any:
    """Executes the cell as written; returns the value of its last expression."""
    __tracebackhide__ = True
    value = None
    for code in cell.codes():
        value = eval(code, namespace)
    return value


def run_compiled(
    cell: Cell, namespace: dict[str, Any], hot_share: float = 1.0
) -> tuple[Any, RanAlone]:
    """Executes the cell as written, but for loops that run compiled, while nobody looks on; (value
    of the last expression, what is told of these loops).

    Args:
        hot_share: of the time that a loop runs as written before it is compiled.
    """
    __tracebackhide__ = True
    if trace_state.recorder() is not None or watching():
        return run_imperatively(cell, namespace), RanAlone(take_turns=True)
    value = None
    try:
        with install().alone(hot_share) as ran:
            for code in cell.codes("compiled"):
                value = eval(code, namespace)
    except BaseException as error:
        tracebacks.clean(error, cell.filename)
        raise
    return value, ran


async def await_imperatively(cell: Cell, namespace: dict[str, Any]) -> Any:
    """:func:`run_imperatively` for a cell that awaits at its top level."""
    return (await _written_awaiting(cell, namespace))[0]


async def _written_awaiting(cell: Cell, namespace: dict[str, Any]) -> tuple[Any, float]:
    """(value of its last expression, seconds that it took without waiting for something else)"""
    start, value, waited = ways.clock(), None, 0.0
    for code in cell.codes():
        steps = _Steps(code, namespace)
        value = await steps
        waited += steps.waited
    return value, ways.clock() - start - waited


def run_symbolically(
    cell: Cell, options: Options, namespace: dict[str, Any], later: DeferredNames
) -> tuple[Any, Report]:
    """Records, compiles and runs the cell; returns (value of its last expression, report).

    The body runs once. What it raises is raised again after every value that it left behind has
    been computed, so that the namespace is as the imperative cell would leave it.
    """
    __tracebackhide__ = True
    with Right() as right:
        why_not = _too_deep(cell) or watching() or right.refused()
        if not why_not:
            return _recorded(cell, options, namespace, later)
    return run_imperatively(cell, namespace), Report.imperative(cell, options, why_not)


def _too_deep(cell: Cell) -> Reason:
    return Reason("its code is nested too deeply to be read") if cell.is_deep else NONE


def _recorded(
    cell: Cell, options: Options, namespace: dict[str, Any], later: DeferredNames
) -> tuple[Any, Report]:
    __tracebackhide__ = True
    start = ways.clock()
    before = None if options.donate else skip.Before(cell, namespace)
    recording = Recording(cell, options, namespace, later)
    _prepare(recording)
    if whole_s := skip.whole_s(cell, before):
        recording.recorder.record_whole(whole_s)
    last: list[Any] = []  # what the last statement gave; no other place here holds it
    value, failed = None, True
    try:
        try:
            recording.begin()
            with before.listening(namespace) if before else nullcontext():
                for code in recording.codes():
                    last[:] = [eval(code, namespace)]
            failed = False
        finally:
            value = recording.end(last, failed)
    except BaseException as error:
        tracebacks.clean(error, cell.filename)
        session.last_report = report_of(recording, error)
        raise
    took = ways.clock() - start
    report = report_of(recording)
    ways.learn(cell, options, recording, report, took)
    report.not_skipped = skip.learn(before, recording, report, value, took - report.compile_s)
    return value, report


async def await_symbolically(
    cell: Cell, options: Options, namespace: dict[str, Any], later: DeferredNames
) -> tuple[Any, Report]:
    """:func:`run_symbolically` for a cell that awaits at its top level.

    Where the cell has to wait, everything recorded is computed and recording stops: the tasks that
    run meanwhile are not recorded. It runs as written where that is faster.
    """
    known = ways.find(cell, options)
    if known is not None and known.way(can_skip=False) == "written":
        value, took = await _written_awaiting(cell, namespace)
        return value, known.ran_alone("written", took, None)
    with Right() as right:
        why_not = _too_deep(cell) or watching() or right.refused()
        if not why_not:
            return await _recorded_awaiting(cell, options, namespace, later)
    value = await await_imperatively(cell, namespace)
    return value, Report.imperative(cell, options, why_not)


async def _recorded_awaiting(
    cell: Cell, options: Options, namespace: dict[str, Any], later: DeferredNames
) -> tuple[Any, Report]:
    start = ways.clock()
    recording = Recording(cell, options, namespace, later)
    _prepare(recording)
    last: list[Any] = []
    value, failed, waited = None, True, 0.0
    try:
        try:
            recording.begin()
            for code in recording.codes():
                steps = _Steps(code, namespace, recording)
                last[:] = [await steps]
                waited += steps.waited
            failed = False
        finally:
            value = recording.end(last, failed)
    except BaseException as error:
        tracebacks.clean(error, cell.filename)
        session.last_report = report_of(recording, error)
        raise
    took = ways.clock() - start - waited
    report = report_of(recording)
    ways.learn(cell, options, recording, report, took)
    return value, report


def _prepare(recording: Recording) -> None:
    _check_dims(recording.recorder)
    _donate(recording.recorder, recording.recorder.options.donate)


class _Steps:
    """Awaits code of a cell, recording, if at all, only while it runs itself.

    Attributes:
        waited: so many seconds for something else.
    """

    def __init__(
        self, code: CodeType, namespace: dict[str, Any], recording: Recording | None = None
    ):
        self._code, self._namespace, self._recording = code, namespace, recording
        self.waited = 0.0

    def __await__(self) -> Generator[Any, Any, Any]:
        recording = self._recording
        waiting: Any = eval(self._code, self._namespace)
        if not isinstance(waiting, Coroutine):
            return waiting
        step, argument = waiting.send, None
        while True:
            try:
                awaited = step(argument)
            except StopIteration as end:
                return end.value
            if recording is not None:
                recording.pause(Reason("the cell waits for something else"))
            start = ways.clock()
            try:
                argument = yield awaited
                step = waiting.send
            except GeneratorExit:
                waiting.close()
                raise
            except BaseException as error:
                step, argument = waiting.throw, error
            finally:
                self.waited += ways.clock() - start
                if recording is not None:
                    recording.resume()


def _check_dims(recorder: Recorder) -> None:
    """Refuses ``--dims`` of names that the cell can't read. Raises UsageError."""
    for dim in recorder.options.dims:
        if dim.input in recorder.cell.names:
            continue  # what it is then, the cell decides
        if dim.input not in recorder.namespace:
            raise UsageError(f"--dims: no variable {dim.input!r}")
        shape = getattr(recorder.namespace[dim.input], "shape", None)
        if isinstance(shape, tuple) and dim.axis >= len(shape):
            raise UsageError(f"--dims: {dim.input!r} of shape {shape} has no axis {dim.axis}")


def _donate(recorder: Recorder, names: tuple[str, ...]) -> None:
    """Unbinds donated inputs and lets the program reuse their memory."""
    namespace = recorder.namespace
    for name in names:  # all are checked before any is unbound
        if name not in namespace:
            raise UsageError(f"--donate: no variable {name!r}")
        kind = type(namespace[name])
        if kind is not np.ndarray and handle_of(namespace[name]) is None:
            raise UsageError(f"--donate: {name!r} is not an array but {kind.__name__}")
        # Held by the namespace and the call alone; no variable here, which an error would keep.
        others = sys.getrefcount(namespace[name]) - 2
        if others > 0:  # perhaps by something that is garbage already
            gc.collect()
            others = sys.getrefcount(namespace[name]) - 2
        if others > 0:
            raise UsageError(
                f"--donate: {name!r} has {others} other reference{'s' if others > 1 else ''}; "
                "only memory that nobody else can see may be reused"
            )
    for name in names:
        recorder.donate(name, namespace[name])
