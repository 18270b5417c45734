"""Lines of a still picture that the layout of one part does not know: around the cards, by its
side."""

from __future__ import annotations

from typing import Any

from .layout import GAP_Y

_BAND = GAP_Y / 2 - 4  # from a row of cards to where a line crosses over: no card is there
LANE = 10.0  # from one such line to the next, beside the cards


def lead_around(
    cards: dict[int, dict[str, Any]], edges: list[dict[str, Any]], width: float
) -> tuple[float, float]:
    """Gives ``points`` to edges that have none. Returns how far everything has to be moved to the
    right for them, and the width then.

    A line goes down from its card into the free band below that row, aside, along the cards, and
    back in the band above the row of its target; to the next row it goes straight.
    """
    rows: dict[float, tuple[float, float]] = {}
    for card in cards.values():
        top, bottom = card["y"] - card["h"] / 2, card["y"] + card["h"] / 2
        known = rows.get(card["y"], (top, bottom))
        rows[card["y"]] = min(top, known[0]), max(bottom, known[1])
    number = {y: i for i, y in enumerate(sorted(rows))}
    lanes = {-1: 0, 1: 0}  # to the left and to the right
    for edge in edges:
        if "points" in edge:
            continue
        source, target = cards[edge["src"]], cards[edge["dst"]]
        start = [source["x"], source["y"] + source["h"] / 2]
        end = [target["x"], target["y"] - target["h"] / 2]
        if number[target["y"]] == number[source["y"]] + 1:
            edge["points"] = [start, end]
            continue
        side = -1 if source["x"] + target["x"] < width else 1
        lanes[side] += 1
        x = -lanes[side] * LANE if side < 0 else width + lanes[side] * LANE
        below, above = rows[source["y"]][1], rows[target["y"]][0]
        edge["points"] = [
            start, [start[0], below], [x, below + _BAND], [x, above - _BAND], [end[0], above], end
        ]  # fmt: skip
    left, right = ((lanes[side] + 1) * LANE if lanes[side] else 0.0 for side in (-1, 1))
    return left, width + left + right
