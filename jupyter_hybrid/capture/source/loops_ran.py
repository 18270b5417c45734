"""What a run of a cell says of its loops: which ran compiled, where their units left, and what
keeps others from having one. It is noted with each run of a loop, and put into words by reports.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..units import Made, Outcome, Refusal
from .loops import Place, place_of

_MOST_GAIN = 1000  # times as fast no unit is, were the first step as cold as can be


@dataclass(eq=False)
class LoopRan:
    """What a run of a cell says of one loop or comprehension.

    Attributes:
        made: the code of its unit that ran last; None: none did.
        steps: that its unit took, in ``seconds``.
        written_s: what these would have taken as written, by those before it was compiled; 0: that
            is not known.
        left: how often the unit left, by its code and instruction.
        refused: why some of it had no unit.
        python_s: that runs without a unit took, or may have.
    """

    place: Place
    made: Made | None = None
    steps: int = 0
    seconds: float = 0.0
    written_s: float = 0.0
    left: dict[tuple[Made, int], int] = field(default_factory=dict)
    refused: Refusal | None = None
    python_s: float = 0.0

    def without_steps(self) -> LoopRan:
        """Of a later run that has not looked at it."""
        return LoopRan(self.place, refused=self.refused, python_s=self.python_s)

    @property
    def given_up(self) -> bool:
        """Do runs of it go as written, since its unit was no faster?"""
        return self.place.pace.is_given_up

    @property
    def places_left(self) -> list[tuple[Refusal, int]]:
        """Where its unit left, why, and how often; the most frequent first."""
        found: dict[Refusal, int] = {}
        for (made, at), count in self.left.items():
            why = made.code.why_left(at)
            found[why] = found.get(why, 0) + count
        return sorted(found.items(), key=lambda item: -item[1])


LoopsRan = dict[Place, LoopRan]


def of_loop(known: LoopsRan, place: Place) -> LoopRan:
    """What is said of a loop, which is looked at now."""
    found = known.get(place)
    if found is None:
        found = known[place] = LoopRan(place)
    return found


def note_ran(known: LoopsRan, place: Place, made: Made, outcome: Outcome, took_s: float) -> None:
    """A unit has taken steps of a loop."""
    ran = of_loop(known, place)
    ran.made = made
    ran.steps += outcome.steps
    ran.seconds += took_s
    written_s = outcome.steps * place.ran_s / max(1, place.ran_steps)
    if written_s <= _MOST_GAIN * took_s:  # else the first steps were not like the others
        ran.written_s += written_s
    if outcome.left >= 0:
        at = made, outcome.left
        ran.left[at] = ran.left.get(at, 0) + 1


def compiled(known: LoopsRan) -> list[LoopRan]:
    """The loops of which some steps ran compiled."""
    return [ran for ran in known.values() if ran.made is not None]


def scalar(known: LoopsRan) -> list[LoopRan]:
    """Those that ran compiled and work with no whole arrays."""
    return [ran for ran in compiled(known) if ran.made and not ran.made.whole]


def refused_among(numbers: Iterable[int], most_s: float) -> list[LoopRan]:
    """Of the loops of these numbers those that can't be compiled, as one look at their text has
    told: nobody times them. ``most_s``: what they may have taken."""
    refused = (p for p in map(place_of, numbers) if p.refused is not None)
    return [LoopRan(p, refused=p.refused, python_s=most_s) for p in refused]


def to_tell(found: Iterable[LoopRan], least_s: float) -> list[LoopRan]:
    """Those that are worth saying, in the order of their lines: a loop that ran compiled, was given
    up, or has no unit and took so long; of loops in each other that one statement keeps from being
    compiled the outermost one."""
    ordered = sorted(found, key=lambda r: (r.place.filename, r.place.first, -r.place.last))
    told: list[LoopRan] = []
    for ran in ordered:
        place, why = ran.place, ran.refused
        if ran.made is None and not ran.given_up:
            inside = any(
                r.refused == why
                and r.place.filename == place.filename
                and r.place.last >= place.last
                for r in told
            )
            is_long = place.left or ran.python_s + place.ran_s >= least_s
            if why is None or inside or not is_long:
                continue
        told.append(ran)
    return told
