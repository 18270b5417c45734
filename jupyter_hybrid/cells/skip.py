"""Cells without effects: run again without their body, while everything they read is alike.

A cell whose code is closed (:mod:`.purity`), and which was recorded as one program, computes what
that program computes as long as plain values, functions and the arrays' kinds are what they were.
What it imports and defines at its beginning is done again; existing arrays that it writes are
written when all is computed.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from ..capture.cell import Cell
from ..capture.float_warnings import issue, of_segment
from ..capture.options import Options
from ..capture.recording import PLAIN, Recording
from ..capture.source.loops_ran import compiled, scalar
from ..np_face import float_errors
from ..np_face.float_errors import overheard, raises, start_cell
from ..reasons import NONE, Reason
from ..reports.report import Report
from .purity import NotSkipped, made_by
from .reads import (
    ABSENT,
    Made,
    Place,
    Read,
    guard_of,
    prologue,
    read_by,
    run_prologue,
    sure_names,
)
from .results import Results, require

# Recording a cell whole may take so many seconds, and so many of its runs.
_WHOLE_S, _WHOLE_TIMES = 0.04, 3
_MISSES = 4  # runs in a row for which no guard held, after which few look at what is read
_MOST_MADE = 1 << 20  # bytes of an array that a cell makes of numbers, and that is kept for it
_epoch = 0


def clear() -> None:
    """No cell is skipped before it has run again."""
    global _epoch
    _epoch += 1


class NotWhole(NotSkipped):
    """It may be recorded as one program, if that is asked for."""


@dataclass
class Skip:
    """Everything that a run without the body needs, and what must hold for it."""

    epoch: int
    cell: Cell
    program: Any
    arrays: Any  # guards of the cell's ndarrays
    guards: list[tuple[dict[str, Any] | None, str, Any]]  # scope (None: the cell's), name, guard
    attributes: list[tuple[Any, str, Any]]  # of modules: owner, name, value
    inputs: list[Place | Made]  # the program's, ...
    given: Callable[[dict[str, Any]], Any]  # ... which are found in the cell's names
    others: list[Place]  # arrays that are read, too
    written: list[tuple[Place, int]]  # existing arrays, and the outputs that they get
    results: Results
    numpys: list[bool]  # by output, is it made as NumPy has it?
    errors: Any  # what NumPy does about floating-point errors, ...
    state: Any  # ... which it has in this object
    report: Report  # of the recorded run

    def holds(self, names: dict[str, Any]) -> bool:
        """True when the cell would record the same graph from these names."""
        if self.epoch != _epoch or _core.is_recording() or _core.is_training():
            return False
        as_then = float_errors.state is not None and float_errors.state.get() is self.state
        if not (as_then or np.geterr() == self.errors) or raises():
            return False
        try:
            run_prologue(self.cell, names)
        except NotSkipped:
            return False
        if not self.arrays.hold(names):
            return False
        for scope, name, known in self.guards:
            value = (names if scope is None else scope).get(name, ABSENT)
            if guard_of(value) != known:
                return False
        if any(vars(m).get(name, ABSENT) is not value for m, name, value in self.attributes):
            return False
        return not self.written or self._writes_apart(names)

    def _writes_apart(self, names: dict[str, Any]) -> bool:
        """Does nothing else that is read share memory with what is written?"""
        arrays = {place: place.find(names) for place in (*self.inputs, *self.others)}
        for target, _ in self.written:
            array = target.find(names)
            for place, other in arrays.items():
                if place != target and np.may_share_memory(array, other):
                    return False
        return True

    def run(self, names: dict[str, Any]) -> tuple[Any, Report]:
        """Runs the program and binds the names; (value of the last expression, report)."""
        times = _core.RunTimes()
        made = self.program.run_numpy(self.given(names), self.numpys, times)
        values = self.results.make(made, names)
        contents = [(place.find(names), made[k]) for place, k in self.written]
        report = self._reported(times)
        warned = []
        if report.segments[0].warns:
            _core.wait_all()
            start_cell()
            warned = of_segment(report.segments[0], names)
        for array, new in contents:
            np.copyto(array, new)
        shown = values.pop(None, None)
        names.update(values)  # type: ignore[arg-type]
        issue(warned)
        return shown, report

    def _reported(self, times: Any) -> Report:
        report = _like(self.report)
        (segment,) = report.segments
        report.segments = [_like(segment, times=times, cached=True)]
        report.compile_s = report.record_s = 0.0
        report.took_s = None
        report.cached = report.skipped = True
        report.differences = None
        report.computed = []
        return report


def _like(value: Any, **changes: Any) -> Any:
    """``copy.copy``, which takes three times as long."""
    made = object.__new__(type(value))
    made.__dict__.update(vars(value), **changes)
    return made


class Before:
    """What a cell is about to read, and how that is guarded."""

    def __init__(self, cell: Cell, names: dict[str, Any]):
        self.problem = NONE
        self.read = Read()
        self.guards: list[tuple[dict[str, Any] | None, str, Any]] = []
        self.objects: list[Any] = []  # arrays and containers that are read
        # What the names of the cell have meant that are plain values or tuples.
        kinds = (*PLAIN, tuple)
        self.old = {n: names[n] for n in cell.names if n in names and type(names[n]) in kinds}
        self.ids = {n: id(names[n]) for n in cell.names if n in names}
        try:
            misses = cell.memo.get("misses", 0)
            if misses > _MISSES and misses & (misses - 1):
                cell.memo["misses"] = misses + 1
                raise NotSkipped("what it reads is ever another")
            if raises():
                raise NotSkipped("warnings raise")
            run_prologue(cell, names)
            self.read = read_by(cell, names)
            self.guards = self.read.guards()
            self.objects = self.read.objects()
        except NotSkipped as problem:
            self.problem = problem.reason

    @contextmanager
    def listening(self, names: dict[str, Any]) -> Iterator[None]:
        """Around the body: what it warns of, nobody would when it is skipped."""
        if self.problem:
            yield
            return
        with overheard(names) as heard:
            yield
        if heard:
            self.problem = Reason("it is warned of")


def is_known(cell: Cell, options: Options) -> bool:
    """May the cell be skipped, if guards hold?"""
    return options in cell.memo


def find(cell: Cell, options: Options, names: dict[str, Any]) -> Skip | None:
    """What runs the cell, which may be skipped, without its body now, if guards hold."""
    known: Skip = cell.memo[options]
    if known.holds(names):
        cell.memo["misses"] = 0
        return known
    cell.memo["misses"] = cell.memo.get("misses", 0) + 1
    return None


def is_closed(cell: Cell, names: dict[str, Any]) -> bool:
    """May the cell be skipped, as far as its code and what it reads tell?"""
    return not Before(cell, names).problem


def ask_for_whole(cell: Cell, took: float) -> None:
    """The next recorded run of the cell, which takes ``took`` seconds, is to be one program. Once:
    what does not get there is not tried again."""
    cell.memo.setdefault("whole", _WHOLE_S + _WHOLE_TIMES * took)


def wants_whole(cell: Cell) -> bool:
    """Is the next run to be recorded for that?"""
    return bool(cell.memo.get("whole"))


def whole_s(cell: Cell, before: Before | None) -> float:
    """Seconds that a run which begins now may take to be recorded whole; 0: it is as all are."""
    lasts = cell.memo.get("whole")
    if not lasts or before is None or before.problem:
        return 0.0
    cell.memo["whole"] = 0.0
    return float(lasts)


def learn(
    before: Before | None, recording: Recording, report: Report, shown: Any, took: float
) -> Reason:
    """After a recorded run of ``took`` seconds, compiling aside, whose last expression gave
    ``shown``: keeps what later runs need; NONE or why the body has to run."""
    cell, options = report.cell, report.options
    cell.memo.pop(options, None)
    try:
        if before is None or before.problem:
            raise NotSkipped(before.problem if before else Reason("its memory was given away"))
        cell.memo[options] = _skip(before, recording, report, shown)
    except NotSkipped as problem:
        recorder = recording.recorder
        if recorder.asked or not recorder.segments or scalar(recorder.loops):
            cell.memo["whole"] = 0.0
        elif isinstance(problem, NotWhole):
            ask_for_whole(cell, took)
        return problem.reason
    return NONE


def _skip(before: Before, recording: Recording, report: Report, shown: Any) -> Skip:
    options, recorder, names = report.options, recording.recorder, recording.recorder.namespace
    if options.out is not None or options.donate or options.scratch or options.compare:
        raise NotSkipped("--out, --donate and --compare need the body")
    defined = {n for s in prologue(report.cell) for n in made_by(s)}
    bound = {n: b for n, b in recording.bound.items() if n not in defined}
    for name, value in bound.items():
        require(name, value)
    if compiled(recorder.loops):
        raise NotWhole("loops of it run compiled")
    if len(report.segments) != 1 or report.segments[0].count != 1 or report.graph_breaks:
        raise NotWhole("it is not captured whole")
    if recorder.warned or report.cell.warns:
        raise NotSkipped("it is warned of")
    if report.deferred_names:
        raise NotSkipped("{name} is deferred", name=report.deferred_names[0].name)
    segment = report.segments[0]
    if segment.keys:
        raise NotSkipped("it draws random numbers")
    if segment.updates or recording.written is None:
        raise NotSkipped("it writes arrays before it ends")
    if _core.is_recording() or _core.is_training():
        raise NotSkipped("autograd records")
    now = before.read.objects()
    same = len(now) == len(before.objects) and all(map(operator.is_, now, before.objects))
    if not same or before.read.guards() != before.guards:
        raise NotSkipped("it changes what it reads")
    if recording.looked[len(prologue(report.cell))] != recording.looked[-1]:
        raise NotSkipped("it looks at what an array holds")
    places = _places(before.read)
    read = _inputs(recording)
    inputs = [places.get(id(a)) or _made(a) for a in read]
    tuples = [v for v in (*before.objects, *before.old.values()) if type(v) is tuple]
    results = Results(segment.outputs, lambda array: places.get(id(array)), tuples, read)
    written = []
    for array, key in recording.written:
        if id(array) not in places:
            raise NotSkipped("it writes an array that is not a name's")
        written.append((places[id(array)], results.output(key, "what it writes")))
    guards = list(before.guards)
    for name in report.cell.names:
        old = before.old.get(name, ABSENT)
        if name in names and name not in sure_names(report.cell):
            was_there = name in bound and (bound[name].origin or bound[name].kind is np.ndarray)
            if names[name] is old:
                guards.append((None, name, guard_of(old)))  # perhaps it is what nobody has bound
            elif was_there and id(names[name]) == before.ids.get(name):
                raise NotSkipped("{name} is perhaps not bound", name=name)
        if name in names and name not in bound and name not in defined:
            raise NotSkipped("{name} was not bound", name=name)
    # As the body binds them; one that was there has kept its place.
    stays = before.ids.keys() & bound.keys()
    order: dict[str | None, int]
    order = {name: k for k, name in enumerate(report.cell.names if stays else names)}
    for name in sorted(bound, key=lambda n: order.get(n, len(order))):
        results.bind(name, bound[name], shown if name is None else names[name])
    arrays = {n: names[n] for scope, n, known in guards if scope is None and _is_array(known)}
    arrays = {n: a for n, a in arrays.items() if (None, n, guard_of(a)) in guards}
    return Skip(
        _epoch,
        report.cell,
        segment.compiled.program,
        _core.ArrayGuards(list(arrays.items())),
        [guard for guard in guards if guard[0] is not None or guard[1] not in arrays],
        list(before.read.attributes.values()),
        inputs,
        _finder(inputs),
        [place for place in places.values() if place not in inputs],
        written,
        results,
        results.numpys([k for _, k in written]),
        np.geterr(),
        float_errors.state.get() if float_errors.state is not None else None,
        _like(report),
    )


def _finder(places: list[Place | Made]) -> Callable[[dict[str, Any]], Any]:
    """What finds the arrays there in a cell's names."""
    plain = [p.name for p in places if type(p) is Place and p.scope is None and not p.keys]
    if len(plain) == len(places) > 1:
        return operator.itemgetter(*plain)
    return lambda names: [place.find(names) for place in places]


def _is_array(guard: Any) -> bool:
    return type(guard) is tuple and guard[0] is np.ndarray


def _places(read: Read) -> dict[int, Place]:
    """By `id` of an array that is read, and held: where it is. Raises NotSkipped."""
    found: dict[int, Place] = {}
    for place, array in read.arrays():
        if found.setdefault(id(array), place) is not place:
            raise NotSkipped("two names mean the same array")
    return found


def _made(array: Any) -> Made:
    """Of an array that no name has: the cell writes it nowhere, else it would be among those that
    are written. Raises NotSkipped."""
    if type(array) is not np.ndarray or array.nbytes > _MOST_MADE:
        raise NotSkipped("the program has an input that is not a name's array")
    return Made(array.copy(order="K"))


def _inputs(recording: Recording) -> list[Any]:
    """The existing arrays that the program reads."""
    origins = {id(wrapper.input): wrapper.origin for wrapper in recording.read}
    inputs = recording.ran.inputs if recording.ran is not None else []
    return [origins.get(id(handle), handle) for handle in inputs]
