"""One recording of a body: begun, put aside while other code runs, taken up again, ended."""

from __future__ import annotations

import sys
import time
import weakref
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from types import CodeType, MethodType
from typing import Any

import numpy as np

from .. import _core
from ..base import MXNetError
from ..np_face import TracedArray
from ..np_face.array.items import Flat
from ..np_face.float_errors import look_again
from ..reasons import NONE, Reason
from . import numbers, second_lock, trace_state
from .bindings import Ending
from .cell import Cell
from .compute import Ran
from .deferred import DeferredNames
from .homes import STAND_INS, is_ours, opened, root_of
from .options import Options
from .recorder import Recorder
from .source.hooks import install
from .values import Key
from .watchers import watching

# What is recorded is one list for the whole process, so one thread records at a time. Who has the
# right is seen in one step: an interrupt between taking it and noting that would keep it for ever.
_holder: dict[str, Right] = {}
_OTHER_THREAD = Reason("another thread is recording")
PLAIN = (int, float, bool, str, type(None))


class Right:
    """The right to record. It is given back when its block ends, whatever ends it."""

    def __enter__(self) -> Right:
        return self

    def __exit__(self, *error: object) -> None:
        if self.held:
            _holder.clear()

    @property
    def held(self) -> bool:
        """Has it been taken?"""
        return _holder.get("") is self

    def refused(self) -> Reason:
        """Takes it; else says why not."""
        if trace_state.recorder() is not None:
            return Reason("a cell inside a recorded cell")
        return NONE if _holder.setdefault("", self) is self else _OTHER_THREAD


