"""ONNX's normalizations as MXNet's operators."""

from __future__ import annotations

import numpy as np

from .values import NodeReader, Value, known_value, reads


@reads("BatchNormalization")
def batch_norm(c: NodeReader) -> Value:
    """The operator itself or, of other floats, a factor and a term for each channel."""
    if c.attr("training_mode", 0):
        c.fail("training_mode is not read")
    if c.value().dtype in ("float32", "float64"):
        for i, name in ((3, "mean"), (4, "var")):
            c.known(i, name)  # states are parameters
        return c.apply(
            "BatchNorm",
            *(c.value(i) for i in range(5)),
            eps=c.attr("epsilon", 1e-5),
            momentum=c.attr("momentum", 0.9),
            fix_gamma=False,
        )
    scale, bias, mean, var = (
        c.known(i, name) for i, name in enumerate(("scale", "B", "mean", "var"), 1)
    )
    factor = scale / np.sqrt(var + np.asarray(c.attr("epsilon", 1e-5), var.dtype))
    term = bias - mean * factor
    shape = (1, -1, *(1,) * (c.rank() - 2))
    values = [
        known_value(a.reshape(shape).astype(scale.dtype), f"{c.label}_{name}")
        for a, name in ((factor, "factor"), (term, "term"))
    ]
    return c.apply("broadcast_add", c.apply("broadcast_mul", c.value(), values[0]), values[1])


@reads("LayerNormalization")
def layer_norm(c: NodeReader) -> Value:
    """Over the last axis; several last axes are made one."""
    if len([name for name in c.node.output if name]) > 1:
        c.fail("its mean and deviation are not read")
    rank, x, gamma = c.rank(), c.value(), c.value(1)
    axis = c.axis(c.attr("axis", -1), rank)
    beta = c.value(2) if c.has(2) else c.apply("zeros_like", gamma)
    several = axis < rank - 1
    if several:
        x = c.reshape(x, (0,) * axis + (-1,))
        gamma, beta = c.reshape(gamma, (-1,)), c.reshape(beta, (-1,))
    y = c.apply("LayerNorm", x, gamma, beta, axis=-1, eps=c.attr("epsilon", 1e-5))
    return c.apply("reshape_like", y, c.value()) if several else y


@reads("InstanceNormalization")
def instance_norm(c: NodeReader) -> Value:
    return _in_groups(c, c.shape(1)[0])


@reads("GroupNormalization")
def group_norm(c: NodeReader) -> Value:
    groups, channels = c.attr("num_groups", 0), c.shape()[1]
    if groups < 1 or channels < 1 or channels % groups:
        c.fail(f"{groups} groups for data of shape {c.shape()}")
    return _in_groups(c, groups)


def _in_groups(c: NodeReader, groups: int) -> Value:
    """LayerNorm over all of a group of channels; factor and term of each channel behind it."""
    x, channels, inner = c.value(), c.shape()[1], c.shape()[2:]
    if c.rank() < 3 or channels < 1 or -1 in inner or groups < 1:
        c.fail(f"data of shape {c.shape()}; all sizes but the batch's must be known")
    size = channels // groups * int(np.prod(inner))
    ones = np.ones(size, x.dtype)
    parts = known_value(ones, f"{c.label}_ones"), known_value(0 * ones, f"{c.label}_zeros")
    flat = c.reshape(x, (0, groups, size))
    flat = c.apply("LayerNorm", flat, *parts, axis=-1, eps=c.attr("epsilon", 1e-5))
    y, scale, term = c.apply("reshape_like", flat, x), c.value(1), c.value(2)
    if {scale.shape, term.shape} != {(channels,)}:
        c.fail(f"scale of shape {scale.shape}, bias {term.shape}, expected ({channels},)")
    scale, term = (c.reshape(v, (1, channels, *(1,) * len(inner))) for v in (scale, term))
    return c.apply("broadcast_add", c.apply("broadcast_mul", y, scale), term)


@reads("LpNormalization")
def lp_norm(c: NodeReader) -> Value:
    axis, order = c.axis(c.attr("axis", -1), c.rank()), c.attr("p", 2)
    length = c.apply("norm", c.value(), ord=order, axis=axis, keepdims=True)
    return c.apply("broadcast_div", c.value(), length)


@reads("LRN")
def lrn(c: NodeReader) -> Value:
    size = c.attr("size", 0)
    if c.rank() != 4 or size % 2 == 0:
        c.fail(f"size {size}, data of shape {c.shape()}; expected an odd size and four dimensions")
    how = {
        "alpha": c.attr("alpha", 1e-4),
        "beta": c.attr("beta", 0.75),
        "knorm": c.attr("bias", 1.0),
    }
    return c.apply("LRN", c.value(), nsize=size, **how)
