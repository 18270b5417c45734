"""Different classes drawn from the log-uniform distribution, for sampled softmax."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import _core
from .._core import NDArray
from ..base import MXNetError


def sample_unique_zipfian(
    range_max: int, shape: Any = None, out: Any = None, name: str | None = None
) -> list[NDArray]:
    """[classes of shape (rows, count), how many draws each row took], int64.

    Class k comes up with probability log((k + 2) / (k + 1)) / log(range_max + 1); what a row has
    already is drawn again. The host draws them.

    Args:
        range_max: classes are smaller.
        shape: (rows, count).

    Raises:
        MXNetError: the shape is another one, or there are not as many classes.
    """
    sizes = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if len(sizes) != 2 or not all(isinstance(size, int) and size > 0 for size in sizes):
        raise MXNetError(f"_sample_unique_zipfian: given shape {shape}, expected (rows, count)")
    rows, count = sizes
    if count > range_max:
        raise MXNetError(
            f"_sample_unique_zipfian: given {count} different classes of {range_max}, "
            "expected at most as many as there are"
        )
    random = np.random.default_rng(_core.next_keys(1)[0])
    drawn = [_row(random, range_max, count) for _ in range(rows)]
    made = [
        _core.from_numpy(np.stack([classes for classes, _ in drawn])),
        _core.from_numpy(np.array([trials for _, trials in drawn], dtype=np.int64)),
    ]
    for target, value in zip(out or (), made):
        target[:] = value
    return list(out) if out else made


def _row(random: np.random.Generator, range_max: int, count: int) -> tuple[np.ndarray, int]:
    """Different classes in the order in which they came, and the number of draws."""
    drawn = np.empty(0, dtype=np.int64)
    while True:
        size = max(2 * count, len(drawn))
        places = random.random(size) * math.log(range_max + 1)
        more = np.rint(np.exp(places)).astype(np.int64) - 1
        drawn = np.concatenate([drawn, more % range_max])
        first = np.sort(np.unique(drawn, return_index=True)[1])
        if len(first) >= count:
            return drawn[first[:count]], int(first[count - 1]) + 1
