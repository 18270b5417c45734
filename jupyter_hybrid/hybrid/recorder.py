"""The recorder of one cell: what is traced, when it must be computed, what names get at the end."""

from __future__ import annotations

import builtins
import sys
import weakref
from types import FrameType
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from .. import _core
from . import numbers
from .cell import Cell
from .deferred import DeferredNames
from .execute import Segment, compute
from .exported import Exported
from .loop_number import NotConvertible
from .numpy_face import DTYPES, NumpyFace, TracedArray, supported
from .numpy_face.memory import refusal
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


class Recorder:
    """Records one run of one cell.

    The cell's body runs once, as written. Array operations add nodes; whatever needs a value
    (``print``, ``float``, an ``if``, foreign code) ends a segment: what it needs is computed and
    the cell goes on.
    """

    def __init__(
        self, cell: Cell, options: Options, namespace: dict[str, Any], later: DeferredNames
    ):
        self.cell = cell
        self.filename = cell.filename
        self.code_file = cell.filename  # every function of this file is rewritten
        self.options = options
        self.namespace = namespace
        self.later = later
        self.segments: list[Segment] = []
        self.breaks: list[tuple[int | None, str]] = []
        self.cuts: list[tuple[int | None, str]] = []  # computed there, though all is in a graph
        self._left = -1  # the last of `breaks` that says why a call left the graph
        self.active = True
        self.settled = False  # the cell has ended and every value of it is computed
        self.bodies: list[Any] = []  # branches and loop bodies being traced, innermost last
        self._of_bodies: list[Any] = []  # weak references to what bodies recorded
        self.may_be: list[tuple[Any, list[Any]]] = []  # nodes in bodies: arrays they may stand for
        self.loop_tries: dict[tuple[int, int], int] = {}  # of `while` statements
        self.segment_serial = 0  # of the graph, when the segment began
        self.recording: Any = None  # the Recording that this recorder works for
        self.known_names: dict[int, str] = {}  # of a function's arguments, by id of the array
        # Deferred in earlier cells: not this cell's to compute, and not this recorder's to keep.
        self._before = [weakref.ref(a) for a in _core.live_traced()]
        self.uses_numpy = False
        self.proxies: list[Any] = []  # weak references to every TracedArray of the cell
        self._waited = 0  # of `segments`: their kernels have ended
        self._effects: list[int] = []
        self._wrappers: dict[int, TracedArray] = {}
        # Arrays of this cell that NumPy has been given: the ndarray stands for them from then on.
        self._computed: WeakValueDictionary[int, TracedArray] = WeakValueDictionary()
        self._refused: dict[int, np.ndarray] = {}
        self.exported = Exported(namespace)
        self._snapshots: dict[int, tuple[Any, np.ndarray, Any]] = {}
        self.face = NumpyFace(self)
        self.donated: list[Any] = []  # input arrays whose memory may be reused
        self.donated_names: list[str] = []

    # Called by the runtime -----------------------------------------------------------------------
    def wrap(self, value: Any) -> Any:
        """The traced array of an ndarray, the face of NumPy; anything else unchanged."""
        if value is np:
            return self.face
        if type(value) is not np.ndarray:
            return value
        known = self._wrappers.get(id(value))
        if known is None:
            known = self._computed.get(id(value))
        if known is None or known.origin is not value:
            if not supported(value) or self.exported.has(value):
                self._refuse(value)
                return value
            self.settle_aliases(value)
            known = TracedArray.of_input(self, value)
            self._wrappers[id(value)] = known
            self.uses_numpy = True
        return known

    def snapshot(self, value: np.ndarray) -> Any:
        """The contents of an ndarray that code outside the cell puts beside traced ones. That code
        may write it before the graph runs, and nobody would tell us."""
        known = self._wrappers.get(id(value))
        if known is None:
            known = self._computed.get(id(value))
        if known is not None and known.origin is value and known.dirty:
            return known.handle
        self.settle_aliases(value)
        kept = self._snapshots.get(id(value))
        if kept is not None and kept[0]() is value and _same_bytes(kept[1], value):
            return kept[2]
        copy = np.array(value, order="C")
        handle = _core.from_numpy(copy, copy=False)
        self._snapshots[id(value)] = (weakref.ref(value), copy, handle)
        return handle

    def adopt(self, array: TracedArray) -> None:
        """``array`` was computed and its ndarray handed out: both are one from here on."""
        self._computed[id(array.origin)] = array

    def keep(self, array: TracedArray) -> None:
        """``array`` stands for its ndarray to the cell's end."""
        self._wrappers[id(array.origin)] = array
        self.uses_numpy = True

    def forget(self, value: np.ndarray) -> None:
        """Nothing stands for this ndarray any more."""
        self._wrappers.pop(id(value), None)
        self._computed.pop(id(value), None)
        self._snapshots.pop(id(value), None)

    def _refuse(self, value: np.ndarray) -> None:
        """Names, once, an array that can't enter the graph; it is read and written at once."""
        if self.active and any(np.may_share_memory(w.origin, value) for w in self._known()):
            self.flush("an array shares memory with one that stays in NumPy")
        if self.active and id(value) not in self._refused:
            self._refused[id(value)] = value
            why = "not aligned" if value.dtype in DTYPES else f"of dtype {value.dtype}"
            why = "that a memoryview shows" if self.exported.has(value) else refusal(value) or why
            self.leave_graph(f"an array {why} stays in NumPy")

    def _known(self) -> list[TracedArray]:
        """Traced arrays that stand for an ndarray."""
        return [*self._wrappers.values(), *self._computed.values()]

    def print(self, args: tuple, kwargs: dict) -> None:
        """``print`` as an effect of the graph; ends the segment when it shows an array."""
        self.stay_inside("it prints")
        if "file" not in kwargs:
            parts: list[str] = []
            inputs: list[Any] = []
            for arg in args:
                node = self._node(arg)
                if node is None:
                    shown = repr(arg) if isinstance(arg, (str, int, float)) else "..."
                    parts.append(shown.replace("{", "(").replace("}", ")"))
                else:
                    parts.append(f"{{{len(inputs)}}}")
                    inputs.append(node)
            text = f"print({', '.join(parts)})"
            self._effects.append(_core.trace_effect(text, inputs))
            arrays = [a for a in map(self._array, args) if a is not None]
            if arrays:
                self.sync(arrays, "print shows a value")
        builtins.print(*map(numbers.plain, args), **kwargs)

    def raise_here(self, made: list[Any], reason: str) -> None:
        """Computes the results of an operator whose error NumPy raises at once: nothing that
        follows the call happens after an error. Raises that error."""
        self.stay_inside(reason)
        line = self.user_line()
        self.cuts.append((line, reason))
        own = frozenset(id(a) for a in made)
        before = [a for a in self._on_the_way(made) if id(a) not in own]
        if before:  # a program of their own: an error leaves them their values
            self.run(before, reason, line, needed=frozenset())
        self.run(made, reason, line, needed=own)
        error = error_of(made[0])
        if error is not None:
            self.segments[-1].raised = True
            raise error

    def real_type(self, value: Any) -> type:
        """What ``type(value)`` answers in the cell run imperatively."""
        if type(value) is TracedArray:
            return value.dtype.type if value.is_scalar else np.ndarray
        return type(numbers.plain(value))

    def leave(self, function: Any, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
        """Arguments for code outside the cell: real arrays, everything pending computed."""
        if not any(type(v) is TracedArray for v in _flat((*args, *kwargs.values()))):
            return args, kwargs
        name = getattr(function, "__qualname__", None) or type(function).__name__
        self.flush(f"{name} is not part of the graph")
        return tuple(_real(a) for a in args), {k: _real(v) for k, v in kwargs.items()}

    def leave_graph(self, reason: str) -> None:
        """Notes that the current line goes on in real NumPy."""
        self.stay_inside(reason)
        self._left = len(self.breaks)
        self.breaks.append((self.user_line(), reason))

    def _interrupt(self, line: int | None, reason: str) -> str:
        """Names what ends a segment; what follows from a call that left the graph has its name."""
        if reason in FOLLOWS and self._left == len(self.breaks) - 1 >= 0:
            before, why = self.breaks[-1]
            if before == line:
                return why
        self.breaks.append((line, reason))
        return reason

    def read(self, array: TracedArray, reason: str) -> None:
        """Somebody needs the elements of a traced array now, in the cell or after it."""
        self.stay_inside(reason)
        if self.active:
            self.sync([array.handle], reason)
        else:
            self.later.materialize([array.handle])

    def flush_if_active(self, reason: str) -> None:
        """:meth:`flush` while the cell runs; nothing is pending afterwards."""
        if self.active:
            self.flush(reason)

    def donate(self, name: str, value: Any) -> None:
        """Unbinds an input and marks its memory as reusable by the program."""
        del self.namespace[name]
        wrapped = self.wrap(value) if type(value) is np.ndarray else value
        self.namespace[name] = wrapped  # until its last use in this cell
        self.donated.append(self._array(wrapped))
        self.donated_names.append(name)

    def stay_inside(self, reason: str) -> None:
        """Nothing is computed while a branch or a loop body is traced."""
        if self.bodies:
            raise NotConvertible(reason)

    # Computing -----------------------------------------------------------------------------------
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
            self.run(live, reason, line, needed=frozenset(id(a) for a in live))
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
            self.run(list(pending.values()), reason, line, needed=frozenset(pending))
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
    ) -> None:
        """Computes ``arrays`` as one segment; ``shown`` are drawn with it but not computed, those
        with their id in ``needed`` are computed whether or not a name holds them.

        What ``backward`` may still need of their history is kept, as imperatively.
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

    # Looking -------------------------------------------------------------------------------------
    def user_line(self) -> int | None:
        """The line of the cell that is being run, 1-based in the whole cell."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_filename == self.filename:
                return frame.f_lineno
            frame = frame.f_back
        return None

    @property
    def wrappers(self) -> dict[int, TracedArray]:
        """The traced arrays of existing ndarrays, by their ``id``."""
        return self._wrappers

    @property
    def has_effects(self) -> bool:
        """True when effects wait to be drawn with the next segment."""
        return bool(self._effects)

    def inputs(self) -> list[TracedArray]:
        """The traced arrays of existing ndarrays, in order of first use."""
        return list(self._wrappers.values())

    @staticmethod
    def _array(value: Any) -> Any | None:
        if type(value) is TracedArray:  # what a mask selects has no node before it is needed
            return value.handle if value.selected is None else None
        return value if isinstance(value, _core.NDArray) else None

    def _node(self, value: Any) -> Any | None:
        if numbers.is_recorded(value):
            return value.node
        array = self._array(value)
        return array if array is not None and array._traced else None

    def names(self) -> dict[int, str]:
        """What the user calls the arrays of this cell, by ``id``."""
        names: dict[int, str] = {}
        bound = dict(self.known_names)  # existing ndarrays
        for name, value in self.namespace.items():
            if name.startswith("_"):
                continue
            array = self._array(value)
            if array is not None:
                names[id(array)] = name
            elif type(value) is np.ndarray:
                bound[id(value)] = name
        for value, target in _core.trace_writes():
            if id(target) in names:
                names.setdefault(id(value), names[id(target)])
        for wrapper in self._wrappers.values():
            known = bound.get(id(wrapper.origin))
            if known is not None:
                names[id(wrapper.input)] = known
        return names


def _same_bytes(copy: np.ndarray, value: np.ndarray) -> bool:
    if copy.shape != value.shape or copy.dtype != value.dtype or not value.flags.c_contiguous:
        return False
    return np.array_equal(copy.reshape(-1).view("u1"), value.reshape(-1).view("u1"))


def may_change(array: Any) -> bool:
    """Its memory may be written without our knowing, or a write of this cell to it waits."""
    return _core.awaits_write(array) or _core.shares_numpy(array)


def _flat(values: tuple) -> list:
    found = []
    for value in values:
        if type(value) in (list, tuple):
            found.extend(_flat(tuple(value)))
        elif type(value) is dict:
            found.extend(_flat(tuple(value.values())))
        else:
            found.append(value)
    return found


def _real(value: Any) -> Any:
    if type(value) is TracedArray:
        return value.to_numpy()
    if type(value) is tuple:
        return tuple(map(_real, value))
    if type(value) in (list, dict):  # the same container: whoever gets it may change it
        for key, held in list(enumerate(value) if type(value) is list else value.items()):
            real = _real(held)
            if real is not held:
                value[key] = real
    return value
