"""Layers and products of matrices as ONNX nodes."""

from __future__ import annotations

import math

import numpy as np

from .writer import NodeWriter, writes


# Products -----------------------------------------------------------------------------------------
@writes("FullyConnected")
def fully_connected(c: NodeWriter) -> str:
    x, weight, *bias = c.inputs
    flatten = c.attrs["flatten"]
    if flatten and len(c.shape()) != 2:
        x = c.add("Flatten", x, axis=1)
    if c.dtype().kind == "f" and (flatten or len(c.shape()) == 2):
        return c.add("Gemm", x, weight, *bias, transB=1)
    product = c.add("MatMul", x, c.transpose(weight, (1, 0)))
    return c.add("Add", product, bias[0]) if bias else product


@writes("matmul", "batch_dot")
def matmul(c: NodeWriter) -> str:
    operands = []
    for i, key in enumerate(("transpose_a", "transpose_b")):
        rank, x = len(c.shape(i)), c.inputs[i]
        if c.attrs[key] and rank > 1:
            x = c.transpose(x, [*range(rank - 2), rank - 1, rank - 2])
        operands.append(x)
    return c.add("MatMul", *operands)


@writes("dot")
def dot(c: NodeWriter) -> str:
    a, b = c.inputs
    shape, other = list(c.shape(0)), list(c.shape(1))
    if c.attrs["transpose_a"] and len(shape) > 1:
        a = c.transpose(a, [*range(1, len(shape)), 0])
        shape = [*shape[1:], shape[0]]
    if c.attrs["transpose_b"] and len(other) > 1:
        b = c.transpose(b, [len(other) - 1, *range(len(other) - 1)])
        other = [other[-1], *other[:-1]]
    if len(other) > 2:
        if -1 in other:
            c.fail(f"needs a fixed shape of its input 1, which has {c.shape(1)}")
        b = c.reshape(b, (other[0], math.prod(other[1:])))
    product = c.add("MatMul", a, b)
    if len(other) > 2 or len(c.out_shape) != len(shape) + len(other) - 2:
        return c.reshape(product, c.out_shape)
    return product


# Windows ------------------------------------------------------------------------------------------
@writes("Convolution")
def convolution(c: NodeWriter) -> str:
    kernel, pad = list(c.attrs["kernel"]), list(c.attrs["pad"])
    return c.add(
        "Conv",
        *c.inputs,
        kernel_shape=kernel,
        strides=list(c.attrs["stride"]),
        dilations=list(c.attrs["dilate"]),
        pads=pad + pad,
        group=int(c.attrs["num_group"]),
    )


@writes("Deconvolution")
def deconvolution(c: NodeWriter) -> str:
    pad = list(c.attrs["pad"])
    return c.add(
        "ConvTranspose",
        *c.inputs,
        kernel_shape=list(c.attrs["kernel"]),
        strides=list(c.attrs["stride"]),
        dilations=list(c.attrs["dilate"]),
        pads=pad + pad,
        output_padding=list(c.attrs["adj"]) or [0, 0],
        group=int(c.attrs["num_group"]),
    )


@writes("UpSampling")
def upsampling(c: NodeWriter) -> str:
    scale = float(c.attrs["scale"])
    scales = c.constant(np.array([1, 1, scale, scale], np.float32))
    how = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    return c.add("Resize", c.inputs[0], "", scales, mode="nearest", **how)


@writes("Pooling")
def pooling(c: NodeWriter) -> str:
    kind = c.attrs["pool_type"]
    if c.attrs["global_pool"]:
        if kind == "sum":
            return c.reduce("ReduceSum", c.inputs[0], (2, 3), True)
        return c.add("GlobalMaxPool" if kind == "max" else "GlobalAveragePool", c.inputs[0])
    kernel, pad, stride = (list(c.attrs[k]) for k in ("kernel", "pad", "stride"))
    more = _beyond(c, kernel, pad, stride)
    window = {"kernel_shape": kernel, "strides": stride}
    end = [p + m for p, m in zip(pad, more, strict=True)]
    if kind == "max":
        x = c.inputs[0]
        if any(e >= k for e, k in zip(end, kernel, strict=True)):
            x, pad, end = _padded(c, x, pad, end, -np.inf), [0, 0], [0, 0]
        return c.add("MaxPool", x, pads=pad + end, **window)
    x, counted = c.inputs[0], kind == "sum" or c.attrs["count_include_pad"]
    if counted and any(e >= k for e, k in zip(end, kernel, strict=True)):
        x, start, end = _padded(c, x, pad, end, 0), [0, 0], [0, 0]
    else:
        start = pad
    mean = c.add("AveragePool", x, pads=start + end, count_include_pad=int(counted), **window)
    if kind == "sum":
        return c.add("Mul", mean, c.number(math.prod(kernel)))
    # A mean counts the padding, but nothing beyond it. Not by padding first and counting nothing
    # else: older versions of onnxruntime make one wrong node of these two.
    return c.add("Mul", mean, c.constant(_shares(c))) if counted and any(more) else mean


