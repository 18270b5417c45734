"""Pictures of the things people have: a report, a graph, a Symbol, a compiled block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from .. import _core
from ..array_bytes import imperative_of
from ..base import MXNetError
from ..reports.lifetimes import made_before
from ..reports.names import Names
from ..reports.replanned import Replanned
from ..reports.report import Report
from .parts import Part
from .schema import Spec, Totals, View
from .spec import Picture, build
from .units import drawn

VIEWS = ("graph", "memory", "program")


@dataclass
class _OneStage:
    """A bare graph as its own and only stage."""

    graph: Any
    name: str = "written"
    label: str = "as written"
    changes: list[Any] = field(default_factory=list)
    changed: bool = True
    why_skipped: str = ""

    @property
    def program_with_nodes(self) -> tuple[str, list[int]]:
        text, nodes = self.graph.program_with_nodes
        return text, nodes


def parts_of(report: Any) -> list[Part]:
    """The compiled segments of a hybridized cell."""
    earlier = made_before(report.segments, report.lives)
    return [
        Part(s.compiled.program, offset, s.times, s.count, lives, made)
        for s, offset, lives, made in zip(
            report.segments, report.offsets, report.lives, earlier, strict=True
        )
    ]


def of_report(report: Any) -> Picture:
    """The picture of a hybridized cell."""
    names: dict[int, str] = {}
    parameters: set[int] = set()
    for segment, offset in zip(report.segments, report.offsets, strict=True):
        names.update({node + offset: name for (node, _), name in segment.names.items()})
        parameters.update(v.entry[0] + offset for v in segment.inputs if v.parameter)
    stages = report.stages
    segments = []
    for i, segment in enumerate(report.segments):
        until = f"until line {segment.line}: {segment.reason}" if segment.line else segment.reason
        times = f" ({segment.count:,} times)" if segment.count > 1 else ""
        segments.append(f"part {i + 1}, {until}{times}")
    notes = [report.ran] if report.ran else []
    notes += [f"computed where it stands: {b.text}" for b in report.cuts]
    notes += [f"computed {d.name} of {d.where} first: {d.cost}" for d in report.computed]
    if report.cached:
        notes.append("the program was there already: nothing was compiled")
    magic = getattr(report, "magic", None)  # of a plan for another choice of names
    if magic is not None:
        run = report.base
        notes.append(
            f"planned, not run: the cell ran with {len(run.kernels)} kernels "
            f"and {run.bytes_planned:,} bytes planned"
        )
    return Picture(
        title="loops of the cell" if report.units and not stages else "hybridized cell",
        stages=stages,
        parts=parts_of(report),
        names=names,
        parameters=parameters,
        line_of=report.line_of,
        cell={"id": report.cell.id, "lines": report.cell.lines, "first_line": 1},
        totals=_whole(report)
        if not stages
        else {
            **_whole(report),
            "bytes_imperative": report.bytes_imperative,
            "bytes_planned": report.bytes_planned,
            "bytes_lower_bound": report.bytes_lower_bound,
            "arena_bytes": report.arena_bytes,
            "kernels_before": len(report.kernels_of(stages[0].graph)),
            "kernels_after": len(report.kernels),
            "compile_s": report.compile_s,
            "record_s": report.record_s,
            "settle_s": report.settle_s if report.graph_breaks or report.cuts else 0.0,
            "run_s": None if report.running else report.run_s,
            "running": report.running,
            "cached": report.cached,
            "replay": report.replay if magic is None else "planned",
        },
        breaks=report.graph_breaks,
        ends=[(s.line, s.reason) for s in report.segments[:-1]],
        deferred=report.deferred_names,
        notes=notes,
        segments=segments,
        units=[drawn(loop, report.cell) for loop in report.units],
        view=report.options.view,
        switches=_switches(report),
        replanned=magic,
        same=(
            tuple((s.compiled, offset) for s, offset in zip(report.segments, report.offsets)),
            tuple(sorted(names.items())),
            frozenset(parameters),
            tuple(segments),
            report.cell.filename,
            tuple(report.cell.lines),
        ),
    )


def _whole(report: Report) -> Totals:
    """What the cell took altogether."""
    return {"took_s": report.took_s, "loops_s": report.loops_s or None}


def _switches(report: Report) -> Names:
    """The report's names. A price takes a plan, and a switch must answer at once: of very many
    names only those that were switched have one."""
    if not isinstance(report, Replanned):
        return report.switches.names(report.choice, limit=8_000)
    switches, base = report.switches, report.base
    switched = set(switches.out(report.choice)) ^ set(base.switches.out(base.choice))
    return switches.names(report.choice, limit=2_000, asked={*switched, report.asked})


def _named(graphs: Sequence[Any], keys: Sequence[str] | None) -> dict[int, str]:
    """Node -> the key of the first output that is it; the graphs are stages of one."""
    return {
        entry[0]: key
        for graph in graphs
        for entry, key in list(zip(graph.outputs, keys or ()))[::-1]
        if graph.node(entry[0]).kind != "input"
    }


def of_compiled(
    compiled: Any, title: str = "compiled graph", keys: Sequence[str] | None = None
) -> Picture:
    """The picture of a :class:`_core.Compiled`, such as a hybridized block's.

    Args:
        keys: what the user calls the first outputs.
    """
    plan = compiled.program.plan
    kernels = [
        sum(1 for n in stage.graph.nodes if n.kind in ("op", "fused") and not n.is_view)
        for stage in (compiled.stages[0], compiled.stages[-1])
    ]
    stages = [
        _OneStage(s.graph, s.name, s.label, list(s.changes), s.changed, s.why_skipped)
        for s in compiled.stages
    ]
    return Picture(
        title=title,
        stages=stages,
        names=_named([s.graph for s in stages], keys),
        parts=[Part(compiled.program, 0)],
        totals={
            "bytes_imperative": imperative_of(compiled),
            "bytes_planned": plan.planned_bytes,
            "bytes_lower_bound": plan.lower_bound_bytes,
            "arena_bytes": plan.arena_bytes,
            "kernels_before": kernels[0],
            "kernels_after": kernels[1],
            "compile_s": compiled.seconds,
            "record_s": None,
            "settle_s": None,
            "run_s": None,
            "running": False,
            "cached": False,
        },
    )


def of_graph(graph: Any, title: str = "graph", keys: Sequence[str] | None = None) -> Picture:
    """The picture of one graph, as it is."""
    return Picture(title=title, stages=[_OneStage(graph)], names=_named([graph], keys))


def _of_symbol(symbol: Any) -> Picture:
    """With all shapes that are known. What contradicts itself is drawn as it is written."""
    title = symbol.name or "symbol"
    try:
        return of_graph(symbol.inferred_graph(), title)
    except MXNetError as error:
        picture = of_graph(symbol.graph(), title)
        picture.notes.append(f"shapes can't be inferred: {error}")
        return picture


def spec_of(thing: Any, argument: str = "thing") -> Spec:
    """The spec of anything that can be drawn.

    Args:
        thing: a cell's report, a Symbol, a Graph, a Compiled, a hybridized block (which has been
            called), or a spec itself.
        argument: what the caller's caller knows it as.

    Raises:
        TypeError: for anything else, naming what can be drawn.
    """
    if isinstance(thing, dict) and "stages" in thing:
        return cast(Spec, thing)
    if isinstance(thing, Report):
        return build(of_report(thing))
    if isinstance(thing, _core.Compiled):
        return build(of_compiled(thing))
    if isinstance(thing, _core.Graph):
        return build(of_graph(thing))
    if isinstance(thing, _core.Symbol):
        return build(_of_symbol(thing))
    drawn = getattr(thing, "_drawn", None)
    if drawn is not None:
        graph, title, keys = drawn()
        picture = of_graph if isinstance(graph, _core.Graph) else of_compiled
        made = picture(graph, title, keys)
        if hasattr(thing, "collect_params"):
            names = set(thing.collect_params())
            inputs = (n for n in made.stages[0].graph.nodes if n.kind == "input")
            made.parameters = {n.id for n in inputs if n.name in names}
        return build(made)
    raise TypeError(
        f"{argument}: expected a report, a Symbol, a Graph, a Compiled, a compiled function or a "
        f"hybridized block, got {type(thing).__name__}"
    )


def stage_number(spec: Spec, name: str) -> int:
    """Of the stage of that name. Raises ValueError."""
    names = [stage["name"] for stage in spec["stages"]]
    if name not in names:
        raise ValueError(f"stage: expected one of {', '.join(names) or 'none'}, got {name!r}")
    return names.index(name)


def opened(spec: Spec, view: str | None, stage: int | None) -> Spec:
    """The same picture, showing that view and stage first; None leaves them.

    Raises:
        ValueError: there is no such view, or no plan to show.
    """
    initial = spec["initial"].copy()
    if view is not None and view not in VIEWS:
        raise ValueError(f"view: expected one of {', '.join(VIEWS)}, got {view!r}")
    if view == "memory" and spec["memory"] is None:
        raise ValueError("view: there is no memory plan; a graph gets one when it is compiled")
    if view is not None:
        initial["view"] = cast(View, view)
    if view == "memory":
        initial["stage"] = len(spec["stages"]) - 1
    if stage is not None and 0 <= stage < len(spec["stages"]):
        initial["stage"] = stage
    return {**spec, "initial": initial}
