"""Iterators around others: epochs of another length, batches fetched ahead."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from .base import DataBatch, DataDesc, DataIter

__all__ = ["PrefetchingIter", "ResizeIter"]


class _OfOthers(DataIter):
    """Batches that other iterators made; ``current_batch`` is the one at hand."""

    current_batch: Any = None

    def getdata(self) -> Any:
        return self.current_batch.data

    def getlabel(self) -> Any:
        return self.current_batch.label

    def getindex(self) -> Any:
        return self.current_batch.index

    def getpad(self) -> Any:
        return self.current_batch.pad


class ResizeIter(_OfOthers):
    """Epochs of ``size`` batches, whatever the inner iterator's are: it is begun anew as needed.

    Args:
        data_iter: the inner iterator.
        size: batches in an epoch.
        reset_internal: whether ``reset`` begins the inner iterator anew, too.
    """

    def __init__(self, data_iter: Any, size: int, reset_internal: bool = True):
        super().__init__(data_iter.batch_size)
        self.data_iter = data_iter
        self.size = size
        self.reset_internal = reset_internal
        self.cur = 0
        self.provide_data = data_iter.provide_data
        self.provide_label = data_iter.provide_label
        if hasattr(data_iter, "default_bucket_key"):
            self.default_bucket_key = data_iter.default_bucket_key

    def reset(self) -> None:
        self.cur = 0
        if self.reset_internal:
            self.data_iter.reset()

    def iter_next(self) -> bool:
        if self.cur == self.size:
            return False
        try:
            self.current_batch = self.data_iter.next()
        except StopIteration:
            self.data_iter.reset()
            self.current_batch = self.data_iter.next()
        self.cur += 1
        return True


class PrefetchingIter(_OfOthers):
    """Batches of one or several iterators side by side, the next ones fetched by threads meanwhile.

    Args:
        iters: an iterator or a list of them; a batch has the arrays of all.
        rename_data, rename_label: for each iterator a dictionary old name -> new name.

    What an iterator raises is raised by ``next`` (in MXNet its thread dies, and ``next`` waits for
    ever).
    """

    def __init__(self, iters: Any, rename_data: Any = None, rename_label: Any = None):
        super().__init__()
        self.iters = iters if isinstance(iters, list) else [iters]
        self.n_iter = len(self.iters)
        assert self.n_iter > 0, "PrefetchingIter: given no iterators, expected at least one"
        self.rename_data = rename_data
        self.rename_label = rename_label
        self.batch_size = self.provide_data[0][1][0]
        self._threads = ThreadPoolExecutor(self.n_iter, "PrefetchingIter")
        self._coming: list[Future] = []
        self._fetch()

    def _fetch(self) -> None:
        self._coming = [self._threads.submit(_next_or_none, each) for each in self.iters]

    def __del__(self) -> None:
        if hasattr(self, "_threads"):
            self._threads.shutdown(wait=False, cancel_futures=True)

    @property
    def provide_data(self) -> list[Any]:
        """Names and shapes of all iterators' arrays."""
        return _renamed([each.provide_data for each in self.iters], self.rename_data)

    @property
    def provide_label(self) -> list[Any]:
        """Names and shapes of all iterators' labels."""
        return _renamed([each.provide_label for each in self.iters], self.rename_label)

    def reset(self) -> None:
        for future in self._coming:
            future.exception()  # waits
        for each in self.iters:
            each.reset()
        self._fetch()

    def iter_next(self) -> bool:
        batches = [future.result() for future in self._coming]
        first = batches[0]
        agree = "PrefetchingIter: the iterators give different numbers of batches or samples"
        if first is None:
            assert all(batch is None for batch in batches), agree
            return False
        assert all(batch is not None and batch.pad == first.pad for batch in batches), agree
        self.current_batch = DataBatch(
            [array for batch in batches for array in batch.data],
            [array for batch in batches for array in batch.label or ()],
            first.pad,
            first.index,
            provide_data=self.provide_data,
            provide_label=self.provide_label,
        )
        self._fetch()
        return True

    def next(self) -> DataBatch:
        if not self.iter_next():
            raise StopIteration
        return self.current_batch


def _next_or_none(iterator: Any) -> Any:
    try:
        return iterator.next()
    except StopIteration:
        return None


def _renamed(described: list[Any], renames: Any) -> list[Any]:
    if renames is None:
        return [each for of_one in described for each in of_one]
    return [
        DataDesc(names[each.name], each.shape, each.dtype)
        if isinstance(each, DataDesc)
        else DataDesc(*each)
        for names, of_one in zip(renames, described, strict=False)
        for each in of_one
    ]
