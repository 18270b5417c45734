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
        seconds: what they are of: the whole block, but for the time whose spans are lost.
        compute: its compute lane ran kernels.
        copies: something was copied to it or from it.
        exposed: it copied and did not compute: communication that nothing hides.
        idle: neither.
        peak_share: how much of the time the arithmetic alone would take at the data sheet's rates
            for its types.
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
    compute, copies = _shown(of, kernels), _copies(of, device)
    both = length(intersection(compute, copies))
    exposed = length(copies) - both
    seconds = of.seconds - of.since
    return Figures(
        device=device,
        seconds=seconds,
        compute=length(compute),
        copies=length(copies),
        exposed=exposed,
        idle=max(seconds - length(compute) - exposed, 0.0),
        peak_share=_at_peak(of, device, kernels) / seconds if seconds else 0.0,
        peak_memory=most(of.memory, device),
    )


def _at_peak(of: Timeline, device: str, kernels: np.ndarray) -> float:
    """Seconds that the arithmetic of kernels would take at the peaks of their types."""
    peaks = kernels["peak"]
    if not peaks.any():  # earlier files tell float32's alone
        peaks = np.full(len(kernels), of.peaks.get(device, 0.0))
    done = np.divide(kernels["flops"], peaks, out=np.zeros(len(kernels)), where=peaks > 0)
    # Of a kernel that begins in the time that is lost, the part that is not.
    parts = _after(of, kernels)["seconds"]
    whole = kernels["seconds"]
    return float((done * np.divide(parts, whole, out=np.ones(len(whole)), where=whole > 0)).sum())


def spent(of: Timeline, kind: str) -> float:
    """Seconds of all spans of one of :data:`KINDS`."""
    return float(_after(of, of.spans[of.spans["kind"] == KINDS.index(kind)])["seconds"].sum())


def _after(of: Timeline, spans: np.ndarray) -> np.ndarray:
    """Copies of the spans, without what lies in the time whose spans are lost."""
    cut = spans.copy()
    ends = cut["start_s"] + cut["seconds"]
    cut["start_s"] = np.maximum(cut["start_s"], of.since)
    cut["seconds"] = np.maximum(ends - cut["start_s"], 0.0)
    return cut


def _shown(of: Timeline, spans: np.ndarray) -> Intervals:
    return union(_after(of, spans) if of.lost else spans)


def overlap(of: Timeline) -> float:
    """See :meth:`Timeline.overlap`."""
    hidden = total = 0.0
    for device in of.devices():
        copies = _copies(of, device)
        hidden += length(intersection(_shown(of, of.of(device, "compute")), copies))
        total += length(copies)
    return hidden / total if total else 0.0


def _copies(of: Timeline, device: str) -> Intervals:
    return _shown(of, of.of(device, "copy-in", "copy-out", "all-reduce"))


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
