"""The end of a recorded cell: which values are computed, and what each name is bound to."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from .. import _core
from ..base import LinAlgError, MXNetError
from ..np_face import TracedArray
from ..reasons import Reason
from . import numbers
from .compute import waiting_contents, with_families
from .deferred import Deferred
from .homes import is_ours, opened, root_of, standing_in
from .options import UsageError
from .recorder import Recorder
from .salvage import error_of
from .segments import may_change
from .values import Key

_ENDS = Reason("the cell ends")


def handle_of(value: Any) -> Any:
    """The array handle behind a bound value, or None for anything that is not an array."""
    if type(value) is TracedArray:
        return value.handle
    return value if isinstance(value, _core.NDArray) else None


def _made_as(value: Any) -> Any:
    """The handle that the cell computed a value as; an ndarray that was read stands for it."""
    unwritten = type(value) is TracedArray and value.computed is not None and not value.dirty
    return value.computed if unwritten else handle_of(value)


def _is_pending(value: Any) -> bool:
    handle = handle_of(value)
    return handle is not None and handle._traced


class Ending:
    """Computes what a cell must leave behind and binds its names."""

    def __init__(self, recorder: Recorder):
        self.recorder = recorder
        self.namespace = recorder.namespace
        self.deferred: list[Deferred] = []
        self._opened: dict[int, Any] = {}  # tuples
        self._others: dict[str, Any] = {}  # names of existing arrays that are bound to proxies
        self.bound: dict[str, Key | None] = {}  # name -> key of the value, at the cell's end
        self._read: frozenset[int] = frozenset()  # ids of handles that more than a name needs
        self._history: list[Any] = []  # what backward() after the cell may need
        self.hurried = False  # somebody has interrupted the cell and waits for its end

    def finish(self, shown: list[Any], failed: bool = False) -> Any:
        """Runs the last segment and rebinds the names; returns ``shown[0]`` as a real value.

        Args:
            shown: the value of the last expression, held by nothing else here; empty without one.
            failed: the body raised; every live value is computed, as it would be imperatively.
        """
        recorder = self.recorder
        named = self._named()
        self._others = {
            name: value
            for name, value in _core.guards.of_types(self.namespace, (TracedArray,))
            if value.recorder is recorder
            and name not in named
            and name not in recorder.donated_names
        }
        self._history = _core.tape_values(recorder.live())
        wanted = recorder.options.out
        elsewhere = (v for name in recorder.cell.names if is_ours(v := self._other(name)))
        needed = [a for v in (*elsewhere, *shown) for a in standing_in(v)]
        needed = [*self._others.values(), *needed]
        must = self._must(named, needed, failed)
        computed = {id(m) for m in must}
        if self.hurried:
            left = [a for a in recorder.live() if id(a) not in computed]
            if not _core.own_inputs(left):  # they are computed sooner than kept for later
                self.hurried = False
                must = self._must(named, needed, failed)
                computed = {id(m) for m in must}
        later = [v for v in named.values() if _is_pending(v)]
        shown_only = tuple(h for h in map(handle_of, later) if id(h) not in computed and h._traced)
        if must or recorder.effects:
            recorder.run(must, _ENDS, None, shown=shown_only, needed=self._read, writes=True)
        # A cell with NumPy values waits before it ends; what failed does not bind.
        error = recorder.salvage() if recorder.uses_numpy or recorder.proxies else None
        _core.finish_trace_writes()
        recorder.write_back(failed=error is not None)
        recorder.kept.fill()
        recorder.settled = error is None and not recorder.live()
        if isinstance(error, LinAlgError):  # NumPy's cell ends there: the name has no array
            for name in [n for n, v in named.items() if _has_failed(v)]:
                del named[name], self.namespace[name]
        self._bind(named, wanted if not failed else None)
        if error is not None and not failed:
            raise error
        return self._real(shown[0]) if shown else None

    # Choosing -------------------------------------------------------------------------------------
    def _named(self) -> dict[str, Any]:
        """Array names that the cell assigned, with numbers made plain on the way."""
        named = {}
        for name in self.recorder.cell.names:
            if name not in self.namespace:
                continue
            value = self.namespace[name]
            if numbers.is_recorded(value):
                self.namespace[name] = numbers.plain(value)
            elif handle_of(value) is not None:
                named[name] = value
                self.bound[name] = _core.value_key(_made_as(root_of(value)))
        return named

    def _must(self, named: dict[str, Any], needed: list[Any], failed: bool) -> list[Any]:
        """Handles to compute with the cell, each once, in order of creation.

        ``needed`` are values that something besides a name needs.
        """
        wanted = self.recorder.options.out
        extra: list[Any] = [root_of(v) for v in needed if _is_pending(v)]
        extra += self.recorder.kept.waiting(self.recorder)
        extra += [w for w in self.recorder.inputs() if w.dirty and _is_pending(w)]
        # What was written into existing arrays, variables, and what a later backward() needs.
        extra += waiting_contents()
        live = self.recorder.live()
        extra += [a for a in live if _core.is_variable(a)]
        extra += self._history
        self._read = frozenset(id(handle_of(v)) for v in extra)
        if wanted is not None and not failed:
            missing = [n for n in wanted if n not in named and not self._is_real(n)]
            if missing:
                raise UsageError(
                    f"--out: {missing[0]!r} is not an array that this cell assigned; "
                    f"it assigned {', '.join(named) or 'none'}"
                )
            chosen = [root_of(named[n]) for n in wanted if _is_pending(named.get(n))] + extra
        else:
            keep = _must_run(live) if not failed else {id(a) for a in live}
            keep = set() if self.hurried else keep
            views = {id(handle_of(root_of(v))) for v in named.values() if v is not root_of(v)}
            keep = {id(a) for a in with_families([a for a in live if id(a) in keep], live)}
            chosen = [a for a in live if id(a) in keep or id(a) in views] + extra
        handles: dict[int, Any] = {}
        for value in chosen:
            handle = handle_of(value)
            if handle._traced:
                handles.setdefault(id(handle), handle)
        return list(handles.values())

    # Binding --------------------------------------------------------------------------------------
    def _bind(self, named: dict[str, Any], wanted: tuple[str, ...] | None) -> None:
        later = self.recorder.later
        for name in self.recorder.donated_names:
            self.namespace.pop(name, None)
            named.pop(name, None)
        for name, value in named.items():
            handle = handle_of(root_of(value))
            if not handle._traced:
                self.namespace[name] = self._real(value)
            elif wanted is not None:
                later.plan_away(name, handle, value)
            else:
                self.deferred.append(later.add(name, handle, value))
        for name, value in self._others.items():
            self.namespace[name] = self._real(value)
        for name in self.recorder.cell.names:
            if is_ours(value := self._other(name)):
                self.namespace[name] = self._real(value)

    def _is_real(self, name: str) -> bool:
        """Is the cell's name bound to an array that has been computed?"""
        value = self.namespace.get(name)
        return name in self.recorder.cell.names and isinstance(value, (np.ndarray, np.generic))

    def _other(self, name: str) -> Any:
        """A tuple or method that the name is bound to; it has no value later."""
        value = self.namespace.get(name)
        return None if type(value) is TracedArray else value

    def _real(self, value: Any) -> Any:
        if type(value) is TracedArray:
            root = handle_of(root_of(value))
            if root._traced or error_of(root) is not None:
                return value  # deferred, or goes on raising its kernel's error
        with suppress(MXNetError):
            return opened(value, self._opened)
        return value


def _has_failed(value: Any) -> bool:
    handle = handle_of(root_of(value))
    return not handle._traced and error_of(handle) is not None


def _must_run(live: list[Any]) -> set[int]:
    """Ids of live traced arrays that can't wait: nobody in the cell consumes them, or their value
    could change unseen (a random draw, NumPy's memory; a write to an nd input computes first), or
    they share memory that is there, which a later write has to reach."""
    if not live:
        return set()
    graph, inputs, _, entries, _ = _core.traced_graph(live, [], ["" for _ in live])
    consumed: set[tuple[int, int]] = set()
    unsettled = {i for i, a in zip(graph.inputs, inputs, strict=True) if may_change(a)}
    for node in graph.nodes:
        if node.key_slot is not None:
            unsettled.add(node.id)
        for source, out in node.inputs:
            consumed.add((source, out))
            if source in unsettled:
                unsettled.add(node.id)
    found = [(id(a), entries[id(a)]) for a in live if id(a) in entries]  # others have values
    windows = {id(a) for a in live if _core.is_window(a)}
    return windows | {
        key for key, entry in found if tuple(entry) not in consumed or entry[0] in unsettled
    }
