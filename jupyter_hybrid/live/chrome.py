"""Chrome-trace export: what the lanes did, for Perfetto and chrome://tracing."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from .. import _core


class Recording:
    """Collects trace events from its creation on.

    ``save`` writes what the rings still hold; each ring keeps its newest events, and what was
    overwritten before is counted, in operators, in the file's metadata.
    """

    def __init__(self) -> None:
        self._reader = _core.TraceReader()
        self._reader.read_frame(1 << 30)  # what came before is not ours
        self._events: list[dict[str, Any]] = []
        self._names: dict[int, str] = {}
        self._sites: dict[int, tuple] = {}
        self._lanes: dict[int, dict[str, Any]] = {}
        self._lost = 0
        full = _core.TraceReader().read_frame(0)
        self._lanes.update({lane["id"]: lane for lane in full["lanes"]})
        self._names.update(full["names"])
        self._sites.update(full["sites"])

    def collect(self) -> int:
        """Takes what is new from the rings; returns the number of events so far."""
        frame = self._reader.read_frame(1 << 30)
        self._lost += sum(gap["count"] for gap in frame["gaps"])
        self._names.update(frame["names"])
        self._sites.update(frame["sites"])
        self._lanes.update({lane["id"]: lane for lane in frame["lanes"]})
        spans = np.frombuffer(frame["spans"], _core.SPAN_DTYPE)
        for start, _, extent, name, site, node, lane, flags, count, *_ in spans.tolist():
            if flags & _core.SPAN_FLAGS["running"]:  # still running: it will come again, whole
                continue
            cell, line, text = self._sites.get(site, ("", 0, ""))
            self._events.append(
                {
                    "name": self._names.get(name, str(name)),
                    "ph": "X",
                    "ts": start * 1e3,
                    "dur": extent * 1e3,
                    "pid": 1,
                    "tid": lane,
                    "args": {
                        "line": line,
                        "cell": cell,
                        "where": text,
                        "node": node,
                        "count": count,
                        "flags": [word for word, bit in _core.SPAN_FLAGS.items() if flags & bit],
                    },
                }
            )
        return len(self._events)

    def save(self, path: str | os.PathLike[str]) -> int:
        """Writes the Chrome-trace JSON; returns the number of events."""
        count = self.collect()
        lanes = [
            {
                "name": "thread_name",
                "ph": "M",
                "pid": 1,
                "tid": i,
                "args": {"name": lane["name"] + (" (virtual)" if lane["virtual"] else "")},
            }
            for i, lane in self._lanes.items()
        ]
        data = {"traceEvents": lanes + self._events, "metadata": {"lost_operators": self._lost}}
        Path(path).write_text(json.dumps(data), encoding="utf-8")
        return count
