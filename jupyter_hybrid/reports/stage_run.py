"""Running a stage of a cell: its time, its memory, its distance from the stage before, its values.

The graph runs as it stands at that stage, with no later pass, on arrays that are only read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, get_args

from .. import _core
from ..base import MXNetError
from .stage_difference import difference
from .stage_inputs import InputsChanged, On, find_inputs
from .stage_program import FREE, Bounds, Ready, timed
from .stage_result import StageRun
from .stage_values import values_of
from .stage_verdict import Verdict, judge, why_changed
from .stages import visible

if TYPE_CHECKING:
    from .report import Report


def run_stage(report: Report, name: str, on: On = "run", bounds: Bounds = FREE) -> StageRun:
    """See :meth:`Report.run_stage`."""
    if on not in get_args(On):
        raise ValueError(f"on: expected one of {', '.join(get_args(On))}, got {on!r}")
    if not report.stages:
        raise MXNetError("nothing of this cell was compiled: there is no stage to run")
    stage = report.stage(name)
    before = next(iter(visible(report.stages[: report.stages.index(stage)])[-1:]), None)
    found = find_inputs(report.segments, report.namespace, on)
    sources = found.sources
    last = Ready(report.stages[-1], sources, bounds)
    bounds.go_on()
    left = last.run()
    verdict = judge(report, left) if not found.drawn else Verdict((), (), False, found.drawn)
    if verdict.changed and on == "run":
        raise InputsChanged(why_changed(report, verdict))
    ready = last if name == report.stages[-1].name else Ready(stage, sources, bounds)
    bounds.go_on()
    outputs = left if ready is last else ready.run()
    apart = None
    if before is not None:
        bounds.go_on()
        names = [n for _, graph in stage.parts for n in graph.output_names]
        apart = difference(_flat(Ready(before, sources, bounds).run()), _flat(outputs), names)
    return StageRun(
        stage=name,
        label=stage.label,
        seconds=timed(ready, len(stage.parts), bounds),
        bytes=ready.bytes,
        shared=ready.shared,
        before=before.label if before is not None else "",
        difference=apart,
        why=_why_inexact(name),
        inputs=verdict,
        _look=lambda: values_of(report, name, bounds),
    )


def _flat(parts: Sequence[Sequence[Any]]) -> list[Any]:
    return [a for part in parts for a in part]


def _why_inexact(name: str) -> str:
    """What the pass of that name may change in results; "" when it keeps every bit."""
    row = next((p for p in _core.pass_table() if p["name"] == name), None)
    if row is None or row["exact"]:
        return ""
    return f"{row['label']} may change the last bits. {row['doc']}"
