"""Normalizations as ONNX's."""

from __future__ import annotations

import numpy as np

from .writer import NodeWriter, writes


@writes("BatchNormWithReLU")
def batch_norm_with_relu(c: NodeWriter) -> list[str]:
    y, *statistics = batch_norm(c)
    return [c.add("Relu", y), *statistics]


@writes("BatchNorm")
def batch_norm(c: NodeWriter) -> list[str]:
    y, (_, _, _, mean, var) = _normalized(c), c.inputs
    if not c.attrs["output_mean_var"]:
        return [y]
    spread = c.add("Sqrt", c.add("Add", var, c.number(c.attrs["eps"])))
    return [y, c.add("Identity", mean), c.add("Reciprocal", spread)]


@writes("SyncBatchNorm")
def sync_batch_norm(c: NodeWriter) -> list[str]:
    y, (_, _, _, mean, var) = _normalized(c), c.inputs
    if not c.attrs["output_mean_var"]:
        return [y]
    return [y, c.add("Identity", mean), c.add("Identity", var)]


def _normalized(c: NodeWriter) -> str:
    """At inference, with the moving statistics."""
    if c.attrs["batch_stats"]:
        c.fail("it normalizes with the batch's own statistics, as in training")
    x, gamma, beta, mean, var = c.inputs
    rank, axis = len(c.shape()), c.axis(c.attrs["axis"])
    if c.attrs["fix_gamma"]:
        gamma = c.constant(np.ones(c.static(1), c.dtype()))
    order = [0, axis, *(i for i in range(1, rank) if i != axis)]
    if axis == 0 or rank == 1:
        c.fail("the channels are the first axis; ONNX has them second")
    y = c.add(
        "BatchNormalization",
        c.transpose(x, order),
        gamma,
        beta,
        mean,
        var,
        epsilon=float(c.attrs["eps"]),
        momentum=float(c.attrs["momentum"]),
    )
    return c.transpose(y, [order.index(i) for i in range(rank)])


@writes("LayerNorm")
def layer_norm(c: NodeWriter) -> list[str]:
    """ONNX's own takes statistics in float32 whatever the data is, so others are spelled out."""
    rank, axis = len(c.shape()), c.axis(c.attrs["axis"])
    x, gamma, beta = c.inputs
    order = [*(i for i in range(rank) if i != axis), axis]
    back = [order.index(i) for i in range(rank)]
    x, eps = c.transpose(x, order), float(c.attrs["eps"])
    if c.dtype() == np.float32 and not c.attrs["output_mean_var"]:
        y = c.add("LayerNormalization", x, gamma, beta, axis=-1, epsilon=eps)
        return [c.transpose(y, back)]
    mean = c.reduce("ReduceMean", x, (rank - 1,), True)
    distance = c.add("Sub", x, mean)
    var = c.reduce("ReduceMean", c.add("Mul", distance, distance), (rank - 1,), True)
    std = c.add("Sqrt", c.add("Add", var, c.number(eps)))
    y = c.add("Add", c.add("Mul", c.add("Div", distance, std), gamma), beta)
    found = [y, mean, std] if c.attrs["output_mean_var"] else [y]
    return [c.transpose(value, back) for value in found]


@writes("GroupNorm")
def group_norm(c: NodeWriter) -> list[str]:
    """Spelled out: ONNX's own changed the meaning of its factors between opsets 18 and 21."""
    groups = int(c.attrs["num_groups"])
    (x, gamma, beta), rows = c.inputs, (1, groups, 1)
    flat = c.add("Reshape", x, c.ints([0, groups, -1]))
    mean = c.reduce("ReduceMean", flat, (2,), True)
    distance = c.add("Sub", flat, mean)
    var = c.reduce("ReduceMean", c.add("Mul", distance, distance), (2,), True)
    std = c.add("Sqrt", c.add("Add", var, c.number(c.attrs["eps"])))
    y = c.add("Mul", c.add("Div", distance, std), c.reshape(gamma, rows))
    y = c.add("Reshape", c.add("Add", y, c.reshape(beta, rows)), c.add("Shape", x))
    if not c.attrs["output_mean_var"]:
        return [y]
    return [y, *(c.add("Reshape", v, c.ints([0, groups])) for v in (mean, std))]


@writes("InstanceNorm")
def instance_norm(c: NodeWriter) -> str:
    return c.add("InstanceNormalization", *c.inputs, epsilon=float(c.attrs["eps"]))


@writes("L2Normalization")
def l2_normalization(c: NodeWriter) -> str:
    x, rank, mode = c.inputs[0], len(c.shape()), c.attrs["mode"]
    axes = {"instance": range(1, rank), "channel": range(1, 2), "spatial": range(2, rank)}[mode]
    squares = c.reduce("ReduceSum", c.add("Mul", x, x), tuple(axes), True)
    return c.add("Div", x, c.add("Sqrt", c.add("Add", squares, c.number(c.attrs["eps"]))))


@writes("LRN")
def lrn(c: NodeWriter) -> str:
    alpha, beta, bias = (float(c.attrs[name]) for name in ("alpha", "beta", "knorm"))
    size = int(c.attrs["nsize"])
    return c.add("LRN", c.inputs[0], alpha=alpha, beta=beta, bias=bias, size=size)
