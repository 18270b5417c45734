"""Batches of a data set: made here, by threads, or by worker processes."""

from __future__ import annotations

import binascii
import multiprocessing
import multiprocessing.util
import os
import pickle
import random
from collections import deque
from collections.abc import Callable, Iterator
from multiprocessing.pool import ThreadPool
from typing import Any

import numpy as np

from ... import _core
from ...context import cpu_pinned
from .batchify import as_in_context, default_batchify_fn, default_mp_batchify_fn
from .sampler import BatchSampler, RandomSampler, SequentialSampler
from .worker_pool import Task, WorkerPool

__all__ = ["DataLoader", "default_batchify_fn", "default_mp_batchify_fn"]


class DataLoader:
    """The batches of a data set, anew in every ``for`` loop.

    Args:
        dataset: anything with ``len()`` and ``[]``.
        batch_size: samples a batch.
        shuffle: another random order in every round.
        sampler: the order, instead of ``shuffle``.
        last_batch: what of an incomplete last batch: "keep" (default), "discard", "rollover".
        batch_sampler: gives lists of indices; stands for the four arguments before.
        batchify_fn: makes a batch of a list of samples; :func:`default_batchify_fn`.
        num_workers: processes, forked now, that make the batches; 0: none. They know the data set
            as it is now. Their random numbers (``random``, NumPy's, ours) follow from the states
            of these generators here and from the batch, so a seeded program repeats, and no two
            batches draw the same numbers.
        pin_memory: batches go to ``cpu_pinned(pin_device_id)``.
        prefetch: how many batches are made ahead; 2 * ``num_workers``.
        thread_pool: threads in the place of processes: for data sets that wait for files.
        timeout: seconds after which a batch that has not come raises multiprocessing.TimeoutError.
        auto_reload: begin to make the next round's batches when a round ends, and now.

    An error of a worker is raised here with the worker's traceback as its cause; a worker that
    was killed is a RuntimeError that names the signal. Both end the round; the next one starts
    the workers that are missing.
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = None,
        shuffle: bool = False,
        sampler: Any = None,
        last_batch: str | None = None,
        batch_sampler: Any = None,
        batchify_fn: Callable[[list[Any]], Any] | None = None,
        num_workers: int = 0,
        pin_memory: bool = False,
        pin_device_id: int = 0,
        prefetch: int | None = None,
        thread_pool: bool = False,
        timeout: float = 120,
        auto_reload: bool = False,
    ):
        assert timeout > 0, f"DataLoader: timeout is {timeout}, expected more than 0"
        self._dataset = dataset
        self._pin_memory = pin_memory
        self._pin_device_id = pin_device_id
        self._thread_pool = thread_pool
        self._timeout = timeout
        self._batch_sampler = _batch_sampler(
            len(dataset) if batch_sampler is None and sampler is None else 0,
            batch_size, shuffle, sampler, last_batch, batch_sampler,
        )  # fmt: skip
        self._num_workers = max(0, num_workers)
        self._prefetch = max(0, int(prefetch) if prefetch is not None else 2 * self._num_workers)
        default = default_mp_batchify_fn if num_workers > 0 else default_batchify_fn
        self._batchify_fn = default if batchify_fn is None else batchify_fn
        self._rounds = 0
        self._pool: WorkerPool | ThreadPool | None = None
        self._pid = 0
        self._workers()
        self.auto_reload = auto_reload
        self._iter: Iterator[Any] | None = None
        if auto_reload:
            self.refresh()

    def __iter__(self) -> Iterator[Any]:
        if self._iter is None:
            self.refresh()
        batches, self._iter = self._iter, None
        assert batches is not None
        yield from batches
        if self._iter is None and self.auto_reload:
            self.refresh()

    def __len__(self) -> int:
        return len(self._batch_sampler)

    def refresh(self) -> None:
        """Begins to make the batches of the next round."""
        self._rounds += 1
        workers = self._workers()
        if workers is None:
            self._iter = self._here()
        else:
            ahead = _Ahead(workers, self._batch_sampler, self._timeout, self._prefetch)
            self._iter = self._pinned(ahead)

    def clean(self) -> None:
        """Forgets batches made ahead; the next loop begins with its own."""
        self._iter = None

    def _workers(self) -> _Processes | _Threads | None:
        """What makes batches, made where it is missing: first, or in a process forked since."""
        if self._num_workers == 0:
            return None
        if self._pool is None or self._pid != os.getpid():
            self._pid = os.getpid()
            self._pool = self._new_pool()
        elif isinstance(self._pool, WorkerPool):
            self._pool.revive()
        if isinstance(self._pool, WorkerPool):
            return _Processes(self._pool, _random_states(self._rounds))
        return _Threads(self._pool, self._dataset, self._batchify_fn)

    def _new_pool(self) -> WorkerPool | ThreadPool:
        pool: WorkerPool | ThreadPool
        if self._thread_pool:
            pool = ThreadPool(self._num_workers)
        else:
            pool = WorkerPool(self._dataset, self._batchify_fn, self._num_workers)
        # Before multiprocessing waits for processes, which it does when Python ends.
        multiprocessing.util.Finalize(self, pool.terminate, exitpriority=10)
        return pool

    def _here(self) -> Iterator[Any]:
        for indices in self._batch_sampler:
            yield self._pin(self._batchify_fn([self._dataset[i] for i in indices]))

    def _pinned(self, batches: Iterator[Any]) -> Iterator[Any]:
        return map(self._pin, batches) if self._pin_memory else batches

    def _pin(self, batch: Any) -> Any:
        return as_in_context(batch, cpu_pinned(self._pin_device_id)) if self._pin_memory else batch


class _Ahead:
    """The batches of one round in their order, some of them in the making."""

    def __init__(self, workers: Any, batch_sampler: Any, timeout: float, prefetch: int):
        self._workers = workers
        self._timeout = timeout
        self._tasks: deque[Any] = deque()
        self._indices = iter(batch_sampler)
        for _ in range(prefetch):
            self._submit()

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        self._submit()
        if not self._tasks:
            raise StopIteration
        task = self._tasks.popleft()
        try:
            return self._workers.result(task, self._timeout)
        except BaseException:  # an interrupt, too
            self._workers.give_up([task, *self._tasks])
            self._tasks.clear()
            self._indices = iter(())
            raise

    def __del__(self) -> None:
        if self._tasks:
            self._workers.give_up(list(self._tasks))

    def _submit(self) -> None:
        for indices in self._indices:
            self._tasks.append(self._workers.submit(indices))
            return


class _Processes:
    """Worker processes, for one round."""

    def __init__(self, pool: WorkerPool, states: int):
        self._pool = pool
        self._states = states
        self._batches = 0

    def submit(self, indices: Any) -> Task:
        self._batches += 1
        seed = np.random.SeedSequence([self._states, self._batches])
        return self._pool.submit(int(seed.generate_state(1, np.uint64)[0]) >> 1, indices)

    def result(self, task: Task, timeout: float) -> Any:
        if not self._pool.wait(task, timeout):
            self._pool.give_up([task], kill=True)
            raise multiprocessing.TimeoutError(
                f"DataLoader: no batch from a worker process within {timeout} s. A slow transform "
                "needs a larger timeout; fewer workers need less memory."
            )
        return task.result()

    def give_up(self, tasks: list[Task]) -> None:
        self._pool.give_up(tasks)


class _Threads:
    """Threads that make batches."""

    def __init__(self, pool: ThreadPool, dataset: Any, batchify_fn: Callable[[list[Any]], Any]):
        self._pool = pool
        self._dataset = dataset
        self._batchify_fn = batchify_fn

    def submit(self, indices: Any) -> _ThreadTask:
        task = _ThreadTask()
        task.answer = self._pool.apply_async(self._make, (task, indices))
        return task

    def _make(self, task: _ThreadTask, indices: Any) -> Any:
        if task.wanted:
            return self._batchify_fn([self._dataset[i] for i in indices])
        return None

    def result(self, task: _ThreadTask, timeout: float) -> Any:
        try:
            return task.answer.get(timeout)
        except multiprocessing.TimeoutError:
            if task.answer.ready():
                raise  # the data set's own
            raise multiprocessing.TimeoutError(
                f"DataLoader: no batch from a thread within {timeout} s. A slow transform needs a "
                "larger timeout."
            ) from None

    def give_up(self, tasks: list[_ThreadTask]) -> None:
        for task in tasks:
            task.wanted = False


class _ThreadTask:
    answer: Any = None
    wanted = True


def _batch_sampler(
    length: int, batch_size: int | None, shuffle: bool, sampler: Any, last_batch: str | None,
    batch_sampler: Any,
) -> Any:  # fmt: skip
    if batch_sampler is not None:
        if batch_size is not None or shuffle or sampler is not None or last_batch is not None:
            raise ValueError(
                "DataLoader: batch_size, shuffle, sampler and last_batch must not be specified if "
                "batch_sampler is specified"
            )
        return batch_sampler
    if batch_size is None:
        raise ValueError("DataLoader: batch_size must be specified unless batch_sampler is")
    if sampler is None:
        sampler = RandomSampler(length) if shuffle else SequentialSampler(length)
    elif shuffle:
        raise ValueError("DataLoader: shuffle must not be specified if sampler is specified")
    return BatchSampler(sampler, batch_size, last_batch or "keep")


def _random_states(rounds: int) -> int:
    """A number that follows from the generators' states and the round; it draws nothing."""
    states = (random.getstate(), np.random.get_state(legacy=False), _core.random_state(), rounds)
    return binascii.crc32(pickle.dumps(states))
