"""Data sets: what has a length and gives sample ``i``."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ...nd import NDArray
from ...recordio import MXIndexedRecordIO
from .sampler import FilterSampler, Sampler, SequentialSampler

__all__ = ["ArrayDataset", "Dataset", "RecordFileDataset", "SimpleDataset"]


class Dataset:
    """The base: subclasses have ``__getitem__`` and ``__len__``.

    An NDArray, a NumPy array and a list can stand in its place, too.
    """

    def __getitem__(self, idx: Any) -> Any:
        raise NotImplementedError

    def __len__(self) -> int:
        raise NotImplementedError

    def filter(self, fn: Callable[[Any], Any]) -> Dataset:
        """The samples for which ``fn(sample)`` is true. ``fn`` is called for all of them now."""
        return _SampledDataset(self, FilterSampler(fn, self))

    def shard(self, num_shards: int, index: int) -> Dataset:
        """Part ``index`` of ``num_shards`` contiguous parts; their sizes differ by 1 at most.

        Raises AssertionError where ``index`` is none of 0 to ``num_shards`` - 1.
        """
        assert index < num_shards, f"shard: index {index} of {num_shards} parts"
        assert num_shards > 0, f"shard: {num_shards} parts, expected at least 1"
        assert index >= 0, f"shard: index {index}, expected 0 or more"
        size, rest = divmod(len(self), num_shards)
        start = size * index + min(index, rest)
        return _SampledDataset(self, SequentialSampler(size + (index < rest), start))

    def take(self, count: int | None) -> Dataset:
        """The first ``count`` samples; all where ``count`` is None or larger."""
        if count is None or count > len(self):
            count = len(self)
        return _SampledDataset(self, SequentialSampler(count))

    def sample(self, sampler: Sampler) -> Dataset:
        """The samples that a sampler names, in its order, which is asked for once, now."""
        if not isinstance(sampler, Sampler):
            raise TypeError(
                f"sample: given {type(sampler).__name__}, expected a gluon.data.Sampler"
            )
        return _SampledDataset(self, sampler)

    def transform(self, fn: Callable[..., Any], lazy: bool = True) -> Dataset:
        """Every sample through ``fn``, whose arguments are the parts of a sample.

        With ``lazy`` whenever a sample is read, else once, now: leave it True where ``fn`` draws
        random numbers.
        """
        transformed = _LazyTransformDataset(self, fn)
        if lazy:
            return transformed
        return SimpleDataset([transformed[i] for i in range(len(transformed))])

    def transform_first(self, fn: Callable[[Any], Any], lazy: bool = True) -> Dataset:
        """The first part of every sample through ``fn``: data, but not labels."""
        return self.transform(_TransformFirstClosure(fn), lazy)


class SimpleDataset(Dataset):
    """Anything with ``len()`` and ``[]`` as a data set."""

    def __init__(self, data: Any):
        self._data = data

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, idx: Any) -> Any:
        return self._data[idx]


class ArrayDataset(Dataset):
    """Arrays, lists or data sets of one length side by side: sample i is (a[i], b[i], ...).

    Of a single array it is ``a[i]``. Elements of a one-dimensional NDArray are NumPy scalars.
    """

    def __init__(self, *args: Any):
        assert len(args) > 0, "ArrayDataset: needs at least one array"
        self._length = len(args[0])
        self._data = []
        for i, data in enumerate(args):
            assert len(data) == self._length, (
                f"ArrayDataset: all arrays must have one length; array[0] has {self._length}, "
                f"array[{i}] has {len(data)}"
            )
            if isinstance(data, NDArray) and len(data.shape) == 1:
                data = data.asnumpy()
            self._data.append(data)

    def __getitem__(self, idx: Any) -> Any:
        if len(self._data) == 1:
            return self._data[0][idx]
        return tuple(data[idx] for data in self._data)

    def __len__(self) -> int:
        return self._length


class RecordFileDataset(Dataset):
    """The records of a RecordIO file as bytes, in the order of its index.

    The index stands beside the file: ``a.idx`` of ``a.rec``.
    """

    def __init__(self, filename: str):
        self.idx_file = os.path.splitext(filename)[0] + ".idx"
        self.filename = filename
        self._record = MXIndexedRecordIO(self.idx_file, self.filename, "r")

    def __getitem__(self, idx: Any) -> Any:
        return self._record.read_idx(self._record.keys[idx])

    def __len__(self) -> int:
        return len(self._record.keys)


class _LazyTransformDataset(Dataset):
    def __init__(self, data: Any, fn: Callable[..., Any]):
        self._data = data
        self._fn = fn

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, idx: Any) -> Any:
        item = self._data[idx]
        return self._fn(*item) if isinstance(item, tuple) else self._fn(item)


class _TransformFirstClosure:
    """A function of the first part alone; an object, since a nested function can't be pickled."""

    def __init__(self, fn: Callable[[Any], Any]):
        self._fn = fn

    def __call__(self, x: Any, *args: Any) -> Any:
        return (self._fn(x), *args) if args else self._fn(x)


class _SampledDataset(Dataset):
    """The samples of another data set that a sampler has named."""

    def __init__(self, dataset: Any, sampler: Sampler):
        self._dataset = dataset
        self._sampler = sampler
        self._indices = list(sampler)

    def __len__(self) -> int:
        return len(self._indices)

    def __getitem__(self, idx: Any) -> Any:
        return self._dataset[self._indices[idx]]
