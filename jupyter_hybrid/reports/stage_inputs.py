"""What a stage is run on: the arrays that the cell's inputs are now, and whether they still hold
what the cell read.

Nothing is kept for that. A report holds no arrays, and NumPy tells nobody when an array is written,
so the proof is what the cell left: its last stage, run on the arrays of now, has to give it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import _core
from ..base import MXNetError
from ..capture.compute import InputGone, Key, Segment, Value
from .stage_difference import same_bits

if TYPE_CHECKING:
    from .report import Report

#: Of one part of a cell: an array, or the (part, output) of an earlier part that makes it.
Sources = list[Any]


#: What a stage may be run on: what the cell read; what its inputs hold now; and, for those that
#: are gone, random numbers.
On = Literal["run", "now", "random"]


class InputsChanged(MXNetError):
    """The cell's inputs, or what it left, have other contents now; ``why`` says which."""

    def __init__(self, why: str):
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


@dataclass(frozen=True)
class Verdict:
    """Whether the inputs hold what the cell read.

    Attributes:
        left: names whose arrays were compared with what the cell leaves there.
        unlike: those of them that differ.
        random: it draws at random, so that a difference proves nothing.
        drawn: how many inputs were gone, and are random numbers.
    """

    left: tuple[str, ...]
    unlike: tuple[str, ...]
    random: bool
    drawn: int = 0

    @property
    def changed(self) -> bool:
        return bool(self.unlike) and not self.random

    @property
    def text(self) -> str:
        """For people, of a stage that was run."""
        if self.drawn:
            arrays = "array that is" if self.drawn == 1 else "arrays that are"
            return f"random numbers for {self.drawn} {arrays} gone: only times and memory count"
        if self.changed:
            return "what they hold now, not what the cell read"
        if self.left and not self.unlike:
            return f"those of the cell's run: it left the same in {_listed(self.left, 'and')}"
        nothing = "nothing that the cell left tells whether it read the same"
        why = f"since it draws at random, {nothing}" if self.random else nothing
        return f"what they hold now; {why}"


def judge(report: Report, outputs: Sequence[Sequence[Any]]) -> Verdict:
    """Compares what the cell left with what its last stage gave, by part, on the inputs of now."""
    given: dict[str, Any] = {}
    for segment, values in zip(report.segments, outputs, strict=True):
        names = segment.graph.output_names
        for i, (known, value) in enumerate(zip(segment.outputs, values, strict=True)):
            bound = [n for n, key in report.bound.items() if key == known.key is not None]
            written = names[i : i + 1] if names[i : i + 1] != [""] else []
            given |= dict.fromkeys(bound or [n for n in written if n not in report.bound], value)
    compared = {n: like for n, v in given.items() if (like := _like(report.namespace.get(n), v))}
    random = any(stage_graph.num_keys for stage_graph in (s.graph for s in report.segments))
    unlike = tuple(n for n, like in compared.items() if like == "no")
    return Verdict(tuple(compared), unlike, random)


def _like(left: Any, value: Any) -> str:
    """ "yes", "no", or "" where the name has nothing of that kind any more."""
    if isinstance(left, _core.NDArray) and not left._traced and left.shape == value.shape:
        left = left.asnumpy()
    if not issubclass(type(left), (np.ndarray, np.generic)):  # isinstance would take what waits
        return ""
    mine = value.asnumpy()
    if left.shape != mine.shape or left.dtype != mine.dtype:
        return ""
    return "yes" if same_bits(np.asarray(left), mine) else "no"


def why_changed(report: Report, verdict: Verdict) -> str:
    """Which arrays have other contents than the cell read or left."""
    read = dict.fromkeys(v.name for s in report.segments for v in s.inputs if v.name)
    outputs = {n for s in report.segments for n in s.graph.output_names}
    updated = {name for s in report.segments for name in _updated(s)}
    own = [n for n in read if n in outputs | updated or report.bound.get(n) is not None]
    if own:
        return f"the cell itself has given {_listed(own, 'and')} new contents"
    names = _listed([*dict.fromkeys([*read, *verdict.unlike])], "or")
    return f"{names} has been written since the cell ran: run the cell again"


def _updated(segment: Any) -> list[str]:
    """Names of the inputs into which its program writes, as an optimizer's step does."""
    written = [i for i in segment.compiled.program.plan.updates if i >= 0]
    return [segment.inputs[i].name for i in written if i < len(segment.inputs)]


def _listed(names: Sequence[str], word: str) -> str:
    shown = list(names[:6]) + ([f"{len(names) - 6} more"] if len(names) > 6 else [])
    return ", ".join(shown[:-1]) + (f" {word} " if shown[1:] else "") + shown[-1]
