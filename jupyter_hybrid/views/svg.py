"""A static picture of a spec: what a notebook keeps when no viewer and no kernel is there.

Drawn without the ``dot`` program. Every text of the user's is escaped.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from ..capture.sizes import byte_size
from .collapsed import collapsed
from .schema import Spec, Stage
from .svg_text import MONO, clip, shown, text_at
from .unit_svg import units_body
from .visible import visible

# Fill and stroke by operator family: Okabe and Ito's colour-blind safe set, lightened.
FAMILY_COLOURS = {
    "elementwise": ("#e3f1fa", "#0072b2"),
    "linear": ("#fdeede", "#d55e00"),
    "conv": ("#fdeede", "#d55e00"),
    "reduce": ("#e2f4ee", "#009e73"),
    "shape": ("#f1f1f3", "#70757f"),
    "random": ("#f8e9f2", "#b4538a"),
    "index": ("#f1f1f3", "#70757f"),
    "loss": ("#e2f4ee", "#009e73"),
    "creation": ("#fbf6dd", "#9c8400"),
    "copy": ("#eceafa", "#5b4fa2"),
    "gradient": ("#f3ebe4", "#7f5539"),
    "input": ("#ffffff", "#3b4252"),
    "constant": ("#ffffff", "#8a8f99"),
    "effect": ("#fff3c4", "#7a5c00"),
    "other": ("#f1f1f3", "#70757f"),
}
BUFFER_COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#b4538a", "#9c8400", "#2a9fd6", "#8a5a00", "#5b4fa2",
)  # fmt: skip

_MOST_CARDS = 400  # beyond, a still picture is unreadable: the text form says it better


def _node(node: Mapping[str, Any], coloured_by_buffer: bool) -> str:
    fill, stroke = FAMILY_COLOURS.get(node["family"], FAMILY_COLOURS["other"])
    if coloured_by_buffer and node["buffer"] is not None:
        stroke = BUFFER_COLOURS[node["buffer"] % len(BUFFER_COLOURS)]
        fill = stroke + "22"
    x, y = node["x"] - node["w"] / 2, node["y"] - node["h"] / 2
    rounded = node["h"] / 2 if node["kind"] in ("input", "constant") else 7
    width = 2.2 if node["kind"] in ("fused", "group") or node["head"] else 1.2
    dashes = ' stroke-dasharray="6 3"' if node["family"] == "copy" else ""
    parts = [
        f"<g><title>{shown(_tooltip(node))}</title>"
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{node["w"]:.1f}" height="{node["h"]:.1f}" '
        f'rx="{rounded:.1f}" fill="{fill}" stroke="{stroke}" stroke-width="{width}"{dashes}/>'
    ]
    under = node["detail"] or _value(node)
    two = bool(under) and node["h"] > 36
    label = clip(node["label"], node["w"], 12.5)
    parts.append(
        text_at(node["x"], node["y"] + (-2 if two else 4.5), label, text_anchor="middle",
              font_size=12.5, font_weight=600 if node["kind"] != "constant" else 400)
    )  # fmt: skip
    if two:
        detail = clip(under, node["w"], 10.5)
        parts.append(
            text_at(node["x"], node["y"] + 14, detail, text_anchor="middle", font_size=10.5,
                  fill="#5a6070", font_family=MONO)
        )  # fmt: skip
    return "".join(parts) + "</g>"


def _value(node: Mapping[str, Any]) -> str:
    """Shape and type of a node's value; empty where they are not known."""
    return "" if node["shape"] is None else f"{tuple(node['shape'])} {node['dtype']}"


def _tooltip(node: Mapping[str, Any]) -> str:
    line = f", line {node['line']}: {node['code']}" if node["line"] else ""
    return f"{node['label']}: {_value(node)}{line}"


