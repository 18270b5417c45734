"""Batches that a pool of Python's makes ahead: what other libraries' loaders are derived from."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from multiprocessing.pool import AsyncResult, Pool
from typing import Any

from ... import context, nd


class PoolIterator:
    """Goes through the batches of a sampler once; MXNet's ``_MultiWorkerIter``.

    A derived class may have its own ``_push_next``. :class:`DataLoader` has a pool of its own.

    Args:
        worker_pool: processes or threads; an error of a batch ends them.
        worker_fn: called there with (indices, batchify_fn, dataset). Where ``dataset`` is None it
            gives a pickle of the batch.
        prefetch: batches that are begun at once.
        timeout: seconds that are waited for one batch; then multiprocessing.TimeoutError.
    """

    def __init__(
        self, worker_pool: Pool, batchify_fn: Callable[..., Any], batch_sampler: Any,
        pin_memory: bool = False, pin_device_id: int = 0,
        worker_fn: Callable[..., Any] | None = None, prefetch: int = 0, dataset: Any = None,
        data_loader: Any = None, timeout: float = 120,
    ):  # fmt: skip
        self._worker_pool, self._batchify_fn = worker_pool, batchify_fn
        self._batch_sampler, self._iter = batch_sampler, iter(batch_sampler)
        self._worker_fn, self._dataset, self._timeout = worker_fn, dataset, timeout
        self._data_loader = data_loader  # keeps its pool
        self._pin_memory, self._pin_device_id = pin_memory, pin_device_id
        self._data_buffer: dict[int, AsyncResult[Any]] = {}
        self._rcvd_idx = self._sent_idx = 0
        for _ in range(prefetch):
            self._push_next()

    def __len__(self) -> int:
        return len(self._batch_sampler)

    def __iter__(self) -> PoolIterator:
        return self

    def _push_next(self) -> None:
        """Has the next batch begun, if there is one."""
        for indices in self._iter:
            task = (indices, self._batchify_fn, self._dataset)
            assert self._worker_fn is not None, "worker_fn: expected a function, got None"
            self._data_buffer[self._sent_idx] = self._worker_pool.apply_async(self._worker_fn, task)
            self._sent_idx += 1
            return

    def __next__(self) -> Any:
        self._push_next()
        if self._rcvd_idx not in self._data_buffer:
            raise StopIteration
        result = self._data_buffer.pop(self._rcvd_idx)
        self._rcvd_idx += 1
        try:
            batch = result.get(self._timeout)
            batch = pickle.loads(batch) if self._dataset is None else batch
        except Exception:
            self._worker_pool.terminate()
            raise
        return self._pinned(batch) if self._pin_memory else batch

    next = __next__

    def _pinned(self, batch: Any) -> Any:
        if isinstance(batch, (list, tuple)):
            return [self._pinned(part) for part in batch]
        pinned = context.cpu_pinned(self._pin_device_id)
        return batch.as_in_context(pinned) if isinstance(batch, nd.NDArray) else batch
