"""Gathers, sorting and one-hot rows as ONNX nodes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .library import onnx
from .writer import NodeWriter, writes


def _indices(c: NodeWriter, i: int, mode: str, size: int) -> str:
    """Input i as int64 indices that ONNX accepts, by MXNet's rule for those out of range."""
    found = c.cast(c.inputs[i], c.dtype(i), np.int64)
    if mode == "raise":
        return found  # -size .. size - 1 in both
    if size < 0:
        c.fail(f"mode '{mode}' needs a fixed size of the axis")
    if mode == "wrap":
        return c.add("Mod", found, c.number(size, np.int64))
    return c.add("Clip", found, c.number(0, np.int64), c.number(size - 1, np.int64))


@writes("take")
def take(c: NodeWriter) -> str:
    axis = c.axis(c.attrs["axis"])
    found = _indices(c, 1, c.attrs["mode"], c.shape()[axis])
    return c.add("Gather", c.inputs[0], found, axis=axis)


@writes("Embedding")
def embedding(c: NodeWriter) -> str:
    found = _indices(c, 0, c.attrs["mode"], c.shape(1)[0])
    return c.add("Gather", c.inputs[1], found, axis=0)


@writes("pick")
def pick(c: NodeWriter) -> str:
    rank = len(c.shape())
    axis = c.axis(c.attrs["axis"])
    found = _indices(c, 1, c.attrs["mode"], c.shape()[axis])
    if len(c.shape(1)) < rank:
        found = c.add("Unsqueeze", found, c.ints([axis]))
    picked = c.add("GatherElements", c.inputs[0], found, axis=axis)
    if c.attrs["keepdims"]:
        return picked
    result = c.add("Squeeze", picked, c.ints([axis]))
    return result if len(c.out_shape) == rank - 1 else c.reshape(result, c.out_shape)


@writes("take_along_axis")
def take_along_axis(c: NodeWriter) -> str:
    axis = c.axis(c.attrs["axis"])
    found = _indices(c, 1, c.attrs["mode"], c.shape()[axis])
    shape, other = list(c.static(0)), list(c.static(1))
    shape[axis] = other[axis] = 1
    if shape != other:
        c.fail("ONNX's GatherElements repeats nothing along the other axes")
    return c.add("GatherElements", c.inputs[0], found, axis=axis)


@writes("gather_nd")
def gather_nd(c: NodeWriter) -> str:
    return c.add("GatherND", c.inputs[0], _columns(c))


def _columns(c: NodeWriter) -> str:
    """The indices (m, ...) as ONNX has them, (..., m)."""
    rank = len(c.shape(1))
    found = c.cast(c.inputs[1], c.dtype(1), np.int64)
    return c.transpose(found, [*range(1, rank), 0])


@writes("scatter_nd")
def scatter_nd(c: NodeWriter) -> str:
    tensor = onnx().numpy_helper.from_array(np.zeros(1, c.out_dtype))
    zeros = c.add("ConstantOfShape", c.ints(c.attrs["shape"]), value=tensor)
    how = {"reduction": "add"} if c.attrs["accumulate"] else {}
    return c.add("ScatterND", zeros, _columns(c), c.inputs[0], **how)


@writes("one_hot")
def one_hot(c: NodeWriter) -> str:
    # Not ONNX's OneHot, which counts negative indices from the end.
    found = c.cast(c.inputs[0], c.dtype(), np.int64)
    column = c.add("Unsqueeze", found, c.ints([len(c.shape())]))
    hit = c.add("Equal", column, c.ints(range(int(c.attrs["depth"]))))
    on, off = (c.number(c.attrs[k], c.out_dtype) for k in ("on_value", "off_value"))
    return c.where(hit, on, off)


# Sorting ------------------------------------------------------------------------------------------
def _top(c: NodeWriter, k: int | None, ascending: bool) -> tuple[list[str], int]:
    """TopK's values and indices along the node's axis, the lower index first among equals."""
    x, axis = c.inputs[0], c.attrs["axis"]
    if axis is None:
        size = int(np.prod(c.static()))
        x, axis = c.reshape(x, (-1,)), 0
    else:
        axis = c.axis(axis)
        size = c.shape()[axis]
    if k is None:
        if size < 0:
            c.fail(f"needs a fixed size of axis {axis}")
        k = size
    made = c.add_many("TopK", 2, x, c.ints([k]), axis=axis, largest=int(not ascending), sorted=1)
    return made, axis


@writes("sort")
def sort(c: NodeWriter) -> str:
    return _top(c, None, c.attrs["is_ascend"])[0][0]


@writes("argsort")
def argsort(c: NodeWriter) -> str:
    return c.cast(_top(c, None, c.attrs["is_ascend"])[0][1], np.int64, c.out_dtype)


@writes("topk")
def topk(c: NodeWriter) -> Any:
    kind, k = c.attrs["ret_typ"], int(c.attrs["k"])
    if kind == "mask":
        c.fail("ret_typ 'mask' is not written; 'value', 'indices' and 'both' are")
    if k < 1:
        k = None  # type: ignore[assignment]
    (values, indices), _ = _top(c, k, c.attrs["is_ascend"])
    if kind == "value":
        return values
    if kind == "both":
        wanted = c._dtype(c._out_kinds[1][1])
        return [values, c.cast(indices, np.int64, wanted)]
    return c.cast(indices, np.int64, c.out_dtype)
