"""A report of what the cell would be with other names kept: planned again, not run again."""

from __future__ import annotations

import time
from dataclasses import replace

from .. import _core
from ..capture.deferred import Deferred
from .names import Choice
from .report import Report


class Replanned(Report):
    """A report's cell planned for another choice of names. Nothing was computed or rebound.

    Attributes:
        base: the report of the run.
        magic: the first line that would run the cell with this choice.
        asked: a name whose price a picture tells in any case.
    """

    base: Report
    asked = ""

    def __init__(self, base: Report, choice: Choice):
        if isinstance(base, Replanned):
            base = base.base
        start = time.perf_counter()
        switches = base.switches
        segments = []
        for part, segment in enumerate(base.segments):
            compiled = switches.plan(part, choice)
            kept = [i for i in range(len(segment.drawn)) if (part, i) in choice]
            written = len(segment.updates)
            segments.append(
                replace(
                    segment,
                    compiled=compiled,
                    outputs=[segment.drawn[i] for i in kept],
                    updates=tuple(segment.updates[i] if i < written else -1 for i in kept),
                    cached=False,
                    times=_core.RunTimes(),
                )
            )
        later = [Deferred(n, None, None, size, k) for n, size, k in switches.later(choice)]
        super().__init__(base.cell, base.options, segments, (), later, base.bound)
        self.base = base
        self.namespace = base.namespace
        self.graph_breaks, self.cuts = base.graph_breaks, base.cuts
        self.switches = switches
        self.choice = choice
        self.bytes_imperative = base.bytes_imperative
        self.compile_s = time.perf_counter() - start
        if self._fits(base.offsets):
            self.offsets = base.offsets  # the same nodes have the same ids as in the base

    @property
    def run_s(self) -> None:
        return None

    @property
    def magic(self) -> str:
        kept = self.switches.out(self.choice)
        return f"%%hybridize --out {', '.join(kept)}" if kept else ""

    @property
    def changed(self) -> bool:
        """True when the choice is not what the cell was run with."""
        return self.choice != self.switches.written

    def _fits(self, offsets: list[int]) -> bool:
        ends = [*offsets[1:], None]
        return all(
            end is None or start + segment.compiled.size <= end
            for start, end, segment in zip(offsets, ends, self.segments, strict=True)
        )

    def __repr__(self) -> str:
        base = self.base
        lines = [
            f"planned again, not run: {self.magic or 'no name is kept'}",
            f"kernels   {len(base.kernels)} as run, {len(self.kernels)} now",
            f"bytes     {base.bytes_planned:,} as run, {self.bytes_planned:,} now "
            f"(lower bound {self.bytes_lower_bound:,})",
            repr(self.names),
        ]
        return "\n".join(lines)


Report.planned_again = Replanned
