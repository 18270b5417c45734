"""Computing traced arrays: graph, compiled program from the cache, run, values filled in."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import _core
from ..nd.array_names import array_name
from ..reasons import NONE, Reason
from . import program_cache
from .options import Options
from .program_cache import CellProgram, Recipe
from .values import Key, Value


@dataclass(eq=False)
class Segment:
    """One compiled part of a cell: what lies between two sync points, each time it ran.

    It holds no arrays. ``outputs``, ``inputs`` and ``drawn`` are of the latest run.
    """

    compiled: CellProgram
    graph: Any  # as written
    inputs: list[Value]
    keys: list[int]
    outputs: list[Value]  # what was computed
    reason: Reason  # what ended it
    line: int | None
    cached: bool
    times: Any  # _core.RunTimes: of all runs
    names: dict[tuple[int, int], str] = field(default_factory=dict)
    donated: tuple[bool, ...] = ()
    drawn: list[Value] = field(default_factory=list)  # the outputs of ``whole``, computed or not
    whole: Any = None  # ``graph`` with every array of ``drawn`` as an output
    updates: tuple[int, ...] = ()  # by output: see :func:`_updates`; empty for none
    needed: frozenset[int] = frozenset()  # numbers of outputs read by more than a name
    count: int = 1  # how often it ran
    warns: int = 0  # of what NumPy would warn in it, as a hash; 0: nothing

    @property
    def run_s(self) -> float:
        """Of all runs together, each from its first kernel's start to the last one's end. Waits
        until none is under way."""
        self.times.wait()
        return float(self.times.seconds())

    def in_place(
        self, reason: Reason, line: int | None, keys: Sequence[Key | None], needed: frozenset[int]
    ) -> Segment:
        """The same program, run where something else ended the segment."""
        made = object.__new__(Segment)  # contacts are many: cheaper than `replace`
        outputs = [
            Value(key, v.shape, v.dtype, v.entry, v.name)
            for v, key in zip(self.outputs, keys, strict=True)
        ]
        made.__dict__ = {
            **self.__dict__,
            "inputs": [v.elsewhere() for v in self.inputs],
            "outputs": outputs,
            "drawn": outputs,
            "reason": reason,
            "line": line,
            "cached": True,
            "times": _core.RunTimes(),
            "needed": needed,
            "count": 1,
        }
        return made

    def again(self, times: Any, keys: Sequence[Key | None]) -> None:
        """It ran once more, for the outputs with these keys."""
        self.count += 1
        self.times.take(times)
        for value, key in zip(self.outputs, keys, strict=True):
            value.key = key


@dataclass
class Ran:
    """A run whose kernels may still fail, with its arrays."""

    segment: Segment
    inputs: list[Any]
    keys: list[int]
    outputs: list[Any]
    submit_s: float = 0.0  # that handing it to the engine took
    raised: bool = False  # its kernel's error was raised in the cell, at the call


def _owner(array: Any) -> Any:
    owner = _core.numpy_owner(array)
    return array if owner is None else owner


def with_families(arrays: list[Any], others: list[Any]) -> list[Any]:
    """``arrays`` and what shares memory with one: one is computed, so all are.

    Args:
        others: those that are looked at.
    """
    known = {id(a) for a in arrays}
    made = list(arrays)
    for family in _core.alias_groups(others):
        if any(id(a) in known for a in family):
            made += [a for a in family if id(a) not in known]
            known |= {id(a) for a in family}
    return made


def waiting_contents() -> list[Any]:
    """Traced arrays that existing ones are to have as their contents, once they are computed."""
    return [value for value, _ in _core.trace_writes() if value._traced]


def compute(
    arrays: list[Any],
    options: Options,
    *,
    shown: tuple[Any, ...] = (),
    effects: tuple[int, ...] = (),
    names: dict[int, str] | None = None,
    donate: tuple[Any, ...] = (),
    needed: frozenset[int] = frozenset(),
    writes: bool = False,
    places: dict[int, Any] | None = None,
    reason: Reason = NONE,
    line: int | None = None,
) -> Ran:
    """Computes traced arrays together and gives them their values.

    Args:
        arrays: traced NDArrays; each is concrete afterwards.
        shown: traced arrays that stay in the graph as written, though nothing computes them.
        effects: serials of effect nodes recorded since the last segment, shown with it.
        names: what the user calls an array, or the ndarray that it reads, by ``id``.
        donate: concrete input arrays whose memory the program may reuse.
        needed: ids of ``arrays`` that are read whether or not a name holds them.
        writes: the writes that wait are done right afterwards, so that the program may compute
            the new contents of an array where they belong.
        places: memory in which one of ``arrays`` may be computed, by ``id`` of that.
    """
    names = names or {}
    arrays = with_families(arrays, arrays)
    drawn = [*arrays, *shown]
    waiting = {id(value): names.get(id(to)) or array_name(to) for value, to in _core.trace_writes()}
    labels = [names.get(id(a)) or waiting.get(id(a)) or "" for a in drawn]
    graph, inputs, keys, entries, sources = _core.traced_graph(drawn, list(effects), labels)
    called = {entries[key][0]: name for key, name in names.items() if key in entries}
    owners = [_owner(a) for a in inputs]
    of_inputs = [
        names.get(id(a)) or names.get(id(owner)) or names.get(id(before)) or array_name(a)
        for a, owner, (_, before) in zip(inputs, owners, sources, strict=True)
    ]
    called |= {i: name for i, name in zip(graph.inputs, of_inputs, strict=True) if name}
    whole = graph.with_names(called)
    graph = whole.with_outputs(list(range(len(arrays)))) if shown else whole
    donated = tuple(any(i is d for d in donate) for i in inputs)
    updates, given = _updates(graph, arrays, inputs, places or {}, writes)
    read = [
        Value.read(a, owner, key, (i, 0), called.get(i, ""))
        for a, owner, (key, _), i in zip(inputs, owners, sources, graph.inputs, strict=True)
    ]
    written = any(donated) or bool(updates) or (writes and bool(_core.trace_writes()))
    compiled, cached = program_cache.find_or_compile(Recipe(graph, options, donated, updates))
    times = _core.RunTimes()
    shares = [u == -1 and not any(donated) for u in updates or [-1] * len(arrays)]
    start = time.perf_counter()
    _core.hold_trace_writes(True)  # the inputs are what they were before this cell's writes
    try:
        compiled.program.compute(
            arrays,
            inputs,
            keys,
            list(donated),
            given,
            shares,
            settled=bool(updates),
            taken_back=not written and _core.can_be_taken_back(arrays),
            times=times,
        )
        if updates and writes:  # the arrays have their new contents, for which they now stand
            _core.finish_trace_writes()
    finally:
        _core.hold_trace_writes(False)
    submit_s = time.perf_counter() - start
    computed = [Value.of(a, entries[id(a)]) for a in drawn]
    segment = Segment(
        compiled=compiled,
        graph=graph,
        inputs=read,
        keys=keys,
        outputs=computed[: len(arrays)],
        reason=reason,
        line=line,
        cached=cached,
        times=times,
        names={entry: names[key] for key, entry in entries.items() if key in names},
        donated=donated,
        drawn=computed,
        whole=whole,
        updates=updates,
        needed=frozenset(i for i, a in enumerate(arrays) if id(a) in needed),
        warns=0 if any(donated) or updates else graph.warns,  # else the inputs may be overwritten
    )
    return Ran(segment, inputs, keys, list(arrays), submit_s)


def _updates(
    graph: Any, arrays: list[Any], inputs: list[Any], places: dict[int, Any], writes: bool
) -> tuple[tuple[int, ...], list[Any] | None]:
    """Which outputs are the new contents of existing arrays: by output -1 for none, the number of
    the input that is that array, or -2 for an array that the program does not read; and those
    arrays.

    Nothing when a kernel may fail, since then only what depends on it is to fail, nor for arrays
    whose old contents somebody outside this segment has still to read.
    """
    waiting = {id(value): target for value, target in _core.trace_writes()} if writes else {}
    if not (waiting or places) or graph.may_fail:
        return (), None
    inside = {id(a) for a in arrays}
    others = [a for a in _core.live_traced() if id(a) not in inside]
    position = {id(a): i for i, a in enumerate(inputs)}
    updates, given = [], []
    for array in arrays:
        target = waiting.get(id(array))
        if target is not None and any(_core.reads_memory(o, target) for o in others):
            target = None
        target = places.get(id(array), target)
        given.append(target)
        updates.append(-1 if target is None else position.get(id(target), -2))
    if not any(t is not None for t in given):
        return (), None
    return tuple(updates), given
