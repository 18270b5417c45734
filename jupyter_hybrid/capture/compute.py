"""Computing traced arrays: graph, compiled program from the cache, run, values filled in."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from .. import _core
from ..nd.array_names import array_name
from . import program_cache
from .options import Options
from .program_cache import CellProgram


@dataclass
class Segment:
    """One compiled and run part of a cell: what lies between two sync points."""

    compiled: CellProgram
    graph: Any  # as written
    inputs: list[Any]
    keys: list[int]
    entries: dict[int, tuple[int, int]]  # id(traced array) -> (node id, output) as written
    outputs: list[Any]  # the arrays that were computed
    reason: str  # what ended it
    line: int | None
    cached: bool
    run_s: float
    names: dict[tuple[int, int], str] = field(default_factory=dict)
    donated: tuple[bool, ...] = ()
    drawn: list[Any] = field(default_factory=list)  # the outputs of ``whole``, computed or not
    whole: Any = None  # ``graph`` with every array of ``drawn`` as an output
    updates: tuple[int, ...] = ()  # by output: see :func:`_updates`; empty for none
    needed: frozenset[int] = frozenset()  # ids of ``outputs`` read by more than a name
    raised: bool = False  # its kernel's error was raised in the cell, at the call


def clear_cache() -> int:
    """Forgets every compiled program; how many there were."""
    return program_cache.clear()


def compute(
    arrays: list[Any],
    options: Options,
    *,
    shown: tuple[Any, ...] = (),
    effects: tuple[int, ...] = (),
    names: dict[int, str] | None = None,
    donate: tuple[Any, ...] = (),
    needed: frozenset[int] = frozenset(),
    separate: frozenset[int] = frozenset(),
    writes: bool = False,
    reason: str = "",
    line: int | None = None,
) -> Segment:
    """Computes traced arrays together and gives them their values.

    Args:
        arrays: traced NDArrays; each is concrete afterwards.
        shown: traced arrays that stay in the graph as written, though nothing computes them.
        effects: serials of effect nodes recorded since the last segment, shown with it.
        names: what the user calls an array, by ``id``.
        donate: concrete input arrays whose memory the program may reuse.
        needed: ids of ``arrays`` that are read whether or not a name holds them.
        separate: ids of ``arrays`` that get memory of their own; the others share it where the
            imperative cell's would, as windows on one array do.
        writes: the writes that wait are done right afterwards, so that the program may compute
            the new contents of an array where they belong.
    """
    names = names or {}
    windows = [a for a in arrays if id(a) not in separate]
    known = {id(a) for a in arrays}
    groups = _core.alias_groups(windows)
    arrays = [*arrays, *(a for group in groups for a in group if id(a) not in known)]
    drawn = [*arrays, *shown]
    labels = [names.get(id(a), "") for a in drawn]
    graph, inputs, keys, entries = _core.traced_graph(drawn, list(effects), labels)
    called = {entries[key][0]: name for key, name in names.items() if key in entries}
    of_inputs = [names.get(id(a)) or array_name(a) for a in inputs]
    called |= {i: name for i, name in zip(graph.inputs, of_inputs, strict=True) if name}
    whole = graph.with_names(called)
    graph = whole.with_outputs(list(range(len(arrays)))) if shown else whole
    donated = tuple(any(i is d for d in donate) for i in inputs)
    updates, given = _updates(graph, arrays, inputs) if writes else ((), None)
    compiled, cached = program_cache.find_or_compile(graph, called, options, donated, updates)
    start = time.perf_counter()
    _core.hold_trace_writes(True)  # the inputs are what they were before this cell's writes
    try:
        values = compiled.program.run(
            inputs, keys, list(donated), given, settled=bool(updates), recorded=True
        )
        shares = [id(a) not in separate and not any(donated) for a in arrays]
        for i, update in enumerate(updates):
            shares[i] = shares[i] and update == -1
        _core.set_values(arrays, values, shares)
        if updates:  # the arrays have their new contents: from here on they stand for them
            _core.finish_trace_writes()
    finally:
        _core.hold_trace_writes(False)
    run_s = time.perf_counter() - start
    return Segment(
        compiled=compiled,
        graph=graph,
        inputs=inputs,
        keys=keys,
        entries=entries,
        outputs=list(arrays),
        reason=reason,
        line=line,
        cached=cached,
        run_s=run_s,
        names={entry: names[key] for key, entry in entries.items() if key in names},
        donated=donated,
        drawn=drawn,
        whole=whole,
        updates=updates,
        needed=needed,
    )


def _updates(
    graph: Any, arrays: list[Any], inputs: list[Any]
) -> tuple[tuple[int, ...], list[Any] | None]:
    """Which outputs are the new contents of existing arrays: by output -1 for none, the number of
    the input that is that array, or -2 for an array that the program does not read; and those
    arrays.

    Nothing when a kernel may fail, since then only what depends on it is to fail, nor for arrays
    whose old contents somebody outside this segment has still to read.
    """
    waiting = {id(value): target for value, target in _core.trace_writes()}
    if not waiting or graph.may_fail:
        return (), None
    inside = {id(a) for a in arrays}
    others = [a for a in _core.live_traced() if id(a) not in inside]
    position = {id(a): i for i, a in enumerate(inputs)}
    updates, given = [], []
    for array in arrays:
        target = waiting.get(id(array))
        if target is not None and any(_core.reads_memory(o, target) for o in others):
            target = None
        given.append(target)
        updates.append(-1 if target is None else position.get(id(target), -2))
    if not any(t is not None for t in given):
        return (), None
    return tuple(updates), given
