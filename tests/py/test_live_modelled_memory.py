"""What modelled memory is used for, as the live panel gets it."""

from __future__ import annotations

from typing import Any

import numpy as np
from modelled_helpers import TOY, devices

from jupyter_hybrid import _core, nd
from jupyter_hybrid.live.modelled import ModelledReader
from jupyter_hybrid.live.modelled_memory import MemoryReader

KINDS = len(_core.MEMORY_KINDS)
ARRAYS = _core.MEMORY_KINDS.index("arrays")


class Changes:
    """Stands for ``_core.model_memory``, of which it keeps the newest."""

    def __init__(self, keeps: int = 1 << 18) -> None:
        self.rows: list[tuple[float, int, int, int]] = []
        self.keeps = keeps

    def __call__(self, first: int, before: bool = True) -> dict[str, Any]:
        lost = max(0, len(self.rows) - self.keeps - first)
        at = first + lost
        held = np.zeros((64, KINDS), np.int64)
        for _, size, device, kind in self.rows[:at]:
            held[device, kind] += size
        kept = [(0, held[d, k], d, k) for d, k in zip(*np.nonzero(held), strict=True)]
        return {
            "before": self._packed(kept if before else []),
            "changes": self._packed(self.rows[at:]),
            "lost": lost,
            "next": len(self.rows),
        }

    @staticmethod
    def _packed(rows: list[Any]) -> bytes:
        packed = np.zeros(len(rows), _core.MODEL_MEMORY_DTYPE)
        for i, field in enumerate(("time_s", "bytes", "device", "kind")):
            packed[field] = [row[i] for row in rows]
        return packed.tobytes()


def told(reader: MemoryReader, shown_s: float) -> list[list[float]]:
    """Milliseconds, device, bytes in parameters and gradients."""
    return np.frombuffer(reader.due(shown_s)).reshape(-1, 2 + KINDS)[:, :4].tolist()


def test_a_change_is_told_when_its_time_has_come():
    changes = Changes()
    changes.rows = [(1.0, 64, 0, 0), (2.0, 128, 1, 1), (3.0, -64, 0, 0), (2.5, 64, 0, 1)]
    reader = MemoryReader(changes)
    assert told(reader, 0.5) == []
    assert told(reader, 2.6) == [[1000, 0, 64, 0], [2500, 0, 64, 64], [2000, 1, 0, 128]]
    changes.rows.append((2.2, 64, 1, 1))  # known too late
    assert told(reader, 3.0) == [[3000, 0, 0, 64], [2600, 1, 0, 192]]
    assert told(reader, 9.0) == []


def test_of_too_many_the_highest_and_the_last_are_told():
    changes = Changes()
    changes.rows = [(i * 1e-3, 64 if i < 777 else -64, 0, 0) for i in range(1500)]
    states = told(MemoryReader(changes), 2.0)
    assert 2 < len(states) <= 128
    assert max(row[2] for row in states) == 777 * 64
    assert states[-1] == [1499, 0, (777 - 723) * 64, 0]


def test_what_was_lost_is_made_good_by_what_is_held():
    changes = Changes(keeps=3)
    changes.rows = [(0.0, 64, 0, 0)]
    reader = MemoryReader(changes)
    assert told(reader, 1.0) == [[0, 0, 64, 0]]
    changes.rows += [(2.0 + i, 64, 0, 0) for i in range(9)]
    assert told(reader, 20.0)[-1] == [10000, 0, 640, 0]


def test_of_real_devices_it_ends_with_what_their_pools_hold():
    with devices(2) as gpus:
        reader = ModelledReader()
        kept = [nd.ones((100, 100), ctx=gpu) + 1 for gpu in gpus]
        nd.waitall()
        frame = reader.frame(0.0, over=True)
        assert frame.head["memory_kinds"] == list(_core.MEMORY_KINDS)
        rows = np.frombuffer(frame.memory).reshape(-1, 2 + KINDS)
        for i, gpu in enumerate(gpus):
            last = rows[rows[:, 1] == i][-1]
            assert last[2 + ARRAYS] == last[2:].sum() == _core.pool_stats(gpu)["used"] == 40_000
        costs = np.frombuffer(frame.costs, "<f4").reshape(-1, 3)
        assert len(costs) == len(np.frombuffer(frame.spans, _core.SPAN_DTYPE))
        additions = costs[costs[:, 0] == 10_000]
        assert len(additions) == 2 and (additions[:, 2] == TOY.float32).all()
        del kept
