"""Loops of a cell in words: which ran compiled, where units left, what has none and why."""

from __future__ import annotations

from collections.abc import Iterable
from types import CodeType

from ..capture.cell import Cell
from ..capture.durations import seconds
from ..capture.source import compiled
from ..capture.source.loops_ran import LoopRan, to_tell
from ..capture.units import Refusal
from ..reasons import Reason

_SHOWN = 3  # places where a unit left


class Loop:
    """What a report says of one loop or comprehension; printed as one line.

    Attributes:
        ran: the run's record of it.
        where: its lines, and the function that they are in where that is not the cell's.
        steps: that ran compiled, in ``ran.seconds``.
    """

    def __init__(self, ran: LoopRan, cell: Cell):
        self.ran, self._cell = ran, cell
        place = ran.place
        outside = f" of {place.function}()" if place.filename != cell.filename else ""
        self.where = f"{place.lines}{outside}"
        self.steps = ran.steps

    def __repr__(self) -> str:
        return self.text

    @property
    def is_compiled(self) -> bool:
        return self.ran.made is not None

    @property
    def text(self) -> str:
        """One line: ``lines 9-20: 35 steps ran compiled, in 70.6 ms; as written 2 s``."""
        return f"{self.where}: {f'{self.count} ' if self.is_compiled else ''}{self.said}"

    @property
    def said(self) -> str:
        """The same without its lines and steps."""
        parts = []
        if self.is_compiled:
            parts.append(f"ran compiled{self._in}")
            parts += [f"as written {seconds(self.ran.written_s)}"] if self.ran.written_s else []
        if self.left:
            parts.append(f"left at {self._left}")
        if self.ran.given_up:
            parts.append("given up, as written it takes no longer")
        elif self.left_too_often:
            parts.append("given up, it left too often")
        elif self.refused:
            parts.append(f"{'then' if self.is_compiled else 'no unit,'} {': '.join(self.refused)}")
        return "; ".join(parts)

    @property
    def paragraph(self) -> str:
        """The same in sentences, for ``%hybrid explain``."""
        ran, said = self.ran, []
        if self.is_compiled:
            known = ran.written_s > 0
            slower = f"; as written they take about {seconds(ran.written_s)}" if known else ""
            said.append(f"{self.count} ran compiled as a unit{self._in}{slower}.")
        if self.left:
            said.append(f"It left at {self._left}: Python took these steps.")
        if ran.given_up:
            said.append("Its unit was no faster than Python, so it runs as written.")
        elif self.left_too_often:
            said.append("That was too often, so the rest ran as written.")
        elif self.refused:
            rest = "The rest" if self.is_compiled else "It"
            line, why = self.refused
            said.append(f"{rest} ran as written, since {line} can't be compiled: {why}.")
        return f"{self.where}: {' '.join(said)}"

    @property
    def _in(self) -> str:
        took_s = self.ran.seconds  # none: under --check the steps as written are those that count
        return f", in {seconds(took_s)}" if took_s else ", checked"

    @property
    def left(self) -> list[tuple[str, str]]:
        """Where its unit left: (line, why and how often)."""
        return [
            (self._line(why), f"{why.why}, {n:,} times" if n > 1 else why.why)
            for why, n in self.ran.places_left
        ]

    def why_at(self, line: int, of: CodeType | None) -> list[Reason]:
        """What left or was refused at a line, and how often; of a function that the loop calls."""
        left = [(why, n) for why, n in self.ran.places_left if (why.line, why.of) == (line, of)]
        if left:
            return [_left(why.why, n) for why, n in left]
        why = self.ran.refused
        return [why.why] if why is not None and (why.line, why.of) == (line, of) else []

    @property
    def left_too_often(self) -> bool:
        """Was its unit given up where it left?"""
        return any(why == self.ran.refused for why, _ in self.ran.places_left)

    @property
    def refused(self) -> tuple[str, str] | None:
        """What has no unit: (line, why)."""
        why = self.ran.refused
        return None if why is None else (self._line(why), why.why)

    @property
    def count(self) -> str:
        """``35 steps``."""
        return f"{self.steps:,} step{'' if self.steps == 1 else 's'}"

    @property
    def _left(self) -> str:
        found = [f"{line} ({why})" for line, why in self.left]
        more = len(found) - _SHOWN
        return ", ".join(found[:_SHOWN]) + (f" and {more} other places" if more > 0 else "")

    def _line(self, at: Refusal) -> str:
        """Of the user's text; in a function that the loop calls, with its name."""
        inside = at.of is not None and at.of.co_filename != self._cell.filename
        of = f" of {at.of.co_name}()" if inside and at.of else ""
        if at.of is None and self.ran.place.filename != self._cell.filename:
            of = f" of {self.ran.place.function}()"
        return f"line {at.line}{of}"


def _left(why: Reason, n: int) -> Reason:
    if n == 1:
        return Reason("{why}: left 1 time", why=why)
    return Reason("{why}: left {n} times", why=why, n=f"{n:,}")


def loops_of(found: Iterable[LoopRan], cell: Cell) -> list[Loop]:
    """What is worth saying of the loops of a run."""
    told = to_tell(found, compiled.HOT_S)
    told.sort(key=lambda ran: ran.place.filename != cell.filename)
    return [Loop(ran, cell) for ran in told]
