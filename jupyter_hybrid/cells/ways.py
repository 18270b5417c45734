"""The way that a cell's next run goes: recorded, compiled (as written, but for loops that have
units), or as written.

A first run is recorded, in mode auto compiled. A loop or a function that was left to Python, many
values asked for, or nothing recorded put the others to the trial, on the clock; so does every cell
of which no picture is wanted. It is recorded again, or runs without its body, when the others took
longer. One trial may be disturbed, and a first run pays for what is new, so there are more, ever
more seldom; and what is not recorded is looked at anew once it takes much longer than it did.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

from ..capture.cell import Cell, Way
from ..capture.durations import seconds
from ..capture.options import Options
from ..capture.recording import Recording
from ..capture.source.compiled import RanAlone
from ..capture.source.loops_ran import LoopRan, LoopsRan, compiled, refused_among, scalar
from ..capture.source.patience import CONTACTS
from ..capture.spent import Place
from ..reasons import Reason
from ..reports.listing import places
from ..reports.report import Report
from . import skip

# A recorded run may take so much longer than others where it is drawn, and where it is not.
_DRAWN, _UNSEEN = (1.2, 0.002), (1.05, 30e-6)
_DOUBT = 4  # times as long, when it was the first one, which pays for more than compiling
_SURE = 2  # times as long: not tried once more
_SURELY = 20  # times as long, told by the first steps of its loops alone: not tried at all
_LONGER, _LONGER_S = 2, 0.02  # a run takes much longer: so many times and seconds more
_CHEAP_S = 0.05  # takes so little that a first run's word is not enough
_TRIAL = 3  # runs of the best way before another trial
_TWICE = 2  # runs of a way, so that one is not its first
_TRIES = 8  # runs with loops that may get compiled
# What runs again may run often: a loop is compiled the sooner, of the time after which a first run
# does. A run that compiles some, or waits for that, says little of those to come.
_HOT_SHARES = (1.0, 0.25, 1 / 16)
_FAIR = 0.1  # of a run, compiling takes less
_OFTEN, _WORTH_S = 3, 3e-4  # runs and seconds from which a look pays whether its body is needed
_LONG_S = 0.005  # in mode auto: what takes less is not recorded
clock = time.perf_counter
_WORDS = {
    "recorded": Reason("recorded"), "compiled": Reason("with its loops compiled"),
    "written": Reason("as written"), "skipped": Reason("without its body"),
}  # fmt: skip


@dataclass
class Took:
    """What a way's runs took: the best of so many, in seconds."""

    seconds: float
    runs: int = 1

    def note(self, took: float) -> None:
        self.seconds, self.runs = min(self.seconds, took), self.runs + 1


def _may_be_disturbed(took: Took, fastest: Took, is_alone: bool) -> bool:
    """Is a way's only run worth another one? A first one pays for more than the others, too.

    Args:
        is_alone: nothing else is known than how the cell runs as written.
    """
    most_s = 0.0 if took is fastest and is_alone else _DOUBT * fastest.seconds
    return took.runs == 1 and took.seconds < max(most_s, _CHEAP_S)


class Figures(NamedTuple):
    """What the ways of a cell took, which most never read."""

    last: str
    took: dict[str, float]

    def __str__(self) -> str:
        return self.reason

    @property
    def reason(self) -> Reason:
        """The same, in words."""
        way = _WORDS[self.last]
        if self.last not in self.took:
            return Reason("the cell runs {way}", way=way)
        told = Reason("the cell runs {way}, in {time}", way=way, time=seconds(self.took[self.last]))
        for other, took_s in self.took.items():
            if other != self.last:
                told = Reason(
                    "{told}; {way} it takes {time}",
                    told=told,
                    way=_WORDS[other],
                    time=seconds(took_s),
                )
        return told


