"""The memory of a device in a still picture: an area of steps, one kind upon the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from ..capture.durations import seconds as in_words
from ..capture.sizes import byte_size
from ..views.svg_text import shown, text_at

if TYPE_CHECKING:
    from .timelines import Timeline

__all__ = ["MEMORY_COLOURS", "area", "kinds_held", "legend", "peak_words"]

# Of the same set as the lanes', and none of theirs; by the number of the kind.
MEMORY_COLOURS = ("#009e73", "#cc79a7", "#f0e442", "#56b4e9", "#e69f00", "#9aa0ab")
_COLUMN = 0.5  # pixels


def kinds_held(of: Timeline) -> list[int]:
    """The kinds that any device holds at some time."""
    return sorted(set(of.memory["kind"][of.memory["bytes"] > 0].tolist()))


def peak_words(of: Timeline, device: str) -> str:
    """``at most 1.2 GB (8 %)``"""
    peak = int(of.memory_of(device)[1].sum(axis=1).max(initial=0))
    capacity = of.capacities.get(device, 0)
    share = f" ({100 * peak / capacity:.0f} %)" if capacity else ""
    return f"at most {byte_size(peak)}{share}"


def area(
    of: Timeline, device: str, left: float, top: float, width: float, height: float, highest: float
) -> list[str]:
    """Paths, one a kind, the first at the bottom.

    Args:
        highest: bytes at the upper edge.
    """
    times, held = of.memory_of(device)
    if not len(times) or not highest or not of.seconds:
        return []
    xs, rows = _columns(times * (width / of.seconds), held, width)
    sums = np.cumsum(rows, axis=1) * (height / highest)
    at = int(held.sum(axis=1).argmax())
    parts = []
    for kind in range(held.shape[1]):
        if not held[:, kind].any():
            continue
        upper = top + height - sums[:, kind]
        lower = top + height - (sums[:, kind - 1] if kind else np.zeros(len(xs) - 1))
        there = _steps(left + xs, upper)
        back = _steps(left + xs, lower)[::-1]
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in [*there, *back]) + "Z"
        title = (
            f"{device}, {_core.MEMORY_KINDS[kind]}: at most {byte_size(held[:, kind].max())}\n"
            f"when most is held, at {in_words(float(times[at]))} modelled: "
            f"{byte_size(held[at, kind])} of {byte_size(held[at].sum())}"
        )
        parts.append(f'<path fill="{MEMORY_COLOURS[kind]}" d="{path}">'
                     f"<title>{shown(title)}</title></path>")  # fmt: skip
    return parts


def legend(of: Timeline, right: float, y: float) -> str:
    """The kinds that are held, from the right."""
    parts, x = [], right
    for kind in reversed(kinds_held(of)):
        words = _core.MEMORY_KINDS[kind]
        x -= 5.9 * len(words) + 26
        colour = MEMORY_COLOURS[kind]
        parts.append(f'<rect x="{x:.1f}" y="{y - 9:.1f}" width="10" height="10" fill="{colour}"/>')
        parts.append(text_at(x + 14, y, words, font_size=10.5, fill="#3b4252"))
    return "".join(parts)


def _columns(xs: np.ndarray, held: np.ndarray, width: float) -> tuple[np.ndarray, np.ndarray]:
    """Edges of columns (n + 1,) and what each shows (n, kinds): of changes within one column the
    highest, so that no peak is missed."""
    edges, rows = [0.0], []
    cells = np.floor(xs / _COLUMN).astype(np.intp)
    ends = np.flatnonzero(np.diff(cells, append=-1))
    begin, before = 0, np.zeros(held.shape[1], np.int64)
    for end in ends.tolist():
        group = held[begin : end + 1]
        x = float(cells[end]) * _COLUMN
        for edge, row in ((x, before), (x + _COLUMN, group[group.sum(axis=1).argmax()])):
            if edge > edges[-1]:
                edges.append(edge)
                rows.append(row)
        before, begin = held[end], end + 1
    if edges[-1] < width:
        edges.append(width)
        rows.append(before)
    return np.array(edges), np.array(rows)


def _steps(xs: np.ndarray, ys: np.ndarray) -> list[tuple[float, float]]:
    """The corners of a line of steps."""
    corners = []
    for i, y in enumerate(ys.tolist()):
        corners += [(float(xs[i]), y), (float(xs[i + 1]), y)]
    return corners
