"""The magics: ``%%hybridize``, ``%%imperative``, ``%hybrid`` and ``%engine``."""

from __future__ import annotations

import re
from typing import Any

from IPython.core.error import UsageError as MagicUsageError
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class, no_var_expand
from IPython.display import display

from .. import _core, live
from . import options as option_parser
from .cell import Cell, prepare
from .cell_report import Report
from .deferred import DeferredNames
from .options import UsageError
from .runner import run_imperatively, run_symbolically
from .runtime import install

MODES = ("imperative", "symbolic")
_AWAITS = (
    "%%{magic}: a cell magic can't run a cell that awaits at its top level; await in a plain cell"
)
_ENGINE_USAGE = "%engine [naive|threaded] [inline on|off] [limit N] [slow SECONDS]"


class Session:
    """What the magics of one kernel share: default mode, last report, deferred names."""

    def __init__(self) -> None:
        self.mode = "imperative"
        self.last_report: Report | None = None
        self.later = DeferredNames()
        self.listeners: list[Any] = []  # called without arguments when mode or engine change

    def changed(self) -> None:
        """Tells the live panel."""
        for listener in self.listeners:
            listener()


session = Session()


@magics_class
class HybridMagics(Magics):
    """Cell and line magics of jupyter_hybrid."""

    shell: Any

    @no_var_expand
    @cell_magic
    def hybridize(self, line: str, cell: str) -> Any:
        """Run the cell symbolically: record its graph, compile it, run it, draw it.

        %%hybridize [--out NAMES] [--donate NAMES] [--passes LIST] [--no-PASS]
                    [--view graph|memory|program|none]

        --out NAMES     compute only these names; every other value may be planned away
        --donate NAMES  unbind these input arrays and reuse their memory
        --passes LIST   run exactly these passes (infer and plan always run)
        --no-PASS       switch one pass off, for example --no-fuse; --no-plan shares no memory
        --view VIEW     what the picture opens on; none shows no picture
        """
        __tracebackhide__ = True
        try:
            options = option_parser.parse(line)
        except UsageError as error:
            raise MagicUsageError(str(error)) from None
        prepared = self._prepare("hybridize", line, cell, options.implicit)
        if prepared.awaits:
            raise MagicUsageError(_AWAITS.format(magic="hybridize"))
        try:
            value, report = run_symbolically(prepared, options, self.shell.user_ns, session.later)
        except UsageError as error:
            raise MagicUsageError(str(error)) from None
        session.last_report = report
        worth_showing = report.segments or (report.graph_breaks and not options.implicit)
        if options.view != "none" and worth_showing:
            display(report)
        return None if prepared.quiet else value

    @no_var_expand
    @cell_magic
    def imperative(self, line: str, cell: str) -> Any:
        """Run the cell imperatively, also when symbolic is the default mode."""
        __tracebackhide__ = True
        if line.strip():
            raise MagicUsageError(f"%%imperative takes no options, got {line.strip()!r}")
        prepared = self._prepare("imperative", line, cell, False)
        if prepared.awaits:
            raise MagicUsageError(_AWAITS.format(magic="imperative"))
        value = run_imperatively(prepared, self.shell.user_ns)
        return None if prepared.quiet else value

    @line_magic
    def hybrid(self, line: str) -> None:
        """Show or set the default mode of later cells: %hybrid mode symbolic|imperative."""
        words = line.split()
        if len(words) == 2 and words[0] == "mode" and words[1] in MODES:
            session.mode = words[1]
            session.changed()
        elif words not in ([], ["mode"]):
            raise MagicUsageError(
                f"expected %hybrid mode symbolic|imperative, got %hybrid {line.strip()}"
            )
        print(f"cells run {'symbolically' if session.mode == 'symbolic' else 'imperatively'}")

    @line_magic
    def engine(self, line: str) -> None:
        """Show or change the engine: %engine [naive|threaded] [inline on|off] [limit N] [slow S].

        naive runs each operator when it is called; threaded queues it. inline off sends small
        operators through the queue too. limit bounds the operators waiting. slow holds each queued
        operator that many seconds, marked as artificial, so that the queue can be watched.
        """
        changes = _engine_changes(line.split())
        if changes:
            _core.set_engine(**changes)
            session.changed()
        now = _core.engine_settings()
        print(
            f"engine {now['kind']}, inline {'on' if now['inline'] else 'off'}, "
            f"limit {now['limit_ops']:,} operators, slow {now['slow']:g} s"
        )

    def _prepare(self, magic: str, line: str, body: str, implicit: bool) -> Cell:
        first = None if implicit else f"%%{magic} {line}".rstrip()
        with _suspended_mode():
            return prepare(self.shell, body, first, _cell_id(self.shell))


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
    if changes.get("limit_ops", 1) < 1 or not 0 <= changes.get("slow", 0) <= 60:
        raise MagicUsageError("%engine: limit is at least 1, slow between 0 and 60 seconds")
    return changes


def _cell_id(shell: Any) -> str | None:
    """The notebook's id of the running cell, when a notebook front end sent it."""
    kernel = getattr(shell, "kernel", None)
    if kernel is None:
        return None
    parent = kernel.get_parent("shell") or {}
    return (parent.get("metadata") or {}).get("cellId")


# Default mode -----------------------------------------------------------------------------------
class _suspended_mode:
    """Keeps the default mode from being applied again to the body of a magic cell."""

    depth = 0

    def __enter__(self) -> None:
        _suspended_mode.depth += 1

    def __exit__(self, *exc: Any) -> None:
        _suspended_mode.depth -= 1


def default_mode(lines: list[str]) -> list[str]:
    """Input transformer: in symbolic mode a plain cell runs under ``%%hybridize``."""
    if session.mode != "symbolic" or _suspended_mode.depth or not lines:
        return lines
    first = next((line for line in lines if line.strip()), "")
    if first.startswith("%%") or not _has_python(lines):
        return lines
    return ["%%hybridize --implicit\n", *lines]


def _has_python(lines: list[str]) -> bool:
    return any(line.strip() and not re.match(r"\s*[%!?#]", line) for line in lines)


def _compute_mentioned(info: Any) -> None:
    """Before a cell: deferred names that it mentions become their real values."""
    shell = _shell
    if shell is None or not info.raw_cell:
        return
    namespace = shell.user_ns
    for deferred in session.later.mentioned_in(info.raw_cell, namespace):
        session.later.rebind(deferred, namespace)
    session.later.forget_dead(namespace)


_shell: Any = None


def load(shell: Any) -> None:
    """Registers the magics and hooks with an IPython shell; safe to call again."""
    global _shell
    shell.register_magics(HybridMagics)
    if _shell is shell:
        return
    _shell = shell
    install()
    _core.set_materialize_hook(_materialize)
    shell.input_transformers_cleanup.append(default_mode)
    shell.events.register("pre_run_cell", _compute_mentioned)
    live.start(shell, session)


def unload(shell: Any) -> None:
    """Takes the hooks out again; the magics stay until the kernel restarts."""
    global _shell
    if _shell is not shell:
        return
    shell.input_transformers_cleanup.remove(default_mode)
    shell.events.unregister("pre_run_cell", _compute_mentioned)
    live.stop(shell, session)
    session.mode = "imperative"
    _shell = None


def _materialize(arrays: list[Any]) -> None:
    """Somebody reads traced arrays: the running cell's, or deferred ones."""
    recorder = install().recorder
    if recorder is None:
        session.later.materialize(arrays)
    elif _core.is_recording():
        recorder.sync(arrays, "autograd records here and needs values")
    else:
        recorder.sync(arrays, "a value is read")
