"""The dependency engine: its settings, what is pending, memory pools."""

from __future__ import annotations

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
    "cancel_running",
    "configure",
    "describe_pending",
    "num_threads",
    "pending",
    "pool_stats",
    "release_pool_memory",
    "reset_pool_peak",
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
