"""The dependency engine: its settings, what is pending, memory pools."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from . import _core
from ._core import (
    cancel_running,
    describe_pending,
    num_threads,
    pending,
    pool_stats,
    release_pool_memory,
    reset_pool_peak,
    set_num_threads,
    use_tf32,
    wait_all,
)

__all__ = [
    "bulk",
    "cancel_running",
    "configure",
    "describe_pending",
    "num_threads",
    "pending",
    "pool_stats",
    "release_pool_memory",
    "reset_pool_peak",
    "set_bulk_size",
    "set_num_threads",
    "settings",
    "use_tf32",
    "using",
    "wait_all",
]


def settings() -> dict[str, Any]:
    """kind ('threaded' or 'naive'), inline, limit_ops, limit_bytes, slow (seconds), inline_ns."""
    return _core.engine_settings()


def configure(**changes: Any) -> None:
    """Changes settings, e.g. ``configure(kind="naive")`` or ``configure(inline=False, slow=0.5)``.

    Waits for pending work first when the kind changes.
    """
    _core.set_engine(**changes)


_bulk_size = 0


def set_bulk_size(size: int) -> int:
    """How many operators MXNet pushes together; returns what it was. Changes nothing here.

    Small operators run at once on the thread that calls them, and hybridized ones are one program.
    """
    global _bulk_size
    before, _bulk_size = _bulk_size, size
    return before


@contextmanager
def bulk(size: int) -> Iterator[None]:
    """``with engine.bulk(10):`` :func:`set_bulk_size` for one block."""
    before = set_bulk_size(size)
    try:
        yield
    finally:
        set_bulk_size(before)


@contextmanager
def using(**changes: Any) -> Iterator[None]:
    """``with engine.using(kind="naive"):`` settings for one block; waits at both ends."""
    before = settings()
    configure(**changes)
    try:
        yield
    finally:
        wait_all()
        configure(**{name: before[name] for name in changes})


def _finish_before_fork() -> None:
    """Waits for what is pending: a child can't compute it, and its data loader may read it."""
    while pending() > 0 and not _core.only_meetings():
        time.sleep(0.0002)  # without the GIL, which operators in Python need


os.register_at_fork(before=_finish_before_fork)
