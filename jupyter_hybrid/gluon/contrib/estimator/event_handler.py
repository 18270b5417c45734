"""MXNet's module of event handlers; see the modules that they are in."""

from __future__ import annotations

from . import checkpoint, early_stopping, events, handlers, logs
from .checkpoint import *  # noqa: F403
from .early_stopping import *  # noqa: F403
from .events import *  # noqa: F403
from .handlers import *  # noqa: F403
from .logs import *  # noqa: F403

__all__ = [
    *checkpoint.__all__,
    *early_stopping.__all__,
    *events.__all__,
    *handlers.__all__,
    *logs.__all__,
]
