"""MXNet 1.x's ``nd._internal``: operators whose names begin with "_"."""

from __future__ import annotations

from typing import Any

from .. import _core, _rooms
from .unique_draws import sample_unique_zipfian

_sample_unique_zipfian = sample_unique_zipfian


def __getattr__(name: str) -> Any:
    return _rooms.internal(globals(), name, False, _core.invoke)


def __dir__() -> list[str]:
    return sorted(["_sample_unique_zipfian", *_rooms.internal_names()])
