"""Reshaping, joining, cutting and creation as ONNX nodes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import _core
from .library import onnx
from .writer import NodeWriter, writes


# Shapes -------------------------------------------------------------------------------------------
@writes("reshape")
def reshape(c: NodeWriter) -> str:
    wanted, asked = list(c.out_shape), c.attrs["shape"]
    if wanted.count(-1) > 1 and c.attrs["codes"] and not c.attrs["reverse"]:
        # Sizes that the codes keep are copied by ONNX's 0.
        for i, code in enumerate(asked):
            if code in (-2, -3, -4):
                break
            if code == 0 and wanted[i] == -1:
                wanted[i] = 0
        if 0 not in c.out_shape and wanted.count(-1) <= 1:
            return c.add("Reshape", c.inputs[0], c.ints(wanted))
        wanted = list(c.out_shape)
    return c.reshape(c.inputs[0], wanted)


@writes("identity_like")
def identity_like(c: NodeWriter) -> str:
    return c.add("Identity", c.inputs[0])


@writes("reshape_like")
def reshape_like(c: NodeWriter) -> str:
    ranges = ("lhs_begin", "lhs_end", "rhs_begin", "rhs_end")
    if any(c.attrs[name] is not None for name in ranges):
        if c.out_shape is None or -1 in c.out_shape:
            c.fail("ranges of axes need fixed sizes")
        return c.reshape(c.inputs[0], c.out_shape)
    return c.add("Reshape", c.inputs[0], c.add("Shape", c.inputs[1]))


@writes("flatten")
def flatten(c: NodeWriter) -> str:
    return c.add("Flatten", c.inputs[0], axis=1)


@writes("expand_dims")
def expand_dims(c: NodeWriter) -> str:
    return c.add("Unsqueeze", c.inputs[0], c.ints([c.axis(c.attrs["axis"], len(c.out_shape))]))


@writes("squeeze")
def squeeze(c: NodeWriter) -> str:
    shape, axis = c.shape(), c.attrs["axis"]
    if axis is None:
        axes = [i for i, size in enumerate(c.static()) if size == 1]
    else:
        axes = sorted(c.axis(a) for a in axis)
    if len(shape) - len(axes) != len(c.out_shape):  # at_least_1d
        return c.reshape(c.inputs[0], c.out_shape)
    if not axes:
        return c.add("Identity", c.inputs[0])
    return c.add("Squeeze", c.inputs[0], c.ints(axes))


@writes("transpose")
def transpose(c: NodeWriter) -> str:
    rank = len(c.shape())
    axes = [c.axis(a) for a in c.attrs["axes"] or ()] or list(reversed(range(rank)))
    return c.add("Transpose", c.inputs[0], perm=axes)


@writes("swapaxes")
def swapaxes(c: NodeWriter) -> str:
    axes = list(range(len(c.shape())))
    a, b = c.axis(c.attrs["dim1"]), c.axis(c.attrs["dim2"])
    axes[a], axes[b] = axes[b], axes[a]
    return c.add("Transpose", c.inputs[0], perm=axes)


@writes("shape_array")
def shape_array(c: NodeWriter) -> str:
    return c.add("Shape", c.inputs[0])


@writes("size_array")
def size_array(c: NodeWriter) -> str:
    return c.reshape(c.add("Size", c.inputs[0]), (1,))


# Repeating ----------------------------------------------------------------------------------------
@writes("broadcast_to", "broadcast_axis")
def broadcast_to(c: NodeWriter) -> str:
    # A size that stays is 1 here: Expand keeps the input's.
    shape, wanted = c.shape(), list(c.out_shape)
    ahead = len(wanted) - len(shape)
    for i, size in enumerate(wanted):
        if i >= ahead and size == shape[i - ahead]:
            wanted[i] = 1
    if -1 in wanted:
        c.fail(f"the shape of its result, {c.out_shape}, is open where it repeats")
    return c.add("Expand", c.inputs[0], c.ints(wanted))


@writes("broadcast_like")
def broadcast_like(c: NodeWriter) -> str:
    if c.attrs["lhs_axes"] is not None:
        if c.out_shape is None or -1 in c.out_shape:
            c.fail("lhs_axes need fixed sizes")
        return c.add("Expand", c.inputs[0], c.ints(list(c.out_shape)))
    return c.add("Expand", c.inputs[0], c.add("Shape", c.inputs[1]))


@writes("tile")
def tile(c: NodeWriter) -> str:
    reps, rank, x = list(c.attrs["reps"]), len(c.shape()), c.inputs[0]
    if len(reps) > rank:
        x = c.reshape(x, [1] * (len(reps) - rank) + list(c.shape()))
    return c.add("Tile", x, c.ints([1] * (rank - len(reps)) + reps))


@writes("repeat")
def repeat(c: NodeWriter) -> str:
    times, axis, x = int(c.attrs["repeats"]), c.attrs["axis"], c.inputs[0]
    if axis is None:
        x, axis, rank = c.reshape(x, (-1,)), 0, 1
    else:
        axis, rank = c.axis(axis), len(c.shape())
    x = c.add("Unsqueeze", x, c.ints([axis + 1]))
    x = c.add("Tile", x, c.ints([times if i == axis + 1 else 1 for i in range(rank + 1)]))
    return c.reshape(x, c.out_shape)


@writes("pad")
def pad(c: NodeWriter) -> str:
    width = list(c.attrs["pad_width"])
    pads = c.ints([*width[::2], *width[1::2]])
    if c.attrs["mode"] != "constant":
        return c.add("Pad", c.inputs[0], pads, mode=c.attrs["mode"])
    return c.add("Pad", c.inputs[0], pads, c.number(c.attrs["constant_value"]))


# Joining and cutting ------------------------------------------------------------------------------
@writes("concat")
def concat(c: NodeWriter) -> str:
    return c.add("Concat", *c.inputs, axis=c.axis(c.attrs["dim"]))


@writes("stack")
def stack(c: NodeWriter) -> str:
    axis = c.axis(c.attrs["axis"], len(c.out_shape))
    return c.add("Concat", *(c.add("Unsqueeze", x, c.ints([axis])) for x in c.inputs), axis=axis)


@writes("split")
def split(c: NodeWriter) -> Any:
    axis, count = c.axis(c.attrs["axis"]), int(c.attrs["num_outputs"])
    size = c.shape()[axis]
    if size < 0:
        c.fail(f"needs a fixed size of axis {axis}")
    parts = c.add_many("Split", count, c.inputs[0], c.ints([size // count] * count), axis=axis)
    if c.attrs["squeeze_axis"]:
        parts = [c.add("Squeeze", part, c.ints([axis])) for part in parts]
    return parts


@writes("depth_to_space", "space_to_depth")
def blocks(c: NodeWriter) -> str:
    kind = "DepthToSpace" if c.node.op == "depth_to_space" else "SpaceToDepth"
    return c.add(kind, c.inputs[0], blocksize=int(c.attrs["block_size"]))


_FAR = 2**62  # beyond every axis: ONNX clamps it


def _windows(c: NodeWriter, rank: int) -> list[tuple[int | None, int | None, int]]:
    begin, end = c.attrs["begin"], c.attrs["end"]
    step = list(c.attrs["step"] or ()) + [None] * rank
    return [(b, e, step[i] or 1) for i, (b, e) in enumerate(zip(begin, end))]


@writes("slice")
def slice_window(c: NodeWriter) -> str:
    begins, ends, steps = [], [], []
    for begin, end, step in _windows(c, len(c.shape())):
        begins.append(begin if begin is not None else (0 if step > 0 else _FAR))
        ends.append(end if end is not None else (_FAR if step > 0 else -_FAR))
        steps.append(step)
    return c.slice(c.inputs[0], begins, ends, range(len(begins)), steps)


@writes("slice_axis")
def slice_axis(c: NodeWriter) -> str:
    end = c.attrs["end"]
    axis = c.axis(c.attrs["axis"])
    return c.slice(c.inputs[0], [c.attrs["begin"]], [_FAR if end is None else end], [axis])


@writes("slice_like")
def slice_like(c: NodeWriter) -> str:
    rank = len(c.shape())
    axes = [c.axis(a) for a in c.attrs["axes"] or ()] or list(range(rank))
    sizes = c.add("Gather", c.add("Shape", c.inputs[1]), c.ints(axes), axis=0)
    return c.add("Slice", c.inputs[0], c.ints([0] * len(axes)), sizes, c.ints(axes))


@writes("reverse")
def reverse(c: NodeWriter) -> str:
    axes = [c.axis(a) for a in c.attrs["axis"]]
    n = len(axes)
    return c.slice(c.inputs[0], [_FAR] * n, [-_FAR] * n, axes, [-1] * n)


@writes("slice_assign", "slice_assign_scalar")
def slice_assign(c: NodeWriter) -> str:
    """The new values gathered to the places of the window, chosen there by a mask."""
    shape, x = c.static(), c.inputs[0]
    windows = _windows(c, len(shape)) + [(None, None, 1)] * len(shape)
    places = [range(*slice(*w).indices(n)) for w, n in zip(windows, shape)]
    mask = np.zeros(shape, dtype=np.bool_)
    mask[np.ix_(*places)] = True
    if not mask.any():
        return c.add("Identity", x)
    if c.node.op == "slice_assign_scalar":
        return c.where(c.constant(mask), c.number(c.attrs["scalar"]), x)
    new = c.add("Expand", c.inputs[1], c.ints([len(p) for p in places]))
    for axis, (chosen, size) in enumerate(zip(places, shape)):
        if list(chosen) != list(range(size)):
            source = np.zeros(size, dtype=np.int64)
            source[list(chosen)] = range(len(chosen))
            new = c.add("Gather", new, c.constant(source), axis=axis)
    return c.where(c.constant(mask), new, x)


# Creation -----------------------------------------------------------------------------------------
@writes("zeros", "ones", "full")
def filled(c: NodeWriter) -> str:
    value = c.attrs["value"] if c.node.op == "full" else int(c.node.op == "ones")
    shape = c.out_shape
    if -1 in shape:
        c.fail(f"needs a fixed shape, given {shape}")
    if math.prod(shape) <= 16:
        made = np.full(shape, value).astype(c.out_dtype)
        return c.add("Identity", c.constant(made))
    tensor = onnx().numpy_helper.from_array(np.full(1, value).astype(c.out_dtype))
    return c.add("ConstantOfShape", c.ints(shape), value=tensor)


@writes("arange", "linspace", "eye")
def computed(c: NodeWriter) -> str:
    value = _core.invoke_core(str(c.node.op), [], dict(c.attrs))
    return c.add("Identity", c.constant(value.asnumpy()))
