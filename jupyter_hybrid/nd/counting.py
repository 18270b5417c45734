"""Counting: histograms, and the deprecated one-hot code."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .._core import NDArray

__all__ = ["histogram", "onehot_encode"]


def histogram(
    a: NDArray, bins: Any = 10, range: tuple[float, float] | None = None
) -> list[NDArray]:
    """[counts, edges]: how many elements lie in each interval; the last one holds its end, too.

    Args:
        bins: that many intervals of one size, or their edges, an array in ascending order.
        range: least and greatest edge; None: the elements' own. What lies outside is not counted.

    Raises:
        ValueError: ``bins`` is neither a positive number nor an array of two edges and more.
    """
    if not isinstance(bins, (int, np.integer, NDArray)):
        raise ValueError(f"histogram: bins is a number or an NDArray, not {type(bins).__name__}")
    given = bins.asnumpy() if isinstance(bins, NDArray) else int(bins)
    counts, edges = np.histogram(a.asnumpy(), bins=given, range=range)
    dtype = a.dtype if np.dtype(a.dtype).kind == "f" else np.float32
    edges = edges if isinstance(bins, NDArray) else edges.astype(dtype)
    return [_core.from_numpy(c, True, a.context) for c in (counts.astype(np.int64), edges)]


def onehot_encode(indices: NDArray, out: NDArray) -> NDArray:
    """Writes 1 where the row's index is, else 0. Deprecated in MXNet: use ``one_hot``."""
    out[:] = _core.invoke("one_hot", (indices,), {"depth": out.shape[1], "dtype": out.dtype})
    return out
