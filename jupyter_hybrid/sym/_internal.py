"""MXNet 1.x's ``sym._internal``: operators whose names begin with "_"."""

from __future__ import annotations

from typing import Any

from .. import _rooms
from .applying import apply_operator


def __getattr__(name: str) -> Any:
    return _rooms.internal(globals(), name, True, apply_operator)


def __dir__() -> list[str]:
    return _rooms.internal_names()
