"""The order in which samples are taken, and how they are cut into batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

__all__ = ["BatchSampler", "FilterSampler", "RandomSampler", "Sampler", "SequentialSampler"]


class Sampler:
    """What gives indices of samples: subclasses have ``__iter__`` and ``__len__``."""

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError

    def __len__(self) -> int:
        raise NotImplementedError


class SequentialSampler(Sampler):
    """``start``, ``start + 1``, ...: ``length`` indices."""

    def __init__(self, length: int, start: int = 0):
        self._length = length
        self._start = start

    def __iter__(self) -> Iterator[int]:
        return iter(range(self._start, self._start + self._length))

    def __len__(self) -> int:
        return self._length


class RandomSampler(Sampler):
    """0 to ``length`` - 1 in random order, each once; drawn from NumPy's global generator."""

    def __init__(self, length: int):
        self._length = length

    def __iter__(self) -> Iterator[Any]:
        indices = np.arange(self._length)
        np.random.shuffle(indices)
        return iter(indices)

    def __len__(self) -> int:
        return self._length


class FilterSampler(Sampler):
    """Indices of the samples for which ``fn`` is true; every sample is looked at once, now."""

    def __init__(self, fn: Callable[[Any], Any], dataset: Any):
        self._fn = fn
        self._dataset = dataset
        self._indices = [i for i, sample in enumerate(dataset) if fn(sample)]

    def __iter__(self) -> Iterator[int]:
        return iter(self._indices)

    def __len__(self) -> int:
        return len(self._indices)


class BatchSampler(Sampler):
    """Lists of ``batch_size`` indices from another sampler.

    ``last_batch`` says what becomes of an incomplete last one: "keep" gives it, "discard" drops
    it, "rollover" begins the next round with it.

    >>> list(BatchSampler(SequentialSampler(7), 3, "keep"))
    [[0, 1, 2], [3, 4, 5], [6]]
    """

    def __init__(self, sampler: Any, batch_size: int, last_batch: str = "keep"):
        self._sampler = sampler
        self._batch_size = batch_size
        self._last_batch = last_batch
        self._prev: list[Any] = []

    def __iter__(self) -> Iterator[list[Any]]:
        batch, self._prev = self._prev, []
        for index in self._sampler:
            batch.append(index)
            if len(batch) == self._batch_size:
                yield batch
                batch = []
        if not batch:
            return
        if self._last_batch == "keep":
            yield batch
        elif self._last_batch == "rollover":
            self._prev = batch
        elif self._last_batch != "discard":
            raise self._unknown()

    def __len__(self) -> int:
        size = self._batch_size
        if self._last_batch == "keep":
            return (len(self._sampler) + size - 1) // size
        if self._last_batch == "discard":
            return len(self._sampler) // size
        if self._last_batch == "rollover":
            return (len(self._prev) + len(self._sampler)) // size
        raise self._unknown()

    def _unknown(self) -> ValueError:
        return ValueError(
            f"BatchSampler: last_batch is {self._last_batch!r}, expected 'keep', 'discard' or "
            "'rollover'"
        )
