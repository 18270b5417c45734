"""Sizes for people, in the units and digits of the viewer (``views/format.ts``)."""

from __future__ import annotations


def byte_size(count: float | None) -> str:
    """``320 B``, ``4 KB``, ``1.46 MB``; a KB has 1,024 bytes."""
    if count is None:
        return "-"
    number, units = abs(count), ["B", "KB", "MB", "GB", "TB"]
    while number >= 1024 and len(units) > 1:
        number /= 1024
        units.pop(0)
    digits = 0 if number >= 100 or units[0] == "B" else 1 if number >= 10 else 2
    text = f"{number:.{digits}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return f"{'−' if count < 0 else ''}{text} {units[0]}"
