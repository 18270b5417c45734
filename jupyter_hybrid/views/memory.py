"""The memory plan for the pictures: buffers over the steps, and what each of them holds when."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from .cards import name_in_block, node_label, user_name
from .group_paths import GIVEN, is_gradient
from .parts import Part
from .schema import Attempt, Buffer, Category, DeviceMemory, Held, Memory, Step, Value

if TYPE_CHECKING:
    from .spec import Picture


def _numbers(picture: Picture) -> list[dict[int, int]]:
    """For every part: buffer of its plan -> number in the picture. Buffers that the program makes
    come first; those that it is given (inputs, constants) have no number and no colour."""
    maps: list[dict[int, int]] = []
    count = 0
    for part in picture.parts:
        made = [b["id"] for b in part.plan.buffers if b["kind"] in ("arena", "output")]
        maps.append({buffer: count + i for i, buffer in enumerate(made)})
        count += len(made)
    return maps


def buffers_by_node(picture: Picture) -> dict[int, int]:
    found: dict[int, int] = {}
    for part, numbers in zip(picture.parts, _numbers(picture), strict=True):
        for node, buffers in zip(part.graph.nodes, part.plan.buffer_of, strict=True):
            if buffers and buffers[0] in numbers:
                found[node.id + part.offset] = numbers[buffers[0]]
    return found


def _devices(picture: Picture) -> list[DeviceMemory]:
    """Bytes by device, of programs on several: the most that any part of the picture takes."""
    found: dict[str, DeviceMemory] = {}
    for part in picture.parts:
        for row in part.plan.devices:
            known = found.setdefault(row["device"], cast(DeviceMemory, {**row}))
            known["arena_bytes"] = max(known["arena_bytes"], row["arena_bytes"])
            known["planned_bytes"] = max(known["planned_bytes"], row["planned_bytes"])
            known["lower_bound_bytes"] = max(known["lower_bound_bytes"], row["lower_bound_bytes"])
    return list(found.values())


def memory_of(picture: Picture, parameters: set[int]) -> Memory | None:
    """
    Args:
        parameters: ids of inputs that are weights, biases or states of layers.
    """
    if not picture.parts:
        return None
    steps: list[Step] = []
    buffers: list[Buffer] = []
    held: list[Held] = []
    placed: list[int] = []
    optimal = True
    for part, numbers in zip(picture.parts, _numbers(picture), strict=True):
        first = len(steps)
        nodes = {n.id: n for n in part.graph.nodes}
        kinds = _categories(part, parameters)
        plan = part.plan
        at = {node: first + i for i, node in enumerate(plan.steps)}
        for node_id in plan.steps:
            node = nodes[node_id]
            name = user_name(picture.names, node, part.offset)
            steps.append(
                {
                    "step": len(steps),
                    "node": node_id + part.offset,
                    "label": node_label(node, name),
                    "line": picture.line_of(node),
                }
            )
        for buffer in plan.buffers:
            entries = [e[0] for e in buffer["entries"]]
            if not entries:
                continue
            if buffer["id"] not in numbers:
                held.append(_held(picture, part, nodes[entries[0]], buffer["bytes"], kinds))
                continue
            owner = nodes.get(entries[0])
            labels = [
                picture.names.get(i + part.offset)
                or (name_in_block(nodes[i]) if i in nodes else str(i))
                for i in dict.fromkeys(entries)
            ]
            buffers.append(
                {
                    "id": numbers[buffer["id"]],
                    "node": entries[0] + part.offset,
                    "label": " → ".join(labels),
                    "bytes": buffer["bytes"],
                    "offset": buffer["offset"],
                    "start": buffer["start"] + first,
                    "end": buffer["end"] + first,
                    "kind": buffer["kind"],
                    "line": picture.line_of(owner) if owner is not None else None,
                    "shares": [],
                    "values": _values(entries, at, kinds, part.offset),
                }
            )
        placed += [numbers[b] for b in plan.placed if b in numbers]
        optimal = optimal and plan.optimal

    def most(total: int | float | None, sizes: list[int]) -> int:
        return int(total or max(sizes))

    totals, plans = picture.totals, [part.plan for part in picture.parts]
    return {
        "steps": steps,
        "buffers": buffers,
        "held": held,
        "arena_bytes": max(p.arena_bytes for p in plans),
        "planned": most(totals.get("bytes_planned"), [p.planned_bytes for p in plans]),
        "lower_bound": most(totals.get("bytes_lower_bound"), [p.lower_bound_bytes for p in plans]),
        "imperative": most(totals.get("bytes_imperative"), [p.imperative_bytes for p in plans]),
        "optimal": optimal,
        "placed": placed,
        "devices": _devices(picture),
        "method": next((p.attempts[-1][0] for p in plans if p.attempts), ""),
        "attempts": _attempts(plans),
    }


# What memory holds ------------------------------------------------------------------------------
def _categories(part: Part, parameters: set[int]) -> dict[int, Category]:
    """What the value of each node is. An activation is a forward value that a gradient reads."""
    kinds: dict[int, Category] = {}
    read_back: set[int] = set()
    results = {node for node, _ in part.graph.outputs}
    for node in reversed(part.graph.nodes):  # readers before what they read
        backward = is_gradient(node.scope)
        if backward or (node.is_view and node.id in read_back):
            read_back.update(source for source, _ in node.inputs)
        if node.kind == "input":
            kinds[node.id] = "parameter" if node.id + part.offset in parameters else "input"
        elif node.kind == "constant":
            kinds[node.id] = "constant"
        elif backward:
            kinds[node.id] = "gradient"
        elif node.id in read_back:
            kinds[node.id] = "activation"
        else:
            kinds[node.id] = "result" if node.id in results else "temporary"
    return kinds


def _values(
    entries: Sequence[int], at: dict[int, int], kinds: dict[int, Category], offset: int
) -> list[Value]:
    """The values that a buffer holds one after the other; a view of one is the same value."""
    made = sorted((at[node], node) for node in dict.fromkeys(entries) if node in at)
    return [{"node": node + offset, "start": step, "category": kinds[node]} for step, node in made]


def _held(picture: Picture, part: Part, node: Any, size: int, kinds: dict[int, Category]) -> Held:
    """An array that was there before and is there afterwards: it is read, or written to."""
    name = user_name(picture.names, node, part.offset) or name_in_block(node)
    return {
        "node": node.id + part.offset,
        "label": name or node.op,
        "bytes": size,
        "line": picture.line_of(node),
        "category": kinds[node.id],
        "written": node.kind not in GIVEN,
    }


def _attempts(plans: Sequence[Any]) -> list[Attempt]:
    """What the planner tried for the largest arena, each better than the one before."""
    largest = max(plans, key=lambda plan: plan.arena_bytes)
    return [{"method": method, "bytes": size} for method, size in largest.attempts]
