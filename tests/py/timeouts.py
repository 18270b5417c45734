"""What stops a test that takes too long must not keep its loops from being compiled."""

from __future__ import annotations

from typing import Any

from jupyter_hybrid.capture.units import signals

_only_raises = signals._only_raises


def only_raises(handler: Any) -> bool:
    """pytest-timeout's handler does, as Python's own of SIGINT."""
    return getattr(handler, "__module__", "") == "pytest_timeout" or _only_raises(handler)
