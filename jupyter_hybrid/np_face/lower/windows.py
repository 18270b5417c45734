"""``sliding_window_view``: a read-only view in NumPy, a gather of every window in the graph."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from ..errors import NotCovered
from . import lowering, shapes
from .lowering import core
from .registry import views

_MOST = 1 << 22  # elements: NumPy's view has no memory of its own


@views(sliding_window_view)
def sliding(
    x: Any, window_shape: Any, axis: Any = None, *, subok: bool = False, writeable: bool = False
) -> Any:
    if writeable or subok:
        raise NotCovered("sliding_window_view with writeable= or subok=")
    several = isinstance(window_shape, (tuple, list))
    sizes = [operator.index(s) for s in (window_shape if several else (window_shape,))]
    axes = lowering.axes_of(axis, x.ndim)
    pairs = zip(sizes, axes, strict=False)
    if len(sizes) != len(axes) or not all(0 < s <= x.shape[a] for s, a in pairs):
        raise NotCovered("sliding_window_view with these windows")
    shape = list(x.shape)
    for size, a in zip(sizes, axes, strict=True):
        shape[a] -= size - 1
    if math.prod(shape) * math.prod(sizes) > _MOST:
        raise NotCovered("sliding_window_view of so many elements, which a graph would copy")

    def read(node: Any) -> Any:
        rank = len(node.shape)
        for done, (size, a) in enumerate(zip(sizes, axes, strict=True)):
            count = node.shape[a] - size + 1
            index = lowering.input_of(np.arange(count)[:, None] + np.arange(size))
            node = core("take", [node, index], axis=a, mode="raise", from_end=True)
            last = rank + done
            order = [i for i in range(last + 1) if i != a + 1]
            node = lowering.transpose(node, (*order, a + 1))
        return node

    return shapes.read_only(
        x, read, lambda base: sliding_window_view(base, window_shape, axis=axis)
    )
