"""What running one stage of a cell has shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ..capture.durations import seconds
from .node_values import Values
from .stage_difference import Difference
from .stage_verdict import Verdict


@dataclass(eq=False)
class StageRun:
    """What running one stage has shown.

    Attributes:
        stage, label: the stage's name, and as people read it.
        seconds: of each run, from its first kernel's start to its last one's end.
        bytes: the most logical bytes that are made and held at once, outputs included.
        shared: values share memory, as planned; else each has a buffer of its own.
        before: the label of the stage that it is compared with; "" for the first one.
        difference: between the outputs of both; None for the first one.
        why: what the pass between them may change in results; "" when it keeps every bit.
        inputs: whether the inputs hold what the cell read.
    """

    stage: str
    label: str
    seconds: list[float]
    bytes: int
    shared: bool
    before: str
    difference: Difference | None
    why: str
    inputs: Verdict
    _look: Callable[[], Values] = field(repr=False)
    _values: Values | None = field(default=None, repr=False)

    @property
    def best(self) -> float:
        return min(self.seconds)

    @property
    def median(self) -> float:
        return float(np.median(self.seconds))

    @property
    def values(self) -> Values:
        """Figures of every node's values, on what the inputs hold when this is first asked."""
        if self._values is None:
            self._values = self._look()
        return self._values

    @property
    def result(self) -> str:
        """The difference in words."""
        d = self.difference
        if d is None:
            return "nothing to compare with: this is the first stage"
        if d.equal:
            return f"equal to {self.before}, bit for bit ({_outputs(d.outputs)})"
        apart = f"by at most {d.max_abs:.3g}"
        ulps = "" if d.max_ulp is None else f", {d.max_ulp:,} units in the last place"
        of = f" ({d.name})" if d.name else ""
        why = self.why or "the pass should keep every bit: please report this"
        which = f"{d.unlike} of {_outputs(d.outputs)} differ from {self.before}"
        return f"{which} {apart}{ulps}{of}: {why}"

    def __repr__(self) -> str:
        runs = "1 run" if len(self.seconds) == 1 else f"{len(self.seconds)} runs"
        memory = (
            "buffers shared as planned" if self.shared else "every value in a buffer of its own"
        )
        lines = [
            f"stage   {self.label}",
            f"time    {seconds(self.best)} best, {seconds(self.median)} median of {runs}",
            f"memory  {self.bytes:,} bytes, {memory}",
            f"result  {self.result}",
            f"inputs  {self.inputs.text}",
        ]
        return "\n".join(lines)


def _outputs(n: int) -> str:
    return "1 output" if n == 1 else f"{n:,} outputs"
