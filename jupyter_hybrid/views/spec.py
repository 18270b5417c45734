"""The graph spec: one JSON-able dict that the viewer, the SVG, DOT and the tests all read.

Its form is :mod:`.schema`.
"""

from __future__ import annotations

import gc
import uuid
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from ..reports.stages import visible
from .cards import (
    bodies_of,
    card_size,
    detail_of,
    family_of,
    given_name,
    names_at,
    node_label,
    on_several_devices,
    user_name,
    user_names,
)
from .drawn import Drawn, drawn
from .edges import bytes_of, edges_of, known_shape, order_edge, waits_of
from .grouping import assign_groups
from .heat import heat_of
from .memory import buffers_by_node, memory_of
from .messages import stop
from .opening import MANY, opening, outermost
from .parts import Part
from .places import Places
from .schema import (
    VERSIONS,
    Cell,
    Change,
    Kernel,
    Node,
    Skipped,
    Spec,
    Stage,
    Totals,
    Unit,
    View,
)

if TYPE_CHECKING:
    from ..capture.spent import Place
    from ..reports.listing import Break
    from ..reports.names import Name


@dataclass
class Picture:
    """What a spec is made from, whether a cell's report, a compiled block or a bare graph."""

    title: str
    stages: list[Any]  # name, label, graph, changes, changed, why_skipped, program_with_nodes
    parts: list[Part] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)  # node id -> the user's name
    parameters: set[int] | None = None  # ids of inputs; None: nobody knows
    line_of: Callable[[Any], int | None] = lambda node: None
    cell: Cell | None = None
    totals: Totals = field(default_factory=Totals)
    breaks: list[Break] = field(default_factory=list)
    ends: list[Place] = field(default_factory=list)  # of segments but the last
    deferred: list[Any] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    segments: list[str] = field(default_factory=list)  # labels, when there are several
    units: list[Unit] = field(default_factory=list)  # loops, from views/units.py
    switches: list[Name] = field(default_factory=list)
    replanned: str | None = None  # the first line that would run this plan, if it was not run
    view: View | Literal["none"] = "graph"
    same: Hashable | None = None  # what decides how the stages look, of a cell's picture


