"""Indices out of bounds: NumPy raises where they are used, and nothing behind that line happens.

What proves an index to be in range, whatever the data are, is found in the graph behind it: a
constant, ``arange``, ``argsort``, ``% n``, a clip. Any other is computed where it is used.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _core
from ..protocols import Recorder


def require(recorder: Recorder, index: Any, axis: int | None, dim: int) -> None:
    """Raises NumPy's IndexError unless every element of an index' node is in range."""
    if recorder.script or 0 in index.shape:  # no values in a script; nothing to look at
        return
    low, high = _core.index_bounds(index)
    if -dim <= low and high < dim:
        return
    if index._traced:
        recorder.look(index, "an index may be out of bounds")
    require_within(_core.as_numpy(index), axis, dim)


def require_within(index: np.ndarray, axis: int | None, dim: int) -> None:
    """The same for an index that is known."""
    if not index.size or index.dtype.kind not in "iu":
        return
    if index.min() < -dim or index.max() >= dim:
        bad = index[(index < -dim) | (index >= dim)].flat[0]
        raise IndexError(f"index {bad} is out of bounds for axis {axis} with size {dim}")
