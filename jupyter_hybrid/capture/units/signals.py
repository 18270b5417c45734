"""Signals while a unit runs. A handler that only raises is called at once, and the run ends. Others
may read or set whatever the loop does: they wait until its names have their values, at the end of a
step, and the unit goes on afterwards.
"""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any

from ... import _core

Handlers = list[tuple[int, Any]]  # numbers of signals, and what Python calls


def others() -> Handlers | None:
    """The handlers, where one of them does more than raise, else none; None: they can't wait."""
    found: Handlers = _core.units.handlers()
    if all(_only_raises(handler) for _, handler in found):
        return []
    return found if threading.current_thread() is threading.main_thread() else None


def _only_raises(handler: Any) -> bool:
    return handler is signal.default_int_handler


class Waiting:
    """Around a run: these handlers wait. ``heard``: the numbers of the signals that came."""

    def __init__(self, handlers: Handlers):
        # That of SIGINT is the first that waits and the last that is there again: it raises.
        self._handlers = sorted(handlers, key=lambda one: one[0] != signal.SIGINT)
        self.heard: list[int] = []

    def __enter__(self) -> list[int]:
        for number, _ in self._handlers:
            signal.signal(number, self._hear)
        return self.heard

    def __exit__(self, *_: Any) -> None:
        for number, handler in reversed(self._handlers):
            signal.signal(number, handler)

    def _hear(self, number: int, _: Any) -> None:
        self.heard.append(number)


def tell(heard: list[int], frame: FrameType) -> None:
    """Calls the handlers of these, as Python would in that frame. Raising the signals again would
    wake up twice who waits for them (``signal.set_wakeup_fd``)."""
    while heard:
        number = heard.pop(0)
        handler = signal.getsignal(number)
        if callable(handler):
            handler(number, frame)
        elif handler == signal.SIG_DFL:  # an earlier one has set it
            signal.raise_signal(number)
