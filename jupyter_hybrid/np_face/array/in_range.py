"""Indices out of bounds: NumPy raises where they are used, and nothing behind that line happens.

What proves an index to be in range, whatever the data are, is found in the graph behind it: a
constant, ``arange``, ``argsort``, ``% n``, a clip. Any other is computed where it is used.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _core
from ...reasons import Reason
from ..errors import NotCovered
from ..protocols import Recorder


def require(recorder: Recorder, index: Any, dim: int) -> None:
    """Raises NotCovered, for NumPy to raise its own error, unless every element of an index' node
    is in range."""
    if recorder.script or 0 in index.shape:  # no values in a script; nothing to look at
        return
    low, high = _core.index_bounds(index)
    if -dim <= low and high < dim:
        return
    if index._traced:
        recorder.look(index, Reason("an index may be out of bounds"))
    require_within(_core.as_numpy(index), dim)


def require_within(index: np.ndarray, dim: int) -> None:
    """The same for an index that is known."""
    if index.size and (index.min() < -dim or index.max() >= dim):
        raise NotCovered("an index out of bounds")
