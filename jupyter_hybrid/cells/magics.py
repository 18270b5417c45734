"""The magics: ``%%hybridize``, ``%%imperative``, ``%hybrid`` and ``%engine``."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from typing import Any

from IPython.core.error import UsageError as MagicUsageError
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class, no_var_expand
from IPython.display import display

from .. import _core, live, meetings
from ..base import MXNetError
from ..capture import options as option_parser
from ..capture import program_cache, trace_state
from ..capture.cell import Cell, prepare
from ..capture.options import Options, UsageError
from ..capture.running import running
from ..capture.tracebacks import show_as_users
from ..capture.watchers import watching
from ..compare.compare import compare
from ..gluon import own_nets
from ..reports import why_compiled
from ..reports.report import Report
from ..reports.session import session, start
from ..views.saved import limit as output_limit
from . import completion, skip, ways
from .alias import alias
from .before_cell import before_cell
from .gpus import gpus
from .input_transform import as_typed, cell_of, is_ours, suspended, transform, transformed, use
from .outcomes import outcomes
from .run_cell import (
    await_imperatively,
    await_symbolically,
    run_compiled,
    run_imperatively,
    run_symbolically,
)
from .shown import show
from .trifles import trifles

MODES = {
    "imperative": "imperatively",
    "symbolic": "symbolically",
    "auto": "as written, until measuring tells a faster way",
}
_AWAITS = (
    "%%{magic}: a cell that awaits must be typed as a cell of its own: IPython runs it in its "
    "event loop, where %%time and run_cell_magic() can't"
)
_ENGINE_USAGE = (
    "%engine [naive|threaded] [inline on|off] [limit N] [slow SECONDS], report, timeline or memory"
)


@magics_class
class HybridMagics(Magics):
    """Cell and line magics of jupyter_hybrid."""

    shell: Any

    @no_var_expand
    @cell_magic
    def hybridize(self, line: str, cell: str) -> Any:
        """Run the cell symbolically: record its graph, compile it, run it, draw it.

        --out NAMES     compute only these names; every other value may be planned away
        --donate NAMES  unbind these input arrays and reuse their memory
        --passes LIST   run exactly these passes (infer and plan always run)
        --no-PASS       switch one pass off, for example --no-fuse; --no-plan shares no memory
        --dims x:0=n    another length of axis 0 of x needs no passes: shapes and plan alone are new
        --view VIEW     what the picture opens on: graph, memory or program; none shows no picture
        --force         record also loops and functions that plain Python runs faster
        --check         run loops that run compiled as written too, and compare
        --remat HOW     sqrt or so many bytes: compute values again instead of keeping them
        --plan HOW      fast, exact or parallel: how memory is planned; exact searches for
                        --plan-seconds S
        --loop-limit N  accepted, without effect
        --compare       measure both modes on copies, in turn, then run the cell once
        --sizes n=LIST  compare at several values of an int; LIST alone scales the arrays' rows
        --seconds S     how long to measure, about (2)
        """
        __tracebackhide__ = True
        with session.attempt():
            return self._ran("hybridize", line, cell)

    def called_cell(self, number: int) -> Any:
        """Runs a cell that IPython knows by its number."""
        __tracebackhide__ = True
        cell = cell_of(number)
        if not cell.is_implicit:
            _keep_history(self.shell, cell.read)
        hybridized = cell.magic == "hybridize"
        with session.attempt(cell.is_implicit) if hybridized else nullcontext():
            return self._ran(*cell)

    @no_var_expand
    @cell_magic
    def imperative(self, line: str, cell: str) -> Any:
        """Run the cell imperatively, also when symbolic is the default mode."""
        __tracebackhide__ = True
        return self._ran("imperative", line, cell)

    def _ran(self, magic: str, line: str, cell: str) -> Any:
        __tracebackhide__ = True
        options, prepared = self._read(magic, line, cell)
        nets: dict[str, int] = {}
        if prepared.awaits:
            raise _refused(_AWAITS.format(magic=magic))
        with _ShownAsUsers(self.shell):
            if magic == "imperative":
                value = run_imperatively(prepared, self.shell.user_ns)
                return None if prepared.quiet else value
            if options.compare and prepared.is_deep:
                raise _refused("--compare: the cell's code is nested too deeply to be read")
            if options.compare:
                value, report = compare(
                    prepared, options, self._namespace(options), session.later, run_symbolically
                )
            else:
                with own_nets.InCell() as nets:
                    value, report = _run(prepared, options, self._namespace(options))
                report.nets = {name: count for name, count in nets.items() if count}
        shown = self._finish(prepared, options, value, report)
        if options.auto and not nets:  # what is called often may become a program
            trifles.learn(cell, prepared, options, report)
        return shown

    async def awaited(self, magic: str, line: str, cell: str) -> Any:
        """A cell with one of the magics above that awaits at its top level."""
        with session.attempt():
            return await self._awaited(magic, line, cell)

    async def _awaited(self, magic: str, line: str, cell: str) -> Any:
        options, prepared = self._read(magic, line, cell)
        if options.compare:
            raise _refused("--compare: a cell that awaits can't be run again and again")
        with _ShownAsUsers(self.shell):
            if magic == "imperative":
                value = await await_imperatively(prepared, self.shell.user_ns)
                return None if prepared.quiet else value
            value, report = await await_symbolically(
                prepared, options, self._namespace(options), session.later
            )
        return self._finish(prepared, options, value, report)

    def compute_mentioned(self) -> None:
        """The first statement of a cell that may read deferred names."""
        __tracebackhide__ = True
        with _ShownAsUsers(self.shell):
            before_cell.compute(self.shell)

    def _read(self, magic: str, line: str, body: str) -> tuple[Options, Cell]:
        if magic == "imperative" and line.strip():
            raise _refused(f"%%imperative takes no options, got {line.strip()!r}")
        try:
            options = option_parser.parse(line)
        except UsageError as error:
            raise _refused(str(error)) from None
        if options.donate:
            session.last_report = None  # it holds the arrays that its cell read
        first = None if options.implicit else f"%%{magic} {line}".rstrip()
        with suspended():
            prepared = prepare(self.shell, body, first, _cell_id(self.shell), transformed)
        if options.implicit:
            _keep_history(self.shell, prepared.source)
        return options, prepared

    def _namespace(self, options: Options) -> dict[str, Any]:
        names: dict[str, Any] = self.shell.user_ns
        return dict(names) if options.scratch else names

    def _finish(self, prepared: Cell, options: Options, value: Any, report: Report) -> Any:
        session.keep(report)
        known = ways.find(prepared, options) if options.auto else None
        if known is not None:
            report.ran_as = known.figures()
        outcomes.ran(report)
        report.computed += session.later.taken()
        if report.compare is not None:
            display(report.compare)
        elif options.view != "none" and _is_worth_showing(report):
            show(report, self.shell)
        return None if prepared.quiet else value

    @line_magic
    def hybrid(self, line: str) -> None:
        """Show or set the default mode of later cells, explain the last cell, or start afresh.

        %hybrid mode symbolic|imperative|auto   how later cells run; scripts of %run stay imperative
        %hybrid mode symbolic --force           records also what plain Python runs faster
        %hybrid explain                         what became of the last hybridized cell, and why
        %hybrid clear                           forgets every compiled program
        %hybrid output 5                        an output may take 5 MB of the notebook's file
        %hybrid alias mxnet [--replace]         import mxnet finds what is here; --replace: also
                                                where genuine MXNet is; %hybrid alias off ends it
        %hybrid gpus 4 like V100                four virtual GPUs, their times modelled by the data
                                                sheet; modelled-only: nothing is computed there

        In mode auto cells run as written, but for loops that have run for long: these are compiled
        if they can be. Cells that run again go the fastest way that was measured.
        """
        words = line.split()
        if words == ["explain"]:
            report, session.asked = session.last_report, True
            none = session.no_report or "no cell has been hybridized yet"
            print(report.explain() if report else none)
            return
        if words == ["clear"]:
            programs = program_cache.clear()
            why_compiled.clear()
            skip.clear()
            print(f"{programs} compiled program{'' if programs == 1 else 's'} forgotten")
            return
        if words[:1] == ["output"]:
            _limit_outputs(words[1:])
            return
        if words[:1] == ["alias"]:
            alias(words[1:])
            return
        if words[:1] == ["gpus"]:
            gpus(words[1:])
            return
        force = words == ["mode", "symbolic", "--force"]
        if force or (len(words) == 2 and words[0] == "mode" and words[1] in MODES):
            session.mode, session.force = words[1], force
            session.changed()
        elif words not in ([], ["mode"]):
            raise MagicUsageError(
                "expected %hybrid mode symbolic [--force]|imperative|auto, %hybrid explain, "
                "%hybrid clear, %hybrid output MB, %hybrid alias mxnet or %hybrid gpus N, "
                f"got %hybrid {line.strip()}"
            )
        print(f"cells run {MODES[session.mode]}")

    @line_magic
    def engine(self, line: str) -> Any:
        """Show or change the engine: %engine [naive|threaded] [inline on|off] [limit N] [slow S].

        %engine report says which lines waited for it since the last cell began, and for what.
        %engine timeline gives what ran since then, by operator and line: a table of pandas.
        %engine memory says what is in its memory now, and which names hold it.

        naive runs each operator when it is called; threaded queues it. inline off sends small
        operators through the queue too. limit bounds the operators waiting. slow holds each queued
        operator that many seconds, marked as artificial, so that the queue can be watched.
        """
        if line.split() == ["report"]:
            print(live.report(running.last_began))
            return None
        if line.split() == ["timeline"]:
            return live.timeline()
        if line.split() == ["memory"]:
            print(live.memory(self.shell.user_ns))
            return None
        changes = _engine_changes(line.split())
        if changes:
            _core.set_engine(**changes)
            session.changed()
        now = _core.engine_settings()
        print(
            f"engine {now['kind']}, inline {'on' if now['inline'] else 'off'}, "
            f"limit {now['limit_ops']:,} operators, slow {now['slow']:g} s"
        )
        return None


def _refused(why: str) -> MagicUsageError:
    outcomes.refused()
    return MagicUsageError(why)


class _ShownAsUsers:
    """Around a run: errors are shown where the user's lines made them."""

    def __init__(self, shell: Any):
        self._shell = shell

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, UsageError):
            raise _refused(str(error)) from None
        if error is not None:
            show_as_users(self._shell, error)


