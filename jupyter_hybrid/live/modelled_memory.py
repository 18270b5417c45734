"""What the memory of modelled devices is used for, for one panel: states that are due, packed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import _core

__all__ = ["MemoryReader"]

_KINDS = len(_core.MEMORY_KINDS)
_MOST = 128  # states of a device in a frame


class MemoryReader:
    """Reads the changes from the clock's begin, with a place of its own.

    Args:
        read: ``_core.model_memory``, or what stands for it.
    """

    def __init__(self, read: Callable[..., dict[str, Any]] = _core.model_memory) -> None:
        self._read = read
        self.begin()

    def begin(self) -> None:
        """Another clock, or another reader."""
        self._next = 0
        self._waiting = np.empty(0, _core.MODEL_MEMORY_DTYPE)
        self._held: dict[int, np.ndarray] = {}  # by device: bytes by kind
        self._told_s = 0.0

    def due(self, shown_s: float) -> bytes:
        """States up to that time, float64: milliseconds, the device's number, bytes by kind.

        What is known too late counts as of the last time that was told.
        """
        self._take()
        due = self._waiting["time_s"] <= shown_s
        changes, self._waiting = self._waiting[due], self._waiting[~due]
        changes = changes[np.argsort(changes["time_s"], kind="stable")]
        self._told_s = max(self._told_s, shown_s)
        found = [self._states(int(d), changes) for d in np.unique(changes["device"])]
        return np.concatenate(found).tobytes() if found else b""

    def _take(self) -> None:
        seen = self._read(self._next, before=False)
        if seen["lost"]:  # begin anew with what is held
            seen = self._read(self._next, before=True)
            self._held = {device: 0 * held for device, held in self._held.items()}
            self._waiting = np.frombuffer(seen["before"], _core.MODEL_MEMORY_DTYPE).copy()
        self._next = seen["next"]
        new = np.frombuffer(seen["changes"], _core.MODEL_MEMORY_DTYPE)
        self._waiting = np.concatenate([self._waiting, new])
        self._waiting["time_s"] = np.maximum(self._waiting["time_s"], self._told_s)

    def _states(self, device: int, changes: np.ndarray) -> np.ndarray:
        mine = changes[changes["device"] == device]
        deltas = np.zeros((len(mine), _KINDS))
        deltas[np.arange(len(mine)), mine["kind"]] = mine["bytes"]
        held = self._held.get(device, np.zeros(_KINDS)) + np.cumsum(deltas, axis=0)
        self._held[device] = held[-1]
        kept = _told(mine["time_s"], held.sum(axis=1))
        states = np.empty((len(kept), 2 + _KINDS))
        states[:, 0], states[:, 1] = mine["time_s"][kept] * 1e3, device
        states[:, 2:] = held[kept]
        return states


def _told(times: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """Rows to tell: the last one of each moment; of too many the highest of each part, and the last
    of all."""
    last = np.flatnonzero(np.append(times[1:] != times[:-1], True))
    if len(last) <= _MOST:
        return last
    parts = np.array_split(last, _MOST - 1)
    return np.unique([*(part[totals[part].argmax()] for part in parts), last[-1]])
