"""A spec as it is sent and saved: its long lists as columns, what a stage has kept only once.

``labextension/src/table.ts`` reads it. Lists of rows, as in version 1, are read as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_FEW = 8  # rows that stay as they are
_NODE, _EDGE = ("id",), ("src", "dst", "out", "arg", "kind")

Row = dict[str, Any]


def packed(spec: dict[str, Any]) -> dict[str, Any]:
    """The same as rows and columns; JSON-able, and several times smaller as text."""
    stages = []
    nodes: Sequence[Row] = ()
    edges: Sequence[Row] = ()
    for stage in spec["stages"]:
        graph = stage["graph"]
        tables = {
            "nodes": table(graph["nodes"], nodes, _NODE),
            "edges": table(graph["edges"], edges, _EDGE),
        }
        nodes, edges = graph["nodes"], graph["edges"]
        changes, kernels = table(stage["changes"]), table(stage["kernels"])
        stages.append({**stage, "graph": tables, "changes": changes, "kernels": kernels})
    memory = spec["memory"]
    if memory is not None:
        steps, buffers = table(memory["steps"]), table(memory["buffers"])
        memory = {**memory, "steps": steps, "buffers": buffers}
    lists = {"groups": table(spec["groups"]), "heat": table(spec["heat"])}
    return {**spec, "stages": stages, "memory": memory, **lists}


def table(rows: Sequence[Row], before: Sequence[Row] = (), key: tuple[str, ...] = ()) -> Any:
    """``columns`` by name, of the rows that are not, unchanged, among those of the stage before;
    ``same``: for each row its index there, or -1."""
    if len(rows) < _FEW:
        return list(rows)
    known = {tuple(row[k] for k in key): i for i, row in enumerate(before)}
    same = []
    for row in rows if known else ():
        index = known.get(tuple(row[k] for k in key), -1)
        same.append(index if index >= 0 and before[index] == row else -1)
    new = [row for row, index in zip(rows, same, strict=True) if index < 0] if known else rows
    table: dict[str, Any] = {"count": len(new)}
    table["columns"] = {k: _column([row[k] for row in new]) for k in (new[0] if new else ())}
    if known:
        table["same"] = same
    return table


def _column(values: list[Any]) -> Any:
    """A list; ``{"all": value}`` of equal values; of words that come again ``{"of", "at"}``."""
    first = values[0]
    if all(value == first for value in values):
        return {"all": first}
    if isinstance(first, str) and all(isinstance(value, str) for value in values):
        words = dict.fromkeys(values)
        if 2 * len(words) < len(values):
            index = {word: i for i, word in enumerate(words)}
            return {"of": list(words), "at": [index[value] for value in values]}
    return values
