"""Names of symbols: prefixes of the block that is being expressed."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["choose_name", "in_block", "name_prefix"]


class _Stack(threading.local):
    def __init__(self) -> None:
        self.levels: list[tuple[str, Counter[str]]] = []


_stack = _Stack()


@contextmanager
def name_prefix(prefix: str) -> Iterator[None]:
    """Operators made inside are called ``prefix + name``; unnamed ones count from 0 in it.

    Prefixes do not add up: the innermost counts, as in MXNet's ``mx.name.Prefix``.
    """
    _stack.levels.append((prefix, Counter()))
    try:
        yield
    finally:
        _stack.levels.pop()


def in_block() -> bool:
    """Whether a block is being expressed as a graph on this thread."""
    return bool(_stack.levels)


def choose_name(name: str | None, op: str) -> str:
    """The node's name; empty: the core counts it ("dot0")."""
    if not _stack.levels:
        return name or ""
    prefix, counts = _stack.levels[-1]
    if not name:
        hint = op.lower()
        name = f"{hint}{counts[hint]}"
        counts[hint] += 1
    return prefix + name
