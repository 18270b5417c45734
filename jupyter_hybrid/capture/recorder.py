"""The recorder of one cell: what is traced, how calls leave the graph, what arrays are called."""

from __future__ import annotations

import builtins
import contextlib
import time
import weakref
from types import CodeType
from typing import Any

import numpy as np

from .. import _core
from ..base import MXNetError
from ..np_face import DTYPES, TracedArray, float_errors, supported
from ..np_face.array.memory import refusal
from ..reasons import Reason
from . import numbers
from .begun_names import BegunNames
from .cell import Cell
from .compute import with_families
from .deferred import DeferredNames
from .exported import Exported
from .homes import is_ours, kept, opened_steps
from .options import Options
from .salvage import error_of
from .segments import Segments
from .source.sources import note_recorded
from .spent import settles

_note = _core.guards.note
_SHOWN = Reason("an array that a memoryview shows stays in NumPy")
_PROGRAM = 1000  # operators of a loop's steps that are compiled together, ...
_WHOLE = 4000  # ... and of a cell that is recorded whole
_NODE_S = 40e-6  # estimated: recording and compiling one takes so long on a busy machine


class Recorder(Segments):
    """Records one run of one cell.

    The cell's body runs once, as written. Array operations add nodes; whatever needs a value
    (``print``, ``float``, an ``if``, foreign code) ends a segment: what it needs is computed and
    the cell goes on.
    """

    def __init__(
        self, cell: Cell, options: Options, namespace: dict[str, Any], later: DeferredNames
    ):
        super().__init__(cell.filename, options, namespace, cell.names)
        self.checks = 0  # operators recorded that may refuse their input when they run
        self.cell = cell
        note_recorded(cell.filename)
        self.namespace = namespace
        self.later = later
        self.active = True
        self.settled = False  # the cell has ended and every value of it is computed
        self.calls: dict[Any, Any] = {}  # of functions of cells, by code
        # The code, by `id`, of those that touch no array and run as written.
        self.quiet: dict[int, CodeType] = {}
        self.recording: Any = None  # the Recording that this recorder works for
        self.known_names: dict[int, str] = {}  # of a function's arguments, by id of the array
        given = ((n, namespace.get(n)) for n in cell.names)
        self._names_read = BegunNames(namespace, cell.names)
        # Ours alone: an ndarray that is referred to weakly can't be resized.
        self._begun = {n: weakref.ref(v) for n, v in given if type(v) is _core.NDArray}
        self.uses_numpy = False
        self._paced = numbers.serial()  # of the graph, when a loop last had its steps computed
        self._most_whole = 0  # operators of a cell that is to be one program
        self._refused: dict[int, np.ndarray] = {}
        self.exported = Exported(namespace)
        float_errors.start_cell()
        self.donated_names: list[str] = []

    # Called by the runtime -----------------------------------------------------------------------
    def wrap(self, value: Any) -> Any:
        """The traced array of an ndarray; anything else unchanged."""
        if type(value) is not np.ndarray:
            return self.kept.scalar(value)
        known = self.wrappers.get(id(value))
        if known is None:
            promised = self.promises.find(value)
            if promised is not None:
                return promised
            known = self._computed.get(id(value))
            if known is not None and known.computed is None:
                self.wrappers[id(value)] = known
        if known is None or known.origin is not value:
            if not supported(value) or self.exported.has(value):
                self._refuse(value)
                return value
            self.settle_aliases(value)
            known = TracedArray.of_input(self, value)
            self._names_read.read(known)
            self.wrappers[id(value)] = known
            self.uses_numpy = True
        else:
            _note()  # what is known of it from here on, a contact makes out of date
        known.used = self.tick
        return known

    def adopt(self, array: TracedArray) -> None:
        """``array`` was computed and its ndarray handed out: both are one from here on."""
        self._computed[id(array.origin)] = array
        if array.computed is not None:
            _core.note_contents(array.input, array.computed)

    def keep(self, array: TracedArray) -> None:
        """``array`` stands for its ndarray to the cell's end."""
        self.wrappers[id(array.origin)] = array
        self.uses_numpy = True

    def forget(self, value: np.ndarray) -> None:
        """Nothing stands for this ndarray any more."""
        self.wrappers.pop(id(value), None)
        self._computed.pop(id(value), None)

    def _refuse(self, value: np.ndarray) -> None:
        """Names, once, an array that can't enter the graph; it is read and written at once."""
        if self.active and any(np.may_share_memory(w.origin, value) for w in self.known()):
            self.flush(Reason("an array shares memory with one that stays in NumPy"))
        if self.active and id(value) not in self._refused:
            self._refused[id(value)] = value
            shown = self.exported.has(value)
            self.leave_graph(_SHOWN if shown else refusal(value) or _unfit(value.dtype))

    def print(self, args: tuple, kwargs: dict) -> None:
        """``print`` as an effect of the graph; ends the segment when it shows an array."""
        self.stay_inside("it prints")
        if "file" not in kwargs:
            parts: list[str] = []
            inputs: list[Any] = []
            for arg in args:
                node = self._node(arg)
                if node is None:
                    parts.append(self._text_of(arg))
                else:
                    parts.append(f"{{{len(inputs)}}}")
                    inputs.append(node)
            text = f"print({', '.join(parts)})"
            self.effects.append(_core.trace_effect(text, inputs))
            arrays = [a for a in map(self._array, args) if a is not None]
            if arrays:
                self.sync(arrays, Reason("print shows a value"))
                self.watched.finish()  # a warning comes before what is shown after it
        builtins.print(*map(numbers.plain, args), **kwargs)

    def _text_of(self, arg: Any) -> str:
        """What a node says of something printed that is no array: text that the cell has itself.
        With what it computes, as losses are, each run would have another program."""
        if type(arg) is not str:
            return "..."
        quoted = next((q for q in (repr(arg), f'"{arg}"') if q in self.cell.source), "...")
        return quoted.replace("{", "(").replace("}", ")")

    @settles
    def raise_here(self, made: list[Any], reason: Reason) -> None:
        """Computes the results of an operator whose error NumPy raises at once: nothing that
        follows the call happens after an error. Raises that error."""
        self.stay_inside(reason)
        line = self.user_line()
        self.cuts.append((line, reason))
        own = frozenset(id(a) for a in made)
        way = with_families(self._settled.settle(made, False)[1], self.live())
        before = [a for a in way if id(a) not in own]
        if before:  # a program of their own: an error leaves them their values
            self.run(before, reason, line, needed=frozenset())
        ran = self.run(made, reason, line, needed=own)
        error = error_of(made[0])
        if error is not None:
            ran.raised = True
            raise error

    @settles
    def look(self, array: Any, reason: Reason) -> None:
        """Computes an array whose elements say whether NumPy raises at once."""
        self.stay_inside(reason)
        line = self.user_line()
        self.cuts.append((line, reason))
        self._compute([array], reason, line)

    def leave(self, function: Any, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
        """Arguments for code outside the cell: real arrays, with their contents."""
        args = tuple(map(opened_steps, args))
        if not is_ours((*args, *kwargs.values())):
            return args, kwargs
        name = getattr(function, "__qualname__", None) or type(function).__name__
        args, kwargs = tuple(map(kept, args)), {k: kept(v) for k, v in kwargs.items()}
        self.contact(
            ("{name} is not part of the graph", "name", name)
        )  # they have their contents now
        return args, kwargs

    def leave_graph(self, reason: Reason) -> None:
        """Notes that the current line goes on in real NumPy."""
        self.stay_inside(reason)
        self._left = len(self.breaks)
        self.breaks.append((self.user_line(), reason))

    def end_recording(self, reason: Reason) -> None:
        """The rest of the cell runs as written."""
        if self.recording is not None:
            self.recording.leave(reason)

    def read(self, array: TracedArray, reason: Reason) -> None:
        """Somebody needs the elements of a traced array now, in the cell or after it."""
        self.stay_inside(reason)
        if self.active:
            self.sync([array.handle], reason)
        else:
            self.later.materialize([array.handle])

    @settles
    def before_clock(self) -> None:
        """Who reads the time means the work so far: NumPy's is done, nd's is on its way."""
        if not self.active:
            return
        reason = Reason("a clock is read")
        if any(r() is not None for r in self.proxies):
            self.flush(reason)
            return
        live = self.live()
        if live:
            line = self.user_line()
            self.breaks.append((line, reason))
            self.run(live, reason, line, needed=frozenset(id(a) for a in live), writes=True)

    @settles
    def open_stand_ins(self) -> None:
        """All is computed: each stand-in gets its ndarray, which code as written may write."""
        alive = [p for p in (r() for r in self.proxies) if p is not None]
        self.proxies[:] = [weakref.ref(p) for p in alive]
        for proxy in sorted(alive, key=lambda p: p.selected is None):  # of what others have, first
            if proxy.origin is None and proxy.parent is None:
                with contextlib.suppress(MXNetError):  # an operator's own error stays in the array
                    proxy.to_numpy()

    def flush_if_active(self, reason: Reason) -> None:
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

    def record_whole(self, most_s: float) -> None:
        """The cell is to be one program, unless that would take longer."""
        self.whole_until = time.perf_counter() + most_s
        self._most_whole = min(_WHOLE, int(most_s / _NODE_S))

    def pace(self) -> None:
        """Between two steps of a loop: whole steps are computed when they are a program's worth."""
        _core.note_step()
        _core.note_call()
        serial = numbers.serial()
        if self.whole_until:
            if serial - self._paced < self._most_whole and time.perf_counter() < self.whole_until:
                return
            self.whole_until = 0.0
        if serial - self._paced < _PROGRAM:
            return
        self._paced = serial
        why = Reason("a loop recorded many operators")
        if not self.run_waiting(why):
            self.flush(why)

    def refresh_views(self) -> None:
        """Records again the views of arrays that were written since: what they hold now."""
        for view in [p for p in (r() for r in self.proxies) if p is not None]:
            if view.parent is not None:
                _ = view.handle

    # Looking -------------------------------------------------------------------------------------
    def inputs(self) -> list[TracedArray]:
        """The traced arrays of existing ndarrays, in order of first use."""
        return list(self.wrappers.values())

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
        """What the user calls the arrays of this cell and existing ndarrays, by ``id``."""
        names: dict[int, str] = {}
        bound = dict(self.known_names)  # existing ndarrays
        for name, reference in self._begun.items():  # though another array may have it by now
            array = reference()
            if array is not None:
                names[id(array)] = name
        arrays = (TracedArray, _core.NDArray, np.ndarray)
        for name, value in _core.guards.of_types(self.namespace, arrays):
            if name.startswith("_"):
                continue
            array = self._array(value)
            if array is not None:
                names[id(array)] = name
                if type(value) is TracedArray and value.origin is not None:
                    bound[id(value.origin)] = name  # which it stands for, and may have written
            elif type(value) is np.ndarray:
                bound[id(value)] = name
        for value, target in _core.trace_writes():
            if id(target) in names:
                names.setdefault(id(value), names[id(target)])
        for wrapper in self.wrappers.values():
            known = bound.get(id(wrapper.origin)) or self._names_read.of(wrapper)
            if known:
                names[id(wrapper.input)] = known
                if wrapper.dirty:  # what the cell has written there
                    names.setdefault(id(wrapper.handle), known)
        for key, name in bound.items():
            names.setdefault(key, name)
        return names


def _unfit(dtype: np.dtype) -> Reason:
    """Why an ndarray of that dtype, whose memory might be a graph's, can't enter one."""
    if dtype in DTYPES:
        return Reason("an array not aligned stays in NumPy")
    return Reason("an array of dtype {dtype} stays in NumPy", dtype=dtype)
