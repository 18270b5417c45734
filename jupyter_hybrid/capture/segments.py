"""The segments of one recorded cell: what is computed together, when, and written back."""

from __future__ import annotations

import sys
import weakref
from types import FrameType
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from .. import _core
from ..np_face import TracedArray
from . import numbers
from .compute import Segment, compute
from .errors import NotConvertible
from .options import Options
from .salvage import error_of, salvage

# What a call in real NumPy brings about: no reason of its own.
FOLLOWS = frozenset(
    {
        "a value is read",
        "an array is written in NumPy",
        "indexing reads the array",
        "a mask selects elements",
    }
)


class Segments:
    """Computes what a cell records, segment by segment, and writes changed arrays back."""

    def __init__(self, filename: str, options: Options):
        self.filename = filename
        self.options = options
        self.segments: list[Segment] = []
        self.breaks: list[tuple[int | None, str]] = []
        self.cuts: list[tuple[int | None, str]] = []  # computed there, though all is in a graph
        self.segment_serial = 0  # of the graph, when the segment began
        self.bodies: list[Any] = []  # branches and loop bodies being traced, innermost last
        self.proxies: list[Any] = []  # weak references to every TracedArray of the cell
        self.donated: list[Any] = []  # input arrays whose memory may be reused
        self._left = -1  # the last of `breaks` that says why a call left the graph
        self._waited = 0  # of `segments`: their kernels have ended
        self._effects: list[int] = []
        self._of_bodies: list[Any] = []  # weak references to what bodies recorded
        # Deferred in earlier cells: not this cell's to compute, and not ours to keep.
        self._before = [weakref.ref(a) for a in _core.live_traced()]
        self._wrappers: dict[int, TracedArray] = {}
        # Arrays of this cell that NumPy has been given: the ndarray stands for them from then on.
        self._computed: WeakValueDictionary[int, TracedArray] = WeakValueDictionary()

    def user_line(self) -> int | None:
        """The line of the cell that is being run, 1-based in the whole cell."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_filename == self.filename:
                return frame.f_lineno
            frame = frame.f_back
        return None

    def names(self) -> dict[int, str]:
        """What the user calls the arrays of this cell, by ``id``."""
        raise NotImplementedError

    def stay_inside(self, reason: str) -> None:
        """Nothing is computed while a branch or a loop body is traced."""
        if self.bodies:
            raise NotConvertible(reason)

    def _interrupt(self, line: int | None, reason: str) -> str:
        """Names what ends a segment; what follows from a call that left the graph has its name."""
        if reason in FOLLOWS and self._left == len(self.breaks) - 1 >= 0:
            before, why = self.breaks[-1]
            if before == line:
                return why
        self.breaks.append((line, reason))
        return reason

    def _known(self) -> list[TracedArray]:
        """Traced arrays that stand for an ndarray."""
        return [*self._wrappers.values(), *self._computed.values()]

    def sync(self, arrays: list[Any], reason: str) -> None:
        """Computes ``arrays`` now, and with them what lives on the way to them."""
        self.stay_inside(reason)
        pending = [a for a in arrays if a._traced]
        if not pending:
            return
        line = self.user_line()
        reason = self._interrupt(line, reason)
        known = frozenset(id(a) for a in pending)
        pending += [a for a in self._on_the_way(pending) if id(a) not in known]
        self.run(pending, reason, line, needed=known)

    def _on_the_way(self, arrays: list[Any]) -> list[Any]:
        """Live arrays that ``arrays`` are computed from, or that share memory with such."""
        *_, entries = _core.traced_graph(arrays, [], ["" for _ in arrays])
        ids = {id(a) for a in self.live() if id(a) in entries} | {id(a) for a in arrays}
        for family in self.families():  # one is computed: all share its memory
            if any(id(a) in ids for a in family):
                ids |= {id(a) for a in family}
        return [a for a in self.live() if id(a) in ids]

    def flush(self, reason: str) -> None:
        """Computes every live traced array, and writes changed inputs back."""
        self.stay_inside(reason)
        live = self.live()
        if live:
            line = self.user_line()
            reason = self._interrupt(line, reason)
            self.run(live, reason, line, needed=frozenset(id(a) for a in live), writes=True)
        _core.finish_trace_writes()
        self.write_back()
        _core.wait_all()  # kernels may still read memory that is written next
        for array in self._known():  # whoever is called next may write their memory
            array.touched()

    def write_back(self, failed: bool = False) -> None:
        """Copies what the cell wrote into existing ndarrays to where they live, once everything
        that reads their old contents is computed.

        Args:
            failed: a kernel failed; what depends on it is not written.
        """
        changed = list({id(w): w for w in self._known() if w.dirty}.values())
        if not changed:
            return
        self.stay_inside("an existing array is written")
        pending = {id(w.handle): w.handle for w in changed if w.handle._traced}
        pending |= {id(a): a for a in self._readers()}
        if pending:
            self.run(
                list(pending.values()), "an existing array was written", self.user_line(),
                needed=frozenset(pending),
            )  # fmt: skip
            if failed:
                salvage(self.segments[-1:])
        self._wait_for_readers()
        for wrapper in changed:
            if not failed or error_of(wrapper.handle) is None:
                wrapper.store()

    def _wait_for_readers(self) -> None:
        """Until every kernel that was started has read what it needs: NumPy writes at once."""
        for segment in self.segments[self._waited :]:
            for array in segment.outputs:
                if not array._traced:
                    error_of(array)
        self._waited = len(self.segments)

    def settle_writes(self, reason: str) -> None:
        """Does what the cell wrote into arrays that others hold too, and computes first whatever
        reads their old contents."""
        self.stay_inside(reason)
        pending = {id(value): value for value, _ in _core.trace_writes() if value._traced}
        if pending:
            pending |= {id(a): a for a in self._readers()}
            line = self.user_line()
            self.breaks.append((line, reason))
            self.run(list(pending.values()), reason, line, needed=frozenset(pending), writes=True)
        _core.finish_trace_writes()

    def _readers(self) -> list[Any]:
        """Live traced arrays that read memory that is about to be written."""
        live = self.live()
        if not live:
            return []
        graph, inputs, _, entries = _core.traced_graph(live, [], ["" for _ in live])
        reading = {i for i, a in zip(graph.inputs, inputs, strict=True) if may_change(a)}
        for node in graph.nodes:
            if any(source in reading for source, _ in node.inputs):
                reading.add(node.id)
        # A window that got its value meanwhile, with its base, has no node and reads nothing.
        return [a for a in live if id(a) in entries and entries[id(a)][0] in reading]

    def settle_readers(self, reason: str) -> None:
        """Computes what reads an ndarray's memory, before somebody writes there unseen."""
        readers = self._readers()
        if readers:
            line = self.user_line()
            self.breaks.append((line, reason))
            self.run(readers, reason, line, needed=frozenset(id(a) for a in readers))
        for array in self._known():
            array.touched()

    def touch_others(self, written: TracedArray) -> None:
        """After a write that reached memory: arrays that overlap it are read again."""
        for wrapper in self._known():
            if wrapper is not written and np.may_share_memory(wrapper.origin, written.origin):
                wrapper.touched()

    def settle_aliases(self, value: np.ndarray) -> None:
        """Before an ndarray enters that may share memory with one written in this cell."""
        for wrapper in self._known():
            if wrapper.dirty and np.may_share_memory(wrapper.origin, value):
                self.write_back()
                return

    def before_write(self, wrapper: TracedArray) -> bool:
        """Before the cell writes an existing ndarray; True when other inputs overlap it, so that
        the write must reach its memory at once."""
        overlaps = any(
            w is not wrapper and np.may_share_memory(w.origin, wrapper.origin)
            for w in self._known()
        )
        if overlaps:
            self.flush("writes an array that shares memory with another")
        self._wrappers[id(wrapper.origin)] = wrapper  # kept until its memory has the new contents
        return overlaps

    def run(
        self,
        arrays: list[Any],
        reason: str,
        line: int | None,
        shown: tuple[Any, ...] = (),
        needed: frozenset[int] = frozenset(),
        writes: bool = False,
    ) -> None:
        """Computes ``arrays`` as one segment; ``shown`` are drawn with it but not computed, those
        with their id in ``needed`` are computed whether or not a name holds them.

        What ``backward`` may still need of their history is kept, as imperatively. ``writes``: the
        writes that wait are done right afterwards.
        """
        tape = _core.tape_values(arrays)
        segment = compute(
            [*arrays, *(a for a in tape if a._traced)],
            self.options,
            shown=shown,
            effects=tuple(self._effects),
            names=self.names(),
            donate=tuple(self.donated),
            needed=needed,
            separate=self._of_numpy(),
            writes=writes,
            reason=reason,
            line=line,
        )
        self._effects.clear()
        self.segment_serial = 0
        self.segments.append(segment)
        _core.set_trace_segment(len(self.segments))

    def _of_numpy(self) -> frozenset[int]:
        """Ids of the handles of NumPy's traced arrays: which of those share memory is theirs."""
        alive = [p for p in (r() for r in self.proxies) if p is not None]
        return frozenset(id(p._handle) for p in alive)

    def families(self) -> list[list[Any]]:
        """Live traced ``nd`` arrays that share memory, two or more each."""
        of_numpy = self._of_numpy()
        return _core.alias_groups([a for a in self.live() if id(a) not in of_numpy])

    def refresh_views(self) -> None:
        """Records again the views of arrays that were written since: what they hold now."""
        for view in [p for p in (r() for r in self.proxies) if p is not None]:
            if view.parent is not None:
                _ = view.handle

    def live(self) -> list[Any]:
        """Traced arrays of this cell that something in Python still holds, in order of creation."""
        earlier = {id(a) for ref in self._before if (a := ref()) is not None}
        earlier |= {id(a) for ref in self._of_bodies if (a := ref()) is not None}
        return [a for a in _core.live_traced() if id(a) not in earlier and not numbers.owns(a)]

    def disown(self, arrays: list[Any]) -> None:
        """Arrays of a branch or loop body, which have no value of their own."""
        self._of_bodies = [ref for ref in self._of_bodies if ref() is not None]
        self._of_bodies += map(weakref.ref, arrays)


def may_change(array: Any) -> bool:
    """Its memory may be written without our knowing, or a write of this cell to it waits."""
    return _core.awaits_write(array) or _core.shares_numpy(array)
