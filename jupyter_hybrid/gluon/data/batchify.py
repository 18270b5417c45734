"""Samples put together as a batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import nd
from ...context import Context
from ...nd import NDArray

__all__ = ["as_in_context", "default_batchify_fn", "default_mp_batchify_fn"]


def default_batchify_fn(data: Any) -> Any:
    """A list of samples as one batch.

    NDArrays are stacked along a new axis 0. Tuples become a list of batches, one a part. Anything
    else is what NumPy makes of it, dtype included: whole numbers int64, floats float64.
    """
    first = data[0]
    if isinstance(first, NDArray):
        return nd.stack(*data)
    if isinstance(first, tuple):
        return [default_batchify_fn(part) for part in zip(*data)]
    values = np.asarray(data)
    return nd.array(values, dtype=values.dtype)


def default_mp_batchify_fn(data: Any) -> Any:
    """:func:`default_batchify_fn`, in a worker process.

    The batch goes to the parent in shared memory, whichever function has made it.
    """
    return default_batchify_fn(data)


def as_in_context(data: Any, ctx: Context) -> Any:
    """Arrays of a batch on a context; tuples become lists."""
    if isinstance(data, NDArray):
        return data.as_in_context(ctx)
    if isinstance(data, (list, tuple)):
        return [as_in_context(part, ctx) for part in data]
    return data
