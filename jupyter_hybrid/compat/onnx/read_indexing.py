"""ONNX's gathers, sorting and one-hot rows as MXNet's operators."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .values import NodeReader, Value, known_value, reads


@reads("Gather")
def gather(c: NodeReader) -> Value:
    axis = c.axis(c.attr("axis", 0), c.rank())
    # 'wrap' is the rule for negative indices; ONNX has no others out of range.
    return c.apply("take", c.value(0), c.value(1), axis=axis, mode="wrap")


@reads("GatherElements")
def gather_elements(c: NodeReader) -> Value:
    axis = c.axis(c.attr("axis", 0), c.rank())
    data, index = list(c.shape(0)), list(c.shape(1))
    if index[axis] == 1 and data[:axis] + data[axis + 1 :] == index[:axis] + index[axis + 1 :]:
        return c.apply("pick", c.value(0), c.value(1), axis=axis, keepdims=True, mode="wrap")
    if -1 in index or data[axis] < 0:
        c.fail(f"several elements a row need fixed shapes, given {tuple(index)} of {tuple(data)}")
    if math.prod(index) * len(index) > 2**24:
        c.fail(f"indices of shape {tuple(index)} are too many")
    # The other axes' coordinates are constants.
    places = np.indices(index, dtype=np.int64)
    parts = [known_value(p[np.newaxis], f"{c.label}_axis{i}") for i, p in enumerate(places)]
    found = c.apply("broadcast_mod", c.cast(c.value(1), np.int64), data[axis])
    parts[axis] = c.apply("expand_dims", found, axis=0)
    rows = c.apply("concat", *parts, dim=0) if len(parts) > 1 else parts[0]
    return c.apply("gather_nd", c.value(0), rows)


def _rows(c: NodeReader, i: int) -> Value:
    """Indices (..., m) as MXNet has them, (m, ...)."""
    rank = c.rank(i)
    if rank == 1:
        return c.value(i)
    return c.apply("transpose", c.value(i), axes=(rank - 1, *range(rank - 1)))


@reads("GatherND")
def gather_nd(c: NodeReader) -> Value:
    if c.attr("batch_dims", 0):
        c.fail("batch_dims is not read")
    return c.apply("gather_nd", c.value(0), _rows(c, 1))


@reads("ScatterND")
def scatter_nd(c: NodeReader) -> Value:
    how = c.attr("reduction", "none")
    if how != "none":
        c.fail(f"reduction {how!r} is not read")
    if not (c.value().known and not c.known(0, "data").any()) and not _is_zeros(c):
        c.fail("only writing into zeros is read")
    return c.apply("scatter_nd", c.value(2), _rows(c, 1), shape=c.shape(0))


def _is_zeros(c: NodeReader) -> bool:
    """Whether the data is a creation of zeros."""
    symbol = c.value().symbol
    if symbol is None:
        return False
    node = symbol.graph().nodes[-1]
    return node.op == "zeros" or (node.op == "full" and node.attrs["value"] == 0)


@reads("OneHot")
def one_hot(c: NodeReader) -> Value:
    depth = int(c.known(1, "depth").reshape(-1)[0])
    values = c.known(2, "values").reshape(-1)
    rank = c.rank()
    axis = c.axis(c.attr("axis", -1), rank + 1)
    found = c.cast(c.value(), np.int64)
    below = c.apply("broadcast_lesser", found, 0)
    found = c.apply("_npi_where", below, c.apply("broadcast_add", found, depth), found)
    result = c.apply(
        "one_hot",
        found,
        depth=depth,
        off_value=float(values[0]),
        on_value=float(values[1]),
        dtype=values.dtype.name,
    )
    if axis == rank:
        return result
    return c.apply("transpose", result, axes=(*range(axis), rank, *range(axis, rank)))


@reads("TopK")
def topk(c: NodeReader) -> Any:
    axis = c.axis(c.attr("axis", -1), c.rank())
    made = c.apply_all(
        "topk",
        c.value(),
        axis=axis,
        k=int(c.known(1, "k").reshape(-1)[0]),
        ret_typ="both",
        is_ascend=not c.attr("largest", 1),
        dtype="int64",
    )
    return made
