"""Samples at equal distances."""

from __future__ import annotations

from collections.abc import Iterator

from ...data import Sampler

__all__ = ["IntervalSampler"]


class IntervalSampler(Sampler):
    """0, ``interval``, 2 * ``interval``, ... to ``length``; with ``rollover`` then from 1, 2, ...

    >>> list(IntervalSampler(7, 3))
    [0, 3, 6, 1, 4, 2, 5]

    Its length is ``length`` without ``rollover``, too, as MXNet's is.
    """

    def __init__(self, length: int, interval: int, rollover: bool = True):
        assert interval <= length, (
            f"IntervalSampler: interval {interval}, expected at most the length {length}"
        )
        self._length = length
        self._interval = interval
        self._rollover = rollover

    def __iter__(self) -> Iterator[int]:
        for first in range(self._interval if self._rollover else 1):
            yield from range(first, self._length, self._interval)

    def __len__(self) -> int:
        return self._length