def _run(prepared: Cell, options: Options, namespace: dict[str, Any]) -> tuple[Any, Report]:
    """Runs the cell: without its body where that is proven the same, not recorded where that is
    faster.
    """
    __tracebackhide__ = True
    if prepared.is_deep:
        return run_symbolically(prepared, options, namespace, session.later)
    known = ways.find(prepared, options) or ways.begin(prepared, options)
    if known is not None:
        known.look(namespace)
    alone = trace_state.recorder() is None and not watching()
    can_skip = alone and skip.is_known(prepared, options)
    if can_skip and (known is None or known.way(True) == "skipped"):
        start = ways.clock()
        proven = skip.find(prepared, options, namespace)
        if proven is not None:
            with suppress(MXNetError):  # then its line is to be named: the body runs
                done = proven.run(namespace)
                if known is not None:
                    known.ran("skipped", ways.clock() - start)
                return done
        can_skip = False
    way = "recorded" if known is None else known.way(can_skip)
    if way == "recorded":
        return run_symbolically(prepared, options, namespace, session.later)
    assert known is not None
    compiled = way == "compiled"
    start, ran = ways.clock(), None
    if compiled:
        value, ran = run_compiled(prepared, namespace, known.hot_share)
    else:
        value = run_imperatively(prepared, namespace)
    took = ways.clock() - start
    report = known.ran_alone("compiled" if compiled else "written", took, ran)
    report.alone = known.last
    return value, report


