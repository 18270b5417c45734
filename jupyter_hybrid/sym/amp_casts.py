"""Graphs without the casts of mixed precision, as MXNet writes them to files."""

from __future__ import annotations

import json
from typing import Any

_CASTS = ("amp_cast", "amp_multicast")


def without_casts(text: str) -> str:
    """symbol.json without ``amp_cast`` and ``amp_multicast``: what read them reads their inputs."""
    if '"amp_' not in text:
        return text
    graph = json.loads(text)
    places: dict[tuple[int, int], list[int]] = {}  # an output -> where it stands in the new list
    nodes: list[Any] = []
    outputs, pointers = graph["node_row_ptr"], [0]
    for i, node in enumerate(graph["nodes"]):
        inputs = [places[source, out] + [version] for source, out, version in node["inputs"]]
        if node["op"] in _CASTS:
            places |= {(i, out): place[:2] for out, place in enumerate(inputs)}
            continue
        count = outputs[i + 1] - outputs[i]
        places |= {(i, out): [len(nodes), out] for out in range(count)}
        nodes.append({**node, "inputs": inputs})
        pointers.append(pointers[-1] + count)
    heads = [places[source, out] + [version] for source, out, version in graph["heads"]]
    arguments = [i for i, node in enumerate(nodes) if node["op"] == "null"]
    changed = {"nodes": nodes, "arg_nodes": arguments, "node_row_ptr": pointers, "heads": heads}
    return json.dumps({**graph, **changed}, indent=2)