@dataclass
class Ways:
    """What is known of one cell, run with the same options.

    Attributes:
        took: by the ways that have been tried; recorded: without compiling.
        left: what was left to Python, and why.
        in_graph: some of it is in one.
        has_units: are there loops that run compiled? It is thought so until a run has none.
    """

    cell: Cell
    options: Options
    took: dict[str, Took]
    left: list[Place]
    in_graph: bool
    has_units: bool = True
    longer: int = 0  # the last so many runs took much longer than the best
    trial: int = _TRIAL  # runs of the best way before another one is tried
    last: str = "recorded"
    _looked: bool = False  # whether it may be skipped
    _is_open: bool = False  # it may not, as its code tells
    _units_s: float = 0.0  # what they took in the last run that had some, ...
    _scalars_s: float = 0.0  # those of them that work with no whole arrays
    _saved_s: float = 0.0  # ... and how much less that is than as written
    _gains: bool = False  # so much that nothing as written has to be tried
    _is_warming: bool = False  # no loop ran compiled, but some may
    _warming_s: dict[str, float] = field(default_factory=dict)  # a way's run that does not count
    _tries: int = 0  # runs in which loops could run compiled, ...
    _compiled_runs: int = 0  # ... and in which some did, the first of which compiles them
    _ran: RanAlone = field(default_factory=RanAlone)  # of the last run
    _loops: LoopsRan = field(default_factory=dict)  # that runs have looked at
    _functions: dict[range, None] = field(default_factory=dict)  # the numbers of theirs

    def way(self, can_skip: bool) -> str:
        """Of the next run, which may do without the body where ``can_skip``."""
        took = {w: t for w, t in self.took.items() if w != ("recorded" if can_skip else "skipped")}
        ours = "skipped" if can_skip else "recorded"
        known = took.get(ours)
        if skip.wants_whole(self.cell):
            return "recorded"
        if can_skip and (known is None or (known.runs < _TWICE and known.seconds < _CHEAP_S)):
            return ours
        if known is not None and not self._is_beaten(known, 0.0):
            return ours
        few = self._tries < _TRIES or self._compiled_runs
        if self.has_units and self._compiled_runs < _TWICE and few:
            return "compiled"
        if "written" not in took and not (self._gains and "compiled" in took):
            return "written"
        ways = sorted(took, key=lambda way: took[way].seconds)
        for way in took:  # the first one has had to pay most
            if _may_be_disturbed(took[way], took[ways[0]], known is None):
                return way
        best = next(way for way in ways if way != ours)
        best_s = took[best].seconds
        if known is None:
            if best_s - self._units_s >= _LONG_S:
                return "recorded"
        elif not self._is_beaten(known, best_s):
            best = ours
        if took[best].runs >= self.trial:
            other = next((way for way in ways if way != best), best)
            if took[other].seconds <= _SURE * took[best].seconds:
                return other  # once more: it would not cost much
        return best

    @property
    def gains_nothing(self) -> bool:
        """Will it only ever run as written? It takes next to nothing, or has no loop that can be
        compiled, and code that can't be seen into."""
        written = self.took.get("written")
        if written is None or len(self.took) > 1 or written.runs < _TWICE:
            return False
        return written.seconds < _WORTH_S or (self._is_open and not self.has_units)

    def look(self, names: dict[str, Any]) -> None:
        """Before a run: is it to be recorded whole, since it runs often and its code is closed?"""
        if self._looked or "recorded" in self.took or not self.took:
            return
        best = min(self.took.values(), key=lambda took: took.seconds)
        few = _OFTEN if self.has_units else _TWICE
        if best.runs < few or best.seconds < _WORTH_S or self._scalars_s > best.seconds / 2:
            return
        self._is_open = not skip.is_closed(self.cell, names)
        self._looked = self._is_open or best.runs >= _OFTEN
        if self._looked and not self._is_open:
            skip.ask_for_whole(self.cell, best.seconds)

    def _is_beaten(self, took: Took, other_s: float) -> bool:
        """Is what is recorded, with or without its body, slower than another way?"""
        ratio, slack_s = _UNSEEN if self.options.view == "none" else _DRAWN
        return took.seconds > ratio * other_s + slack_s

    @property
    def hot_share(self) -> float:
        """Of the time that a loop runs as written before the next run compiles it."""
        return _HOT_SHARES[min(self._tries, len(_HOT_SHARES) - 1)]

    def ran_alone(self, way: Way, took: float, ran: RanAlone | None) -> Report:
        """After a run that was not recorded and took so many seconds: its report.

        Args:
            ran: what a compiled one has found out about its loops.
        """
        is_fair = ran is None or self._is_fair(ran, took)
        compile_s = ran.compile_s if ran is not None else 0.0
        report = Report(self.cell, self.options, [], self.left, [], {}, mode="imperative")
        report.took_s = took
        self._ran = ran or RanAlone()
        if ran is not None:
            self._heard(ran, is_fair)
        report.loops = self._seen(took)
        if way == "compiled":
            is_long = took - compile_s > _LONG_S and not self._ran.are_cold
            is_short = took - compile_s < _WORTH_S and self._tries >= _TWICE
            if self._is_warming and (is_long or is_short):
                self.has_units = False  # its loops don't gain, or there is nothing to be gained
            if not self.has_units:
                self.took.pop("compiled", None)
                if self._is_warming:  # as others will, but for the looking
                    self.last = "written"
                    return report
                way = "written"  # that is what it was
            self._gains = self._saved_s > _SURELY * took
        if way == "written":
            self._note(way, took)
        elif is_fair:
            self._note(way, took - compile_s)
        else:
            way = "written" if self._is_warming else way
            self._warming_s = {way: took - compile_s}
        self.last = way
        if self.left or self.in_graph:
            report.graph_breaks = places([*self.left, (None, self.figures().reason)], {})
        return report

    def _is_fair(self, ran: RanAlone, took: float) -> bool:
        """Will later runs take about as long, but for compiling?"""
        is_warm = not ran.warm_up and ran.compile_s < _FAIR * took
        return is_warm or took - ran.compile_s > _CHEAP_S or self._tries + 1 >= _TRIES

    def _heard(self, ran: RanAlone, is_fair: bool) -> None:
        units = compiled(ran.loops)
        self.has_units = bool(units) or ran.take_turns
        self._is_warming = not units and ran.take_turns
        self._tries += 1
        if units:
            if written := self.took.get("written"):
                for unit in units:  # no loop takes longer than its cell: its first steps were cold
                    unit.written_s = min(unit.written_s, written.seconds)
            self._compiled_runs += is_fair
            self._units_s = sum(unit.seconds for unit in units)
            self._scalars_s = sum(unit.seconds for unit in scalar(ran.loops))
            self._saved_s = sum(unit.written_s for unit in units) - self._units_s

    def _seen(self, took: float) -> list[LoopRan]:
        """After a run of so many seconds: its loops, and those that earlier ones have found to have
        no unit, which nobody looks at any more."""
        ran = self._ran
        if took < _LONG_S and not (ran.loops or self._loops):
            self._functions |= dict.fromkeys(ran.functions)
            return []
        self._functions |= dict.fromkeys(ran.functions)
        numbers = chain(*self.cell.loops, *self._functions) if took >= _LONG_S else ()
        at_sight = {r.place: r for r in refused_among(numbers, took)}
        self._loops = {p: r.without_steps() for p, r in self._loops.items()} | ran.loops
        return list((at_sight | self._loops).values())

    def figures(self) -> Figures:
        """How the cell ran last, and what that and the other ways take."""
        took = {way: known.seconds for way, known in self.took.items()}
        return Figures(self.last, self._warming_s | took)

    def ran(self, way: str, took: float) -> None:
        """A run of its programs, with its body or without, took so many seconds."""
        self.last = way
        self._took(way, took)

    def _took(self, way: str, took: float) -> Took:
        known = self.took.get(way)
        if known is None:
            known = self.took[way] = Took(took)
        else:
            known.note(took)
        best = min(self.took.values(), key=lambda took: took.seconds)
        if known is not best and best.runs >= self.trial:
            self.trial = 2 * best.runs
        return known

    def _note(self, way: Way, took: float) -> None:
        """Another run took so many seconds."""
        known = self._took(way, took)
        self.longer = self.longer + 1 if took > _LONGER * known.seconds + _LONGER_S else 0
        if self.longer > 1:  # not once, as when the machine was busy
            self.cell.memo.pop((Ways, self.options), None)


