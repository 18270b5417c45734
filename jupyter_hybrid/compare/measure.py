"""Measures two ways to run a cell: in turn, warmed; time, memory, kernels, where the time goes."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from .. import _core

_RUNNING, _WAIT = _core.SPAN_FLAGS["running"], _core.SPAN_FLAGS["wait"]
_MIN_ROUNDS, _MAX_ROUNDS = 3, 400
Prepared = Callable[[], Callable[[], Any]]  # makes one run ready; the run itself is timed


@dataclass
class Side:
    """What was measured of one mode. Times in seconds, sizes in bytes; None: not measurable.

    Attributes:
        seconds: of every timed run, in order.
        kernels: operators or fused kernels launched; of NumPy, its array operations as recorded.
        allocations: memory blocks taken for array data.
        peak_bytes: most bytes of array data that one run held at a time, inputs not counted.
        compute_s: a kernel was running, on any thread. dispatch_s: none was and Python was
            not waiting. wait_s: Python was waiting for a value (mostly while kernels ran).
    """

    name: str
    seconds: list[float] = field(default_factory=list)
    kernels: int | None = None
    allocations: int | None = None
    peak_bytes: int | None = None
    compute_s: float | None = None
    dispatch_s: float | None = None
    wait_s: float | None = None

    @property
    def median(self) -> float:
        return float(np.median(self.seconds))

    @property
    def quartiles(self) -> tuple[float, float]:
        """First and third quartile of the times."""
        first, third = np.quantile(self.seconds, [0.25, 0.75]).tolist()
        return first, third

    @property
    def best(self) -> float:
        return min(self.seconds)

    def data(self) -> dict[str, Any]:
        """All of it as plain values."""
        first, third = self.quartiles
        return asdict(self) | {
            "median_s": self.median,
            "quartiles_s": [first, third],
            "best_s": self.best,
            "runs": len(self.seconds),
        }


def time_in_turn(sides: list[tuple[Side, Prepared]], budget: float) -> None:
    """Times the sides in turn, the order changing every round, until the budget is used up, and
    tells the kernels of the run that took nearest to the median, and where its time went.

    At least three rounds are run. The collector of cycles rests meanwhile, as with ``timeit``.
    """
    start = time.perf_counter()
    kept: dict[str, tuple[float, bytes]] = {}
    with _no_collector():
        for turn in range(_MAX_ROUNDS):
            for side, prepare in sides if turn % 2 == 0 else sides[::-1]:
                took, spans = _watched(prepare())
                side.seconds.append(took)
                median, known = side.median, kept.get(side.name)
                if known is None or abs(took - median) < abs(known[0] - median):
                    kept[side.name] = took, spans
            if turn + 1 >= _MIN_ROUNDS and time.perf_counter() - start > budget:
                break
    for side, _ in sides:
        _split(side, *kept[side.name])


@contextmanager
def _no_collector() -> Iterator[None]:
    """Cycles of before are gone, and none are looked for meanwhile."""
    gc.collect()
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def measure_memory(side: Side, prepare: Prepared) -> None:
    """One run whose allocations are counted: NumPy's own and those of our pool."""
    run = prepare()
    with _no_collector():  # what the run before left would be freed meanwhile, and hide a peak
        _core.wait_all()
        _core.reset_pool_peak()
        before = _core.pool_stats()
        counted = _core.count_numpy_memory(run)
        after = _core.pool_stats()
    # The two peaks need not fall together: with both in use the sum is an upper bound.
    side.peak_bytes = counted["peak"] + after["peak"] - before["used"]
    side.allocations = counted["allocations"] + after["allocations"]


def _watched(run: Callable[[], Any]) -> tuple[float, bytes]:
    """(seconds, what the trace has recorded) of one run."""
    _core.wait_all()
    reader = _core.TraceReader()
    reader.read_frame(1 << 30)
    begin = time.perf_counter()
    run()
    took = time.perf_counter() - begin
    return took, reader.read_frame(1 << 30)["spans"]


def _split(side: Side, took: float, recorded: bytes) -> None:
    """Kernels, and where the time of a run went."""
    spans = np.frombuffer(recorded, _core.SPAN_DTYPE)
    spans = spans[spans["flags"] & _RUNNING == 0]
    is_wait = spans["flags"] & _WAIT > 0
    waits, runs = spans[is_wait], spans[~is_wait]
    alone = runs[runs["count"] == 1]  # of others, runs of small operators, the times are summed
    busy = list(zip(alone["start_ms"], alone["start_ms"] + alone["extent_ms"], strict=True))
    counted = float(runs["busy_ms"][runs["count"] > 1].sum())
    side.kernels = int(runs["count"].sum())
    side.compute_s = (_union(busy) + counted) * 1e-3
    side.wait_s = float(waits["busy_ms"].sum()) * 1e-3
    side.dispatch_s = max(0.0, took - max(side.compute_s, side.wait_s))


def _union(spans: list[tuple[float, float]]) -> float:
    total, until = 0.0, float("-inf")
    for start, end in sorted(spans):
        if end > until:
            total += end - max(start, until)
            until = end
    return total
