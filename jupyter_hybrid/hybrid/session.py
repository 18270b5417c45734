"""What the cells of one process share: default mode, last report, deferred names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _core
from .deferred import DeferredNames
from .runtime import install

if TYPE_CHECKING:
    from .cell_report import Report


class Session:
    """What the magics of one kernel, or the hybridized functions of one script, share."""

    def __init__(self) -> None:
        self.mode = "imperative"
        self.last_report: Report | None = None
        self.later = DeferredNames()
        self.listeners: list[Any] = []  # called without arguments when mode or engine change

    def changed(self) -> None:
        """Tells the live panel."""
        for listener in self.listeners:
            listener()


session = Session()
session.later.announce = lambda text: None  # the magics print it; a script's output is its own


def start() -> None:
    """Traced arrays compute themselves from here on when somebody reads them."""
    install()
    _core.set_materialize_hook(_materialize)


def _materialize(arrays: list[Any]) -> None:
    """Somebody reads traced arrays: the running cell's, or deferred ones."""
    recorder = install().recorder
    if recorder is None:
        session.later.materialize(arrays)
    elif _core.is_recording():
        recorder.sync(arrays, "autograd records here and needs values")
    else:
        recorder.sync(arrays, "a value is read")