@dataclass(frozen=True)
class Bound:
    """What a name was bound to when the body ended. Arrays themselves are not held.

    Attributes:
        key: of the value of the array, of its base if it is a view.
        scalar: NumPy has a scalar here.
        layout: of the memory, in strides; None: C order.
        is_view: of an array's memory; ``is_window``: all of one's that nobody else has.
        origin: the existing ndarray that it is, or is a view of.
        value: of a plain kind.
        members: of a tuple.
    """

    kind: type
    key: Key | None = None
    scalar: bool = False
    layout: tuple[int, ...] | None = None
    is_view: bool = False
    is_window: bool = False
    origin: weakref.ref[np.ndarray] | None = None
    value: Any = None
    members: tuple[Bound, ...] = ()

    @classmethod
    def of(cls, value: Any) -> Bound:
        kind = type(value)
        if kind is TracedArray:
            root = root_of(value)
            origin = None if root.origin is None else weakref.ref(root.origin)
            key = _core.value_key(root.handle)
            view = root is not value
            return cls(kind, key, value.is_scalar, root.layout, view, root.is_window, origin)
        if kind is _core.NDArray:
            return cls(kind, _core.value_key(value))
        if kind is np.ndarray:
            return cls(kind, origin=weakref.ref(value))
        if kind is tuple:
            return cls(kind, members=tuple(map(cls.of, value)))
        plain = numbers.plain(value)
        return cls(type(plain), value=plain if type(plain) in PLAIN else None)


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
        self.as_written = NONE  # why the rest of the body does, where it does
        # How often contents of existing arrays were looked at when each statement began, and at the
        # end of the body.
        self.looked: list[int] = []
        self.read: list[TracedArray] = []  # existing ndarrays, after the end
        self.ran: Ran | None = None  # the last segment with its arrays, after the end
        self._writes = _core.count_writes()  # before it began
        self.bound: dict[str | None, Bound] = {}  # by name; None: the last expression
        # Existing ndarrays that the cell writes when it ends, and the keys of their new contents;
        # None: it has written some before, or arrays of nd.
        self.written: list[tuple[Any, Key | None]] | None = None

    def begin(self) -> None:
        numbers.start_cell()
        _core.restart_trace_names()
        _core.begin_trace(0)
        _core.guards.second_lock(second_lock.started)
        self._runtime.record(self.recorder)

    def codes(self) -> Iterator[CodeType]:
        """The cell's statements, each as recording goes when the one before has run."""
        budget, cell = self.recorder.budget, self.recorder.cell
        if _core.awaits_calls():  # an earlier cell's; nothing is recorded that could wait for it
            self.leave(Reason("operators of several devices wait for each other"))
        for number in range(len(cell.tree.body)):
            if not self.as_written and (why := budget.used_up_between(self.recorder)):
                self.leave(why)
            self.looked.append(self.recorder.looked)
            _core.note_call()
            yield cell.code(number, "written" if self.as_written else "recorded")

    def pause(self, reason: Reason) -> None:
        """Computes everything and binds real values, then stops recording."""
        recorder = self.recorder
        recorder.flush(reason)
        if recorder.effects:
            recorder.run([], reason, recorder.user_line())
        namespace = recorder.namespace
        tuples: dict[int, Any] = {}
        for name, value in _core.guards.of_types(namespace, (*STAND_INS, tuple, MethodType, Flat)):
            if type(value) is TracedArray and value.recorder is recorder:
                with suppress(MXNetError):  # an operator's own error stays in the array
                    namespace[name] = value.to_numpy()
            elif type(value) is Flat:
                namespace[name] = value.to_numpy()
            elif type(value) is not TracedArray and is_ours(value):
                with suppress(MXNetError):
                    namespace[name] = opened(value, tuples)
        self._stop()

    def leave(self, why: Reason) -> None:
        """From here on the body runs as written."""
        reason = Reason("{why}: the rest runs as written", why=why)
        self.recorder.leave_graph(reason)
        with self.recorder.budget.in_haste():
            self._runtime.step_outside(reason)
        self.as_written = why

    def resume(self) -> None:
        if self.as_written or (why := watching()):
            self.as_written = self.as_written or why
            return
        self.recorder.active = True
        look_again()
        _core.begin_trace(len(self.recorder.segments))
        self._runtime.record(self.recorder)
        _core.guards.settled()  # as the pause has left it

    def _stop(self) -> None:
        self._runtime.record(None)
        _core.end_trace()
        self.recorder.active = False

    def end(self, value: list[Any], failed: bool) -> Any:
        """Computes what is left and binds the names; returns ``value[0]`` as a real one.

        ``value`` is the last expression's, or empty. When the body raised (``failed``) its own
        error says more than one found here. After an interrupt names are deferred where that is
        sooner.
        """
        recorder = self.recorder
        start = time.perf_counter()
        interrupted = failed and isinstance(sys.exc_info()[1], KeyboardInterrupt)
        try:
            self._runtime.record(None)
            if interrupted:
                _core.take_back()
                self.ending.hurried = True
            try:
                recorder.refresh_views()
            finally:
                _core.end_trace()
            self.looked.append(recorder.looked)
            names = recorder.namespace
            self.bound = {n: Bound.of(names[n]) for n in recorder.cell.names if n in names}
            if value:
                self.bound[None] = Bound.of(value[0])
            wrote = recorder.stores or _core.count_writes() != self._writes
            if not wrote and not _core.trace_writes():
                dirty = (w for w in recorder.inputs() if w.dirty)
                self.written = [(w.origin, _core.value_key(w.handle)) for w in dirty]
            made = self.ending.finish(value, failed=failed)
            for name in [n for n in recorder.cell.names if type(names.get(n)) is Flat]:
                names[name] = names[name].to_numpy()
            recorder.watched.finish()
            return made
        except Exception:
            recorder.watched.finish()
            if not failed:
                raise
            return None
        finally:
            _core.drop_trace_writes()
            recorder.active = False
            recorder.recording = None  # no cycle: arrays are freed with their names
            self.read = recorder.inputs()
            self.ran = recorder.release()
            numbers.start_cell()
            recorder.spent.ended(start)
