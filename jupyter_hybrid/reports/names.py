"""The array names of a cell as switches: kept or not, and what keeping each one costs."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal

from ..array_bytes import nbytes
from ..capture.cell import Cell
from ..capture.compute import Segment
from ..capture.float_warnings import needed
from ..capture.options import Options
from ..capture.program_cache import Recipe, build
from ..capture.values import Key

Place = tuple[int, int]  # (part of the cell, index of the output in the part's whole graph)
Choice = frozenset[Place]  # the outputs that are kept

State = Literal["kept", "deferred", "planned away"]
KEPT: Final = "kept"
DEFERRED: Final = "deferred"
PLANNED_AWAY: Final = "planned away"


@dataclass(frozen=True)
class Name:
    """One array name that a cell assigned.

    Attributes:
        name: the name.
        line: the line of the cell, 1-based, that assigned it last; None for other lines' doing.
        state: ``kept`` (computed with the cell), ``deferred`` (computed when it is read) or
            ``planned away`` (has no value).
        bytes: what keeping it adds to ``bytes_planned``, the other names as they are; None when it
            was not asked for.
        kernels: the kernels that keeping it adds.
        size: bytes of the value itself.
        fixed: why it is kept whatever one chooses; empty when it can be switched.
        shares: other names of the same array: they switch together.
    """

    name: str
    line: int | None
    state: State
    bytes: int | None
    kernels: int | None
    size: int
    fixed: str = ""
    shares: tuple[str, ...] = ()

    @property
    def price(self) -> str:
        """For people: ``+80 bytes, +1 kernel``; why not, when it can't be switched."""
        if self.fixed:
            return self.fixed
        if self.bytes is None or self.kernels is None:
            return "not counted"
        if not self.bytes and not self.kernels:
            return "costs nothing"
        kernels = "kernel" if abs(self.kernels) == 1 else "kernels"
        return f"{self.bytes:+,} bytes, {self.kernels:+,} {kernels}"


class Names(list[Name]):
    """The names of a cell; printed as a table."""

    def __repr__(self) -> str:
        if not self:
            return "no array names"
        rows = [("name", "line", "state", "value", "keeping it")]
        rows += [(n.name, str(n.line or ""), n.state, f"{n.size:,} bytes", n.price) for n in self]
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
        return "\n".join(
            "  ".join([*(cell.ljust(w) for cell, w in zip(row, widths, strict=False)), row[-1]])
            for row in rows
        )


@dataclass
class _Slot:
    """An output that names hold."""

    place: Place
    names: list[str]
    size: int
    fixed: str
    can_wait: bool


