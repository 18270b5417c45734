"""Nested lists and tuples of arrays, as calls take and give them, made flat and back.

How a call nests is a list of such, with ARRAY where an array was and NOTHING where None was.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from . import _core

ARRAY, NOTHING = 0, -1  # MXNet's numbers, which `Block.save` writes


def flatten(value: Any) -> list[Any]:
    """The arrays in order, and None where there is none."""
    if isinstance(value, (list, tuple)):
        return [item for part in value for item in flatten(part)]
    return [value]


def of_outputs(value: Any) -> Any:
    """What a block gives: a Symbol of several outputs is the list of them."""
    if isinstance(value, (list, tuple)):
        return type(value)(of_outputs(v) for v in value)
    if isinstance(value, _core.Symbol) and len(value.list_outputs()) > 1:
        return list(value)
    return value


def shape_of(value: Any) -> Any:
    """How the value nests."""
    if isinstance(value, (list, tuple)):
        return type(value)(shape_of(v) for v in value)
    return NOTHING if value is None else ARRAY


def in_lists(nesting: Any) -> Any:
    """The same nesting in lists alone."""
    if isinstance(nesting, (list, tuple)):
        return [in_lists(part) for part in nesting]
    return NOTHING if nesting == NOTHING else ARRAY


def rebuild(nesting: Any, items: Iterator[Any]) -> Any:
    """The nesting filled with the next items."""
    if isinstance(nesting, (list, tuple)):
        return type(nesting)(rebuild(part, items) for part in nesting)
    return None if nesting == NOTHING else next(items)


def listed_like(given: Any, items: Iterator[Any]) -> Any:
    """The next items in nested lists as arrays nest in ``given``; tuples become lists."""
    if isinstance(given, (list, tuple)):
        return [listed_like(part, items) for part in given]
    return next(items)


def fits(given: Any, known: Any) -> bool:
    """Do the arguments nest as known ones? One that is left out is None."""
    if not isinstance(given, (list, tuple)) or not isinstance(known, (list, tuple)):
        return type(given) is type(known) and given == known
    shorter = min(len(given), len(known))
    rest = (*given[shorter:], *known[shorter:])
    return all(map(fits, given[:shorter], known[:shorter])) and all(r == NOTHING for r in rest)
