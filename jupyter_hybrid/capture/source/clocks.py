"""Functions that read a clock: what they are to measure has been done by then."""

from __future__ import annotations

import datetime
import time
from typing import Any

_OF_TIME = frozenset(
    getattr(time, name + unit)
    for name in ("time", "perf_counter", "monotonic", "process_time", "thread_time")
    for unit in ("", "_ns")
)
_OF_DATES = frozenset({"now", "utcnow", "today"})


def is_clock(function: Any) -> bool:
    """Does a call of it tell the time?"""
    owner = getattr(function, "__self__", None)
    if owner is time:
        return function in _OF_TIME
    return (
        isinstance(owner, type)
        and issubclass(owner, datetime.date)
        and getattr(function, "__name__", "") in _OF_DATES
    )
