"""What happened on the modelled clock: lanes of the host, of devices and of links."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from ..base import MXNetError
from ..capture import trace_state
from ..capture.durations import seconds as in_words
from ..reasons import Reason
from ..whole_files import write_whole
from .figures import Figures, figures, overlap, spent
from .machine import declared
from .memory import held_since, steps
from .picture import svg

__all__ = ["Lane", "Timeline", "record", "timeline"]

_FORMAT = "jupyter_hybrid modelled timeline 1"
_FIELDS = ("start_s", "seconds", "queued_s", "flops", "bytes", "peak", "name", "site", "serial",
           "lane", "kind", "links")  # fmt: skip
_ROUNDING = 1e-9  # a span that begins with the block may begin so much before it, in seconds
_PICTURES = (".png", ".jpg", ".jpeg", ".pdf", ".html")
_MEMORY_FIELDS = ("time_s", "bytes", "device", "kind")


@dataclass(frozen=True)
class Lane:
    """A serial executor: of a device, of a link or of the host.

    Attributes:
        kind: compute, copy-in, copy-out, all-reduce, link or host.
    """

    name: str
    device: str
    kind: str


class Timeline:
    """Modelled times of one block of code.

    Attributes:
        machine: the virtual machine in words.
        lanes: by the numbers that spans have in ``lane``.
        spans: records with ``start_s`` (from the block's begin), ``seconds``, ``queued_s`` (from
            the push to the begin), ``flops``, ``bytes``, ``peak`` (FLOP/s that the device could
            reach in a kernel's type), ``name``, ``site``, ``serial``, ``lane`` and ``kind`` (an
            index into ``KINDS``); what ended first comes first.
        names: of operators, by the spans' ``name``.
        places: lines, by the spans' ``site``; 0 is not known.
        seconds: of the whole block.
        peaks: FLOP/s in float32, by device.
        memory: records of what each GPU holds of a kind (an index into
            ``_core.MEMORY_KINDS``) from ``time_s`` on, in bytes. A block is held from when the host
            asks for it until it has let it go and the last operator that uses it has ended.
        capacities: bytes of memory, by device.
        lost: older spans that were no longer kept.
    """

    def __init__(self) -> None:
        self.machine = ""
        self.lanes: list[Lane] = []
        self.spans = np.empty(0, _core.MODEL_SPAN_DTYPE)
        self.names: dict[int, str] = {}
        self.places: dict[int, str] = {}
        self.seconds = 0.0
        self.peaks: dict[str, float] = {}
        self.memory = np.empty(0, _core.MODEL_MEMORY_DTYPE)
        self.capacities: dict[str, int] = {}
        self.lost = 0

    # Figures --------------------------------------------------------------------------------------
    def of(self, device: str, *kinds: str) -> np.ndarray:
        """The spans of a device's lanes of these kinds (all)."""
        lanes = [
            i
            for i, lane in enumerate(self.lanes)
            if lane.device == str(device) and (not kinds or lane.kind in kinds)
        ]
        return self.spans[np.isin(self.spans["lane"], lanes)]

    def devices(self) -> list[str]:
        """GPUs that did something, in order."""
        found = {lane.device for lane in self.lanes if lane.device.startswith("gpu")}
        return sorted(found, key=lambda name: int(name[4:-1]))

    @property
    def since(self) -> float:
        """Seconds from the block's begin up to which spans are lost: figures are of the rest."""
        if not (self.lost and len(self.spans)):
            return 0.0
        return float(self.spans["start_s"][0] + self.spans["seconds"][0])

    def figures(self) -> list[Figures]:
        """Of every GPU: compute, exposed communication, idle, share of peak, memory."""
        return [figures(self, device) for device in self.devices()]

    def memory_of(self, device: str) -> tuple[np.ndarray, np.ndarray]:
        """What a GPU holds: times (n,) in seconds, and bytes (n, kinds) from each of them on, the
        kinds as in ``_core.MEMORY_KINDS``."""
        return steps(self.memory, str(device))

    def utilisation(self) -> float:
        """Of all GPUs together, the share of the time in which they computed."""
        shares = [f.compute / f.seconds for f in self.figures() if f.seconds]
        return sum(shares) / len(shares) if shares else 0.0

    def overlap(self) -> float:
        """The share of the time of copies in which their device computed as well, over all
        devices; 0 where nothing was copied."""
        return overlap(self)

    # Forms ----------------------------------------------------------------------------------------
    def __str__(self) -> str:
        rows = [f"modelled time of {self.machine}: {in_words(self.seconds)} (nothing here was "
                "measured on such a machine)"]  # fmt: skip
        rows += [str(f) for f in self.figures()]
        busy, waited = (spent(self, kind) for kind in ("dispatch", "wait"))
        rows.append(f"host: busy {in_words(busy)}, waited {in_words(waited)}")
        if self.lost:
            rows.append(
                f"{self.lost:,} older spans were no longer kept: these figures are of the last "
                f"{in_words(self.seconds - self.since)}"
            )
        return "\n".join(rows)

    def _repr_svg_(self) -> str:
        return svg(self)

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"image/svg+xml": self._repr_svg_(), "text/plain": str(self)}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the timeline as JSON, which :meth:`load` reads, or its picture into an .svg.

        Raises:
            MXNetError: another picture's ending.
        """
        kind = os.path.splitext(os.fspath(path))[1].lower()
        if kind == ".svg":
            write_whole(path, svg(self, sized=True).encode())
            return
        if kind in _PICTURES:
            raise MXNetError(f"{os.fspath(path)}: timelines are saved as .json or .svg")
        used = {"name": self.names, "site": self.places}
        data = {
            "format": _FORMAT,
            "machine": self.machine,
            "seconds": self.seconds,
            "peaks": self.peaks,
            "lost": self.lost,
            "capacities": self.capacities,
            "memory": {
                "kinds": list(_core.MEMORY_KINDS),
                "fields": list(_MEMORY_FIELDS),
                "rows": [list(row) for row in self.memory[list(_MEMORY_FIELDS)].tolist()],
            },
            "lanes": [[lane.name, lane.device, lane.kind] for lane in self.lanes],
            **{f"{what}s": {str(k): v for k, v in of.items()} for what, of in used.items()},
            "fields": list(_FIELDS),
            "spans": [list(row) for row in self.spans[list(_FIELDS)].tolist()],
        }
        write_whole(path, json.dumps(data, separators=(",", ":")).encode())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Timeline:
        """Raises MXNetError for a file that :meth:`save` did not write."""
        try:
            with open(path, encoding="utf-8") as file:
                data = json.load(file)
            if not isinstance(data, dict) or data.get("format") != _FORMAT:
                raise ValueError(f"expected {_FORMAT!r}")
            made = cls()
            made.machine, made.seconds = str(data["machine"]), float(data["seconds"])
            made.peaks = {str(k): float(v) for k, v in data["peaks"].items()}
            made.lost = int(data["lost"])
            made.capacities = {str(k): int(v) for k, v in data.get("capacities", {}).items()}
            if "memory" in data:  # earlier files tell nothing of it
                made.memory = _memory_from(data["memory"])
            made.lanes = [Lane(*map(str, lane)) for lane in data["lanes"]]
            made.names = {int(k): str(v) for k, v in data["names"].items()}
            made.places = {int(k): str(v) for k, v in data["sites"].items()}
            made.spans = np.zeros(len(data["spans"]), _core.MODEL_SPAN_DTYPE)
            for i, field in enumerate(data["fields"]):
                made.spans[field] = [row[i] for row in data["spans"]]
            if len(made.spans) and made.spans["lane"].max() >= len(made.lanes):
                raise ValueError("a span lies on a lane that is not there")
            made._check_figures()
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, OverflowError) as why:
            raise MXNetError(f"{os.fspath(path)}: no saved timeline: {why}") from why
        return made

    def _check_figures(self) -> None:
        """Raises ValueError for one that no run can have."""
        figures = {
            "seconds": [self.seconds],
            "peaks": list(self.peaks.values()),
            "capacities": list(self.capacities.values()),
            **{f"{f} of memory": self.memory[f] for f in ("time_s", "bytes")},
            **{
                f"{f} of a span": self.spans[f] for f in ("start_s", "seconds", "queued_s", "flops")
            },
        }
        for what, values in figures.items():
            of = np.asarray(values, float)
            wrong = of[~((of > -_ROUNDING) & (of < np.inf))]
            if len(wrong):
                raise ValueError(f"{what}: {wrong[0]}")


def _memory_from(data: dict[str, Any]) -> np.ndarray:
    kinds = [_core.MEMORY_KINDS.index(kind) for kind in data["kinds"]]
    rows = np.zeros(len(data["rows"]), _core.MODEL_MEMORY_DTYPE)
    for i, field in enumerate(data["fields"]):
        column = [row[i] for row in data["rows"]]
        rows[field] = [kinds[kind] for kind in column] if field == "kind" else column
    return rows


@contextmanager
def record() -> Iterator[Timeline]:
    """``with record() as run:`` the block's :class:`Timeline`, whole when the block has ended.

    What a hybridized cell has recorded is computed, and what is pending waited for, before and
    after it. After an error the timeline tells what had happened by then. Raises MXNetError where
    no devices are modelled.
    """
    if declared() is None:
        raise MXNetError("record: no devices are modelled: virtual_gpus(n, like='V100') does it")
    _finish()
    begin = _core.model_spans(0, 0)
    first, clock = begin["first"] + begin["kept"], begin["clock"]
    first_change = _core.model_memory(2**63, before=False, changes=False)["next"]
    made = Timeline()
    try:
        yield made
        _finish()
    finally:  # what happened before an error is there
        seen = _core.model_spans(first)
        if seen["clock"] == clock:
            _fill(made, seen, begin["now_s"], first_change)
    if seen["clock"] != clock:
        raise MXNetError("record: the virtual GPUs were declared anew inside the block")


def _finish() -> None:
    """What a cell has recorded so far is computed, and what is pending."""
    recorder = trace_state.recorder()
    if recorder is not None:
        recorder.flush(Reason("a modelled timeline is read"))
    _core.wait_all()


def timeline() -> Timeline:
    """Everything since the virtual GPUs were declared. Waits for what is pending, as
    :func:`record` does."""
    if declared() is None:
        raise MXNetError("timeline: no devices are modelled: virtual_gpus(n, like='V100') does it")
    _finish()
    made = Timeline()
    _fill(made, _core.model_spans(0), 0.0, 0)
    return made


def _fill(made: Timeline, seen: dict[str, Any], begin_s: float, first_change: int) -> None:
    of = declared()
    assert of is not None
    made.machine = str(of)
    made.peaks = {f"gpu({i})": gpu.float32 for i, gpu in enumerate(of.gpus)}
    made.capacities = {f"gpu({i})": gpu.memory for i, gpu in enumerate(of.gpus)}
    made.memory = held_since(begin_s, _core.model_memory(first_change))
    made.lanes = [Lane(*lane) for lane in seen["lanes"]]
    made.spans = np.frombuffer(seen["spans"], _core.MODEL_SPAN_DTYPE).copy()
    made.spans["start_s"] -= begin_s
    made.seconds = seen["now_s"] - begin_s
    made.names = seen["names"]
    made.places = {
        site: f"{'cell' if cell else text}, line {line}" if line else text
        for site, (cell, line, text) in seen["sites"].items()
    }
    made.lost = seen["lost"]
