"""Layered layout of a directed graph: layers in the order of code, few crossings, short edges.

The classic three steps (Sugiyama, Tagawa and Toda, 1981): longest-path layers, barycenter sweeps
for the order inside a layer, then positions by isotonic regression, which moves every node as near
to its neighbours as the minimum gaps allow. O((n + e) log n) a sweep. All edges of a box that pass
a layer pass it at one place: an input that every step of a long loop reads costs one bend a layer.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

GAP_X = 28.0
GAP_Y = 46.0
MARGIN = 24.0
_SWEEPS = 6
_STRAIGHT = 3.0  # px that a bend may lie beside a straight line
_BEND = 0.1  # weight of a bend: it gives way to the boxes, else long edges pull them aside


@dataclass
class Box:
    """A node to place: its size in, its centre out, all in pixels."""

    id: int
    width: float
    height: float
    late: bool = False  # an input or constant: drawn just above its first reader
    x: float = 0.0
    y: float = 0.0


@dataclass
class Layout:
    """Placed boxes, a polyline per edge, and the picture's size in pixels."""

    boxes: dict[int, Box]
    lines: list[list[tuple[float, float]]]
    width: float
    height: float


@dataclass(eq=False)
class _Slot:
    """A box, or a bend of its long edges, in its layer."""

    width: float
    box: Box | None = None
    weight: float = 1.0  # inputs give way, so that the chain of operators stays straight
    up: list[_Slot] = field(default_factory=list)
    down: list[_Slot] = field(default_factory=list)
    x: float = 0.0
    order: float = 0.0
    place: float = 0.0  # as an argument of its readers: decides between equals


def layered(boxes: Iterable[Box], edges: list[tuple[int, int]]) -> Layout:
    """Places boxes, given in topological order, and routes edges (source id, target id)."""
    placed = {box.id: box for box in boxes}
    if not placed:
        return Layout({}, [], 2 * MARGIN, 2 * MARGIN)
    known = _layered(
        tuple((b.id, b.width, b.height, b.late) for b in placed.values()), tuple(edges)
    )
    for box in placed.values():
        box.x, box.y = known.boxes[box.id].x, known.boxes[box.id].y
    return Layout(placed, [list(line) for line in known.lines], known.width, known.height)


@lru_cache(maxsize=64)  # the stages of one cell, planned again, mostly look the same
def _layered(
    boxes: tuple[tuple[int, float, float, bool], ...], edges: tuple[tuple[int, int], ...]
) -> Layout:
    placed = {box[0]: Box(*box) for box in boxes}
    level = _levels(placed, edges)
    layers, trunks = _slots(placed, edges, level)
    _order(layers)
    _positions(layers)
    return _finish(placed, layers, trunks, [(s, t, level[t] - level[s]) for s, t in edges])


def _levels(placed: dict[int, Box], edges: Sequence[tuple[int, int]]) -> dict[int, int]:
    sources: dict[int, list[int]] = {i: [] for i in placed}
    targets: dict[int, list[int]] = {i: [] for i in placed}
    for source, target in edges:
        sources[target].append(source)
        targets[source].append(target)
    level: dict[int, int] = {}
    for i in placed:
        level[i] = max((level[s] + 1 for s in sources[i]), default=0)
    for i, box in placed.items():
        if box.late and targets[i]:
            level[i] = max(0, min(level[t] for t in targets[i]) - 1)
    used = sorted(set(level.values()))
    compact = {old: new for new, old in enumerate(used)}
    return {i: compact[v] for i, v in level.items()}


def _slots(
    placed: dict[int, Box], edges: Sequence[tuple[int, int]], level: dict[int, int]
) -> tuple[list[list[_Slot]], dict[int, list[_Slot]]]:
    """(the layers, by box: its slot and its edges' bends in the layers below it)."""
    layers: list[list[_Slot]] = [[] for _ in range(max(level.values()) + 1)]
    trunks: dict[int, list[_Slot]] = {}
    for i, box in placed.items():
        slot = _Slot(box.width, box, 0.01 if box.late else 1.0)
        layers[level[i]].append(slot)
        trunks[i] = [slot]
    for source, target in edges:
        trunk, steps = trunks[source], level[target] - level[source]
        while len(trunk) < steps:
            bend = _Slot(6.0, None, _BEND * trunk[0].weight)
            layers[level[source] + len(trunk)].append(bend)
            _join(trunk[-1], bend)
            trunk.append(bend)
        _join(trunk[steps - 1], trunks[target][0])
    for layer in layers:
        for slot in layer:
            if slot.down:
                slot.place = sum(d.up.index(slot) for d in slot.down) / len(slot.down)
    return layers, trunks


