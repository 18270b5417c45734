"""What comparing both modes of a cell found: figures, a verdict, a table, a picture, data."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from ..capture.durations import seconds
from ..capture.sizes import byte_size
from ..reports.listing import Break
from . import page
from .difference import Difference
from .measure import Side

_SAME_MEMORY = 0.02  # within two per cent
_SMALL_BYTES = 16 << 10  # of less memory a percentage says nothing
_FEW_RUNS = 5


@dataclass
class Point:
    """One size of a sweep."""

    size: int
    imperative: Side = field(default_factory=lambda: Side("imperative"))
    symbolic: Side = field(default_factory=lambda: Side("symbolic"))
    differences: list[Difference] = field(default_factory=list)
    error: str = ""

    @property
    def speedup(self) -> float:
        """Imperative time over symbolic time, of the medians."""
        return self.imperative.median / self.symbolic.median


class CompareReport:
    """Both modes of one cell, measured in turn.

    Attributes:
        imperative, symbolic: :class:`~jupyter_hybrid.compare.measure.Side`.
        differences: one for every value that could be compared.
        compile_s: seconds of compiling, once; not part of the times.
        record_s, settle_s: medians of what the runs' reports tell: part of the times.
        breaks: the hybridized cell's graph breaks, with counts and seconds: list of
            :class:`~jupyter_hybrid.reports.listing.Break`.
        sweep: list of :class:`Point`, in order of size; ``varied`` says what the size is.
        uninitialized: the first line that calls ``np.empty`` or the like; None without one.
    """

    def __init__(
        self,
        imperative: Side,
        symbolic: Side,
        differences: list[Difference],
        compile_s: float = 0.0,
        record_s: float = 0.0,
        settle_s: float = 0.0,
        breaks: Sequence[Break] = (),
        sweep: list[Point] | None = None,
        varied: str = "",
    ):
        self.imperative = imperative
        self.symbolic = symbolic
        self.differences = differences
        self.compile_s = compile_s
        self.record_s, self.settle_s = record_s, settle_s
        self.breaks = list(breaks)
        self.sweep = sweep or []
        self.varied = varied
        self.uninitialized: int | None = None

    # Conclusions ------------------------------------------------------------------------------
    @property
    def speedup(self) -> float:
        """Imperative time over symbolic time, of the medians."""
        return self.imperative.median / self.symbolic.median

    @property
    def equal(self) -> bool:
        """True when every value that could be compared is the same in both modes."""
        return all(d.equal for d in self.differences)

    @property
    def worst(self) -> Difference | None:
        """The largest difference; None when all are equal."""
        apart = [d for d in self.differences if not d.equal]
        return max(apart, key=lambda d: (bool(d.note), not d.rounding, d.ulp), default=None)

    @property
    def verdict(self) -> str:
        """One plain sentence: time, memory, equality."""
        parts = (self._speed() + self._doubt(), self._memory(), self._equality())
        return "; ".join(p for p in parts if p)

    @property
    def pays_from(self) -> float | None:
        """The size from which on the hybridized cell is faster, between the measured sizes; None
        when it is not faster at the largest."""
        points = [p for p in self.sweep if not p.error]
        if not points or points[-1].speedup <= 1:
            return None
        for before, after in reversed(list(pairwise(points))):
            if before.speedup <= 1:
                x0, x1 = math.log(before.size), math.log(after.size)
                y0, y1 = math.log(before.speedup), math.log(after.speedup)
                return math.exp(x0 - y0 * (x1 - x0) / (y1 - y0))
        return float(points[0].size)

    def _speed(self) -> str:
        ratio = self.speedup
        overlap = self._overlap()
        if abs(ratio - 1) < 0.05 or (overlap and 0.8 < ratio < 1.25):
            return f"as fast as before ({ratio:.2f}x, within the spread)"
        if ratio >= 1:
            return f"{ratio:.1f}x faster"
        return f"slower, {1 / ratio:.1f}x the time: {self._why_slower()}"

    def _overlap(self) -> bool:
        low, high = self.imperative.quartiles, self.symbolic.quartiles
        return low[0] <= high[1] and high[0] <= low[1]

    def _doubt(self) -> str:
        """What makes the comparison of the times uncertain, in brackets."""
        runs = min(len(self.imperative.seconds), len(self.symbolic.seconds))
        why = [f"{runs} run{'' if runs == 1 else 's'} only"] if runs < _FEW_RUNS else []
        if self._overlap() and abs(self.speedup - 1) >= 0.05:
            why.append("the quartiles overlap")
        return f" (uncertain: {', '.join(why)})" if why else ""

    def _why_slower(self) -> str:
        ours, theirs = self.symbolic, self.imperative
        computing = ours.compute_s or 0.0
        if computing > theirs.median:
            return (
                f"its kernels compute for {seconds(computing)}, the cell as written takes "
                f"{seconds(theirs.median)}"
            )
        times = sum(b.count for b in self.breaks)
        if times > 2:
            worst = max(self.breaks, key=lambda b: b.seconds)
            return f"{times:,} graph breaks cut the cell into pieces; the dearest is {worst.text}"
        if theirs.kernels:
            each = theirs.median / theirs.kernels
            noun = "kernel" if theirs.kernels == 1 else "kernels"
            verb = "costs" if theirs.kernels == 1 else "cost"
            return (
                f"{theirs.kernels} {noun} of {seconds(each)} {verb} less than the graph call "
                f"({seconds(ours.median - computing)})"
            )
        return f"recording and the graph call take {seconds(ours.median - computing)}"

    def _memory(self) -> str:
        before, after = self.imperative.peak_bytes, self.symbolic.peak_bytes
        if before is None or after is None:
            return ""
        if before == after or (before and abs(after / before - 1) <= _SAME_MEMORY):
            return "the same memory"
        if min(before, after) < _SMALL_BYTES:
            gap = f"{byte_size(abs(after - before))} {'more' if after > before else 'less'}"
            return f"{gap} memory ({byte_size(after)} against {byte_size(before)})"
        if after < before:
            return f"{(1 - after / before) * 100:.0f} % less memory"
        return f"{(after / before - 1) * 100:.0f} % more memory"

    def _equality(self) -> str:
        worst = self.worst
        if worst is None:
            return "equal"
        if all(d.equal or d.rounding for d in self.differences):
            if worst.ulp <= 64:
                return f"equal to {worst.ulp:.0f} ulp"
            return f"equal but for rounding ({worst.absolute:.2g} at most)"
        if self.uninitialized is not None:
            return (
                f"not equal: {worst}; line {self.uninitialized} makes an array without contents, "
                "and what is read of it before it is written is arbitrary"
            )
        return f"not equal: {worst}"

    # Forms ------------------------------------------------------------------------------------
    @property
    def data(self) -> dict[str, Any]:
        """Everything as plain values, for a file or a table of one's own."""
        return {
            "verdict": self.verdict,
            "speedup": self.speedup,
            "equal": self.equal,
            "imperative": self.imperative.data(),
            "symbolic": self.symbolic.data(),
            "compile_s": self.compile_s,
            "record_s": self.record_s,
            "settle_s": self.settle_s,
            "breaks": [
                {"line": b[0], "reason": b[1], "count": b.count, "seconds": b.seconds}
                for b in self.breaks
            ],
            "differences": [vars(d) for d in self.differences],
            "varied": self.varied,
            "pays_from": self.pays_from,
            "sweep": [_point_data(p) for p in self.sweep],
        }

    def to_json(self, **options: Any) -> str:
        """:attr:`data` as JSON text; infinite differences become strings."""
        return json.dumps(_finite(self.data), **options)

    def __repr__(self) -> str:
        return page.table(self)

    def svg(self) -> str:
        """The picture as SVG text: bars with their spread, and the sweep's lines if there are."""
        return page.picture(self)

    def slider(self) -> Any:
        """A widget: a slider over the sweep's sizes above the picture of each."""
        return page.slider(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {"text/plain": repr(self), "image/svg+xml": self.svg()}


def _point_data(point: Point) -> dict[str, Any]:
    if point.error:
        return {"size": point.size, "error": point.error}
    return {
        "size": point.size,
        "speedup": point.speedup,
        "equal": all(d.equal for d in point.differences),
        "imperative": point.imperative.data(),
        "symbolic": point.symbolic.data(),
    }


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, dict):
        return {k: _finite(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_finite(v) for v in value]
    return value
