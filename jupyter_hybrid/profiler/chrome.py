"""The profiler's records as a Chrome trace, for Perfetto and chrome://tracing."""

from __future__ import annotations

import json
from typing import Any

_LETTERS = {"global": "g", "process": "p", "thread": "t"}


def trace(spans: Any, points: Any, lanes: dict[int, str], lost: int) -> str:
    """JSON; a category is a process of the trace. Times are microseconds."""
    pids: dict[str, int] = {}

    def pid(category: str) -> int:
        return pids.setdefault(category, len(pids))

    events = [
        {
            **{"name": span.name, "cat": span.category, "ph": "X"},
            **{"ts": span.start * 1e3, "dur": span.extent * 1e3},
            **{"pid": pid(span.category), "tid": span.lane, "args": {"count": span.runs}},
        }
        for span in spans
    ]
    events += [_of_point(point, pid(point.category)) for point in points]
    names = [
        {"ph": "M", "name": "process_name", "pid": number, "args": {"name": category}}
        for category, number in pids.items()
    ]
    names += [
        {
            **{"ph": "M", "name": "thread_name", "pid": pid(category)},
            "tid": i,
            "args": {"name": name},
        }
        for category in ("operator", "wait")
        if category in pids
        for i, name in lanes.items()
    ]
    return json.dumps(
        {
            "traceEvents": names + events,
            "displayTimeUnit": "ms",
            "metadata": {"lost_operators": lost},
        }
    )


def _of_point(point: Any, pid: int) -> dict[str, Any]:
    event = {"name": point.name, "cat": point.category, "ts": point.at * 1e3, "pid": pid, "tid": 0}
    if point.value is None:
        return {**event, "ph": "i", "s": _LETTERS.get(point.scope, "t")}
    return {**event, "ph": "C", "args": {point.name: point.value}}