def _join(upper: _Slot, lower: _Slot) -> None:
    upper.down.append(lower)
    lower.up.append(upper)


def _order(layers: list[list[_Slot]]) -> None:
    for layer in layers:
        for position, slot in enumerate(layer):
            slot.order = position
    for sweep in range(_SWEEPS):
        downwards = sweep % 2 == 0
        for layer in layers if downwards else reversed(layers):
            for slot in layer:
                near = slot.up if downwards else slot.down
                if near:
                    slot.order = sum(n.order for n in near) / len(near)
            layer.sort(key=lambda s: (s.order, s.place))
            for position, slot in enumerate(layer):
                slot.order = position


def _positions(layers: list[list[_Slot]]) -> None:
    for layer in layers:
        x = 0.0
        for slot in layer:
            slot.x = x + slot.width / 2
            x += slot.width + GAP_X
    for sweep in range(2 * _SWEEPS):
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            wishes = []
            for slot in layer:
                near = slot.up if sweep % 2 == 0 else slot.down
                if sweep >= 2 * _SWEEPS - 2:
                    near = slot.up + slot.down
                total = sum(n.weight for n in near)
                wishes.append(sum(n.x * n.weight for n in near) / total if near else slot.x)
            _place(layer, wishes)


def _place(layer: list[_Slot], wishes: list[float]) -> None:
    """Weighted least squares to the wishes, minimum gaps kept: pool adjacent violators."""
    offsets, offset = [], 0.0
    for i, slot in enumerate(layer):
        if i:
            offset += (layer[i - 1].width + slot.width) / 2 + GAP_X
        offsets.append(offset)
    blocks: list[tuple[float, float, int]] = []  # weighted sum, weight, slots
    for slot, wish, shift in zip(layer, wishes, offsets, strict=True):
        total, weight, count = (wish - shift) * slot.weight, slot.weight, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / weight:
            before = blocks.pop()
            total, weight, count = total + before[0], weight + before[1], count + before[2]
        blocks.append((total, weight, count))
    i = 0
    for total, weight, count in blocks:
        for _ in range(count):
            layer[i].x = total / weight + offsets[i]
            i += 1


def _finish(
    placed: dict[int, Box],
    layers: list[list[_Slot]],
    trunks: dict[int, list[_Slot]],
    edges: list[tuple[int, int, int]],
) -> Layout:
    left = min(s.x - s.width / 2 for layer in layers for s in layer)
    centre: dict[int, float] = {}
    y = MARGIN
    for layer in layers:
        height = max((s.box.height for s in layer if s.box), default=12.0)
        for slot in layer:
            slot.x += MARGIN - left
            centre[id(slot)] = y + height / 2
            if slot.box is not None:
                slot.box.x, slot.box.y = slot.x, y + height / 2
        y += height + GAP_Y
    width = max(s.x + s.width / 2 for layer in layers for s in layer) + MARGIN
    paths = {i: [(s.x, centre[id(s)]) for s in trunk] for i, trunk in trunks.items()}
    turns = {i: _turns(path) for i, path in paths.items()}
    lines = []
    for source, target, steps in edges:
        first, last = placed[source], placed[target]
        bends = turns[source][: bisect_left(turns[source], steps - 2)]
        bends += range(max(1, steps - 2), steps)
        points = [(first.x, first.y + first.height / 2)]
        points += [paths[source][i] for i in bends]
        lines.append([*points, (last.x, last.y - last.height / 2)])
    return Layout(placed, lines, width, y - GAP_Y + MARGIN)


def _turns(points: list[tuple[float, float]]) -> list[int]:
    """Which bends a line needs that leaves out those within :data:`_STRAIGHT` of it; the first
    point is the box. Each straight piece is as long as the slopes that meet all its bends allow.

    With each bend come those above and below it: curves are drawn with the bends as their control
    points, and would leave the line between distant ones."""
    kept = [1] if len(points) > 1 else []
    low, high = -math.inf, math.inf
    for i in range(2, len(points)):
        left, right = _slopes(points[kept[-1]], points[i])
        low, high = max(low, left), min(high, right)
        if low > high:
            kept.append(i - 1)
            low, high = _slopes(points[i - 1], points[i])
    near = {i + step for i in kept for step in (-1, 0, 1)}
    return sorted(i for i in near if 0 < i < len(points))


def _slopes(start: tuple[float, float], point: tuple[float, float]) -> tuple[float, float]:
    """The least and the greatest slope of a line from ``start`` that passes near the point."""
    x, y = point[0] - start[0], point[1] - start[1]
    return (x - _STRAIGHT) / y, (x + _STRAIGHT) / y
