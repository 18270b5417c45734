"""The compiled programs that a picture is of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any


@dataclass
class Part:
    """One compiled segment of what is drawn, with its ids shifted to be unique."""

    program: Any  # _core.Program
    offset: int
    times: Any = None  # _core.RunTimes of its runs
    runs: int = 1

    @property
    def plan(self) -> Any:
        """Where its values lie."""
        return self.program.plan

    @cached_property
    def graph(self) -> Any:
        """As it was planned."""
        return self.program.graph

    @property
    def serials(self) -> dict[str, int]:
        """What the trace calls its nodes: ``first`` + id, of ``count`` ids."""
        first, count = self.program.serials
        return {"first": first, "count": count if first else 0, "offset": self.offset}
