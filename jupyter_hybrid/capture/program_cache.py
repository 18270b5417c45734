"""Compiled programs of cells: found by the graph's hash, with each recording's lines and names."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from .. import _core
from ..base import MXNetError
from ..progress import SearchProgress
from .options import Dimension, Options

_PROGRAMS = 256  # kept in all
_STAGES = 32  # programs of these whose stages are kept: those looked at last
_LABELS = 8  # of one program: cells that record the same graph from other lines


@dataclass(eq=False)
class CellProgram:
    """A program and the stages that led to it, with the lines and names of one recording.

    Attributes:
        program: runs the segment.
        seconds: what making it took.
        stages: the graph after each pass. Made when looked at, if the program was had without
            running the passes, or for a cell without a picture, or was looked at long ago.
        size: how many node ids the stages take.
        resized: it was made of the optimised graph for other sizes of named dimensions.
    """

    program: Any
    seconds: float
    make_stages: Callable[[], list[Any]]
    given_size: int | None = None  # of another recording's program
    resized: bool = False
    warned: list[Any] | None = None  # warnings of every run of it, once looked for
    # Bytes at its imperative peak, by what names hold when the cell ends, outputs and updates.
    peaks: dict[Hashable, int] = field(default_factory=dict)

    @property
    def stages(self) -> list[Any]:
        stages = _with_stages.get(self)
        return _keep_stages(self, self.make_stages() if stages is None else stages)

    @cached_property
    def size(self) -> int:
        if self.given_size is not None:
            return self.given_size
        nodes = (n for s in self.stages for n in s.graph.nodes)
        return max((m.id for n in nodes for m in (n, *n.members)), default=-1) + 1


class _Resized:
    """A stage of an earlier compilation, with its graph for other input shapes."""

    def __init__(self, stage: Any, graph: Any):
        self._stage, self.graph = stage, graph

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stage, name)


@dataclass
class _Known:
    """Everything about the graphs of one hash."""

    graph: Any  # as written, of the first recording
    first: CellProgram
    by_labels: OrderedDict[int, CellProgram] = field(default_factory=OrderedDict)


_known: OrderedDict[tuple, _Known] = OrderedDict()
_by_structure: dict[tuple, tuple] = {}  # of cells with named dimensions: key of the latest
_with_stages: OrderedDict[CellProgram, list[Any]] = OrderedDict()  # in the order of use
_with_stages_lock = threading.Lock()  # pictures ask from threads of their own
_settled: dict[tuple, Any] = {}  # by options: what was settled within cells


def _keep_stages(program: CellProgram, stages: list[Any]) -> list[Any]:
    with _with_stages_lock:
        _with_stages[program] = stages
        _with_stages.move_to_end(program)
        while len(_with_stages) > _STAGES:
            _with_stages.popitem(last=False)
    return stages


def settled(options: Options) -> Any:
    """The :class:`_core.Settled` of cells with these options."""
    key = _compiling(options)
    if key not in _settled:
        _settled[key] = _core.Settled()
    return _settled[key]


def _compiling(options: Options) -> tuple:
    """What of the options decides about programs."""
    return options.passes, options.without, options.remat, options.plan


class Recipe(NamedTuple):
    """What a program is compiled of.

    Attributes:
        graph: as written, with the user's names.
        donated: by input, whether its memory may be reused.
        updates: by output, the input whose array gets it (-1: none, -2: an array of its own).
    """

    graph: Any
    options: Options
    donated: tuple[bool, ...]
    updates: tuple[int, ...]


def find_or_compile(recipe: Recipe) -> tuple[CellProgram, bool]:
    """(program, found without running the passes) of a recorded graph."""
    graph = recipe.graph
    rest = (*_compiling(recipe.options), recipe.donated, recipe.updates)
    key = (graph.hash, *rest)
    known = _known.get(key)
    if known is not None:
        _known.move_to_end(key)
        return _labelled(known, recipe)
    structure = (graph.structure, *rest) if recipe.options.dims else ()
    earlier = _known.get(_by_structure.get(structure, ()))
    program = _resized(earlier, recipe) if earlier is not None else None
    found = program is not None
    if program is None:
        program = build(recipe, keep_stages=recipe.options.view != "none")
    _known[key] = _Known(graph, program, OrderedDict({graph.labels: program}))
    if structure:
        _by_structure[structure] = key
    if len(_known) > _PROGRAMS:
        _known.popitem(last=False)
    return program, found


def build(recipe: Recipe, keep_stages: bool = False) -> CellProgram:
    """Compiles a graph as the options of its cell ask; the cache is not looked at."""
    searched = recipe.options.plan != "fast"  # another search may find another plan
    made = _compile(recipe, keep_stages or searched)
    if searched:
        return CellProgram(made.program, made.seconds, lambda: made.stages)
    program = CellProgram(made.program, made.seconds, lambda: _compile(recipe, True).stages)
    if keep_stages:
        _keep_stages(program, made.stages)
    return program


def _compile(recipe: Recipe, keep_stages: bool) -> Any:
    options = recipe.options
    progress = SearchProgress(options.plan_seconds)
    try:
        return _core.compile(
            recipe.graph,
            passes=list(options.passes) if options.passes is not None else None,
            only_these=options.passes is not None,
            without=list(options.without),
            donated=list(recipe.donated),
            training=True,  # what does nothing outside training was not recorded there
            keep_stages=keep_stages,
            remat=options.remat,
            plan=options.plan,
            plan_seconds=options.plan_seconds,
            progress=progress,
            updates=list(recipe.updates),
            devices="recorded",
        )
    finally:
        progress.close()


def clear() -> int:
    """Forgets every compiled program; how many there were."""
    programs = len(_known)
    _known.clear()
    _by_structure.clear()
    with _with_stages_lock:
        _with_stages.clear()
    for known in _settled.values():
        known.clear()
    return programs


def _labelled(known: _Known, recipe: Recipe) -> tuple[CellProgram, bool]:
    """The program with this recording's lines and names. Its stages are made for a picture only."""
    graph = recipe.graph
    labels = graph.labels
    program = known.by_labels.get(labels)
    if program is not None:
        return program, True
    start = time.perf_counter()
    found = graph.structure == known.graph.structure  # else the lines can't be told apart
    if found:
        made, size = known.first.program.relabelled(graph), known.first.size
        seconds = time.perf_counter() - start
        program = CellProgram(made, seconds, lambda: _compile(recipe, True).stages, size)
    else:
        program = build(recipe)
    known.by_labels[labels] = program
    if len(known.by_labels) > _LABELS:
        known.by_labels.popitem(last=False)
    return program, found


