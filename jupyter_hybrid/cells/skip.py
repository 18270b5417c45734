"""Cells without effects: run again without their body, while everything they read is alike."""

from __future__ import annotations

import math
import types
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from ..capture.cell import Cell
from ..capture.float_warnings import issue, of_segment
from ..capture.options import Options
from ..capture.recording import PLAIN, Bound, Recording
from ..capture.source.loops_ran import compiled
from ..np_face import TracedArray
from ..np_face.float_errors import raises, start_cell
from ..reports.report import Report
from .purity import NotSkipped, Reads, is_pure, reads_of

_MOST_BYTES = 4 << 20  # a larger cell gains nothing, and its results would be kept
_epoch = 0


def clear() -> None:
    """No cell is skipped before it has run again."""
    global _epoch
    _epoch += 1


@dataclass
class Skip:
    """Everything that a run without the body needs, and what must hold for it."""

    epoch: int
    program: Any
    guards: dict[str, Any]  # of each name that is read, see _guarded
    attributes: list[tuple[Any, str, Any]]  # of modules among them: owner, name, value
    inputs: list[str]  # the program's inputs, by name
    # Of each name (None: the last expression): the output that it is, -1 for a plain value.
    results: dict[str | None, tuple[int, Bound]]
    shown: str | None  # the last expression is this name
    errors: Any  # what NumPy does about floating-point errors
    report: Report  # of the recorded run

    def holds(self, names: dict[str, Any]) -> bool:
        """True when the cell would record the same graph from these names."""
        if self.epoch != _epoch or _core.is_recording() or _core.is_training():
            return False
        if np.geterr() != self.errors or raises():
            return False
        if any(_guarded(names.get(name)) != known for name, known in self.guards.items()):
            return False
        return all(getattr(owner, name, None) is value for owner, name, value in self.attributes)

    def run(self, names: dict[str, Any]) -> tuple[Any, Report]:
        """Runs the program and binds the names; (value of the last expression, report)."""
        times = _core.RunTimes()
        given = [names[n] for n in self.inputs]
        inputs = [_core.from_numpy(a, copy=False) if type(a) is np.ndarray else a for a in given]
        made = self.program.run(inputs, [], [], recorded=True, times=times)
        values: dict[Any, Any] = {n: _value(*r, made) for n, r in self.results.items()}
        shown = values.pop(None, None)
        names.update(values)
        if self.shown is not None:
            shown = names[self.shown]
        report = self._reported(times)
        if report.segments[0].warns:
            _core.wait_all()
            start_cell()
            issue(of_segment(report.segments[0], names))
        return shown, report

    def _reported(self, times: Any) -> Report:
        report = _like(self.report)
        (segment,) = report.segments
        report.segments = [_like(segment, times=times, cached=True)]
        report.compile_s = report.record_s = 0.0
        report.cached = report.skipped = True
        report.differences = None
        report.computed = []
        return report


def _like(value: Any, **changes: Any) -> Any:
    """``copy.copy``, which takes three times as long."""
    made = object.__new__(type(value))
    made.__dict__.update(vars(value), **changes)
    return made


def _value(output: int, bound: Bound, made: list[Any]) -> Any:
    if output < 0:
        return bound.value
    if bound.kind is not TracedArray:
        return made[output]
    array = _core.as_numpy(made[output])
    return array[()] if bound.scalar else array


def _guarded(value: Any) -> Any:
    """What the graph of a cell that reads ``value`` depends on; None where that can't be told."""
    kind = type(value)
    if kind is np.ndarray and value.ndim and value.flags.aligned:
        return kind, value.dtype, value.shape, value.strides
    if kind is _core.NDArray and not value._traced and value.grad is None:
        return kind, value.dtype, value.shape, value.ctx
    if kind in PLAIN:
        return kind, value, kind is float and math.copysign(1, value)
    return value if isinstance(value, types.ModuleType) else None


def before(cell: Cell, names: dict[str, Any]) -> dict[str, Any] | None:
    """Values that the cell is about to read; None when it may have effects."""
    reads = _reads(cell)
    return {n: names.get(n) for n in reads.names} if isinstance(reads, Reads) else None


def _reads(cell: Cell) -> Reads | str:
    found = cell.memo.get("reads")
    if found is None:
        try:
            found = "it awaits" if cell.awaits else reads_of(cell.tree)
        except NotSkipped as reason:
            found = str(reason)
        cell.memo["reads"] = found
    return found


def find(cell: Cell, options: Options, names: dict[str, Any]) -> Skip | None:
    """What runs the cell without its body now, if that is proven to do the same."""
    known = cell.memo.get(options)
    return known if known is not None and known.holds(names) else None


def learn(read: dict[str, Any] | None, recording: Recording, report: Report) -> str:
    """After a recorded run: keeps what later runs need; "" or why the body has to run.

    Args:
        read: from :func:`before`.
    """
    cell, options = report.cell, report.options
    cell.memo.pop(options, None)
    try:
        reads = _reads(cell)
        if isinstance(reads, str) or read is None:
            raise NotSkipped(str(reads))
        cell.memo[options] = _skip(reads, read, recording, report)
    except NotSkipped as reason:
        return str(reason)
    return ""


