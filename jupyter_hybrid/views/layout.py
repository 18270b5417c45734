"""Layered layout of a directed graph: layers in the order of code, few crossings, short edges.

The classic three steps (Sugiyama, Tagawa and Toda, 1981): longest-path layers, barycenter sweeps
for the order inside a layer, then positions by isotonic regression, which moves every node as near
to its neighbours as the minimum gaps allow. O((n + e) log n) a sweep.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

GAP_X = 28.0
GAP_Y = 46.0
MARGIN = 24.0
_SWEEPS = 6


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
    """A box, or a bend of a long edge, in its layer."""

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
    layers, chains = _slots(placed, edges, level)
    _order(layers)
    _positions(layers)
    return _finish(placed, layers, chains)


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
) -> tuple[list[list[_Slot]], list[list[_Slot]]]:
    layers: list[list[_Slot]] = [[] for _ in range(max(level.values()) + 1)]
    slots = {}
    for i, box in placed.items():
        slots[i] = _Slot(box.width, box, 0.01 if box.late else 1.0)
        layers[level[i]].append(slots[i])
    chains = []
    for source, target in edges:
        chain = [slots[source]]
        for between in range(level[source] + 1, level[target]):
            bend = _Slot(6.0)
            layers[between].append(bend)
            chain.append(bend)
        chain.append(slots[target])
        for a, b in pairwise(chain):
            a.down.append(b)
            b.up.append(a)
        chains.append(chain)
    for layer in layers:
        for slot in layer:
            if slot.down:
                slot.place = sum(d.up.index(slot) for d in slot.down) / len(slot.down)
    return layers, chains


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


def _finish(placed: dict[int, Box], layers: list[list[_Slot]], chains: list[list[_Slot]]) -> Layout:
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
    lines = []
    for chain in chains:
        points = [(s.x, centre[id(s)]) for s in chain]
        first, last = chain[0].box, chain[-1].box
        if first is not None and last is not None:
            points[0] = (first.x, first.y + first.height / 2)
            points[-1] = (last.x, last.y - last.height / 2)
        lines.append(points)
    return Layout(placed, lines, width, y - GAP_Y + MARGIN)
