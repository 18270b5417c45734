"""The six events of a training loop: a handler is a subclass of those that it answers."""

from __future__ import annotations

from typing import Any

__all__ = ["BatchBegin", "BatchEnd", "EpochBegin", "EpochEnd", "TrainBegin", "TrainEnd"]


class EventHandler:
    """What answers events. One with a lower ``priority`` (default 0) is called earlier."""


class TrainBegin(EventHandler):
    """Called once, before the first epoch."""

    def train_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Before the first epoch."""


class TrainEnd(EventHandler):
    """Called once, after the last epoch."""

    def train_end(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """After the last epoch."""


class EpochBegin(EventHandler):
    """Called before every epoch."""

    def epoch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Before an epoch."""


class EpochEnd(EventHandler):
    """Called after every epoch."""

    def epoch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """After an epoch; True ends the training."""
        return False


class BatchBegin(EventHandler):
    """Called before every batch."""

    def batch_begin(self, estimator: Any, *args: Any, **kwargs: Any) -> None:
        """Before a batch, which is the keyword ``batch``."""


class BatchEnd(EventHandler):
    """Called after every batch."""

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """After a batch, with the keywords ``batch``, ``pred``, ``label`` and ``loss``.

        The last three are lists, one array a device. True ends the epoch.
        """
        return False


def checked_handlers(handlers: Any) -> list[EventHandler]:
    """One handler, several or None as a list.

    Raises:
        ValueError: something is no handler.
    """
    if isinstance(handlers, EventHandler):
        return [handlers]
    given = list(handlers or [])
    for handler in given:
        if not isinstance(handler, EventHandler):
            raise ValueError(
                f"handlers must be an EventHandler or a list of them, got {type(handler).__name__}"
            )
    return given
