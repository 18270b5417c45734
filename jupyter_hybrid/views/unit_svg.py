"""Units in a still picture: a box each, the user's lines on the left, their instructions beside."""

from __future__ import annotations

from typing import Any

from .schema import Unit
from .svg_text import MONO, clip, text_at

_ROW, _CHAR, _GAP = 16.0, 6.7, 14.0  # pixels: of a row, of a character, between boxes
_WIDEST = 64  # characters of a column
_COMPILED, _PLAIN, _MARKED = ("#f4f8fc", "#0072b2"), ("#f8f8f9", "#70757f"), "#fff3c4"


def units_body(units: list[Unit], x: float, y: float) -> tuple[str, float, float]:
    """(SVG elements, their height, their width) of all units, the first one's corner at (x, y)."""
    parts, top, widest = [], y, 0.0
    for unit in units:
        code = min(max((len(row["code"]) for row in unit["rows"]), default=0), _WIDEST)
        split = 52 + code * _CHAR + 24
        rows = _rows(unit)
        beside = min(max((len(told) for *_, told, _ in rows), default=0), _WIDEST)
        notes = _notes(unit)
        said = max(len(text) for text in (unit["title"], unit["text"], *notes))
        width = max(split + beside * _CHAR + 16, min(said, 2 * _WIDEST) * 6.4 + 28)
        height = 48 + _ROW * len(rows) + (8 + _ROW * len(notes) if notes else 0) + 8
        parts.append(_box(unit, x, top, width, height))
        at = top + 58
        for number, text, told, marked in rows:
            parts.append(_line(x, at, split, width, number, text, told, marked))
            at += _ROW
        for note in notes:
            told = clip(note, width, 11)
            parts.append(text_at(x + 14, at + 6, told, font_size=11, fill="#5a6070"))
            at += _ROW
        top += height + _GAP
        widest = max(widest, width + 6)
    return "".join(parts), top - y, widest


def _box(unit: Unit, x: float, y: float, width: float, height: float) -> str:
    fill, stroke = _COMPILED if unit["compiled"] else _PLAIN
    behind = (6, 3, 0) if unit["compiled"] else (0,)  # a body that is run many times
    boxes = [
        f'<rect x="{x + d:.1f}" y="{y + d:.1f}" width="{width:.1f}" height="{height:.1f}" rx="8" '
        f'fill="{fill}" stroke="{stroke}" stroke-width="1.2"/>'
        for d in behind
    ]
    title = text_at(x + 14, y + 20, unit["title"], font_size=13, font_weight=600)
    text = clip(unit["text"], width - 14, 11)
    return "".join(boxes) + title + text_at(x + 14, y + 37, text, font_size=11, fill="#5a6070")


def _rows(unit: Unit) -> list[tuple[str, str, str, bool]]:
    """(line, code, instruction or what refused, is it marked?)."""
    rows = []
    for row in unit["rows"]:
        beside = [(f"✕ {row['refused']}", True)] if row["refused"] else []
        for version in row["versions"]:
            beside += [(f"if {version['kinds']}", False)] if version["kinds"] else []
            beside += [(text, False) for text in version["instructions"]]
        for k, (told, marked) in enumerate(beside or [("", False)]):
            rows.append(
                (
                    "" if k else str(row["line"]),
                    "" if k else row["code"].expandtabs(4),
                    told,
                    marked,
                )
            )
    return rows


def _notes(unit: Unit) -> list[str]:
    found = [f"{name} {kinds}" for name, kinds in unit["variables"]]
    notes = [f"variables: {', '.join(found)}"] if found else []
    return notes + [f"checked when it begins: {'; '.join(unit['guards'])}"] * bool(unit["guards"])


def _line(
    x: float, y: float, split: float, width: float,
    number: str, code: str, told: str, marked: bool,
) -> str:  # fmt: skip
    style: dict[str, Any] = {"font_family": MONO, "font_size": 11, "xml:space": "preserve"}
    mark = (
        f'<rect x="{x + 6:.1f}" y="{y - 11.5:.1f}" width="{width - 12:.1f}" height="15.5" rx="3" '
        f'fill="{_MARKED}"/>'
        if marked
        else ""
    )
    room = split - 52
    parts = [
        text_at(x + 36, y, number, text_anchor="end", fill="#8a8f99", **style),
        text_at(x + 46, y, clip(code, room, 11), **style),
        text_at(x + split, y, clip(told, width - split, 11), **style | {"fill": "#3d5a73"}),
    ]
    return mark + "".join(part for part in parts if part)
