"""The end of a recorded cell: which values are computed, and what each name is bound to."""

from __future__ import annotations

from typing import Any

from .. import _core
from . import numbers
from .deferred import Deferred
from .numpy_face import TracedArray
from .options import UsageError
from .recorder import Recorder


def handle_of(value: Any) -> Any:
    """The array handle behind a bound value, or None for anything that is not an array."""
    if type(value) is TracedArray:
        return value.handle
    return value if isinstance(value, _core.NDArray) else None


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
        self.bound: dict[str, int] = {}  # name -> id of the handle, at the cell's end
        self._read: frozenset[int] = frozenset()  # ids of handles that more than a name needs

    def finish(self, shown: Any, failed: bool = False) -> Any:
        """Runs the last segment and rebinds the names; returns ``shown`` as a real value.

        Args:
            shown: the value of the last expression (None without one).
            failed: the body raised; every live value is computed, as it would be imperatively.
        """
        recorder = self.recorder
        named = self._named()
        wanted = recorder.options.out
        must = self._must(named, shown, failed)
        later = [v for v in named.values() if _is_pending(v)]
        shown_only = tuple(
            h for h in map(handle_of, later) if not any(h is m for m in must) and h._traced
        )
        if must or recorder.has_effects:
            recorder.run(must, "the cell ends", None, shown=shown_only, needed=self._read)
        recorder.write_back()
        self._bind(named, wanted)
        return self._real(shown)

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
                self.bound[name] = id(handle_of(_root(value)))
        return named

    def _must(self, named: dict[str, Any], shown: Any, failed: bool) -> list[Any]:
        """Handles to compute with the cell, each once, in order of creation."""
        wanted = self.recorder.options.out
        inside = [v for v in self._contained() if _is_pending(v)]
        extra = [_root(v) for v in (*inside, shown) if _is_pending(v)]
        extra += [w for w in self.recorder.inputs() if w.dirty and _is_pending(w)]
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
            chosen = [a for a in live if id(a) in keep or id(a) in views] + extra
        handles: dict[int, Any] = {}
        for value in chosen:
            handle = handle_of(value)
            if handle._traced:
                handles.setdefault(id(handle), handle)
        return list(handles.values())

    def _contained(self) -> list[Any]:
        """NumPy proxies inside lists, tuples and dicts that the cell assigned."""
        found: list[Any] = []

        def walk(value: Any, depth: int) -> None:
            if type(value) is TracedArray:
                found.append(value)
            elif depth and type(value) in (list, tuple):
                for item in value:
                    walk(item, depth - 1)
            elif depth and type(value) is dict:
                for item in value.values():
                    walk(item, depth - 1)

        for name in self.recorder.cell.names:
            value = self.namespace.get(name)
            if type(value) in (list, tuple, dict):
                walk(value, 3)
        return found

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
        for name in self.recorder.cell.names:
            value = self.namespace.get(name)
            if type(value) in (list, tuple, dict):
                self.namespace[name] = self._inside(value, 3)

    def _real(self, value: Any) -> Any:
        if type(value) is TracedArray:
            return value.real() if not handle_of(_root(value))._traced else value
        return numbers.plain(value)

    def _inside(self, value: Any, depth: int) -> Any:
        """The container with real arrays for proxies; lists and dicts are changed in place."""
        if type(value) is TracedArray:
            return self._real(value)
        if not depth:
            return value
        if type(value) is list:
            value[:] = [self._inside(v, depth - 1) for v in value]
        elif type(value) is dict:
            for key, item in value.items():
                value[key] = self._inside(item, depth - 1)
        elif type(value) is tuple:
            return tuple(self._inside(v, depth - 1) for v in value)
        return value


def _must_run(live: list[Any]) -> set[int]:
    """Ids of live traced arrays that can't wait: nobody in the cell consumes them, or their value
    could change unseen (a random draw, NumPy's memory; a write to an nd input computes first)."""
    if not live:
        return set()
    graph, inputs, _, entries = _core.traced_graph(live, [], ["" for _ in live])
    consumed: set[tuple[int, int]] = set()
    unsettled = {i for i, a in zip(graph.inputs, inputs, strict=True) if _core.shares_numpy(a)}
    for node in graph.nodes:
        if node.key_slot is not None:
            unsettled.add(node.id)
        for source, out in node.inputs:
            consumed.add((source, out))
            if source in unsettled:
                unsettled.add(node.id)
    return {
        id(a)
        for a in live
        if tuple(entries[id(a)]) not in consumed or entries[id(a)][0] in unsettled
    }