def _shares(c: NodeWriter) -> np.ndarray:
    """By how much each mean over a whole window is too small, (1, 1, height, width)."""
    axes = []
    for i, (kernel, pad, stride) in enumerate(
        zip(c.attrs["kernel"], c.attrs["pad"], c.attrs["stride"], strict=True)
    ):
        begin = np.arange(c.out_shape[2 + i]) * stride - pad
        axes.append(kernel / (np.minimum(begin + kernel, c.shape()[2 + i] + pad) - begin))
    return np.outer(*axes)[np.newaxis, np.newaxis].astype(c.dtype())


def _beyond(c: NodeWriter, kernel: list[int], pad: list[int], stride: list[int]) -> list[int]:
    """How far the convention 'full' lets the last windows reach beyond the padding."""
    if c.attrs["pooling_convention"] == "valid":
        return [0, 0]
    more = []
    for i in range(2):
        size, windows = c.shape()[2 + i], c.out_shape[2 + i]
        if size < 0 or windows < 0:
            c.fail("pooling_convention 'full' needs a fixed height and width")
        more.append(max(0, (windows - 1) * stride[i] + kernel[i] - size - 2 * pad[i]))
    return more


def _padded(c: NodeWriter, x: str, begin: list[int], end: list[int], value: float) -> str:
    return c.add("Pad", x, c.ints([0, 0, *begin, 0, 0, *end]), c.number(value))


@writes("BatchNorm")
def batch_norm(c: NodeWriter) -> list[str]:
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
    y = c.transpose(y, [order.index(i) for i in range(rank)])
    if not c.attrs["output_mean_var"]:
        return [y]
    spread = c.add("Sqrt", c.add("Add", var, c.number(c.attrs["eps"])))
    return [y, c.add("Identity", mean), c.add("Reciprocal", spread)]


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


# Softmax and its kin ------------------------------------------------------------------------------
def _cooled(c: NodeWriter) -> str:
    temperature = c.attrs["temperature"]
    if temperature in (None, 1):
        return c.inputs[0]
    return c.add("Div", c.inputs[0], c.number(temperature))


@writes("softmax")
def softmax(c: NodeWriter) -> str:
    return c.add("Softmax", _cooled(c), axis=int(c.attrs["axis"]))


@writes("log_softmax")
def log_softmax(c: NodeWriter) -> str:
    return c.add("LogSoftmax", _cooled(c), axis=int(c.attrs["axis"]))


@writes("SoftmaxOutput")
def softmax_output(c: NodeWriter) -> str:
    """Softmax over the classes: axis 1, the last, or all but the first."""
    rank, x = len(c.shape()), c.inputs[0]
    if c.attrs["multi_output"]:
        return c.add("Softmax", x, axis=1)
    if c.attrs["preserve_shape"] or rank <= 2:
        return c.add("Softmax", x, axis=-1)
    flat = c.add("Softmax", c.add("Flatten", x, axis=1), axis=-1)
    return c.add("Reshape", flat, c.add("Shape", x))


@writes("softmax_cross_entropy")
def softmax_cross_entropy(c: NodeWriter) -> str:
    labels = c.cast(c.inputs[1], c.dtype(1), np.int64)
    column = c.add("Unsqueeze", labels, c.ints([1]))
    logs = c.add("LogSoftmax", c.inputs[0], axis=-1)
    picked = c.add("GatherElements", logs, column, axis=1)
    total = c.add("Neg", c.reduce("ReduceSum", picked, (0, 1), False))
    return c.reshape(total, (1,)) if c.attrs["at_least_1d"] else total


@writes("Dropout")
def dropout(c: NodeWriter) -> str:
    if c.attrs["mode"] == "always":
        c.fail("mode 'always' draws random numbers when the model is used")
    return c.add("Identity", c.inputs[0])
