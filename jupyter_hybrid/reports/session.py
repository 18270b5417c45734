"""What the cells of one process share: default mode, last report, deferred names."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import _core
from ..base import MXNetError
from ..capture import trace_state
from ..capture.compute import waiting_contents
from ..capture.deferred import DeferredNames
from ..capture.source.hooks import install
from ..np_face.array.traced_array import READ
from ..reasons import Reason

if TYPE_CHECKING:
    from .report import Report


class Session:
    """What the magics of one kernel, or the hybridized functions of one script, share."""

    def __init__(self) -> None:
        self.mode = "imperative"
        self.force = False  # symbolic cells record also what plain Python runs faster
        self.last_report: Report | None = None
        self.no_report = ""  # why there is none
        self.asked = False  # has the cell that runs asked for the report of the one before?
        self.later = DeferredNames()
        self.listeners: list[Any] = []  # called without arguments when mode or engine change

    def attempt(self, implicit: bool = False) -> Attempt:
        """Around a cell: when it fails unrecorded, the last report is not of the last cell.

        Args:
            implicit: it has no magic: one that asks for the report is none of its own.
        """
        return Attempt(self, implicit)

    def keep(self, report: Report) -> None:
        """What became of a cell that has run."""
        only_asked = self.asked and report.options.implicit and not report.segments
        if not (only_asked and self.last_report is not None):
            self.last_report = report

    def unrecorded(self, why: str) -> None:
        """A hybridized cell failed so early that there is no report of it."""
        self.last_report = None
        self.no_report = f"the last cell failed before anything was recorded: {why}"

    def changed(self) -> None:
        """Tells the live panel."""
        for listener in self.listeners:
            listener()


class Attempt:
    """See :meth:`Session.attempt`."""

    def __init__(self, of: Session, implicit: bool):
        self._session, self._implicit = of, implicit
        of.asked = False
        # Not held: it holds the arrays that its cell read, which this one may donate.
        self._before = weakref.ref(of.last_report) if of.last_report is not None else None

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        last = self._session.last_report
        if self._implicit and self._session.asked:
            return
        if error is not None and (last is None or (self._before and self._before() is last)):
            self._session.unrecorded(f"{type(error).__name__}: {error}")


session = Session()


def report() -> Report:
    """The report of the last hybridized cell. Of a cell that failed: what was recorded until then.

    Raises:
        MXNetError: there was none yet, or the last cell failed before anything was recorded.
    """
    session.asked = True
    if session.last_report is None:
        none = "no cell has been hybridized yet: start one with %%hybridize"
        raise MXNetError(session.no_report or none)
    return session.last_report


def start() -> None:
    """Traced arrays compute themselves from here on when somebody reads them."""
    install()
    _core.set_materialize_hook(_materialize)
    # Arrays that are written are read; something outside is about to change, which a branch or loop
    # body may not; the trace is left; enough work waits to compute it before more is recorded; a
    # call records on and on; what comes can't be part of a cell that is recorded.
    _core.set_trace_hooks(
        *(_settle, _asks("stay_inside", str), _asks("flush"), _asks("run_waiting")),
        *(_put_call_aside, _asks("end_recording")),
    )


def _materialize(arrays: list[Any]) -> None:
    """Somebody reads traced arrays: the running cell's, or deferred ones."""
    recorder = trace_state.recorder()
    if recorder is None:
        session.later.materialize(arrays)
    else:
        recorder.sync(arrays, READ)


def _settle(why: str) -> None:
    """Arrays that the trace has written are read: the writes are done now."""
    recorder = trace_state.recorder()
    if recorder is not None:
        recorder.settle_writes(Reason.of(why))
    else:
        session.later.materialize(waiting_contents())
        _core.finish_trace_writes()


def _put_call_aside(operators: int, steps: int) -> bool:
    recorder = trace_state.recorder()
    return recorder is not None and recorder.put_call_aside(operators, steps)


def _asks(method: str, told: Callable[[str], str] = Reason.of) -> Callable[[str], None]:
    """A hook that this method of the recorder is, while there is one."""

    def hook(why: str) -> None:
        recorder = trace_state.recorder()
        if recorder is not None:
            getattr(recorder, method)(told(why))

    return hook