def _is_worth_showing(report: Report) -> bool:
    told = report.graph_breaks or report.units
    return bool(report.segments or (told and not report.options.implicit))


def _limit_outputs(words: list[str]) -> None:
    if words:
        try:
            (given,) = words
            wanted = float(given)
        except ValueError:
            wanted = 0.0
        if not 0.01 <= wanted <= 1000:
            raise MagicUsageError(
                f"%hybrid output: expected megabytes from 0.01 to 1000, got {' '.join(words)}"
            )
        output_limit.bytes = int(wanted * 2**20)
    print(f"an output may take {output_limit.bytes / 2**20:g} MB of the notebook's file")


def _engine_changes(words: list[str]) -> dict[str, Any]:
    changes: dict[str, Any] = {}
    rest = iter(words)
    try:
        for word in rest:
            if word in ("naive", "threaded"):
                changes["kind"] = word
            elif word == "inline":
                changes["inline"] = {"on": True, "off": False}[next(rest)]
            elif word == "limit":
                changes["limit_ops"] = int(next(rest))
            elif word == "slow":
                changes["slow"] = float(next(rest))
            else:
                raise KeyError(word)
    except (KeyError, StopIteration, ValueError):
        raise MagicUsageError(f"expected {_ENGINE_USAGE}, got %engine {' '.join(words)}") from None
    if not 1 <= changes.get("limit_ops", 1) < 2**31 or not 0 <= changes.get("slow", 0) <= 60:
        raise MagicUsageError(
            "%engine: limit is from 1 to 2,147,483,647, slow between 0 and 60 seconds"
        )
    return changes


