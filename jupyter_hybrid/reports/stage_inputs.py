"""What a stage is run on: the arrays that the cell's inputs are now, for a report holds none, and
what earlier parts of the cell make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .. import _core
from ..base import MXNetError
from ..capture.compute import Segment
from ..capture.values import InputGone, Key, Value
from ..reasons import Reason

#: Of one part of a cell: an array, or the (part, output) of an earlier part that makes it.
Sources = list[Any]


#: What a stage may be run on: what the cell read; what its inputs hold now; and, for those that
#: are gone, random numbers.
On = Literal["run", "now", "random"]


class InputsChanged(MXNetError):
    """The cell's inputs, or what it left, have other contents now; ``why`` says which."""

    def __init__(self, why: Reason):
        super().__init__(f'{why}; on="now" runs the stage on what they hold now')
        self.why = why


@dataclass(frozen=True)
class Found:
    """What the parts of a cell are run on, and how many arrays were gone and are random numbers."""

    sources: list[Sources]
    drawn: int


def find_inputs(segments: Sequence[Segment], namespace: dict[str, Any], on: On = "now") -> Found:
    """For each part of a cell what it is run on. Raises InputGone naming an array that is gone."""
    made: dict[Key | None, tuple[int, int]] = {}
    sources: list[Sources] = []
    drawn = 0
    for part, segment in enumerate(segments):
        sources.append([])
        for value in segment.inputs:
            try:
                source = made.get(value.key) or value.found(namespace)
            except InputGone:
                if on != "random":
                    raise
                source, drawn = _draw(value, segment.graph), drawn + 1
            sources[-1].append(source)
        made |= {v.key: (part, i) for i, v in enumerate(segment.outputs) if v.key is not None}
    return Found(sources, drawn)


def _draw(value: Value, graph: Any) -> Any:
    """Random numbers from 0 to 1; zeros for integers, which are valid indices."""
    numbers = np.random.default_rng(0).random(value.shape).astype(value.dtype)
    return _core.from_numpy(numbers, ctx=graph.node(value.entry[0]).ctx)


def given_to(sources: Sources, made: Sequence[Sequence[Any]]) -> list[Any]:
    """The arrays that a part is run on; ``made``: the outputs of the parts before."""
    return [made[s[0]][s[1]] if isinstance(s, tuple) else s for s in sources]