@contextmanager
def _no_collection() -> Iterator[None]:
    """Very many dicts are made that live on: the collector would go through all of them at each
    step of its own, a quarter of the time at 20,000 nodes."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def build(picture: Picture) -> Spec:
    """The complete spec of a picture."""
    with _no_collection():
        return _build(picture)


def _build(picture: Picture) -> Spec:
    lines = picture.cell["lines"] if picture.cell else []
    shown = visible(picture.stages)
    skipped: list[Skipped] = [
        {"name": stage.name, "label": stage.label, "why": stage.why_skipped or "no change"}
        for stage in picture.stages
        if not any(stage is s for s in shown)
    ]
    kept = drawn(picture.same, lambda: _drawn(picture, shown, lines))
    stages, groups = kept.stages, kept.groups
    large = _is_large(stages)
    fused = next((i for i, s in enumerate(stages) if s["name"] == "fuse"), len(stages) - 1)
    return {
        "version": VERSIONS[-1],
        "id": uuid.uuid4().hex,
        "title": picture.title,
        "cell": picture.cell,
        "places": kept.places,
        "stages": stages,
        "groups": groups,
        "skipped": skipped,
        "memory": memory_of(picture, _parameters(picture, stages)),
        "heat": heat_of(picture.parts),
        "serials": [part.serials for part in picture.parts],
        "totals": picture.totals,
        "breaks": [stop((b[0], b[1]), b.count, b.seconds) for b in picture.breaks],
        "ends": [stop(place) for place in picture.ends],
        "deferred": [
            {"name": d.name, "price": d.price, "bytes": d.bytes} for d in picture.deferred
        ],
        "names": [
            {
                "name": n.name,
                "line": n.line,
                "state": n.state,
                "price": n.price,
                "fixed": n.fixed,
                "shares": list(n.shares),
            }
            for n in picture.switches
        ],
        "replanned": picture.replanned,
        "notes": picture.notes,
        "units": picture.units,
        "initial": {
            "stage": len(stages) - 1 if picture.view == "memory" else max(fused, 0),
            "view": picture.view if picture.view != "none" else "graph",
            "open": opening(stages[0]["graph"], groups, large) if stages else [],
            "fold": large,
        },
        "beside": None,
    }


def _is_large(stages: list[Stage]) -> bool:
    return any(len(stage["graph"]["nodes"]) > MANY for stage in stages)


def _drawn(picture: Picture, shown: list[Any], lines: list[str]) -> Drawn:
    line_of_node = _lines_of_nodes(picture)
    places = Places(picture.line_of)
    stages = [_stage(picture, stage, lines, line_of_node, places) for stage in shown]
    groups = assign_groups(stages, picture.segments)
    if not _is_large(stages):
        groups = outermost(stages, groups)
    return Drawn(stages, groups, places.rows)


def _parameters(picture: Picture, stages: list[Stage]) -> set[int]:
    """Those that are known; of a bare graph inputs that are weights, biases or states of an
    operator."""
    if picture.parameters is not None:
        return picture.parameters
    nodes = stages[0]["graph"]["nodes"] if stages else []
    return {n["id"] for n in nodes if n["kind"] == "input" and n["host"] is not None}


def _stage(
    picture: Picture,
    stage: Any,
    lines: list[str],
    line_of_node: dict[int, int],
    places: Places,
) -> Stage:
    graph = stage.graph
    planned = stage.name == "plan"
    buffer_of = buffers_by_node(picture) if planned else {}
    heads = {node for node, _ in graph.outputs}
    sources = {n.id: n for n in graph.nodes} if on_several_devices(graph) else None
    kernels: list[Kernel] = []
    nodes: list[Node] = []
    names = names_at(picture.names, graph)
    called: dict[Any, str] = {}  # (node, output): the user's name, or how a number is written
    for node in graph.nodes:
        members = node.members if node.kind == "fused" else []
        own_names = user_names(names, node)
        name = user_name(names, node)
        kernel = None
        if node.kind in ("op", "fused") and not node.is_view:
            kernel = len(kernels)
            of = members or [node]
            kernels.append(
                {
                    "id": kernel,
                    "op": node.op,
                    "nodes": [m.id for m in of],
                    "lines": sorted({n for m in of if (n := picture.line_of(m)) is not None}),
                    "text": ", ".join(m.op for m in of),
                }
            )
        line = picture.line_of(node)
        label = node_label(node, name, [called.get(entry, "") for entry in node.inputs])
        made = node.kind in ("op", "fused")
        for out, own in enumerate(own_names):
            called[node.id, out] = own if made else label
        detail = detail_of(node, label, sources)
        family = family_of(node)
        width, height = card_size(node, label, detail, node.id in buffer_of)
        shape = known_shape(node.shapes[0]) if node.shapes else None
        dtype = str(node.dtypes[0] or "") if node.dtypes else ""
        nodes.append(
            {
                "id": node.id,
                "op": node.op or node.kind,
                "kind": node.kind,
                "label": label,
                "detail": detail,
                "name": ", ".join(n for n in dict.fromkeys(own_names) if n) or given_name(node),
                "family": family,
                "line": line,
                "col": None,
                "code": lines[line - 1].strip() if line and line <= len(lines) else "",
                "places": places.of(members or [node]),
                "shape": shape,
                "dtype": dtype,
                "bytes": _bytes(node),
                "device": str(node.ctx),
                "kernel": kernel,
                "buffer": buffer_of.get(node.id),
                "origins": list(node.origins),
                "forward": _forward(node),
                "scope": node.scope,
                "segment": _segment_of(picture, node.id),
                "head": node.id in heads,
                "members": [
                    {
                        "id": m.id,
                        "op": m.op,
                        "label": node_label(m, names.get(m.id, "")),
                        "line": picture.line_of(m),
                    }
                    for m in members
                ],
                "body": bodies_of(node),
                "group": None,
                "host": None,
                "w": width,
                "h": height,
            }
        )
    program, program_nodes = stage.program_with_nodes
    edges = edges_of(graph)
    waits = waits_of(picture.parts) if planned else []
    edges += [order_edge(a, b, "shares memory") for a, b in waits]
    return {
        "name": stage.name,
        "label": stage.label,
        "summary": _summary(stage.changes, waits),
        "graph": {"nodes": nodes, "edges": edges},
        "changes": [_change(line_of_node, c) for c in stage.changes if c.action != "kept"],
        "program": program,
        "program_nodes": program_nodes,
        "kernels": kernels,
    }


def _forward(node: Any) -> list[int]:
    """What a gradient is of; a kernel's operators may be of several nodes."""
    found = (of.forward for of in (node.members or [node]))
    return list(dict.fromkeys(id_ for id_ in found if id_ is not None))


def _bytes(node: Any) -> int | None:
    """Of all its values; None when a shape or dtype of them is not known."""
    sizes = [bytes_of(s, d) for s, d in zip(node.shapes, node.dtypes, strict=True)]
    return None if None in sizes else sum(size or 0 for size in sizes)


def summarize(changes: list[Any]) -> str:
    """``3 fused, 1 removed``; empty when nothing changed."""
    counts: dict[str, int] = {}
    for change in changes:
        if change.action != "kept":
            counts[change.action] = counts.get(change.action, 0) + 1
    return ", ".join(f"{n} {action}" for action, n in counts.items())


def _summary(changes: list[Any], waits: list[Any]) -> str:
    parts = [summarize(changes)] if changes else []
    if waits:
        edges = "edge" if len(waits) == 1 else "edges"
        parts.append(f"{len(waits)} implicit {edges} (dashed): a wait for shared memory alone")
    return "; ".join(p for p in parts if p)


def _change(lines: dict[int, int], change: Any) -> Change:
    return {
        "node": change.node,
        "action": change.action,
        "into": change.into,
        "why": change.why,
        "step": change.step,
        "rule": change.rule,
        "line": lines.get(change.node),
    }


def _lines_of_nodes(picture: Picture) -> dict[int, int]:
    """Node id -> line of the cell, over all stages: a changed node may be gone from its own."""
    lines: dict[int, int] = {}
    for stage in picture.stages:
        for node in stage.graph.nodes:
            line = picture.line_of(node)
            if line is not None:
                lines.setdefault(node.id, line)
    return lines


def _segment_of(picture: Picture, node: int) -> int:
    found = 0
    for i, part in enumerate(picture.parts):
        if node >= part.offset:
            found = i
    return found
