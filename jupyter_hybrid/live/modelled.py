"""The modelled clock for one panel: its spans at a pace that people can follow, as packed frames.

A span goes out when the paced time has reached its end, and before that as one that runs. What is
too much for a frame waits for the next ones, and the frame's time with it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .. import _core
from .labels import labels
from .modelled_memory import MemoryReader
from .pace import Pace

__all__ = ["Frame", "ModelledReader", "model_now"]

MAX_BYTES = 128 * 1024
_MOST_RUNNING = 256  # copies that share a link are several
_MOST = MAX_BYTES // _core.SPAN_DTYPE.itemsize - _MOST_RUNNING
_MOST_READ = 1 << 14  # at once
_MOST_HELD = 1 << 18
_COPY, _WAIT = 1, 3  # kinds
_SAME_S = 1e-11  # times that are no further apart differ by rounding
_FLAGS = _core.SPAN_FLAGS


def model_now() -> tuple[int, float]:
    """The number of the modelled clock, 0 where none runs, and its time in seconds."""
    seen = _core.model_spans(0, 0)
    return seen["clock"], seen["now_s"]


class Frame(NamedTuple):
    """``head``: the message without its type; ``spans``: records of SPAN_DTYPE; ``costs``: of each
    FLOP and bytes, float32; ``memory``: as ``MemoryReader.due`` tells it."""

    head: dict[str, Any]
    spans: bytes
    costs: bytes = b""
    memory: bytes = b""


class ModelledReader:
    """Reads the modelled clock from its begin, with a place of its own.

    Args:
        read: ``_core.model_spans``, or what stands for it.
        memory: reads what the devices' memory is used for.
    """

    def __init__(
        self,
        read: Callable[[int, int], dict[str, Any]] = _core.model_spans,
        memory: MemoryReader | None = None,
    ) -> None:
        self._read = read
        self._memory = memory or MemoryReader()
        self._begin(0)

    def _begin(self, clock: int) -> None:
        self.clock = clock
        self._next = 0
        self._lanes: list[tuple[str, str, str]] = []
        self._told: set[tuple[str, int]] = set()  # names and sites
        self._held = np.empty(0, _core.MODEL_SPAN_DTYPE)  # not sent yet, by their ends
        self._ends = np.empty(0)
        self._begun: dict[int, tuple[int, float]] = {}  # of lanes: the last operator, its begin
        self._read_s = 0.0  # the last end that was read
        self._pace = Pace()
        self._last: tuple[Any, ...] = ()
        self._memory.begin()

    def frame(
        self,
        real_s: float,
        over: bool,
        computes: bool = True,
        cell: tuple[int, float] = (0, 0.0),
    ) -> Frame | None:
        """What is new; None: nothing. A clock that ended is told once, as clock 0.

        Args:
            real_s: of a clock that goes evenly, such as ``time.monotonic``.
            over: no cell runs and nothing is pending.
            computes: False: the arithmetic is skipped, so no lane can lag.
            cell: ``model_now`` at the begin of the last cell.
        """
        seen = self._read(self._next, self._room())
        while seen["clock"] != self.clock:
            self._begin(seen["clock"])
            if not self.clock:
                return Frame({"clock": 0}, b"")
            seen = self._read(0, self._room())
            if cell[0] == self.clock:  # what was before is shown at once
                self._pace.shown_s = cell[1]
        if not self.clock:
            return None
        gaps = self._take(seen)
        late = dict(seen["late"]) if computes else {}
        computed_s = min([*late.values(), seen["now_s"]])
        self._pace.step(real_s, seen["now_s"], computed_s, over)
        sent, running, now_s = self._due(self._pace.shown_s)
        lagging = self._lagging(late, sent, running, now_s)
        head: dict[str, Any] = {
            "clock": self.clock,
            "now_ms": now_s * 1e3,
            "slower": self._pace.slower,
            "live": not over or len(self._held) > 0,
            "lagging": lagging,
        }
        new = self._new_labels(seen)
        lanes = self._new_lanes(seen["lanes"])
        last, self._last = self._last, tuple(map(str, head.values()))
        memory = self._memory.due(now_s)
        if last == self._last and not (len(sent) or gaps or lanes or new["names"] or memory):
            return None
        head["cell_ms"] = 1e3 * cell[1] if cell[0] == self.clock else 0.0
        head.update(lanes=lanes, gaps=gaps, lost=seen["lost"], **new)
        head["memory_kinds"] = list(_core.MEMORY_KINDS)
        rows = np.concatenate([sent, running])
        costs = np.stack([rows[name] for name in ("flops", "bytes", "peak")], axis=1).astype("<f4")
        return Frame(head, self._packed(rows, len(sent), now_s), costs.tobytes(), memory)

    def _room(self) -> int:
        return min(_MOST_READ, _MOST_HELD - len(self._held))

    def _take(self, seen: dict[str, Any]) -> list[dict[str, Any]]:
        """Holds what was read; returns what can't be read any more."""
        rows = np.frombuffer(seen["spans"], _core.MODEL_SPAN_DTYPE)
        gaps: list[dict[str, Any]] = []
        if seen["lost"]:
            until = float(rows["start_s"].min()) if len(rows) else seen["now_s"]
            times = {"start_ms": self._read_s * 1e3, "end_ms": max(until, self._read_s) * 1e3}
            # Of which lanes they were is not known: they are counted in `lost` alone.
            gaps = [{"lane": i, "count": 0, **times} for i in range(len(seen["lanes"]))]
        self._next = seen["next"]
        if len(rows):
            held = np.concatenate([self._held, rows])
            ends = held["start_s"] + held["seconds"]
            order = np.argsort(ends, kind="stable")
            self._held, self._ends = held[order], ends[order]
            self._read_s = max(self._read_s, float((rows["start_s"] + rows["seconds"]).max()))
        return gaps

    def _due(self, shown_s: float) -> tuple[np.ndarray, np.ndarray, float]:
        """Spans that have ended by then, as many as a frame holds; those that run; up to when."""
        count = int(np.searchsorted(self._ends, shown_s + _SAME_S, "right"))
        if count > _MOST:
            count, shown_s = _MOST, float(self._ends[_MOST - 1])
        sent = self._held[:count]
        self._held, self._ends = self._held[count:], self._ends[count:]
        running = self._held[self._held["start_s"] < shown_s][:_MOST_RUNNING]
        return sent, running, shown_s

    def _lagging(
        self, late: dict[int, float], sent: np.ndarray, running: np.ndarray, now_s: float
    ) -> list[int]:
        """Lanes with an operator that has ended in the picture and is not computed."""
        for lane in np.unique(sent["lane"]).tolist():
            mine = sent[sent["lane"] == lane]
            self._begun[lane] = self._begin_of(lane, mine, int(mine[-1]["serial"]))
        found = []
        for lane, computed_s in late.items():
            mine = running[running["lane"] == lane]
            begin = now_s
            if len(mine):  # it may have computed all that was before
                begin = self._begin_of(lane, mine, int(mine[0]["serial"]))[1]
            if computed_s < begin - _SAME_S:
                found.append(lane)
        return sorted(found)

    def _begin_of(self, lane: int, rows: np.ndarray, serial: int) -> tuple[int, float]:
        begin = float(rows["start_s"][rows["serial"] == serial].min())
        known = self._begun.get(lane, (0, 0.0))
        return serial, min(begin, known[1]) if known[0] == serial else begin

    def _new_labels(self, seen: dict[str, Any]) -> dict[str, Any]:
        new = [
            {k: v for k, v in seen[what].items() if (what, k) not in self._told}
            for what in ("names", "sites")
        ]
        self._told.update((what, k) for what in ("names", "sites") for k in seen[what])
        told = labels(*new)
        rows = np.frombuffer(seen["spans"], _core.MODEL_SPAN_DTYPE)
        copies = np.unique(rows["name"][rows["kind"] == _COPY]).tolist()
        told["families"].update({str(name): "copy" for name in copies if name in new[0]})
        return told

    def _new_lanes(self, lanes: list[tuple[str, str, str]]) -> list[dict[str, Any]]:
        new = [
            {"id": i, "name": name, "device": device, "virtual": device[:3] == "gpu", "kind": kind}
            for i, (name, device, kind) in enumerate(lanes)
            if i >= len(self._lanes)
        ]
        self._lanes = list(lanes)
        return new

    def _packed(self, rows: np.ndarray, sent: int, now_s: float) -> bytes:
        """So many of the first rows have ended, the others run."""
        packed = np.zeros(len(rows), _core.SPAN_DTYPE)
        seconds = rows["seconds"].copy()
        seconds[sent:] = now_s - rows["start_s"][sent:]
        packed["start_ms"] = rows["start_s"] * 1e3
        packed["busy_ms"] = packed["extent_ms"] = seconds * 1e3
        for field in ("name", "site", "node", "lane"):
            packed[field] = rows[field]
        packed["count"] = 1
        packed["flags"] = np.where(rows["kind"] == _WAIT, _FLAGS["wait"], 0)
        packed["flags"][sent:] |= _FLAGS["running"]
        # A push is an arrow from the host to its kernel or copy: the host and links have none.
        hosts = [i for i, (_, _, kind) in enumerate(self._lanes) if kind in ("host", "link")]
        pushed = ~np.isin(rows["lane"], hosts)
        packed["serial"] = np.where(pushed, rows["serial"], 0)
        host = [i for i, (_, _, kind) in enumerate(self._lanes) if kind == "host"]
        if len(host) == 1:
            packed["queued_ms"] = np.where(pushed, rows["queued_s"] * 1e3, 0)
            packed["pusher"] = host[0]
        return packed.tobytes()
