"""Computing traced arrays: graph, compiled program from the cache, run, values filled in."""

from __future__ import annotations

import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

from .. import _core
from .options import Options

_CACHE_SIZE = 256
_cache: OrderedDict[tuple, Any] = OrderedDict()


@dataclass
class Segment:
    """One compiled and run part of a cell: what lies between two sync points."""

    compiled: Any  # _core.Compiled
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
    needed: frozenset[int] = frozenset()  # ids of ``outputs`` read by more than a name


def compile_cached(
    graph: Any, names: dict[int, str], options: Options, donated: tuple[bool, ...]
) -> tuple[Any, bool]:
    """(Compiled, found in the cache) for a recorded graph; ``names`` are the user's, by node id."""
    # Two graphs of one hash may still look different: other lines, other names.
    lines = tuple(_core.site(n.site)[:3] if n.site else None for n in graph.nodes)
    called = tuple(sorted(names.items()))
    key = (graph.hash, lines, called, options.passes, options.without, donated)
    found = _cache.get(key)
    if found is not None:
        _cache.move_to_end(key)
        return found, True
    compiled = build(graph, options, donated)
    _cache[key] = compiled
    if len(_cache) > _CACHE_SIZE:
        _cache.popitem(last=False)
    return compiled, False


def build(graph: Any, options: Options, donated: tuple[bool, ...], keep_stages: bool = True) -> Any:
    """Compiles a graph as the options of its cell ask; the cache is not looked at."""
    return _core.compile(
        graph,
        passes=list(options.passes) if options.passes is not None else None,
        only_these=options.passes is not None,
        without=list(options.without),
        donated=list(donated),
        keep_stages=keep_stages,
    )


def clear_cache() -> int:
    """Forgets every compiled program; how many there were."""
    programs = len(_cache)
    _cache.clear()
    return programs


def compute(
    arrays: list[Any],
    options: Options,
    *,
    shown: tuple[Any, ...] = (),
    effects: tuple[int, ...] = (),
    names: dict[int, str] | None = None,
    donate: tuple[Any, ...] = (),
    needed: frozenset[int] = frozenset(),
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
    """
    names = names or {}
    drawn = [*arrays, *shown]
    labels = [names.get(id(a), "") for a in drawn]
    graph, inputs, keys, entries = _core.traced_graph(drawn, list(effects), labels)
    called = {entries[key][0]: name for key, name in names.items() if key in entries}
    called |= {i: names[id(a)] for i, a in zip(graph.inputs, inputs, strict=True) if id(a) in names}
    whole = graph.with_names(called)
    graph = whole.with_outputs(list(range(len(arrays)))) if shown else whole
    donated = tuple(any(i is d for d in donate) for i in inputs)
    compiled, cached = compile_cached(graph, called, options, donated)
    start = time.perf_counter()
    values = compiled.program.run(inputs, keys, list(donated))
    for array, value in zip(arrays, values, strict=True):
        _core.set_value(array, value)
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
        needed=needed,
    )
