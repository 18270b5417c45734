"""Which lines waited, for how long, and for which operators: ``%engine report``."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import _core
from ..capture.durations import seconds
from ..views.places import code_at

_WAIT, _RUNNING = _core.SPAN_FLAGS["wait"], _core.SPAN_FLAGS["running"]
_MOST = 10  # that are told one by one


@dataclass(frozen=True)
class Place:
    """A line of a cell, or of a file and function.

    Attributes:
        where: the file and function; empty: the line is a cell's.
    """

    where: str
    line: int
    code: str

    def __str__(self) -> str:
        place = f"{self.where}, line {self.line}" if self.where else f"line {self.line}"
        return f"{place}, `{self.code}`" if self.code else place


@dataclass
class Waited:
    """What one line waited for operators that another line pushed.

    Attributes:
        place: of the line that waited; None: not known.
        operator: it waited for; empty: for several.
        pushed: by this line.
        seconds: in all, ``count`` times.
    """

    place: Place | None
    operator: str
    pushed: Place | None
    seconds: float = 0.0
    count: int = 0

    def __str__(self) -> str:
        who = str(self.place) if self.place else "a line that is not known"
        times = f", {self.count:,} times" if self.count > 1 else ""
        what = f"`{self.operator}`" if self.operator else "what was queued"
        pushed = f" pushed at {self.pushed}" if self.pushed and self.operator else ""
        return f"{who}, waited {seconds(self.seconds)}{times} for {what}{pushed}"


def waits_since(began: float) -> list[Waited]:
    """Waits that ended since then (of ``time.perf_counter``), the longest first, as far as the
    trace still holds them."""
    frame = _core.TraceReader(from_oldest=True).read_frame(1 << 30)
    since_ms = frame["offset_ms"] + began * 1e3
    spans = np.frombuffer(frame["spans"], _core.SPAN_DTYPE)
    waits = spans[(spans["flags"] & (_WAIT | _RUNNING) == _WAIT) & (spans["start_ms"] >= since_ms)]

    def place(site: int) -> Place | None:
        if site not in frame["sites"]:
            return None
        cell, line, text = frame["sites"][site]
        return Place("" if cell else text, line, code_at(site, line))

    found: dict[tuple[int, int, int], Waited] = {}
    for wait in waits:
        key = site, name, pushed = int(wait["site"]), int(wait["name"]), int(wait["node"])
        if key not in found:
            found[key] = Waited(place(site), frame["names"].get(name, ""), place(pushed))
        found[key].seconds += float(wait["busy_ms"]) * 1e-3
        found[key].count += 1
    return sorted(found.values(), key=lambda w: -w.seconds)


def report(began: float) -> str:
    """The same in sentences."""
    waits = waits_since(began)
    if not waits:
        return "since the last cell began nothing has waited for the engine"
    total = sum(w.seconds for w in waits)
    lines = [f"since the last cell began {seconds(total)} were waited for the engine"]
    lines += [str(w)[:1].upper() + str(w)[1:] for w in waits[:_MOST]]
    if len(waits) > _MOST:
        rest = sum(w.seconds for w in waits[_MOST:])
        lines.append(f"{len(waits) - _MOST} more waits, {seconds(rest)} in all")
    return "\n".join(lines)
