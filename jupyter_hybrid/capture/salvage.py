"""After a kernel failed: what does not depend on it gets its value, as in the imperative cell."""

from __future__ import annotations

from typing import Any

from .. import _core
from ..base import MXNetError
from .compute import Ran
from .options import Options
from .program_cache import Recipe, build

_ALONE = Options(passes=("dce",))


def error_of(array: Any) -> MXNetError | None:
    """Waits for a computed array; its error, if it has one."""
    try:
        array.wait_to_read()
    except MXNetError as error:
        return error
    return None


def succeeded(run: Ran) -> bool:
    """Waits for a run: did it and everything that it was computed from?"""
    return all(a._traced or error_of(a) is None for a in run.outputs)


def salvage(runs: list[Ran]) -> MXNetError | None:
    """Waits for what was computed and gives values to all that can have one.

    A failed kernel fails its whole program. Each output is then computed by itself from the graph
    as written, so only what depends on the failing operator goes on raising. Returns the first
    error, or None.
    """
    first: MXNetError | None = None
    for run in runs:
        failed = [a for a in run.outputs if not a._traced and error_of(a) is not None]
        if not failed or run.raised:
            continue
        segment = run.segment
        if any(segment.donated) or segment.updates:  # their memory may hold something else by now
            first = first or error_of(failed[0])
            continue
        for i, array in enumerate(run.outputs):
            if not any(array is a for a in failed):
                continue
            graph, donated = segment.graph.with_outputs([i]), (False,) * len(run.inputs)
            alone = build(Recipe(graph, _ALONE, donated, ()))
            (value,) = alone.program.run(run.inputs, run.keys, recorded=True)
            first = first or error_of(value)
            _core.set_value(array, value)
    return first