# Named dimensions ---------------------------------------------------------------------------------
def _resized(known: _Known, recipe: Recipe) -> CellProgram | None:
    """The optimised graph for other sizes of the named dimensions, planned again; None where more
    than they changed, or a pass relied on a size."""
    graph = recipe.graph
    if not _only_named_sizes_differ(known.graph, graph, recipe.options.dims):
        return None
    start = time.perf_counter()
    try:
        optimised = _core.resized(known.first.program.graph, graph)
    except MXNetError:
        return None
    plans = "plan" not in recipe.options.without
    made = _core.plan_program(optimised, list(recipe.donated), plans, list(recipe.updates))
    seconds = time.perf_counter() - start

    def stages() -> list[_Resized]:
        return [
            _Resized(s, graph if s.name == "written" else _core.resized(s.graph, graph))
            for s in known.first.stages
        ]

    return CellProgram(made, seconds, stages, known.first.size, resized=True)


def _only_named_sizes_differ(before: Any, after: Any, dims: tuple[Dimension, ...]) -> bool:
    axes = {(d.input, d.axis): d.name for d in dims}
    sizes: dict[str, set[tuple[int, int]]] = {}
    for id in after.inputs:
        node = after.node(id)
        old, new = before.node(id).shapes[0], node.shapes[0]
        if len(old) != len(new):
            return False
        for axis, pair in enumerate(zip(old, new, strict=True)):
            name = axes.get((node.name, axis))
            if name is not None:
                sizes.setdefault(name, set()).add(pair)
            elif pair[0] != pair[1]:
                return False
    for pairs in sizes.values():
        # 0 and 1 have rules of their own (no elements, broadcasting).
        if len(pairs) != 1 or min(size for pair in pairs for size in pair) < 2:
            return False
    return True