def _keep_history(shell: Any, source: str) -> None:
    """``In`` and the history hold the cell, not what stands for it."""
    result = getattr(getattr(shell, "displayhook", None), "exec_result", None)
    _keep_history_of(result, source)


def _keep_history_of(result: Any, source: str | None = None) -> None:
    """The cell of this result of IPython's is told as it was typed. Other cell magics run it in
    ways of their own: they are looked at when they have ended."""
    history = getattr(_shell, "history_manager", None)
    number = getattr(result, "execution_count", None)
    info = getattr(result, "info", None)
    if history is None or number is None or not getattr(info, "store_history", False):
        return
    parsed = history.input_hist_parsed
    if number < len(parsed) and is_ours(parsed[number]):
        typed = parsed[number] = as_typed(parsed[number], source)
        waiting = getattr(history, "db_input_cache", None)
        if waiting and waiting[-1][0] == number:
            waiting[-1] = (number, typed, *waiting[-1][2:])


def _cell_id(shell: Any) -> str | None:
    """The notebook's id of the running cell, when a notebook front end sent it."""
    if running.cell_id() is not None:
        return running.cell_id()
    kernel = getattr(shell, "kernel", None)
    if kernel is None:
        return None
    parent = kernel.get_parent("shell") or {}
    return (parent.get("metadata") or {}).get("cellId")


_shell: Any = None


def load(shell: Any) -> None:
    """Registers the magics and hooks with an IPython shell; safe to call again."""
    global _shell
    magics = HybridMagics(shell)
    shell.register_magics(magics)
    if _shell is shell:
        return
    _shell = shell
    start()
    use(shell, magics.called_cell)
    shell.input_transformers_cleanup.append(transform)
    shell.events.register("pre_run_cell", running.start)
    shell.events.register("pre_run_cell", outcomes.began)
    shell.events.register("post_run_cell", running.finish)
    shell.events.register("post_run_cell", outcomes.ended)
    shell.events.register("post_run_cell", trifles.ended)
    shell.events.register("post_run_cell", _keep_history_of)
    shell.events.register("post_run_cell", meetings.cell_ended)
    before_cell.start(shell, magics.compute_mentioned)
    completion.start(shell, MODES)
    live.start(shell, session, outcomes.messages)


def unload(shell: Any) -> None:
    """Takes the hooks out again; the magics stay until the kernel restarts."""
    global _shell
    if _shell is not shell:
        return
    shell.input_transformers_cleanup.remove(transform)
    shell.events.unregister("pre_run_cell", running.start)
    shell.events.unregister("pre_run_cell", outcomes.began)
    shell.events.unregister("post_run_cell", running.finish)
    shell.events.unregister("post_run_cell", outcomes.ended)
    shell.events.unregister("post_run_cell", trifles.ended)
    shell.events.unregister("post_run_cell", _keep_history_of)
    shell.events.unregister("post_run_cell", meetings.cell_ended)
    before_cell.stop(shell)
    completion.stop(shell)
    running.clear()
    outcomes.clear()
    live.stop(shell, session)
    session.mode = "imperative"
    _shell = None
