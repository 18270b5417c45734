"""The compiled programs that a picture is of."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..reports.lifetimes import Life
from .schema import Serials

PROCESS = uuid.uuid4().hex  # serials begin anew in each


@dataclass
class Part:
    """One compiled segment of what is drawn, with its ids shifted to be unique."""

    program: Any  # _core.Program
    offset: int
    times: Any = None  # _core.RunTimes of its runs
    runs: int = 1
    lives: Sequence[Life] = ()  # of its outputs; none: to its own end
    earlier: frozenset[int] = frozenset()  # ids of inputs that an earlier part has made

    @property
    def plan(self) -> Any:
        """Where its values lie."""
        return self.program.plan

    @cached_property
    def graph(self) -> Any:
        """As it was planned."""
        return self.program.graph

    @property
    def serials(self) -> Serials:
        """What the trace of this process calls its nodes: ``first`` + id, of ``count`` ids."""
        first, count = self.program.serials
        return {
            "process": PROCESS,
            "first": first,
            "count": count if first else 0,
            "offset": self.offset,
        }

    @property
    def is_placed(self) -> bool:
        """On several devices: its own parts run apart, each with its own times and serials."""
        return bool(self.program.serials[0] == 0)

    @property
    def running(self) -> bool:
        """A run of it is under way."""
        return self.times is not None and bool(self.times.running)
