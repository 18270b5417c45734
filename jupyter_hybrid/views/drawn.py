"""Stages that were drawn before: a cell that runs again shows the same ones."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from .schema import Group, Place, Stage

_MOST_NODES = 20_000  # of all stages that are kept


@dataclass(eq=False)
class Drawn:
    """Those of one picture, which nobody changes.

    Attributes:
        groups: what the nodes are grouped by.
        places: where they come from, outside the picture's cell.
        packed: the stages as they are sent, once they were.
    """

    stages: list[Stage]
    groups: list[Group]
    places: list[Place]
    packed: list[Any] | None = None

    @property
    def nodes(self) -> int:
        return sum(len(stage["graph"]["nodes"]) for stage in self.stages)


_kept: OrderedDict[Hashable, Drawn] = OrderedDict()  # in the order of use
_lock = threading.Lock()  # pictures are made by threads of their own, too


def drawn(same: Hashable | None, draw: Callable[[], Drawn]) -> Drawn:
    """The stages of a picture.

    Args:
        same: what decides how they look; None: they are no cell's.
        draw: draws them, unless a picture of that did.
    """
    with _lock:
        known = None if same is None else _kept.get(same)
        if known is not None:
            _kept.move_to_end(same)
            return known
    made = draw()
    if same is not None:
        with _lock:
            _kept[same] = made
            while len(_kept) > 1 and sum(d.nodes for d in _kept.values()) > _MOST_NODES:
                _kept.popitem(last=False)
    return made


def of_stages(stages: list[Stage]) -> Drawn | None:
    """What is kept of these very stages."""
    with _lock:
        return next((d for d in _kept.values() if d.stages is stages), None)
