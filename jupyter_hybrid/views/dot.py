"""A stage as Graphviz source, through the ``graphviz`` package; rendering it needs ``dot``."""

from __future__ import annotations

import graphviz

from .schema import Spec
from .svg import FAMILY_COLOURS
from .visible import visible


def dot(spec: Spec, stage: int = -1) -> graphviz.Digraph:
    """The stage's graph as a :class:`graphviz.Digraph`; names are escaped, and visible.

    Raises:
        ValueError: there is no graph: loops of the cell ran compiled, or nothing was recorded.
    """
    if not spec["stages"]:
        raise ValueError("dot: expected a graph, got a cell without one")
    chosen = spec["stages"][stage]
    graph = graphviz.Digraph(
        "hybrid",
        graph_attr={
            "rankdir": "TB",
            "label": graphviz.escape(visible(chosen["label"])),
            "labelloc": "t",
        },
        node_attr={"shape": "box", "style": "rounded,filled", "fontname": "Helvetica"},
        edge_attr={"fontname": "Helvetica", "fontsize": "9", "color": "#70757f"},
    )
    for node in chosen["graph"]["nodes"]:
        fill, stroke = FAMILY_COLOURS.get(node["family"], FAMILY_COLOURS["other"])
        label = "\n".join(visible(t) for t in (node["label"], node["detail"]) if t)
        graph.node(
            f"n{node['id']}",
            graphviz.nohtml(graphviz.escape(label).replace("\n", "\\n")),
            fillcolor=fill,
            color=stroke,
            style="rounded,filled,dashed" if node["family"] == "copy" else "rounded,filled",
            tooltip=graphviz.escape(visible(node["code"] or node["label"])),
        )
    for edge in chosen["graph"]["edges"]:
        graph.edge(
            f"n{edge['src']}",
            f"n{edge['dst']}",
            label=graphviz.escape(visible(edge["label"])),
            style="dashed" if edge["kind"] == "order" else "solid",
        )
    return graph
