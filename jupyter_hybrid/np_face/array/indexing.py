"""Keys of indices, taken apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _core
from .. import bridge
from ..errors import NotCovered


def expand_ellipsis(keys: list[Any], rank: int) -> list[Any]:
    """The keys with ``...`` (or the end) replaced by full slices. Raises NotCovered."""
    at = [i for i, k in enumerate(keys) if k is Ellipsis]
    used = len([k for k in keys if k is not None and k is not Ellipsis])
    if len(at) > 1 or used > rank:
        raise NotCovered("an index of more axes than the array has")
    place = at[0] if at else len(keys)
    return [*keys[:place], *[slice(None)] * (rank - used), *keys[place + 1 :]]


def has_plain_bounds(key: slice) -> bool:
    """Does asking them run no code of the user's? That is for NumPy to do, once."""
    if _core.guards.data(key):
        return True
    plain = (int, float, np.integer, np.ndarray, bridge.Traced, _core.NDArray, type(None))
    return all(issubclass(type(bound), plain) for bound in (key.start, key.stop, key.step))
