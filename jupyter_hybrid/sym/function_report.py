"""What compiling a function did: its stages as text, and its bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import _core
from ..array_bytes import imperative_of

__all__ = ["FunctionReport"]


class FunctionReport:
    """Stages and plan of one compiled signature.

    Attributes:
        stages: the graph after each pass (``name``, ``graph``, ``changes``, ``why_skipped``).
        compile_s: seconds that compiling took.
    """

    def __init__(self, compiled: Any, keys: Sequence[str] | None = None):
        self.compiled = compiled
        self._keys = keys
        self.stages = list(compiled.stages)
        self.compile_s = compiled.seconds

    @property
    def program(self) -> dict[str, str]:
        """Stage name -> Python-like text."""
        return {stage.name: str(stage.graph) for stage in self.stages}

    @property
    def plan(self) -> Any:
        """Where every value lives."""
        return self.compiled.program.plan

    @property
    def bytes_planned(self) -> int:
        """Peak of bytes that a call creates, results included; updates in place create none."""
        return int(self.plan.planned_bytes)

    @property
    def bytes_imperative(self) -> int:
        """Peak of bytes when it runs one by one, an array for each value until its last use."""
        return imperative_of(self.compiled)

    @property
    def implicit_edges(self) -> list[tuple[int, int]]:
        """(a, b): kernel b waits for a only because it writes where values of a are (node ids)."""
        program = self.compiled.program
        return list(_core.implicit_edges(program.graph, program.plan))

    @property
    def bytes_lower_bound(self) -> int:
        """What no plan for the same buffers can go below."""
        return int(self.plan.lower_bound_bytes)

    def _drawn(self) -> tuple[Any, str, Any]:
        return self.compiled, "function", self._keys

    def __repr__(self) -> str:
        changed = [s for s in self.stages if s.changed]
        lines = [
            f"bytes     {self.bytes_imperative:,} imperative, {self.bytes_planned:,} planned "
            f"(lower bound {self.bytes_lower_bound:,})",
            f"time      compile {self.compile_s * 1e3:.2f} ms",
            *(f"stage     {s.name}: {s.label}" for s in changed),
        ]
        same = [f"{s.name} ({s.why_skipped})" for s in self.stages if not s.changed]
        return "\n".join([*lines, *(f"unchanged {text}" for text in same)])
