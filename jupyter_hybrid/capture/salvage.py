"""After a kernel failed: what does not depend on it gets its value, as in the imperative cell."""

from __future__ import annotations

from typing import Any

from .. import _core
from ..base import MXNetError
from .compute import Segment


def error_of(array: Any) -> MXNetError | None:
    """Waits for a computed array; its error, if it has one."""
    try:
        array.wait_to_read()
    except MXNetError as error:
        return error
    return None


def salvage(segments: list[Segment]) -> MXNetError | None:
    """Waits for what the segments computed and gives values to all that can have one.

    A failed kernel fails its whole program. Each output is then computed by itself from the graph
    as written, so only what depends on the failing operator goes on raising. Returns the first
    error, or None.
    """
    first: MXNetError | None = None
    for segment in segments:
        failed = [a for a in segment.outputs if not a._traced and error_of(a) is not None]
        if not failed or segment.raised:
            continue
        if any(segment.donated) or segment.updates:  # their memory may hold something else by now
            first = first or error_of(failed[0])
            continue
        for i, array in enumerate(segment.outputs):
            if not any(array is a for a in failed):
                continue
            alone = _core.compile(
                segment.graph.with_outputs([i]),
                passes=["dce"],
                only_these=True,
                without=[],
                donated=[False] * len(segment.inputs),
                training=True,
                devices="recorded",
            )
            (value,) = alone.program.run(segment.inputs, segment.keys, recorded=True)
            first = first or error_of(value)
            _core.set_value(array, value)
    return first