def graph_body(graph: Mapping[str, Any], by_buffer: bool) -> str:
    """The SVG elements of one stage's placed graph, at its own origin."""
    parts = []
    for frame in graph["frames"]:
        parts.append(
            f'<rect x="{frame["x"]}" y="{frame["y"]}" width="{frame["w"]}" height="{frame["h"]}" '
            'rx="10" fill="none" stroke="#c4c9d4" stroke-dasharray="4 4"/>'
        )
        parts.append(
            text_at(frame["x"] + 8, frame["y"] + 14, clip(frame["label"], frame["w"], 10.5),
                  font_size=10.5, fill="#8a8f99")
        )  # fmt: skip
    for edge in graph["edges"]:
        points = edge["points"]
        if len(points) < 2:
            continue
        path = f"M{points[0][0]},{points[0][1]}"
        for (x0, y0), (x1, y1) in pairwise(points):
            middle = (y0 + y1) / 2
            path += f" C{x0},{middle:.1f} {x1},{middle:.1f} {x1},{y1}"
        dashed = ' stroke-dasharray="3 3"' if edge["kind"] == "order" else ""
        parts.append(
            f'<path d="{path}" fill="none" stroke="#9aa1ad" stroke-width="1.3"{dashed} '
            'marker-end="url(#jh-arrow)"/>'
        )
        if edge["label"] and edge["kind"] == "data":
            x = (points[-2][0] + points[-1][0]) / 2
            y = (points[-2][1] + points[-1][1]) / 2
            parts.append(
                text_at(
                    x + 5,
                    y + 3,
                    edge["label"],
                    font_size=10,
                    fill="#6a7180",
                    font_family=MONO,
                    paint_order="stroke",
                    stroke="#ffffff",
                    stroke_width=4,
                )
            )
    parts += [_node(node, by_buffer) for node in graph["nodes"]]
    return "".join(parts)


def svg(spec: Spec, stage: int | None = None) -> str:
    """The spec as one SVG document.

    Args:
        spec: from :func:`jupyter_hybrid.views.spec_of`.
        stage: draw this stage alone; None draws the first and the last beside each other, and the
            units below.
    """
    stages = spec["stages"]
    alone = [] if stage is None or not stages else [stages[stage]]
    chosen = alone or [*stages[:1], *stages[1:][-1:]]
    graphs = [collapsed(spec, s) for s in chosen]
    if sum(len(graph["nodes"]) for graph in graphs) > _MOST_CARDS:
        return _too_large(spec, chosen)
    top, gap = 74.0, 40.0
    x, columns = 16.0, []
    for chosen_stage, graph in zip(chosen, graphs, strict=True):
        head = f"{chosen_stage['label']}"
        columns.append(text_at(x + 24, 58, head, font_size=12.5, font_weight=600, fill="#3b4252"))
        body = graph_body(graph, chosen_stage["name"] == "plan")
        columns.append(f'<g transform="translate({x:.1f},{top - 8:.1f})">{body}</g>')
        x += max(graph["width"], 180) + gap
    height = top + max((g["height"] for g in graphs), default=-30) + 8
    loops, below, least = units_body([] if alone else spec.get("units", []), 16, height)
    width = max(x - gap + 16, least + 32, 420)
    return document(width, height + below, _header(spec) + "".join(columns) + loops)


def _header(spec: Spec) -> str:
    totals = spec["totals"]
    if not totals.get("kernels_before"):
        return text_at(24, 28, spec["title"], font_size=14, font_weight=600)
    facts = (
        f"{totals['kernels_before']} → {totals['kernels_after']} kernels · "
        f"{byte_size(totals['bytes_imperative'])} → {byte_size(totals['bytes_planned'])} "
        f"(lower bound {byte_size(totals['bytes_lower_bound'])})"
    )
    return text_at(24, 28, spec["title"], font_size=14, font_weight=600) + text_at(
        24 + 9 * len(visible(spec["title"])), 28, facts, font_size=12, fill="#5a6070"
    )


def document(width: float, height: float, body: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" style="max-width:100%;height:auto" '
        'role="img"><defs><marker id="jh-arrow" viewBox="0 0 8 8" refX="7" refY="4" '
        'markerWidth="6.5" markerHeight="6.5" orient="auto"><path d="M0,0.8 L7.2,4 L0,7.2 z" '
        'fill="#9aa1ad"/></marker></defs>'
        f'<rect width="{width:.0f}" height="{height:.0f}" rx="10" fill="#ffffff" '
        f'stroke="#e3e6ec"/>{body}</svg>'
    )


def _too_large(spec: Spec, stages: list[Stage]) -> str:
    rows = [_header(spec)]
    for i, stage in enumerate(stages):
        count = len(stage["graph"]["nodes"])
        text = f"{stage['label']}: {count:,} nodes, too many for a still picture"
        rows.append(text_at(24, 60 + 22 * i, text))
    height = 70 + 22 * len(stages)
    body, below, least = units_body(spec.get("units", []), 16, height)
    return document(max(620, least + 32), height + below, "".join(rows) + body)
