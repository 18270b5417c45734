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
def _sizes(c: NodeWriter, name: str, default: int) -> list[int]:
    """One size an axis of the window; none stand for the default, so do other numbers of zeros."""
    given, axes = list(c.attrs[name]), len(c.attrs["kernel"])
    return given if len(given) == axes else [default] * axes


@writes("Convolution")
def convolution(c: NodeWriter) -> str:
    pad = _sizes(c, "pad", 0)
    return c.add(
        "Conv",
        *c.inputs,
        kernel_shape=list(c.attrs["kernel"]),
        strides=_sizes(c, "stride", 1),
        dilations=_sizes(c, "dilate", 1),
        pads=pad + pad,
        group=int(c.attrs["num_group"]),
    )


@writes("Deconvolution")
def deconvolution(c: NodeWriter) -> str:
    pad, adj = _sizes(c, "pad", 0), _sizes(c, "adj", 0)
    for i, target in enumerate(c.attrs["target_shape"] if any(c.attrs["target_shape"]) else ()):
        size, stride = c.shape()[2 + i], _sizes(c, "stride", 1)[i]
        if size < 0:
            c.fail("target_shape needs fixed spatial sizes")
        reach = (c.attrs["kernel"][i] - 1) * _sizes(c, "dilate", 1)[i]
        beyond = (size - 1) * stride + reach + 1 - target
        pad[i], adj[i] = (beyond + 1) // 2, beyond % 2
    return c.add(
        "ConvTranspose",
        *c.inputs,
        kernel_shape=list(c.attrs["kernel"]),
        strides=_sizes(c, "stride", 1),
        dilations=_sizes(c, "dilate", 1),
        pads=pad + pad,
        output_padding=adj,
        group=int(c.attrs["num_group"]),
    )


@writes("Pooling")
def pooling(c: NodeWriter) -> str:
    rank, x, kind = len(c.shape()), c.inputs[0], c.attrs["pool_type"]
    last = (c.attrs["layout"] or "").endswith("C")
    if last:
        x = c.transpose(x, [0, rank - 1, *range(1, rank - 1)])
    power = c.attrs["p_value"] if kind == "lp" else 1
    root = x
    for _ in range(power - 1):  # ONNX's LpPool takes no signs
        x = c.add("Mul", x, root)
    y = _pooled(c, x, "sum" if kind == "lp" else kind)
    if power == 2:
        y = c.add("Sqrt", y)
    elif power == 3:
        size = c.add("Pow", c.add("Abs", y), c.number(1 / 3))
        y = c.add("Mul", c.add("Sign", y), size)
    return c.transpose(y, [0, *range(2, rank), 1]) if last else y


def _sizes_of(c: NodeWriter, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The spatial ones."""
    return shape[1:-1] if (c.attrs["layout"] or "").endswith("C") else shape[2:]


def _pooled(c: NodeWriter, x: str, kind: str) -> str:
    """Of data with the channels before the other axes."""
    if c.attrs["global_pool"]:
        if kind == "sum":
            return c.reduce("ReduceSum", x, tuple(range(2, len(c.shape()))), True)
        return c.add("GlobalMaxPool" if kind == "max" else "GlobalAveragePool", x)
    kernel, none = list(c.attrs["kernel"]), [0] * len(c.attrs["kernel"])
    pad, stride = _sizes(c, "pad", 0), _sizes(c, "stride", 1)
    more = _beyond(c, kernel, pad, stride)
    window = {"kernel_shape": kernel, "strides": stride}
    end = [p + m for p, m in zip(pad, more, strict=True)]
    far = any(e >= k for e, k in zip(end, kernel, strict=True))
    if kind == "max":
        if far:
            x, pad, end = _padded(c, x, pad, end, -np.inf), none, none
        return c.add("MaxPool", x, pads=pad + end, **window)
    counted = kind == "sum" or c.attrs["count_include_pad"]
    start = pad
    if counted and far:
        x, start, end = _padded(c, x, pad, end, 0), none, none
    mean = c.add("AveragePool", x, pads=start + end, count_include_pad=int(counted), **window)
    if kind == "sum":
        return c.add("Mul", mean, c.number(math.prod(kernel)))
    # A mean counts the padding, but nothing beyond it. Not by padding first and counting nothing
    # else: older versions of onnxruntime make one wrong node of these two.
    return c.add("Mul", mean, c.constant(_shares(c))) if counted and any(more) else mean


def _shares(c: NodeWriter) -> np.ndarray:
    """By how much each mean over a whole window is too small, (1, 1, sizes of the result)."""
    shares = np.ones((1, 1))
    for i, (kernel, pad, stride) in enumerate(
        zip(c.attrs["kernel"], _sizes(c, "pad", 0), _sizes(c, "stride", 1), strict=True)
    ):
        begin = np.arange(_sizes_of(c, c.out_shape)[i]) * stride - pad
        axis = kernel / (np.minimum(begin + kernel, _sizes_of(c, c.shape())[i] + pad) - begin)
        shares = np.multiply.outer(shares, axis)
    return shares.astype(c.dtype())


def _beyond(c: NodeWriter, kernel: list[int], pad: list[int], stride: list[int]) -> list[int]:
    """How far the convention lets the last windows reach beyond the padding."""
    convention = c.attrs["pooling_convention"]
    if convention == "valid":
        return [0] * len(kernel)
    more = []
    for i in range(len(kernel)):
        size, windows = _sizes_of(c, c.shape())[i], _sizes_of(c, c.out_shape)[i]
        if size < 0 or windows < 0:
            c.fail(f"pooling_convention '{convention}' needs fixed spatial sizes")
        more.append(max(0, (windows - 1) * stride[i] + kernel[i] - size - 2 * pad[i]))
    return more


def _padded(c: NodeWriter, x: str, begin: list[int], end: list[int], value: float) -> str:
    return c.add("Pad", x, c.ints([0, 0, *begin, 0, 0, *end]), c.number(value))


# Softmax with labels -----------------------------------------------------------------------------
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
