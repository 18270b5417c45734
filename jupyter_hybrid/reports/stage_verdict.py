"""Whether the arrays that a stage is run on hold what the cell read, and which of them don't.

Nobody kept what the cell read. The proof is what it left: its last stage, run on the arrays of now,
has to give it again. An array that the cell itself has written holds something else in any case.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..capture.values import Value
from ..reasons import Reason
from .stage_difference import same_bits

if TYPE_CHECKING:
    from .report import Report


@dataclass(frozen=True)
class Verdict:
    """Whether the inputs hold what the cell read.

    Attributes:
        left: names whose arrays were compared with what the cell leaves there.
        unlike: those of them that differ.
        random: it draws at random, so that a difference proves nothing.
        drawn: how many inputs were gone, and are random numbers.
        own: names of inputs to which the cell itself has given new contents.
        repeated: lines of the cell's parts that ran several times, and are run once.
    """

    left: tuple[str, ...]
    unlike: tuple[str, ...]
    random: bool
    drawn: int = 0
    own: tuple[str, ...] = ()
    repeated: tuple[int, ...] = ()

    @property
    def changed(self) -> bool:
        return bool(self.own) or (bool(self.unlike) and not self.random)

    @property
    def text(self) -> str:
        """For people, of a stage that was run."""
        if self.drawn:
            arrays = "array that is" if self.drawn == 1 else "arrays that are"
            return f"random numbers for {self.drawn} {arrays} gone: only times and memory count"
        once = f"; {self.once}" if self.repeated else ""
        if self.own:
            return f"what they hold now, not what the cell read: {self.own_written}{once}"
        if self.changed:
            return f"what they hold now, not what the cell read{once}"
        if self.left and not self.unlike:
            return f"those of the cell's run: it left the same in {_listed(self.left)}{once}"
        nothing = "nothing that the cell left tells whether it read the same"
        why = f"since it draws at random, {nothing}" if self.random else nothing
        return f"what they hold now; {why}{once}"

    @property
    def own_written(self) -> Reason:
        return Reason("the cell itself has given {names} new contents", names=_listed(self.own))

    @property
    def once(self) -> Reason:
        lines = [str(line) for line in self.repeated]
        at = f"line{'s' if len(lines) > 1 else ''} {_listed(lines)}"
        return Reason(
            "what ran several times up to {at} is run once, on what was read first", at=at
        )


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
    repeated = dict.fromkeys(s.line for s in report.segments if s.count > 1 and s.line)
    return Verdict(
        tuple(compared), unlike, random, own=tuple(_own(report)), repeated=tuple(repeated)
    )


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


def why_changed(report: Report, verdict: Verdict) -> Reason:
    """Which arrays have other contents than the cell read or left, as far as anything tells."""
    if verdict.own:
        return verdict.own_written
    if verdict.repeated:
        return Reason("what the cell left is not what the stage gives: {once}", once=verdict.once)
    told = {
        # A run without the body keeps what the run before has read.
        v.name: None if report.skipped else v.written_since(report.namespace)
        for _, v in _read(report)
        if v.name
    }
    written = [name for name, is_written in told.items() if is_written]
    unknown = [name for name, is_written in told.items() if is_written is None]
    if not written and not unknown:
        written = list(verdict.unlike)  # it read what it would read now
    maybe = list(dict.fromkeys([*unknown, *verdict.unlike]))
    if written or len(maybe) == 1:
        names = _listed(written or maybe)
        if len(written) > 1:
            return Reason(
                "{names} have been written since the cell ran: run the cell again", names=names
            )
        return Reason(
            "{names} has been written since the cell ran: run the cell again", names=names
        )
    return Reason(
        "one of {names} has been written since the cell ran, and nothing tells which: "
        "run the cell again",
        names=_listed(maybe),
    )


def _read(report: Report) -> Iterator[tuple[int, Value]]:
    """(part, array) of what the cell's parts read that none of them has made."""
    made: set[Any] = set()
    for part, segment in enumerate(report.segments):
        yield from ((part, v) for v in segment.inputs if v.key is None or v.key not in made)
        made |= {v.key for v in segment.outputs}


def _own(report: Report) -> list[str]:
    """Names of inputs that hold, or are, something else since the cell has written them."""
    last: dict[str, int] = {}  # the part that has written it last
    made: dict[Any, int] = {}
    for part, segment in enumerate(report.segments):
        made |= {v.key: part for v in segment.drawn}
        last |= dict.fromkeys([*segment.graph.output_names, *_updated(segment)], part)
    for name, key in report.bound.items():
        if key is not None:
            last[name] = made.get(key, len(report.segments))
    written = {v.name: v for part, v in _read(report) if part <= last.get(v.name, -1)}
    return [n for n, v in written.items() if n and (v.key is None or v.key != report.bound.get(n))]


def _updated(segment: Any) -> list[str]:
    """Names of the inputs into which its program writes, as an optimizer's step does."""
    written = [i for i in segment.compiled.program.plan.updates if i >= 0]
    return [segment.inputs[i].name for i in written if i < len(segment.inputs)]


def _listed(names: Sequence[str]) -> str:
    """ "a, b and c"; of many the first."""
    shown = list(names[:6]) + ([f"{len(names) - 6} more"] if len(names) > 6 else [])
    return ", ".join(shown[:-1]) + (" and " if shown[1:] else "") + shown[-1]
