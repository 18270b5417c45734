"""The end of a recorded cell: which values are computed, and what each name is bound to."""

from __future__ import annotations

import operator
import sys
from collections import Counter
from typing import Any

from .. import _core
from ..base import LinAlgError
from ..np_face import TracedArray, holders
from . import numbers
from .compute import Key
from .deferred import Deferred
from .options import UsageError
from .recorder import Recorder
from .salvage import error_of
from .segments import may_change

_OURS = frozenset({TracedArray, numbers.RecordedInt, numbers.RecordedFloat, list, dict, tuple})
_DEPTH = 3  # of lists and dicts in the cell's own; what lies deeper is found by its references


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


def _root(value: Any) -> Any:
    """A view's base: the array whose memory is computed."""
    while type(value) is TracedArray and value.parent is not None:
        value = value.parent
    return value


class Ending:
    """Computes what a cell must leave behind and binds its names."""

    def __init__(self, recorder: Recorder):
        self.recorder = recorder
        self.namespace = recorder.namespace
        self.deferred: list[Deferred] = []
        self._others: dict[str, Any] = {}  # names of existing arrays that are bound to proxies
        self.bound: dict[str, Key | None] = {}  # name -> key of the value, at the cell's end
        self._read: frozenset[int] = frozenset()  # ids of handles that more than a name needs
        self._history: list[Any] = []  # what backward() after the cell may need
        self._reals: dict[int, tuple[Any, Any]] = {}  # by id of the proxy: itself, its real array

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
            for name, value in self.namespace.items()
            if type(value) is TracedArray
            and value.recorder is recorder
            and name not in named
            and name not in recorder.donated_names
        }
        self._history = _core.tape_values(recorder.live())
        wanted = recorder.options.out
        inside, elsewhere = self._held(named, shown)
        must = self._must(named, [*inside, *elsewhere, *self._others.values(), *shown], failed)
        later = [v for v in named.values() if _is_pending(v)]
        computed = {id(m) for m in must}
        shown_only = tuple(h for h in map(handle_of, later) if id(h) not in computed and h._traced)
        if must or recorder.has_effects:
            recorder.run(
                must, "the cell ends", None, shown=shown_only, needed=self._read, writes=True
            )
        # A cell with NumPy values waits before it ends; what failed does not bind.
        error = recorder.salvage() if recorder.uses_numpy or recorder.proxies else None
        _core.finish_trace_writes()
        recorder.write_back(failed=error is not None)
        recorder.settled = error is None and not recorder.live()
        if isinstance(error, LinAlgError):  # NumPy's cell ends there: the name has no array
            for name in [n for n, v in named.items() if _has_failed(v)]:
                del named[name], self.namespace[name]
        self._bind(named, wanted)
        self._unwrap(elsewhere)
        if error is not None and not failed:
            raise error
        return self._inside(shown[0], _DEPTH + 1) if shown else None

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
                self.bound[name] = _core.value_key(_made_as(_root(value)))
        return named

    def _held(self, named: dict[str, Any], shown: list[Any]) -> tuple[list[Any], list[Any]]:
        """NumPy proxies that more than a name holds: in the cell's lists and dicts, and elsewhere
        (attributes, closures, tuples, containers of earlier cells)."""
        inside = self._contained(shown)
        known = Counter(id(v) for v in named.values() if type(v) is TracedArray)
        known.update(id(v) for v in self._others.values())
        known += known  # `named` or `_others`, and the namespace
        known.update(id(v) for v in shown)
        known.update(id(w) for w in self.recorder.inputs())
        contained = Counter(id(v) for v in inside)
        known += contained + contained  # the container and the list `inside`
        alive = [p for p in (r() for r in self.recorder.proxies) if p is not None]
        known.update(id(p.parent) for p in alive if p.parent is not None)
        (unheld,) = [sys.getrefcount(p) for p in [object()]]
        counts = [sys.getrefcount(p) for p in alive]
        elsewhere = [
            p for p, held in zip(alive, counts, strict=True) if held - unheld > known[id(p)]
        ]
        return inside, elsewhere

    def _contained(self, shown: list[Any]) -> list[Any]:
        """The proxies in lists and dicts that the cell assigned or shows, once for every place."""
        found: list[Any] = []
        seen: set[int] = set()

        def walk(value: Any, depth: int) -> None:
            if type(value) is TracedArray:
                found.append(value)
            elif depth and type(value) in (list, dict) and id(value) not in seen:
                seen.add(id(value))
                for item in _worth_looking(value):
                    walk(item, depth - 1)

        for name in self.recorder.cell.names:
            value = self.namespace.get(name)
            if type(value) in (list, dict):
                walk(value, _DEPTH)
        if shown and _is_shown_alone(shown):
            for value in shown[0]:
                walk(value, _DEPTH)
        return found

    def _must(self, named: dict[str, Any], needed: list[Any], failed: bool) -> list[Any]:
        """Handles to compute with the cell, each once, in order of creation.

        ``needed`` are values that something besides a name needs.
        """
        wanted = self.recorder.options.out
        extra = [_root(v) for v in needed if _is_pending(v)]
        extra += [w for w in self.recorder.inputs() if w.dirty and _is_pending(w)]
        # What was written into existing arrays, variables, and what a later backward() needs.
        extra += [value for value, _ in _core.trace_writes() if value._traced]
        live = self.recorder.live()
        extra += [a for a in live if _core.is_variable(a)]
        extra += self._history
        self._read = frozenset(id(handle_of(v)) for v in extra)
        if wanted is not None and not failed:
            missing = [n for n in wanted if n not in named]
            if missing:
                raise UsageError(
                    f"--out: {missing[0]!r} is not an array that this cell assigned; "
                    f"it assigned {', '.join(named) or 'none'}"
                )
            chosen = [_root(named[n]) for n in wanted if _is_pending(named[n])] + extra
        else:
            live = self.recorder.live()
            keep = _must_run(live) if not failed else {id(a) for a in live}
            views = {id(handle_of(_root(v))) for v in named.values() if v is not _root(v)}
            for family in self.recorder.families():  # one is computed: all share its memory
                if any(id(a) in keep for a in family):
                    keep |= {id(a) for a in family}
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
            handle = handle_of(_root(value))
            if not handle._traced:
                self.namespace[name] = self._real(value)
            elif wanted is not None:
                later.plan_away(name, handle, value)
            else:
                self.deferred.append(later.add(name, handle, value))
        for name, value in self._others.items():
            self.namespace[name] = self._real(value)
        for name in self.recorder.cell.names:
            value = self.namespace.get(name)
            if type(value) in (list, dict):
                self._inside(value, _DEPTH)

    def _unwrap(self, elsewhere: list[Any]) -> None:
        """Puts real arrays and plain numbers where attributes, closures and so on hold ours."""
        recorded = numbers.still_held()
        if not elsewhere and not recorded:
            return
        swaps = [(p, self._real(p)) for p in elsewhere if not handle_of(_root(p))._traced]
        swaps += [(n, numbers.plain(n)) for n in recorded]
        ours = [elsewhere, recorded, *numbers.own_lists(), *self._reals.values()]
        ours += [p for p in (r() for r in self.recorder.proxies) if p is not None]  # views
        holders.replace(swaps, [*ours, self.recorder.wrappers])

    def _real(self, value: Any) -> Any:
        if type(value) is not TracedArray:
            return numbers.plain(value)
        root = handle_of(_root(value))
        if root._traced or error_of(root) is not None:
            return value  # deferred, or goes on raising its kernel's error
        if id(value) not in self._reals:
            self._reals[id(value)] = (value, value.to_numpy())
        return self._reals[id(value)][1]

    def _inside(self, value: Any, depth: int) -> Any:
        """The value with real arrays for proxies in lists and dicts, which are changed in place."""
        if depth and type(value) in (list, dict, tuple) and not _worth_looking(value):
            return value
        if depth and type(value) is list:
            for i, item in enumerate(value):
                if (real := self._inside(item, depth - 1)) is not item:
                    value[i] = real
        elif depth and type(value) is dict:
            for key, item in value.items():
                if (real := self._inside(item, depth - 1)) is not item:
                    value[key] = real
        elif depth and type(value) is tuple:
            items = [self._inside(v, depth - 1) for v in value]
            return value if all(map(operator.is_, items, value)) else tuple(items)
        elif type(value) is TracedArray or numbers.is_recorded(value):
            return self._real(value)
        return value


def _is_shown_alone(shown: list[Any]) -> bool:
    """A tuple, as `x.min(), x.max()` in the last line makes it, that nothing else holds."""
    (unheld,) = [sys.getrefcount(p) for p in [object()]]
    (held,) = [sys.getrefcount(p) for p in shown]
    return type(shown[0]) is tuple and held == unheld


def _worth_looking(container: Any) -> Any:
    """A list's, tuple's or dict's elements; () where none can be ours or hold such."""
    items = container.values() if type(container) is dict else container
    return items if not _OURS.isdisjoint(map(type, items)) else ()


def _has_failed(value: Any) -> bool:
    handle = handle_of(_root(value))
    return not handle._traced and error_of(handle) is not None


def _must_run(live: list[Any]) -> set[int]:
    """Ids of live traced arrays that can't wait: nobody in the cell consumes them, or their value
    could change unseen (a random draw, NumPy's memory; a write to an nd input computes first)."""
    if not live:
        return set()
    graph, inputs, _, entries = _core.traced_graph(live, [], ["" for _ in live])
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
    return {key for key, entry in found if tuple(entry) not in consumed or entry[0] in unsettled}
