"""Nested lists and tuples of arrays, as calls take and give them, made flat and back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def flatten(value: Any) -> list[Any]:
    """The arrays in order."""
    if isinstance(value, (list, tuple)):
        return [item for part in value for item in flatten(part)]
    return [value]


def shape_of(value: Any) -> Any:
    """The nesting alone, with None where an array was."""
    if isinstance(value, (list, tuple)):
        return type(value)(shape_of(v) for v in value)
    return None


def rebuild(nesting: Any, items: Iterator[Any]) -> Any:
    """The nesting filled with the next items."""
    if isinstance(nesting, (list, tuple)):
        return type(nesting)(rebuild(part, items) for part in nesting)
    return next(items)