def find(cell: Cell, options: Options) -> Ways | None:
    """What is known of the cell, if it was ever to run in another way."""
    return cell.memo.get((Ways, options))


def begin(cell: Cell, options: Options) -> Ways | None:
    """What is known of a cell that runs for the first time, in mode auto; None in others."""
    if not options.auto:
        return None
    made = cell.memo[Ways, options] = Ways(cell, options, {}, [], False)
    return made


def learn(cell: Cell, options: Options, recording: Recording, report: Report, took: float) -> None:
    """After a recorded run of ``took`` seconds: is the next one a trial of another way?"""
    recorder = recording.recorder
    breaks = len(recorder.breaks)
    left = list(recorder.left)
    if not left and breaks >= CONTACTS:
        left = [(None, Reason("{n} times a value was needed", n=breaks))]
    nothing = not (recorder.segments or breaks or report.deferred_names)
    asked = Options(
        view=options.view, implicit=options.implicit, auto=options.auto, scratch=options.scratch
    )
    if options != asked:
        return  # who asks for more than a recording asks for one
    took -= report.compile_s
    if compiled(recorder.loops) and (known_units := (LoopRan, options)) not in cell.memo:
        cell.memo[known_units] = True
        return  # the run has compiled loops, which the next one finds: that one tells
    known = find(cell, options)
    if known is not None:
        known.ran("recorded", took)
    elif left or nothing or options.view == "none":
        known = Ways(cell, options, {"recorded": Took(took)}, left, not nothing)
        known.has_units = not cell.awaits  # their loops are not compiled
        cell.memo[Ways, options] = known
