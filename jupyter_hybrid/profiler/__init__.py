"""MXNet's ``profiler``: what operators took, measured by the engine that ran them.

    profiler.set_config(filename="profile.json", aggregate_stats=True)
    profiler.set_state("run")
    ...
    profiler.set_state("stop")
    print(profiler.dumps())
    profiler.dump()

Operators have the names of this engine ("add_scalar"); waiting for one is listed by itself
(category "wait"). There is no C interface to be measured: ``profile_api`` is accepted and records
nothing. The live panel shows the same spans while they run.
"""

from __future__ import annotations

import warnings
from typing import Any

from .._core import MXNetError
from . import settings, tables
from .records import records
from .scopes import Counter, Domain, Event, Frame, Marker, Task

__all__ = [
    "Counter", "Domain", "Event", "Frame", "Marker", "Task", "dump", "dump_profile", "dumps",
    "pause", "profiler_set_config", "profiler_set_state", "resume", "set_config", "set_state",
]  # fmt: skip

_STATES = {"stop": False, "run": True}


def set_config(**kwargs: Any) -> None:
    """Settings; what isn't given has its default.

    Args:
        filename: where ``dump`` writes, 'profile.json'.
        profile_all, profile_symbolic, profile_imperative, profile_memory, profile_api: what is
            recorded: operators of programs, operators that run at once, memory in use.
        continuous_dump, dump_period: the file is written again, at most once in so many seconds,
            whenever something of this module is recorded.
        aggregate_stats: ``dumps`` has something to say.
        profile_process: 'worker'; there are no servers.

    Raises:
        MXNetError: an unknown setting, or a value of another kind.
    """
    records.settings = settings.read(kwargs)


def profiler_set_config(mode: str = "symbolic", filename: str = "profile.json") -> None:
    """Deprecated: :func:`set_config`."""
    warnings.warn("profiler_set_config() is deprecated, use profiler.set_config()", stacklevel=2)
    set_config(**{f"profile_{mode}": True, "filename": filename})


def set_state(state: str = "stop", profile_process: str = "worker") -> None:
    """'run' or 'stop'.

    Raises:
        KeyError: another state or process.
        MXNetError: the process is 'server': there are none.
    """
    wanted = _STATES[state]
    _require_worker("set_state", profile_process)
    records.set_state(wanted)


def profiler_set_state(state: str = "stop") -> None:
    """Deprecated: :func:`set_state`."""
    warnings.warn("profiler_set_state() is deprecated, use profiler.set_state()", stacklevel=2)
    set_state(state)


def pause(profile_process: str = "worker") -> None:
    """Nothing is recorded until :func:`resume`."""
    _require_worker("pause", profile_process)
    records.set_paused(True)


def resume(profile_process: str = "worker") -> None:
    """Recording goes on after :func:`pause`."""
    _require_worker("resume", profile_process)
    records.set_paused(False)


def dump(finished: bool = True, profile_process: str = "worker") -> None:
    """Writes what was recorded to the file of :func:`set_config`, a Chrome trace.

    Operators that still run are not in it: ``nd.waitall()`` before. ``finished`` ends recording
    and forgets it.
    """
    _require_worker("dump", profile_process)
    records.dump(finished)


def dump_profile() -> None:
    """Deprecated: :func:`dump`."""
    warnings.warn("dump_profile() is deprecated, use profiler.dump()", stacklevel=2)
    dump(True)


def dumps(
    reset: bool = False, format: str = "table", sort_by: str = "total", ascending: bool = False
) -> str:
    """Statistics of what was recorded; '' unless ``aggregate_stats`` is set.

    Args:
        reset: they begin anew after this.
        format: 'table' or 'json'.
        sort_by: 'total', 'avg', 'min', 'max' or 'count'.

    Raises:
        AssertionError: another format or order.
    """
    assert format in ("table", "json"), f"dumps: given format {format!r}, expected 'table', 'json'"
    assert sort_by in tables.SORTED_BY, (
        f"dumps: given sort_by {sort_by!r}, expected one of {', '.join(tables.SORTED_BY)}"
    )
    if not records.settings.aggregate_stats:
        return ""
    found = tables.statistics(*records.counted())
    if reset:
        records.reset_statistics()
    if format == "json":
        return tables.as_json(found, sort_by, ascending)
    return tables.as_table(found, records.lost, sort_by, ascending)


def _require_worker(function: str, process: str) -> None:
    if process not in ("worker", "server"):
        raise KeyError(process)
    if process == "server":
        raise MXNetError(f"profiler.{function}: there are no servers, one process does everything")
