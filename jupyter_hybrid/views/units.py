"""Units in a picture: one body, times n, with its variables, its guards and what refused."""

from __future__ import annotations

import linecache

from ..capture.cell import Cell
from ..capture.units.listing import guards, listing, variables
from ..reasons import Reason
from ..reports.loops import Loop
from .messages import message
from .schema import Unit, UnitRow, pair

_MOST_LINES, _MOST_INSTRUCTIONS = 200, 60  # of a unit, and of one line; the picture is saved


def drawn(loop: Loop, cell: Cell) -> Unit:
    """The JSON form of what a report says of one loop."""
    ran = loop.ran
    rows = _body(loop, cell) if ran.made is not None else _as_written(loop, cell)
    where = loop.where.replace("-", "–")
    return {
        "title": f"{where} × {loop.count}" if ran.made is not None else where,
        "compiled": ran.made is not None,
        "text": loop.said,
        "rows": rows[:_MOST_LINES],
        "variables": [pair(*v) for v in variables(ran.made)] if ran.made is not None else [],
        "guards": guards(ran.made) if ran.made is not None else [],
    }


def _body(loop: Loop, cell: Cell) -> list[UnitRow]:
    """The lines that were compiled."""
    assert loop.ran.made is not None
    rows = []
    for line in listing(loop.ran.made):
        file = loop.ran.place.filename if line.of is None else line.of.co_filename
        why = loop.why_at(line.number, line.of) or ([line.refused] if line.refused else [])
        row = _row(file, line.number, cell, why)
        row["of"] = line.of.co_name if line.of is not None else ""
        for kinds, texts in line.versions:
            more = len(texts) - _MOST_INSTRUCTIONS
            told = texts[:_MOST_INSTRUCTIONS] + ([f"… {more} more"] if more > 0 else [])
            row["versions"].append({"kinds": kinds, "instructions": told})
        rows.append(row)
    return rows


def _as_written(loop: Loop, cell: Cell) -> list[UnitRow]:
    """The lines of a loop that has no unit, up to what refused."""
    place = loop.ran.place
    return [
        _row(place.filename, number, cell, loop.why_at(number, None))
        for number in range(place.first, place.last + 1)
    ]


def _row(filename: str, number: int, cell: Cell, why: list[Reason]) -> UnitRow:
    own = filename == cell.filename
    known = own and number <= len(cell.lines)
    code = cell.lines[number - 1] if known else linecache.getline(filename, number)
    return {
        "line": number, "own": own, "of": "", "code": code.rstrip(), "versions": [],
        "refused": "; ".join(why), "reasons": list(map(message, why)),
    }  # fmt: skip
