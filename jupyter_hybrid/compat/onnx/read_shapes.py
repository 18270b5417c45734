"""ONNX's shape operators, reductions and constants as MXNet's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .values import NodeReader, Open, Value, known_value, reads


# Constants and shapes -----------------------------------------------------------------------------
@reads("Constant")
def constant(c: NodeReader) -> Value:
    for name, dtype in (("value_int", "int64"), ("value_ints", "int64")):
        if (found := c.attr(name)) is not None:
            return known_value(np.array(found, dtype=dtype), c.node.output[0])
    for name in ("value_float", "value_floats"):
        if (found := c.attr(name)) is not None:
            return known_value(np.array(found, dtype=np.float32), c.node.output[0])
    found = c.attr("value")
    if not isinstance(found, np.ndarray):
        c.fail("sparse and string constants are not read")
    return known_value(found, c.node.output[0])


@reads("Shape")
def shape(c: NodeReader) -> Value:
    rank = c.rank()
    sizes = slice(c.attr("start", 0), c.attr("end", rank))
    wanted = list(c.shape())[sizes]
    array = np.empty(len(wanted), dtype=object)
    first = range(rank)[sizes].start
    array[:] = [Open(c.value(), first + i) if s == -1 else s for i, s in enumerate(wanted)]
    if -1 not in wanted:
        return known_value(array.astype(np.int64), c.node.output[0])
    whole = len(wanted) == rank
    source = c.value()
    made = c.apply("shape_array", source).symbol if whole else None
    return Value(
        made, array, array.shape, "int64", c.node.output[0], shape_of=source if whole else None
    )


@reads("Size")
def size(c: NodeReader) -> Value:
    if -1 not in c.shape():
        return known_value(np.array(math.prod(c.shape()), dtype=np.int64), c.node.output[0])
    return c.reshape(c.apply("size_array", c.value()), ())


@reads("ConstantOfShape")
def constant_of_shape(c: NodeReader) -> Value:
    value = c.attr("value", np.zeros(1, np.float32)).reshape(-1)
    number, dtype = value[0].item(), value.dtype.name
    source = c.value().shape_of
    if source is not None and not c.value().known:
        filled = c.apply("zeros_like", c.cast(source, dtype))
        return c.apply("broadcast_add", filled, number) if number else filled
    return c.apply("_full", shape=tuple(c.ints(0, "shape")), value=number, dtype=dtype)


@reads("Reshape")
def reshape(c: NodeReader) -> Value:
    x, wanted = c.value(), c.value(1)
    if not wanted.known and wanted.shape_of is not None:
        return c.apply("reshape_like", x, wanted.shape_of)
    if wanted.array is None:
        c.fail(f"its shape ('{wanted.name}') must be known when the model is read")
    given = list(wanted.array.reshape(-1))
    sizes = [-1 if isinstance(s, Open) else int(s) for s in given]
    if sizes.count(-1) > 1:  # what is a size of x at its own place stays: code 0
        for i, s in enumerate(given):
            if isinstance(s, Open) and s.of is x and s.axis == i:
                sizes[i] = 0
    if sizes.count(-1) > 1:
        c.fail("more than one size of its shape is open; give the inputs' shapes")
    if c.attr("allowzero", 0) and any(not isinstance(s, Open) and s == 0 for s in given):
        c.fail("a size of 0 in its shape (allowzero) is not read")
    return c.reshape(x, sizes)


@reads("Flatten")
def flatten(c: NodeReader) -> Value:
    axis = c.attr("axis", 1)
    axis = axis + c.rank() if axis < 0 else axis
    if axis == 1:
        return c.apply("flatten", c.value())
    head, tail = c.shape()[:axis], c.shape()[axis:]
    if -1 in head and -1 in tail:
        c.fail("open sizes on both sides of its axis")
    first = -1 if -1 in head else math.prod(head)
    return c.reshape(c.value(), (first, -1 if -1 not in head else math.prod(tail)))


@reads("Transpose")
def transpose(c: NodeReader) -> Value:
    perm = c.attr("perm")
    return c.apply("transpose", c.value(), **({"axes": tuple(perm)} if perm else {}))


@reads("Unsqueeze")
def unsqueeze(c: NodeReader) -> Value:
    x, axes = c.value(), c.axes(1, [])
    rank = c.rank() + len(axes)
    for axis in sorted(c.axis(a, rank) for a in axes):
        x = c.apply("expand_dims", x, axis=axis)
    return x


@reads("Squeeze")
def squeeze(c: NodeReader) -> Value:
    x, rank = c.value(), c.rank()
    axes = c.axes(1)
    if axes is None:
        if -1 in c.shape():
            c.fail("without axes it needs a fixed shape")
        axes = [i for i, s in enumerate(c.shape()) if s == 1]
    axes = sorted({c.axis(a, rank) for a in axes})
    if len(axes) == rank:
        return c.reshape(x, ())
    return c.apply("squeeze", x, axis=tuple(axes)) if axes else x


@reads("Expand")
def expand(c: NodeReader) -> Value:
    x, wanted = c.value(), c.value(1)
    if not wanted.known and wanted.shape_of is not None:
        if wanted.shape is not None and wanted.shape[0] < c.rank():
            c.fail("a shape of fewer axes that is known only at run time")
        return c.apply("broadcast_like", x, wanted.shape_of)
    sizes = c.ints(1, "shape")
    shape = [1] * (len(sizes) - c.rank()) + list(c.shape())
    sizes = [1] * (c.rank() - len(sizes)) + sizes
    if len(shape) > c.rank():
        if shape.count(-1) > 1:
            c.fail("more than one open size and new axes")
        x = c.reshape(x, shape)
    # MXNet's code 0 keeps a size.
    target = [0 if w == 1 or w == s else w for s, w in zip(shape, sizes)]
    if 0 in sizes:
        c.fail("a size of 0 is not read")
    return c.apply("broadcast_to", x, shape=tuple(target)) if any(target) else x


@reads("Tile")
def tile(c: NodeReader) -> Value:
    return c.apply("tile", c.value(), reps=tuple(c.ints(1, "repeats")))


@reads("Pad")
def pad(c: NodeReader) -> Value:
    mode = c.attr("mode", "constant")
    if mode not in ("constant", "edge", "reflect"):
        c.fail(f"mode {mode!r} is not read, only 'constant', 'edge' and 'reflect'")
    pads, rank = c.ints(1, "pads"), c.rank()
    axes = c.ints(3, "axes") if c.has(3) else list(range(rank))
    if len(pads) != 2 * len(axes) or min(pads, default=0) < 0:
        c.fail(f"pads {pads} for axes {axes}")
    width = [0] * (2 * rank)
    for i, axis in enumerate(axes):
        at = c.axis(axis, rank)
        width[2 * at : 2 * at + 2] = [pads[i], pads[i + len(axes)]]
    value = c.known(2, "constant_value").reshape(-1)[0].item() if c.has(2) else 0
    return c.apply("pad", c.value(), mode=mode, pad_width=tuple(width), constant_value=value)


# Joining and cutting ------------------------------------------------------------------------------
@reads("Concat")
def concat(c: NodeReader) -> Value:
    values = [c.value(i) for i in range(len(c.inputs))]
    axis = c.axis(c.attr("axis", 0), c.rank())
    return c.apply("concat", *values, dim=axis) if len(values) > 1 else values[0]


@reads("Split")
def split(c: NodeReader) -> Any:
    axis = c.axis(c.attr("axis", 0), c.rank())
    whole, count = c.shape()[axis], len(c.node.output)
    if c.has(1):
        sizes = c.ints(1, "split")
    else:
        if whole < 0:
            c.fail(f"needs a fixed size of axis {axis}")
        part = -(-whole // count)
        sizes = [part] * (count - 1) + [whole - part * (count - 1)]
    if len(sizes) != count or min(sizes, default=0) < 0 or whole not in (-1, sum(sizes)):
        c.fail(f"parts {sizes} of a size of {whole} for {count} outputs")
    if count == 1:
        return c.value()
    if len(set(sizes)) == 1:
        return c.apply_all("split", c.value(), num_outputs=count, axis=axis)
    ends = np.cumsum(sizes).tolist()
    return [
        c.apply("slice_axis", c.value(), axis=axis, begin=end - size, end=end)
        for size, end in zip(sizes, ends)
    ]


@reads("Slice")
def slice_window(c: NodeReader) -> Value:
    like = _sliced_like(c)
    if like is not None:
        return like
    rank, starts, ends = c.rank(), c.ints(1, "starts"), c.ints(2, "ends")
    axes = c.ints(3, "axes") if c.has(3) else list(range(len(starts)))
    steps = c.ints(4, "steps") if c.has(4) else [1] * len(starts)
    if not len(starts) == len(ends) == len(axes) == len(steps) or 0 in steps:
        c.fail(f"starts {starts}, ends {ends}, axes {axes}, steps {steps}")
    begin: list[int | None] = [None] * rank
    end: list[int | None] = [None] * rank
    step: list[int | None] = [None] * rank
    for start, stop, axis, by in zip(starts, ends, axes, steps):
        at = c.axis(axis, rank)
        size = c.shape()[at]
        far = 2**31 if size < 0 else size
        step[at] = by
        begin[at] = None if (start <= -far if by > 0 else start >= far - 1) else start
        end[at] = None if (stop >= far if by > 0 else stop < -far) else stop
        if size >= 0 and start < -size and by < 0:
            begin[at], end[at] = 0, 0
        elif size >= 0 and start >= size and by > 0:
            begin[at] = size
    last = max((i for i in range(rank) if step[i] is not None), default=-1) + 1
    window = {"begin": tuple(begin[:last]), "end": tuple(end[:last])}
    if any(s not in (None, 1) for s in step):
        window["step"] = tuple(s if s is not None else 1 for s in step[:last])
    return c.apply("slice", c.value(), **window) if last else c.value()


def _sliced_like(c: NodeReader) -> Value | None:
    """slice_like, where the ends are open sizes of one other value on the same axes."""
    ends = c.value(2)
    if ends.known or ends.array is None or not c.value(1).known or c.has(4):
        return None
    axes = c.ints(3, "axes") if c.has(3) else list(range(ends.array.size))
    sources = [e.of for e in ends.array.flat if isinstance(e, Open)]
    source = sources[0]
    if source is None or source.shape is None or any(c.ints(1, "starts")):
        return None
    for end, axis in zip(ends.array.flat, axes):
        if isinstance(end, Open):
            fits = end.of is source and end.axis == axis
        else:
            fits = axis < len(source.shape) and source.shape[axis] == end
        if not fits:
            return None
    return c.apply("slice_like", c.value(), source, axes=tuple(axes))


# Reductions ---------------------------------------------------------------------------------------
_REDUCTIONS = {
    "ReduceSum": "sum",
    "ReduceMean": "mean",
    "ReduceProd": "prod",
    "ReduceMax": "max",
    "ReduceMin": "min",
    "ReduceL1": "norm",
    "ReduceL2": "norm",
    "ReduceSumSquare": "sum",
}


@reads(*_REDUCTIONS)
def reduction(c: NodeReader) -> Value:
    x, rank, keepdims = c.value(), c.rank(), bool(c.attr("keepdims", 1))
    axes = c.axes(1, [])
    if not axes and (c.attr("noop_with_empty_axes", 0) or rank == 0):
        if c.kind in ("ReduceL1", "ReduceL2", "ReduceSumSquare"):
            return c.apply("square" if c.kind == "ReduceSumSquare" else "abs", x)
        return x
    axes = sorted({c.axis(a, rank) for a in axes}) or list(range(rank))
    if np.dtype(x.dtype).kind in "iub" and c.kind == "ReduceMean":
        c.fail("a mean of integers is not read")
    more = {"ord": 1 if c.kind == "ReduceL1" else 2} if "ReduceL" in c.kind else {}
    if c.kind == "ReduceSumSquare":
        x = c.apply("square", x)
    result = c.apply(_REDUCTIONS[c.kind], x, axis=tuple(axes), keepdims=keepdims, **more)
    return c.reshape(result, ()) if len(axes) == rank and not keepdims else result


@reads("ReduceLogSumExp", "ReduceLogSum")
def log_sum(c: NodeReader) -> Value:
    """The logarithm of a sum; of exponentials less their largest, so that none overflows."""
    x, rank, keepdims = c.value(), c.rank(), bool(c.attr("keepdims", 1))
    axes = sorted({c.axis(a, rank) for a in c.axes(1, [])})
    if not axes and c.attr("noop_with_empty_axes", 0):
        return x if c.kind == "ReduceLogSumExp" else c.apply("log", x)
    axes = axes or list(range(rank))
    along = {"axis": tuple(axes), "keepdims": True}
    if c.kind == "ReduceLogSumExp":
        most = float(np.finfo(np.dtype(x.dtype)).max)  # of infinities only the sign is needed
        top = c.apply("clip", c.apply("max", x, **along), a_min=-most, a_max=most)
        found = c.apply("sum", c.apply("exp", c.apply("broadcast_sub", x, top)), **along)
        found = c.apply("elemwise_add", c.apply("log", found), top)
    else:
        found = c.apply("log", c.apply("sum", x, **along))
    if keepdims:
        return found
    if len(axes) == rank:
        return c.reshape(found, ())
    return c.apply("squeeze", found, axis=tuple(axes))


@reads("DepthToSpace", "SpaceToDepth")
def depth_and_space(c: NodeReader) -> Value:
    """Blocks of an image to channels, or back."""
    block, (_, channels, height, width) = c.attr("blocksize", 1), c.shape()
    if min(block, channels, height, width) < 1:
        c.fail(f"blocks of {block} in data of shape {c.shape()}; all but the batch must be known")
    if c.kind == "SpaceToDepth":
        tall, wide = height // block, width // block
        x = c.reshape(c.value(), (-1, channels, tall, block, wide, block))
        x = c.apply("transpose", x, axes=(0, 3, 5, 1, 2, 4))
        return c.reshape(x, (-1, channels * block * block, tall, wide))
    depth = channels // block**2
    if c.attr("mode", "DCR") == "DCR":
        parts, axes = (-1, block, block, depth, height, width), (0, 3, 4, 1, 5, 2)
    else:
        parts, axes = (-1, depth, block, block, height, width), (0, 1, 4, 2, 5, 3)
    x = c.apply("transpose", c.reshape(c.value(), parts), axes=axes)
    return c.reshape(x, (-1, depth, height * block, width * block))


@reads("Trilu")
def trilu(c: NodeReader) -> Value:
    """What lies on the wrong side of a diagonal becomes 0."""
    rows, columns = c.shape()[-2:]
    if min(rows, columns) < 0:
        c.fail(f"needs fixed last sizes, data has shape {c.shape()}")
    k = c.ints(1, "k")[0] if c.has(1) else 0
    ones = np.ones((rows, columns), np.float32)
    kept = np.triu(ones, k) if c.attr("upper", 1) else np.tril(ones, k)
    shaped = kept.reshape((1,) * (c.rank() - 2) + kept.shape)
    mask = c.apply("broadcast_like", known_value(shaped, f"{c.label}_mask"), c.value())
    return c.apply("_npi_where", mask, c.value(), c.apply("zeros_like", c.value()))


@reads("ArgMax", "ArgMin")
def argmax(c: NodeReader) -> Value:
    if c.attr("select_last_index", 0):
        c.fail("select_last_index is not read")
    axis, keepdims = c.axis(c.attr("axis", 0), c.rank()), bool(c.attr("keepdims", 1))
    if c.shape()[axis] > 2**24:
        c.fail("MXNet's indices may be float32, exact to 2**24")
    # MXNet's indices have data's dtype: a narrow one could not count them.
    x = c.value()
    if np.dtype(x.dtype).itemsize < 4:
        x = c.cast(x, np.float32)
    found = c.cast(c.apply(c.kind.lower(), x, axis=axis, keepdims=keepdims), np.int64)
    return c.reshape(found, ()) if c.rank() == 1 and not keepdims else found


@reads("CumSum")
def cumsum(c: NodeReader) -> Value:
    if c.attr("exclusive", 0):
        c.fail("exclusive sums are not read")
    axis = c.axis(c.ints(1, "axis")[0], c.rank())
    x, back = c.value(), bool(c.attr("reverse", 0))
    if back:
        x = c.apply("reverse", x, axis=axis)
    total = c.apply("cumsum", x, axis=axis)
    return c.apply("reverse", total, axis=axis) if back else total