def _skip(reads: Reads, read: dict[str, Any], recording: Recording, report: Report) -> Skip:
    options = report.options
    if options.out is not None or options.donate or options.scratch or options.compare:
        raise NotSkipped("--out, --donate and --compare need the body")
    if len(report.segments) != 1 or report.graph_breaks:
        raise NotSkipped("it is not captured whole")
    if compiled(recording.recorder.loops):
        raise NotSkipped("loops of it run compiled")
    if recording.recorder.warned or report.cell.warns:
        raise NotSkipped("it is warned of")
    if report.deferred_names:
        raise NotSkipped(f"{report.deferred_names[0].name} is deferred")
    segment = report.segments[0]
    if segment.keys:
        raise NotSkipped("it draws random numbers")
    if _core.is_recording() or _core.is_training():
        raise NotSkipped("autograd records")
    if segment.compiled.program.plan.planned_bytes > _MOST_BYTES:
        raise NotSkipped("its arrays are large: the body's time is nothing beside theirs")
    return Skip(
        _epoch,
        segment.compiled.program,
        _guards(reads, read),
        _attributes(reads, read),
        _inputs(recording, read),
        *_results(report.cell, segment, recording.bound),
        np.geterr(),
        _like(report),
    )


def _guards(reads: Reads, read: dict[str, Any]) -> dict[str, Any]:
    guards = {name: _guarded(value) for name, value in read.items()}
    for name, value in read.items():
        if guards[name] is None:
            raise NotSkipped(f"{name} is a {type(value).__name__}")
        if name in reads.integers and type(value) is not int:
            raise NotSkipped(f"{name} is an index but no Python integer")
        if name in reads.arrays and isinstance(value, types.ModuleType):
            raise NotSkipped(f"{name} is a module")
    arrays = [v for v in read.values() if isinstance(v, (np.ndarray, _core.NDArray))]
    if len({id(a) for a in arrays}) != len(arrays):
        raise NotSkipped("two names mean the same array")
    return guards


def _attributes(reads: Reads, read: dict[str, Any]) -> list[tuple[Any, str, Any]]:
    """What is read of modules: each has to be pure, or a number or dtype."""
    attributes: list[tuple[Any, str, Any]] = []
    for name, path, count, method in reads.functions:
        value = read[name]
        if isinstance(value, types.ModuleType):
            pure = is_pure(_follow(attributes, value, path), count)
        else:
            pure = method and isinstance(value, (np.ndarray, _core.NDArray))
        if not pure:
            raise NotSkipped(f"{name}.{'.'.join(path)} is not known to be pure")
    for name, path in reads.values:
        value = read[name]
        found = _follow(attributes, value, path) if isinstance(value, types.ModuleType) else None
        if not isinstance(found, (int, float, type, np.dtype)):
            raise NotSkipped(f"{name}.{'.'.join(path)} is not a number or a dtype")
    return attributes


def _follow(attributes: list[tuple[Any, str, Any]], module: Any, path: tuple[str, ...]) -> Any:
    """``module.a.b``, with ``attributes`` taking what is met on the way."""
    for position, attribute in enumerate(path):
        value = getattr(module, attribute, None)
        if position < len(path) - 1 and not isinstance(value, types.ModuleType):
            raise NotSkipped(f"{attribute} is not a module")
        attributes.append((module, attribute, value))
        module = value
    return module


def _inputs(recording: Recording, read: dict[str, Any]) -> list[str]:
    """The names behind the program's inputs."""
    by_handle = {
        id(wrapper.input): name
        for wrapper in recording.read
        for name, value in read.items()
        if value is wrapper.origin
    }
    by_handle |= {id(v): n for n, v in read.items() if type(v) is _core.NDArray}
    inputs = recording.ran.inputs if recording.ran is not None else []
    found = [by_handle.get(id(handle)) for handle in inputs]
    if None in found:
        raise NotSkipped("the program has an input that is not a name's array")
    return [name for name in found if name is not None]


def _results(
    cell: Cell, segment: Any, bound: dict[str | None, Bound]
) -> tuple[dict[str | None, tuple[int, Bound]], str | None]:
    position = {v.key: i for i, v in enumerate(segment.outputs)}
    results: dict[str | None, tuple[int, Bound]] = {}
    names: dict[int, str] = {}  # by output
    for name in cell.names:
        if name not in bound:
            raise NotSkipped(f"{name} was not bound")
        output = _output(name, bound[name], position)
        if output >= 0 and names.setdefault(output, name) != name:
            raise NotSkipped(f"{name} is the array of {names[output]}")
        results[name] = output, bound[name]
    last = _output("the last expression", bound[None], position)
    if last in names:
        return results, names[last]
    return {**results, None: (last, bound[None])}, None


def _output(what: str, value: Bound, position: dict[Any, int]) -> int:
    if value.kind in PLAIN:
        return -1
    if value.kind not in (TracedArray, _core.NDArray):
        raise NotSkipped(f"{what} is a {value.kind.__name__}")
    if not value.fresh:
        raise NotSkipped(f"{what} is a view, was there before or is not in C order")
    at = position.get(value.key, -1)
    if at < 0:
        raise NotSkipped(f"{what} is not a result of the program")
    return at