class Switches:
    """The names of one compiled cell, and its plans by the choice of names that are kept.

    Planning again runs nothing and binds nothing; plans are kept by choice.
    """

    def __init__(
        self,
        cell: Cell,
        options: Options,
        segments: list[Segment],
        bound: dict[str, Key | None],
        deferred: Iterable[str],
    ):
        self.options = options
        self.segments = segments
        self._lines = _last_lines(cell)
        self._order = list(bound)
        self._plans: dict[tuple[int, tuple[int, ...]], Any] = {}
        self.written: Choice = frozenset(
            (p, i) for p, s in enumerate(segments) for i in range(len(s.outputs))
        )
        self._slots = self._find(bound, frozenset(deferred))

    def _find(self, bound: dict[str, Key | None], deferred: frozenset[str]) -> dict[Place, _Slot]:
        places = {v.key: (p, i) for p, s in enumerate(self.segments) for i, v in enumerate(s.drawn)}
        for p, segment in enumerate(self.segments):  # where it is computed, not where it is drawn
            places |= {v.key: (p, i) for i, v in enumerate(segment.outputs)}
        waiting = [_can_wait(s.whole) for s in self.segments]
        slots: dict[Place, _Slot] = {}
        for name, key in bound.items():
            place = None if key is None else places.get(key)
            if place is None:  # an existing array, or nothing of this cell's
                continue
            if place in slots:
                slots[place].names.append(name)
                slots[place].can_wait |= name in deferred
                continue
            part, index = place
            segment = self.segments[part]
            made = segment.drawn[index]
            can_wait = name in deferred or segment.whole.outputs[index][0] in waiting[part]
            size = nbytes(made.shape, made.dtype)
            slots[place] = _Slot(place, [name], size, self._fixed(part, index), can_wait)
        return slots

    def _fixed(self, part: int, index: int) -> str:
        segment = self.segments[part]
        if index in segment.needed:
            if segment.line is not None:
                return f"line {segment.line} needs it: {segment.reason}"
            return "the cell shows it, returns it or keeps it in a container"
        key = segment.drawn[index].key
        for later, other in enumerate(self.segments[part + 1 :], part + 2):
            if any(v.key == key for v in other.inputs):
                return f"part {later} of the cell reads it"
        return ""

    # Choosing ------------------------------------------------------------------------------------
    def choose(self, choice: Choice, names: Iterable[str], keep: bool) -> Choice:
        """``choice`` with these names kept or not.

        Raises:
            KeyError: for a name that is no array of this cell's making, listing those that are.
            ValueError: when a name can't be deferred, saying why.
        """
        by_name = {n: slot for slot in self._slots.values() for n in slot.names}
        for name in names:
            if name not in by_name:
                known = ", ".join(by_name) or "none"
                raise KeyError(f"{name!r} is no array that this cell made; its arrays are {known}")
            slot = by_name[name]
            if slot.fixed and not keep:
                raise ValueError(f"{name} can't be deferred: {slot.fixed}")
            choice = choice | {slot.place} if keep else choice - {slot.place}
        return choice

    def out(self, choice: Choice) -> list[str]:
        """The names kept by ``choice``, in the order in which the cell binds them."""
        held = {n for place, slot in self._slots.items() if place in choice for n in slot.names}
        return [n for n in self._order if n in held]

    def later(self, choice: Choice) -> list[tuple[str, int, int]]:
        """(name, bytes, kernels to run again) of the names that ``choice`` defers."""
        return [
            (name, slot.size, _kernels_above(self.segments[place[0]].whole, place[1]))
            for place, slot in self._slots.items()
            if self._state(slot, choice) == DEFERRED
            for name in slot.names
        ]

    # Planning ------------------------------------------------------------------------------------
    def plan(self, part: int, choice: Choice) -> Any:
        """The compiled part that computes what ``choice`` keeps of it."""
        segment = self.segments[part]
        kept = tuple(i for i in range(len(segment.drawn)) if (part, i) in choice)
        if kept == tuple(range(len(segment.outputs))):
            return segment.compiled
        if (part, kept) not in self._plans:
            graph, written = segment.whole.with_outputs(list(kept)), len(segment.updates)
            updates = tuple(segment.updates[i] if i < written else -1 for i in kept)
            self._plans[part, kept] = build(Recipe(graph, self.options, segment.donated, updates))
        return self._plans[part, kept]

    def _cost(self, choice: Choice) -> tuple[int, int]:
        """(planned peak in bytes, kernels) of the whole cell."""
        peak = left = kernels = 0
        for part, segment in enumerate(self.segments):
            program = self.plan(part, choice).program
            kernels += program.graph.num_kernels
            peak = max(peak, left + program.plan.planned_bytes)
            left += sum(
                nbytes(a.shape, a.dtype)
                for i, a in enumerate(segment.drawn)
                if (part, i) in choice and (segment.updates[i : i + 1] or (-1,))[0] == -1
            )
        return peak, kernels

    # Telling -------------------------------------------------------------------------------------
    def names(self, choice: Choice, limit: int | None = None, asked: Iterable[str] = ()) -> Names:
        """Every name with its state and price under ``choice``.

        Args:
            limit: with more nodes times names than this, only the prices of ``asked`` are counted:
                a price takes a plan, about 10 us a node.
        """
        nodes = sum(len(s.whole.nodes) for s in self.segments)
        all_priced = limit is None or nodes * len(self._slots) <= limit
        chosen = set(asked)
        made = {}
        for place, slot in self._slots.items():
            added: tuple[int | None, int | None] = (None, None)
            if not slot.fixed and (all_priced or chosen.intersection(slot.names)):
                with_it, without = self._cost(choice | {place}), self._cost(choice - {place})
                added = (with_it[0] - without[0], with_it[1] - without[1])
            for name in slot.names:
                made[name] = Name(
                    name,
                    self._lines.get(name),
                    self._state(slot, choice),
                    *added,
                    slot.size,
                    slot.fixed,
                    tuple(n for n in slot.names if n != name),
                )
        return Names(made[n] for n in self._order if n in made)

    def only(self, kept: Iterable[str]) -> Choice:
        """The choice that keeps just these of the names that can be switched."""
        wanted = set(kept)
        choice = self.written
        for place, slot in self._slots.items():
            if not slot.fixed:
                keep = bool(wanted.intersection(slot.names))
                choice = choice | {place} if keep else choice - {place}
        return choice

    def _state(self, slot: _Slot, choice: Choice) -> State:
        if slot.place in choice:
            return KEPT
        return DEFERRED if slot.can_wait and self.options.out is None else PLANNED_AWAY


def _last_lines(cell: Cell) -> dict[str, int]:
    """The last line that stores each name at any depth of the cell's own text."""
    lines: dict[str, int] = {}
    for node in ast.walk(cell.tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            lines[node.id] = max(node.lineno, lines.get(node.id, 0))
    return lines


def _can_wait(graph: Any) -> set[int]:
    """Ids of nodes made from constants alone: their value is the same whenever it is computed."""
    settled: set[int] = set()
    for node in graph.nodes:
        if node.kind == "input" or node.key_slot is not None:
            continue
        if all(source in settled for source, _ in node.inputs):
            settled.add(node.id)
    return settled


def _kernels_above(graph: Any, output: int) -> int:
    """How many operators computing one output takes, without fusion."""
    above = needed(graph, {graph.outputs[output][0]})
    return sum(1 for n in graph.nodes if n.id in above and n.kind == "op" and not n.is_view)
