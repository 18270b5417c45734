"""The memory plan for the pictures: buffers over the steps, and what each of them holds when."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from ..reports.lifetimes import lives_of_buffers
from .cards import names_at, node_label, user_name
from .categories import Entry, categories, maker
from .group_paths import GIVEN
from .parts import Part
from .planners import compared
from .schema import Buffer, Category, DeviceMemory, Held, Memory, Step, Value

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
    through: list[int] = []  # by part: the step after its last one
    all_numbers = _numbers(picture)
    for part, numbers in zip(picture.parts, all_numbers, strict=True):
        if steps:  # what is copied when a part is through stands at a step of its own
            steps.append(_step(len(steps), -1, "end", None))
        first = len(steps)
        steps += _steps(picture, part, first)
        shelf = _Shelf(picture, part, parameters, first)
        for buffer in part.plan.buffers:
            if buffer["id"] in numbers:
                buffers.append(shelf.buffer(buffer, numbers[buffer["id"]]))
            elif buffer["entries"] and not shelf.is_earlier(buffer):
                held.append(shelf.held(buffer, len(steps)))
        through.append(len(steps))
        placed += [numbers[b] for b in part.plan.placed if b in numbers]

    unsure = _live_on(picture.parts, all_numbers, buffers, through)

    def most(total: int | float | None, sizes: list[int]) -> int:
        return int(max(sizes) if total is None else total)

    totals, plans = picture.totals, [part.plan for part in picture.parts]
    largest = max(range(len(plans)), key=lambda i: plans[i].arena_bytes)
    return {
        "steps": steps,
        "buffers": buffers,
        "held": held,
        "arena_bytes": max(p.arena_bytes for p in plans),
        "planned": most(totals.get("bytes_planned"), [p.planned_bytes for p in plans]),
        "lower_bound": most(totals.get("bytes_lower_bound"), [p.lower_bound_bytes for p in plans]),
        "imperative": most(totals.get("bytes_imperative"), [p.imperative_bytes for p in plans]),
        "optimal": all(p.optimal for p in plans),
        "placed": placed,
        "devices": _devices(picture),
        "unsure": unsure,
        "repeated": sum(part.runs > 1 for part in picture.parts),
        "method": next((p.attempts[-1][0] for p in plans if p.attempts), ""),
        **compared(plans[largest], all_numbers[largest]),
    }


def _live_on(
    parts: list[Part], numbers: list[dict[int, int]], buffers: list[Buffer], through: list[int]
) -> int:
    """What names hold of earlier parts lives on in later ones. Returns the bytes of what counts as
    held to the end because nothing tells who lets go of it."""
    by_id, unsure = {b["id"]: b for b in buffers}, 0
    for i, (part, known) in enumerate(zip(parts, numbers, strict=True)):
        for buffer, life in lives_of_buffers(part.program, part.lives).items():
            if life.last > i:
                row = by_id[known[buffer]]
                row["end"] = max(row["end"], through[life.last])
                unsure += 0 if life.sure else row["bytes"]
    return unsure


def _steps(picture: Picture, part: Part, first: int) -> list[Step]:
    nodes = {n.id: n for n in part.graph.nodes}
    names = names_at(picture.names, part.graph, part.offset)
    return [
        _step(
            first + i,
            id_ + part.offset,
            node_label(nodes[id_], user_name(names, nodes[id_], part.offset)),
            picture.line_of(nodes[id_]),
        )
        for i, id_ in enumerate(part.plan.steps)
    ]


def _step(step: int, node: int, label: str, line: int | None) -> Step:
    return {"step": step, "node": node, "label": label, "line": line}


class _Shelf:
    """The memory of one part: buffers of its plan as rows of the picture."""

    def __init__(self, picture: Picture, part: Part, parameters: set[int], first: int):
        self._picture, self._part, self._first = picture, part, first
        self._nodes = {n.id: n for n in part.graph.nodes}
        self._names = names_at(picture.names, part.graph, part.offset)
        self._kinds = categories(part, parameters)
        self._at = {node: first + i for i, node in enumerate(part.plan.steps)}

    def buffer(self, buffer: dict[str, Any], number: int) -> Buffer:
        """One that the program makes."""
        part = self._part
        entries: list[Entry] = buffer["entries"]
        copied = not entries  # when all is computed, so that no two results share memory
        if copied and buffer["kind"] == "output":
            entries = [part.graph.outputs[buffer["index"]]]
        ids = [node for node, _ in entries]
        label = " → ".join(dict.fromkeys(map(self._label, entries))) or "a value put aside"
        if copied and ids:
            label = f"copy of {label}"
        start = buffer["start"] + self._first
        return {
            "id": number,
            "node": ids[0] + part.offset if ids else -1,
            "label": label,
            "bytes": buffer["bytes"],
            "offset": buffer["offset"],
            "start": start,
            "end": buffer["end"] + self._first,
            "kind": buffer["kind"],
            "line": self._line(entries[0]) if entries else None,
            "shares": [],
            "values": self._copy(entries, label, start) if copied else self._values(entries),
        }

    def is_earlier(self, buffer: dict[str, Any]) -> bool:
        """It is what an earlier part of the cell has left: its own buffer lives on."""
        return buffer["entries"][0][0] in self._part.earlier

    def held(self, buffer: dict[str, Any], end: int) -> Held:
        """An array that was there before and is there afterwards: it is read, or written to."""
        entry = buffer["entries"][0]
        node = self._nodes[entry[0]]
        values = [self._nodes[i] for i, _ in buffer["entries"]]
        return {
            "node": node.id + self._part.offset,
            "label": self._label(entry) or node.op or f"{node.kind} without a name",
            "bytes": buffer["bytes"],
            "line": self._picture.line_of(node),
            "category": self._kinds[entry],
            "written": any(v.kind not in GIVEN and not v.is_view for v in values),
            "start": self._first,
            "end": end,
        }

    def _label(self, entry: Entry) -> str:
        """What it is called; a kernel's values have the names of the operators that make them."""
        id_, out = entry
        node = self._nodes.get(id_)
        if node is None:
            return str(id_)
        own = self._names.get(maker(node, out).id + self._part.offset)
        given = "" if node.members else user_name(self._names, node, self._part.offset)
        return own or given or str(node.name_in_block)

    def _line(self, entry: Entry) -> int | None:
        """Of its operator: a kernel may make values of several lines."""
        node = self._nodes.get(entry[0])
        return None if node is None else self._picture.line_of(maker(node, entry[1]))

    def _values(self, entries: Sequence[Entry]) -> list[Value]:
        """What it holds, one after the other; a view of a value is the same value."""
        made = sorted((self._at[e[0]], e) for e in entries if e[0] in self._at)
        kept = [row for row in made if not self._nodes[row[1][0]].is_view] or made[:1]
        return [
            {
                "node": e[0] + self._part.offset,
                "label": self._label(e),
                "start": step,
                "category": self._kinds[e],
                "line": self._line(e),
            }
            for step, e in kept
        ]

    def _copy(self, entries: Sequence[Entry], label: str, start: int) -> list[Value]:
        node = entries[0][0] + self._part.offset if entries else -1
        category: Category = "result" if entries else "temporary"
        line = self._line(entries[0]) if entries else None
        return [{"node": node, "label": label, "start": start, "category": category, "line": line}]
