"""Operators of several devices that wait for each other: who could still call the one that lacks.

An operator that waits holds up whoever waits for its result. When nothing else runs and no other
thread could call what it waits for, that wait ends with an error instead of never. Threads that
have pushed no operator so far are given some seconds (``kPatienceS`` in ``csrc/engine/wait.cc``).
"""

from __future__ import annotations

import threading
from typing import Any

from . import _core

_OURS = "jupyter_hybrid"  # names of the package's own threads, which call none
# Threads that were there before anybody could call anything: those of a kernel or a server.
_earlier = {thread.ident for thread in threading.enumerate()}


def _others_may_call() -> bool:
    mine, main = threading.current_thread(), threading.main_thread()
    return any(
        thread is main or (thread.ident not in _earlier and not thread.name.startswith(_OURS))
        for thread in threading.enumerate()
        if thread is not mine
    )


def cell_ended(result: Any) -> None:
    """IPython's ``post_run_cell``: what a cell that failed has not called will not come."""
    if not getattr(result, "success", True):
        _core.end_open_meetings("the cell failed before")


_core.set_callers_check(_others_may_call)
