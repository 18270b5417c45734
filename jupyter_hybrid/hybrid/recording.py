"""One recording of a body: begun, put aside while other code runs, taken up again, ended."""

from __future__ import annotations

import threading
from typing import Any

from .. import _core
from . import history, numbers
from .bindings import Ending
from .cell import Cell
from .cell_report import Report
from .deferred import DeferredNames
from .numpy_face import TracedArray
from .options import Options
from .recorder import Recorder
from .runtime import install

# What is recorded is one list for the whole process, so one thread records at a time.
_one = threading.Lock()
_registered: set[tuple[str, str]] = set()


class Recording:
    """Records from :meth:`begin` to :meth:`end` what this thread does.

    Between :meth:`pause` and :meth:`resume` nothing is recorded and no value is pending: other
    tasks and foreign code see real arrays.
    """

    def __init__(
        self, cell: Cell, options: Options, namespace: dict[str, Any], later: DeferredNames
    ):
        self._runtime = install()
        self.recorder = Recorder(cell, options, namespace, later)
        self.recorder.recording = self
        self.ending = Ending(self.recorder)

    @staticmethod
    def possible() -> str:
        """Takes the right to record; "" then, else why not. :meth:`end` gives it back."""
        if install().recorder is not None:
            return "a cell inside a recorded cell"
        return "" if _one.acquire(blocking=False) else "another thread is recording"

    @staticmethod
    def give_up() -> None:
        """Gives back the right to record when nothing was recorded."""
        _one.release()

    def begin(self) -> None:
        cell = self.recorder.cell
        numbers.start_cell()
        if (cell.filename, cell.id or "") not in _registered:
            _registered.add((cell.filename, cell.id or ""))
            _core.register_cell_file(cell.filename, cell.id or "")
        _core.begin_trace(0)
        self._runtime.recorder = self.recorder

    def pause(self, reason: str) -> None:
        """Computes everything and binds real values, then stops recording."""
        recorder = self.recorder
        recorder.flush(reason)
        if recorder.has_effects:
            recorder.run([], reason, recorder.user_line())
        namespace = recorder.namespace
        for name, value in list(namespace.items()):
            if type(value) is TracedArray:
                namespace[name] = value.real()
            elif numbers.is_recorded(value):
                namespace[name] = numbers.plain(value)
        self._stop()

    def resume(self) -> None:
        self.recorder.active = True
        _core.begin_trace(len(self.recorder.segments))
        self._runtime.recorder = self.recorder

    def _stop(self) -> None:
        self._runtime.recorder = None
        _core.end_trace()
        self.recorder.active = False

    def end(self, value: Any, failed: bool) -> Any:
        """Computes what is left and binds the names; returns ``value`` as a real one.

        When the body raised (``failed``) its own error says more than one found here.
        """
        recorder = self.recorder
        self._runtime.recorder = None
        _core.end_trace()
        try:
            return self.ending.finish(value, failed=failed)
        except Exception:
            if not failed:
                raise
            return None
        finally:
            recorder.active = False
            numbers.start_cell()
            _one.release()

    def report(self) -> Report:
        """What happened, after :meth:`end`."""
        recorder, ending = self.recorder, self.ending
        report = Report(
            recorder.cell,
            recorder.options,
            recorder.segments,
            recorder.breaks,
            ending.deferred,
            ending.bound,
        )
        if report.replay == "compiled":
            report.differences = history.note(report)
        return report
