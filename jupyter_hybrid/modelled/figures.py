"""How a modelled device's time was spent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..capture.durations import seconds as in_words
from ..capture.sizes import byte_size
from .memory import most

if TYPE_CHECKING:
    from .timelines import Timeline

__all__ = ["KINDS", "Figures", "figures", "overlap"]

KINDS = ("kernel", "copy", "dispatch", "wait")  # of spans
Intervals = np.ndarray  # (n, 2), sorted, apart from each other
_SHORTEST = 1e-12  # seconds: less is rounding


@dataclass(frozen=True)
class Figures:
    """Of one device, in modelled seconds.

    Attributes:
        compute: its compute lane ran kernels.
        copies: something was copied to it or from it.
        exposed: it copied and did not compute: communication that nothing hides.
        idle: neither.
        peak_share: FLOP/s over all of the time, of the data sheet's rate in float32.
        peak_memory: the most bytes that it held at once; 0: it is not known.
    """

    device: str
    seconds: float
    compute: float
    copies: float
    exposed: float
    idle: float
    peak_share: float
    peak_memory: int = 0

    def __str__(self) -> str:
        def share(part: float) -> str:
            return f"{100 * part / self.seconds:.0f} %" if self.seconds else "-"

        held = f"; at most {byte_size(self.peak_memory)} of memory" if self.peak_memory else ""
        return (
            f"{self.device}: computed {in_words(self.compute)} ({share(self.compute)}), exposed "
            f"communication {in_words(self.exposed)} ({share(self.exposed)}), idle "
            f"{in_words(self.idle)} ({share(self.idle)}); {100 * self.peak_share:.1f} % of its peak"
            f"{held}"
        )


def figures(of: Timeline, device: str) -> Figures:
    """The figures of one device."""
    kernels = of.of(device, "compute")
    compute, copies = union(kernels), _copies(of, device)
    both = length(intersection(compute, copies))
    exposed = length(copies) - both
    done = float(kernels["flops"].sum())
    peak = of.peaks.get(device, 0.0) * of.seconds
    return Figures(
        device=device,
        seconds=of.seconds,
        compute=length(compute),
        copies=length(copies),
        exposed=exposed,
        idle=max(of.seconds - length(compute) - exposed, 0.0),
        peak_share=done / peak if peak else 0.0,
        peak_memory=most(of.memory, device),
    )


def overlap(of: Timeline) -> float:
    """See :meth:`Timeline.overlap`."""
    hidden = total = 0.0
    for device in of.devices():
        copies = _copies(of, device)
        hidden += length(intersection(union(of.of(device, "compute")), copies))
        total += length(copies)
    return hidden / total if total else 0.0


def _copies(of: Timeline, device: str) -> Intervals:
    return union(of.of(device, "copy-in", "copy-out", "all-reduce"))


def union(spans: np.ndarray) -> Intervals:
    """The times that any of the spans covers."""
    spans = np.sort(spans[spans["seconds"] > 0], order="start_s")
    if not len(spans):
        return np.empty((0, 2))
    starts, ends = spans["start_s"], np.maximum.accumulate(spans["start_s"] + spans["seconds"])
    begins = np.concatenate([[True], starts[1:] > ends[:-1]])
    lasts = np.concatenate([begins[1:], [True]])
    return np.stack([starts[begins], ends[lasts]], axis=1)


def intersection(a: Intervals, b: Intervals) -> Intervals:
    """The times that both cover."""
    i = j = 0
    found = []
    while i < len(a) and j < len(b):
        begin, end = max(a[i][0], b[j][0]), min(a[i][1], b[j][1])
        if end - begin > _SHORTEST:
            found.append((begin, end))
        if a[i][1] < b[j][1]:
            i += 1
        else:
            j += 1
    return np.array(found).reshape(-1, 2)


def length(intervals: Intervals) -> float:
    """Seconds."""
    return float((intervals[:, 1] - intervals[:, 0]).sum())
