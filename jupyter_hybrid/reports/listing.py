"""Lists of (line, reason) for people: what comes up again and again is one entry with a count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable


def counted(found: Iterable[tuple[int | None, str]]) -> list[tuple[int | None, str]]:
    """(line, reason) once each, in order of first appearance; ``(12 times)`` after the reason."""
    times = Counter(found)
    return [(at, f"{why} ({n:,} times)" if n > 1 else why) for (at, why), n in times.items()]


def texts(found: Iterable[tuple[int | None, str]]) -> list[str]:
    """:func:`counted` as lines of text."""
    return [f"line {at}: {why}" if at else why for at, why in counted(found)]
