"""MXNet 1.x's ``nd._internal``: operators whose names begin with "_"."""

from __future__ import annotations

from typing import Any

from .. import _core, _rooms


def __getattr__(name: str) -> Any:
    return _rooms.internal(globals(), name, False, _core.invoke)


def __dir__() -> list[str]:
    return _rooms.internal_names()
