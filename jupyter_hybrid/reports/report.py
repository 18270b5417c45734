"""The report of a hybridized cell: stages, kernels, bytes, times, and what was not compiled."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cached_property
from traceback import walk_tb
from typing import TYPE_CHECKING, Any, ClassVar

import jupyter_hybrid

from .. import _core
from ..array_bytes import imperative_peak
from ..capture.cell import Cell
from ..capture.compute import Segment
from ..capture.deferred import Deferred
from ..capture.options import Options
from ..capture.source.loops_ran import LoopRan
from ..capture.spent import Place, Spent
from ..capture.values import Key
from ..reasons import NONE, Reason
from .lifetimes import Life, lives_of, lives_of_buffers
from .listing import Break, places
from .loops import Loop, loops_of
from .names import Choice, Names, Switches
from .stage_inputs import On
from .stage_result import StageRun
from .stage_run import run_stage
from .stages import Kernel, ReportStage, shifted
from .times import times_text
from .why_compiled import Difference, explain, sentence

if TYPE_CHECKING:
    from .replanned import Replanned


_UNRECORDED = Spent()


class Report:
    """What happened to the last hybridized cell. Sizes are in bytes, times in seconds.

    Attributes:
        stages: list of :class:`ReportStage`, "written" first, "plan" last.
        kernels: list of :class:`Kernel` that the compiled cell launches.
        bytes_imperative: peak when the cell runs one by one: an array for each value until its
            last use, or as long as a name holds it where the cell has breaks. What is written into
            arrays that were there before takes none.
        bytes_planned: peak of logical bytes of the buffers that the cell creates.
        bytes_lower_bound: what no plan for the same buffers can go below.
        arena_bytes: reusable memory taken from the pool, aligned.
        graph_breaks: list of (line, reason), once a place; each has ``count`` and ``seconds``, see
            :class:`~jupyter_hybrid.reports.listing.Break`.
        record_s: seconds of recording: the cell's time but for compiling, settling, code left to
            Python and the wait for results at its end. Python's own work on the lines that were
            recorded is in it, since nothing tells the two apart.
        settle_s: seconds at lines that need a value or leave the graph, compiling aside: finding
            programs, running them, waiting, writing back.
        python_s: seconds of code that was left to Python, of compiling loops, and of awaiting.
        loops_s: seconds of loops that ran compiled.
        took_s: seconds from the cell's start to its end, all these in it; None when that was not
            measured. Programs may still run then.
        run_s: what the cell's programs took on their devices, each from its first kernel's start to
            its last one's end; waits until they are through. None when nothing was run.
        running: some of them are not through yet.
        cuts: the same where one graph ends and the next begins, nothing left out: a
            call that may raise is computed where it stands.
        deferred: list of (name, price) not computed with the cell.
        computed: what earlier cells had deferred and this one read: list of
            :class:`~jupyter_hybrid.capture.deferred.Deferred`.
        compare: figures of both modes of a cell run with ``--compare``, a
            :class:`~jupyter_hybrid.compare.report.CompareReport`; else None.
        switches: plans of the cell by the choice of names that are kept.
        replay: how the program was had: "compiled", "replayed" (the body ran, the program was
            found by the graph's hash), "skipped" (the program ran without the body), or
            "imperative" when nothing was compiled.
        differences: what differs from the most similar earlier compilation of the cell: list of
            :class:`~jupyter_hybrid.reports.why_compiled.Difference`; None when there was none.
        units: loops that ran compiled, that have no unit or were given up: list of
            :class:`~jupyter_hybrid.reports.loops.Loop`.
        nets: how often nets were called as one program without being hybridized, by name.
        ran: in mode auto: how the cell ran, and what each way takes; "" in others.
        error: what the cell failed with, and where; "" when it did not. The report is then of what
            was recorded until then.
        not_skipped: why the body has to run each time; empty when it need not.
    """

    planned_again: ClassVar[type[Replanned]]  # a report too: its module sets this

    def __init__(
        self,
        cell: Cell,
        options: Options,
        segments: list[Segment],
        breaks: Sequence[Place],
        deferred: list[Deferred],
        bound: dict[str, Key | None],
        mode: str = "symbolic",
        cuts: Sequence[Place] = (),
        spent: Spent | None = None,
    ):
        spent = spent or _UNRECORDED
        self.cell = cell
        self.options = options
        self.segments = segments
        self._breaks, self._cuts, self._prices = breaks, cuts, spent.places
        self.deferred_names = deferred
        self.computed: list[Deferred] = []
        self.bound = bound
        self.mode = mode
        self.namespace: dict[str, Any] = {}  # where stages that are run find their inputs
        self.compare: Any = None  # figures of both modes, with --compare
        self.record_s, self.settle_s = spent.record_s, spent.settle_s
        self._aside_s = spent.python_s
        self.took_s = spent.took_s or None
        self.compile_s = sum(s.compiled.seconds for s in segments if not s.cached)
        self.cached = bool(segments) and all(s.cached for s in segments)
        self.skipped = False
        self.loops: Sequence[LoopRan] = ()  # that the run has looked at
        self.nets: dict[str, int] = {}
        self.alone = "written"  # how it ran where it was not recorded; or "compiled"
        self.ran_as: object = ""
        self.compared_later: Callable[[], list[Difference] | None] | None = None
        self.error = ""
        self.not_skipped = NONE

    @classmethod
    def imperative(cls, cell: Cell, options: Options, why: Reason) -> Report:
        """Of code that could not be recorded."""
        breaks = [(None, Reason("{why}: it ran imperatively", why=why))]
        return cls(cell, options, [], breaks, [], {}, mode="imperative")

    def failed_with(self, error: BaseException) -> None:
        """The report is of a cell that raised."""
        steps = walk_tb(error.__traceback__)
        lines = [n for frame, n in steps if frame.f_code.co_filename == self.cell.filename]
        where = f" in line {lines[-1]}" if lines else ""
        text = str(error).partition("\n")[0]
        self.error = f"the cell failed{where}: {type(error).__name__}: {text}"

    # Counted when somebody looks: most reports are never read.
    @cached_property
    def differences(self) -> list[Difference] | None:
        return self.compared_later() if self.compared_later is not None else None

    @cached_property
    def units(self) -> list[Loop]:
        return loops_of(self.loops, self.cell)

    @cached_property
    def ran(self) -> str:
        return str(self.ran_as)

    @cached_property
    def graph_breaks(self) -> list[Break]:
        return places(self._breaks, self._prices)

    @cached_property
    def cuts(self) -> list[Break]:
        return places(self._cuts, self._prices)

    @cached_property
    def offsets(self) -> list[int]:
        """For each segment what its node ids are shifted by in joined graphs."""
        offsets, start = [], 0
        for segment in self.segments:
            offsets.append(start)
            start += 2 * segment.compiled.size  # room for other plans of the same part
        return offsets

    bytes_imperative = cached_property(lambda self: self._bytes[0])
    bytes_planned = cached_property(lambda self: self._bytes[1])
    bytes_lower_bound = cached_property(lambda self: self._bytes[2])
    arena_bytes = cached_property(lambda self: self._bytes[3])

    @cached_property
    def _bytes(self) -> tuple[int, int, int, int]:
        imperative = planned = lower_bound = arena = 0
        held = set(self.bound.values())
        for part, segment in enumerate(self.segments):
            kept = self._left_by_earlier(part)
            entries = {v.entry for v in segment.drawn if v.key in held}
            entries |= {v.entry for v in segment.outputs}
            plan = segment.compiled.program.plan
            outputs = [v.entry for v in segment.outputs]
            peaks, at = segment.compiled.peaks, (frozenset(entries), *outputs, segment.updates)
            if at not in peaks:  # else it ran before
                peaks[at] = imperative_peak(segment.graph, entries, outputs, segment.updates)
            imperative = max(imperative, kept + peaks[at])
            planned = max(planned, kept + plan.planned_bytes)
            lower_bound = max(lower_bound, kept + plan.lower_bound_bytes)
            arena = max(arena, plan.arena_bytes)
        return imperative, planned, lower_bound, arena

    @cached_property
    def lives(self) -> list[list[Life]]:
        """For each segment, of each of its outputs: how long it stays in memory."""
        return lives_of(self.cell, self.segments, self.bound, self.namespace)

    @cached_property
    def _left(self) -> list[list[tuple[int, int]]]:
        """For each segment, of each buffer that it leaves: (the last one during which it is in
        memory, its bytes)."""
        left = []
        for segment, lives in zip(self.segments, self.lives, strict=True):
            program = segment.compiled.program
            sizes = {b["id"]: b["bytes"] for b in program.plan.buffers}
            held = lives_of_buffers(program, lives)
            left.append([(life.last, sizes[buffer]) for buffer, life in held.items()])
        return left

    def _left_by_earlier(self, part: int) -> int:
        """Bytes of what earlier segments have made that are in memory while this one runs."""
        return sum(size for own in self._left[:part] for last, size in own if last >= part)

    # The price of looking ------------------------------------------------------------------------
    @cached_property
    def switches(self) -> Switches:
        deferred = [d.name for d in self.deferred_names]
        return Switches(self.cell, self.options, self.segments, self.bound, deferred)

    @cached_property
    def choice(self) -> Choice:
        """The outputs that this report's plan keeps."""
        return self.switches.written

    @property
    def names(self) -> Names:
        """The array names that the cell assigned: list of :class:`Name`, printed as a table."""
        return self.switches.names(self.choice)

    def keep(self, *names: str) -> Replanned:
        """The cell planned with these names kept too. Runs and binds nothing.

        Raises:
            KeyError: for a name that is no array that the cell made.
        """
        return self.planned_again(self, self.switches.choose(self.choice, names, keep=True))

    def defer(self, *names: str) -> Replanned:
        """The cell planned without these names. Runs and binds nothing.

        Raises:
            KeyError: for a name that is no array that the cell made.
            ValueError: for one that the cell itself needs, saying where.
        """
        return self.planned_again(self, self.switches.choose(self.choice, names, keep=False))

    @property
    def running(self) -> bool:
        """Some program of the cell is still under way."""
        return any(s.times.running for s in self.segments)

    @property
    def loops_s(self) -> float:
        return sum(ran.seconds for ran in self.loops)

    @property
    def python_s(self) -> float:
        return max(0.0, self._aside_s - self.loops_s)

    @property
    def run_s(self) -> float | None:
        return sum(s.run_s for s in self.segments)

    @property
    def replay(self) -> str:
        if not self.segments:
            return "imperative"
        return "skipped" if self.skipped else "replayed" if self.cached else "compiled"

    def explain(self) -> str:
        """What was captured, compiled and left out, and why: the text of ``%hybrid explain``."""
        return explain(self)

    @property
    def deferred(self) -> list[tuple[str, str]]:
        return [(d.name, d.price) for d in self.deferred_names]

    @cached_property
    def stages(self) -> list[ReportStage]:
        names: dict[str, str] = {}
        for segment in self.segments:
            for stage in segment.compiled.stages:
                names.setdefault(stage.name, stage.label)
        return [self._stage(name, label) for name, label in names.items()]

    def _stage(self, name: str, label: str) -> ReportStage:
        parts, changes, changed, why, steps = [], [], False, "", 0
        for segment, offset in zip(self.segments, self.offsets, strict=True):
            stage = next(s for s in segment.compiled.stages if s.name == name)
            parts.append((segment, stage.graph))
            changed = changed or stage.changed
            why = why or stage.why_skipped
            changes += shifted(stage.changes, offset, steps)
            steps = max((c.step + 1 for c in changes), default=steps)
        graph = _core.merge_graphs([g for _, g in parts], self.offsets)
        return ReportStage(
            name, label, graph, changes, changed, why, parts, self.namespace, self.offsets
        )

    def stage(self, name: str) -> ReportStage:
        """The stage of that name. Raises KeyError listing the names."""
        for stage in self.stages:
            if stage.name == name:
                return stage
        raise KeyError(f"no stage {name!r}; the stages are {[s.name for s in self.stages]}")

    def run_stage(self, name: str, on: On = "run") -> StageRun:
        """Runs the cell's graph as it stands at a stage, on the arrays that its inputs are now,
        which it only reads: times, bytes, the difference from the stage before, and ``.values``.

        Python between the parts of a cell is not run, nothing is bound, and random draws are those
        of the recording. It works until the cell's arrays are gone.

        Args:
            name: of one of ``stages``, such as "written", "fuse" or "plan".
            on: "run": what the cell read; "now": what its inputs hold now, though they, or what the
                cell left, have been written since; "random": so, too, with random numbers for
                arrays that are gone, by which times and memory are told, but no values.

        Raises:
            KeyError: there is no such stage.
            InputsChanged: (an MXNetError) one has been written since.
            InputGone: (an MXNetError) an array that the cell read is gone, or waits.
            MXNetError: a kernel fails.
        """
        return run_stage(self, name, on)

    def kernels_of(self, graph: Any) -> list[Kernel]:
        """The kernels that running ``graph`` launches, in order."""
        made: list[Kernel] = []
        for node in graph.nodes:
            if node.kind not in ("op", "fused") or node.is_view:
                continue
            members = node.members if node.kind == "fused" else [node]
            lines = sorted({line for m in members if (line := self.line_of(m)) is not None})
            text = ", ".join(m.op for m in members)
            made.append(Kernel(len(made), node.op, [m.id for m in members], lines, text))
        return made

    @cached_property
    def kernels(self) -> list[Kernel]:
        return self.kernels_of(self.stages[-1].graph) if self.stages else []

    @property
    def implicit_edges(self) -> list[tuple[int, int]]:
        """(a, b): kernel b waits for a only because it writes where values of a are (node ids)."""
        return [
            (a + offset, b + offset)
            for segment, offset in zip(self.segments, self.offsets, strict=True)
            for a, b in _core.implicit_edges(
                segment.compiled.program.graph, segment.compiled.program.plan
            )
        ]

    def line_of(self, node: Any) -> int | None:
        """The cell's line that made a node, 1-based in the whole cell; None for others' lines."""
        if not node.site:
            return None
        cell, line, _, text = _core.site(node.site)
        file = os.path.basename(self.cell.filename)
        own = text.startswith(file) or (cell and cell == self.cell.id)
        return line if own and line else None

    @property
    def program(self) -> dict[str, str]:
        """Stage name -> Python-like text."""
        return {stage.name: stage.program for stage in self.stages}

    @property
    def net_texts(self) -> list[str]:
        """Nets that were not hybridized and are one program all the same."""
        return [f"{name}: one program, called {n:,} times" for name, n in self.nets.items()]

    def __repr__(self) -> str:
        if not self.segments:
            said = "nothing of this cell was compiled" if self.error else sentence(self)
            lines = [f"{said[:1].upper()}{said[1:]}."]
            lines += [f"time      {times_text(self)}"] if self.took_s and self.loops_s else []
        else:
            before = len(self.kernels_of(self.stages[0].graph))
            lines = [
                f"kernels   {before} as written, {len(self.kernels)} compiled",
                f"bytes     {self.bytes_imperative:,} imperative, {self.bytes_planned:,} planned "
                f"(lower bound {self.bytes_lower_bound:,}), arena {self.arena_bytes:,}",
                f"time      {times_text(self)}",
                f"replay    {sentence(self)}",
            ]
            same = [stage.name for stage in self.stages if not stage.changed]
            lines += [f"stage     {s.name}: {s.label}" for s in self.stages if s.changed]
            lines += [f"unchanged {', '.join(same)}"] if same else []
        if self.error:
            lines.insert(0, f"failed    {self.error}")
        lines += [f"way       {self.ran}"] if self.ran else []
        lines += [f"unit      {loop.text}" for loop in self.units]
        lines += [f"net       {text}" for text in self.net_texts]
        lines += [f"break     {b.text}" for b in self.graph_breaks]
        lines += [f"cut       {b.text}" for b in self.cuts]
        lines += [f"computed  {d.name} of {d.where}: {d.cost}" for d in self.computed]
        for d in self.deferred_names:
            since = f"; computed in {d.read_in}" if d.read_in else ""
            lines.append(f"deferred  {d.name}: {d.price}{since}")
        return "\n".join(lines)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        if not self.segments and not self.units:
            return {"text/plain": repr(self)}
        return jupyter_hybrid.views.mimebundle(self)  # of the front door: views stand above
