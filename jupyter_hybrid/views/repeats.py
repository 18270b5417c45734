"""Repeats: where a row of things that are alike or not has a period, as a rolled-out loop has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

LONGEST_PERIOD = 64


class Repeat(NamedTuple):
    """``times`` passes of ``period`` things each, from ``start``."""

    start: int
    period: int
    times: int


def alike(signs: Sequence[int]) -> list[tuple[int, int]]:
    """Runs of two or more equal neighbours, as (start, end)."""
    runs, start = [], 0
    for i in range(1, len(signs) + 1):
        if i == len(signs) or signs[i] != signs[start]:
            if i - start > 1:
                runs.append((start, i))
            start = i
    return runs


def periods(
    signs: Sequence[int], operators: Sequence[int], lines: Sequence[int | None]
) -> list[Repeat]:
    """All repeats of the shortest period above 1 that has any, in order and apart from each other.

    A period is worth a group if its passes are three or more, or two large ones. Of operators
    alone it takes a dozen: a few of them look alike by chance.

    Args:
        signs: equal for things of the same structure.
        operators: how many operators a thing holds; 0 for an operator itself.
        lines: the first line of each thing; a pass begins where the loop's body does.
    """
    n = len(signs)
    row = np.asarray(signs, dtype=np.int64)
    for period in range(2, min(LONGEST_PERIOD, n // 2) + 1):
        breaks = np.flatnonzero(row[period:] != row[:-period])
        same = n - period
        if same - len(breaks) < period:
            continue
        bounds = np.concatenate(([-1], breaks, [same]))
        lengths = np.diff(bounds) - 1
        found: list[Repeat] = []
        free = 0
        for i in np.flatnonzero(lengths >= period).tolist():
            start, end = int(bounds[i]) + 1, int(bounds[i + 1]) + period
            start = max(start, free)
            start += _begin(lines[start : start + (end - start) % period + 1])
            repeat = Repeat(start, period, (end - start) // period)
            if _worth(repeat, signs, operators):
                found.append(repeat)
                free = start + period * repeat.times
        if found:
            return found
    return []


def _begin(lines: Sequence[int | None]) -> int:
    """The first of the lowest lines among the possible beginnings."""
    known = [line for line in lines if line is not None]
    return lines.index(min(known)) if len(known) == len(lines) > 0 else 0


def _worth(repeat: Repeat, signs: Sequence[int], operators: Sequence[int]) -> bool:
    start, period, times = repeat
    if times < 2 or len(set(signs[start : start + period])) == 1:
        return False
    held = operators[start : start + period]
    if not any(held):
        return times >= 3 and period * times >= 12
    return times >= 3 or sum(held) + held.count(0) >= 6
