"""Arguments of layers that slide windows: sizes for every axis, and layouts."""

from __future__ import annotations

from typing import Any

from ..checks import CheckError

LAYOUTS = {1: ("NCW", "NWC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}  # by axes of a window


def sizes(value: Any, axes: int, what: str) -> tuple[int, ...]:
    """One number for each of so many axes; one for all of them may be given.

    Raises:
        CheckError: it is neither a number nor so many numbers.
    """
    found = tuple(value) if isinstance(value, (tuple, list)) else (value,) * axes
    if len(found) != axes or not all(isinstance(v, int) or hasattr(v, "__index__") for v in found):
        raise CheckError(f"{what}: expected a number or {axes} numbers, got {value!r}")
    return tuple(int(v) for v in found)


def check_layout(layout: str, known: tuple[str, ...], kind: str) -> None:
    """Raises CheckError for a layout that the layer does not have."""
    if layout not in known:
        raise CheckError(f"{kind}: layout: expected {' or '.join(known)}, got {layout!r}")
