"""Times for people."""

from __future__ import annotations


def seconds(value: float | None) -> str:
    """A time for people: ``12.3 µs``."""
    if value is None:
        return "-"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            number = value / size
            return f"{number:.3g} {unit}" if number < 999.5 else f"{number:,.0f} {unit}"
    return f"{value * 1e9:.0f} ns"
