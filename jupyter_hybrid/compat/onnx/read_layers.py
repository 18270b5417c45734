"""ONNX's layers and products of matrices as MXNet's operators."""

from __future__ import annotations

import numpy as np

from .read_elementwise import pair
from .values import NodeReader, Value, reads


# Products -----------------------------------------------------------------------------------------
@reads("MatMul")
def matmul(c: NodeReader) -> Value:
    if c.rank(0) == c.rank(1) == 2:
        return c.apply("dot", c.value(0), c.value(1))
    return c.apply("_npi_matmul", c.value(0), c.value(1))


@reads("Gemm")
def gemm(c: NodeReader) -> Value:
    a, b = c.value(0), c.value(1)
    alpha, beta = c.attr("alpha", 1.0), c.attr("beta", 1.0)
    turned = bool(c.attr("transB", 0))
    units = c.shape(1)[0 if turned else 1]
    bias = c.value(2) if c.has(2) else None
    fits = bias is None or bias.shape == (units,)
    if fits and alpha == beta == 1 and units > 0 and np.dtype(a.dtype).kind == "f":
        if c.attr("transA", 0):
            a = c.apply("transpose", a)
        weight = b if turned else c.apply("transpose", b)
        more = {"num_hidden": units, "flatten": False, "no_bias": bias is None}
        return c.apply("FullyConnected", a, weight, *([] if bias is None else [bias]), **more)
    turn = {"transpose_a": bool(c.attr("transA", 0)), "transpose_b": turned}
    product = c.apply("dot", a, b, **turn)
    if alpha != 1:
        product = c.apply("broadcast_mul", product, alpha)
    if bias is None or beta == 0:
        return product
    if beta != 1:
        bias = c.apply("broadcast_mul", bias, beta)
    return pair(c, "broadcast_add", product, bias)


# Windows ------------------------------------------------------------------------------------------
Pads = tuple[list[int], list[int]]


def _spatial(c: NodeReader, kernel: list[int]) -> tuple[list[int], list[int], Pads]:
    """Strides, dilations, and the padding ahead and behind."""
    n = len(kernel)
    if not 1 <= n <= 3 or c.rank() != n + 2:
        c.fail(f"kernel {kernel} for data of shape {c.shape()}, expected one to three dimensions")
    stride = c.attr("strides", [1] * n)
    dilate = c.attr("dilations", [1] * n)
    pads = c.attr("pads", [0] * 2 * n)
    auto = c.attr("auto_pad", "NOTSET")
    if (len(stride), len(dilate), len(pads)) != (n, n, 2 * n) or min(*stride, *dilate) < 1:
        c.fail(f"strides {stride}, dilations {dilate}, pads {pads} for {n} dimensions")
    if min(pads) < 0:
        c.fail(f"negative pads {pads}")
    ahead, behind = list(pads[:n]), list(pads[n:])
    if auto == "VALID":
        ahead, behind = [0] * n, [0] * n
    elif auto in ("SAME_UPPER", "SAME_LOWER"):
        for i, size in enumerate(c.shape()[2:]):
            if size < 0:
                c.fail(f"auto_pad {auto} needs fixed spatial sizes")
            reach = (kernel[i] - 1) * dilate[i] + 1
            total = max(0, (-(-size // stride[i]) - 1) * stride[i] + reach - size)
            less = total // 2
            ahead[i], behind[i] = (
                (less, total - less) if auto == "SAME_UPPER" else (total - less, less)
            )
    elif auto != "NOTSET":
        c.fail(f"auto_pad {auto}")
    return stride, dilate, (ahead, behind)


def _padded(c: NodeReader, x: Value, ahead: list[int], behind: list[int], value: float) -> Value:
    width = [0, 0, 0, 0]
    for sides in zip(ahead, behind, strict=True):
        width += sides
    return c.apply("pad", x, mode="constant", pad_width=width, constant_value=value)


@reads("Conv")
def conv(c: NodeReader) -> Value:
    weight = c.shape(1)
    kernel = [int(k) for k in c.attr("kernel_shape", weight[2:])]
    stride, dilate, (ahead, behind) = _spatial(c, kernel)
    x = c.value()
    if ahead != behind:
        x, ahead = _padded(c, x, ahead, behind, 0.0), [0] * len(kernel)
    bias = [c.value(2)] if c.has(2) else []
    return c.apply(
        "Convolution",
        x,
        c.value(1),
        *bias,
        kernel=kernel,
        stride=stride,
        dilate=dilate,
        pad=ahead,
        num_filter=weight[0],
        num_group=c.attr("group", 1),
        no_bias=not bias,
    )


@reads("ConvTranspose")
def conv_transpose(c: NodeReader) -> Value:
    weight, group = c.shape(1), c.attr("group", 1)
    kernel = [int(k) for k in c.attr("kernel_shape", weight[2:])]
    if c.attr("auto_pad", "NOTSET") not in ("NOTSET", "VALID") or c.attr("output_shape"):
        c.fail("auto_pad and output_shape are not read, pads and output_padding are")
    stride, dilate, (ahead, behind) = _spatial(c, kernel)
    bias = [c.value(2)] if c.has(2) else []
    even = ahead == behind
    y = c.apply(
        "Deconvolution",
        c.value(),
        c.value(1),
        *bias,
        kernel=kernel,
        stride=stride,
        dilate=dilate,
        pad=ahead if even else [0] * len(kernel),
        adj=c.attr("output_padding", [0] * len(kernel)),
        num_filter=weight[1] * group,
        num_group=group,
        no_bias=not bias,
    )
    for i in range(0 if even else len(kernel)):
        y = c.apply("slice_axis", y, axis=2 + i, begin=ahead[i], end=-behind[i] or None)
    return y


@reads("Resize")
def resize(c: NodeReader) -> Value:
    """Whole multiples of the nearest element: every element repeated."""
    if c.attr("mode", "nearest") != "nearest" or c.attr("axes"):
        c.fail("only mode 'nearest' on all axes is read")
    shape = c.shape()
    if c.has(2) and c.known(2, "scales").size:
        scales = [float(s) for s in c.known(2, "scales").reshape(-1)]
    else:
        sizes = c.ints(3, "sizes")
        if len(sizes) != len(shape):
            c.fail(f"{len(sizes)} sizes for data of shape {shape}")
        if any(have < 1 and want != have for have, want in zip(shape, sizes)):
            c.fail(f"sizes {sizes} for data of shape {shape}, which must be known")
        scales = [want / have if have > 0 else 1.0 for have, want in zip(shape, sizes)]
    where = c.attr("coordinate_transformation_mode", "half_pixel")
    rounded = c.attr("nearest_mode", "round_prefer_floor")
    repeats = all(s == int(s) and s >= 1 for s in scales) and (
        (where == "asymmetric" and rounded == "floor")
        or (where in ("half_pixel", "pytorch_half_pixel") and rounded.startswith("round"))
    )
    if not repeats or len(scales) != len(shape):
        c.fail(
            f"scales {scales} with {where}, {rounded}; expected whole numbers, and half_pixel with "
            "rounding or asymmetric with floor"
        )
    if len(shape) == 4 and scales[:2] == [1, 1] and scales[2] == scales[3]:
        return c.apply("UpSampling", c.value(), scale=int(scales[2]), sample_type="nearest")
    y = c.value()
    for axis, scale in enumerate(scales):
        if scale != 1:
            y = c.apply("repeat", y, repeats=int(scale), axis=axis)
    return y


@reads("MaxPool", "AveragePool")
def pool(c: NodeReader) -> Value:
    kernel = [int(k) for k in c.attr("kernel_shape", [])]
    stride, dilate, (ahead, behind) = _spatial(c, kernel)
    none = [0] * len(kernel)
    if max(dilate) > 1 or c.attr("storage_order", 0):
        c.fail("dilations and storage_order are not read")
    if len(c.node.output) > 1 and c.node.output[1]:
        c.fail("its indices are not read")
    counted = bool(c.attr("count_include_pad", 0)) or c.kind == "MaxPool"
    beyond = none
    if c.attr("ceil_mode", 0):
        beyond = [_beyond(c, i, kernel, stride, ahead, behind) for i in range(len(kernel))]
    how = {"kernel": kernel, "stride": stride, "count_include_pad": counted}
    how["pool_type"] = "max" if c.kind == "MaxPool" else "avg"
    x = c.value()
    if ahead == behind and beyond == none:
        return c.apply("Pooling", x, pad=ahead, **how)
    if (not counted or ahead == behind) or c.kind == "MaxPool":
        end = [b + m for b, m in zip(behind, beyond)]
        if _is_full(c, kernel, stride, ahead, end):
            return c.apply("Pooling", x, pad=ahead, pooling_convention="full", **how)
    end = [b + m for b, m in zip(behind, beyond)]
    if c.kind == "MaxPool":
        padded = _padded(c, x, ahead, end, -np.inf)
        return c.apply("Pooling", padded, kernel=kernel, stride=stride, pool_type="max")
    # The sum of a window by the number of elements that count in it.
    one = c.apply("ones_like", x)
    if counted:
        one = c.apply("ones_like", _padded(c, one, ahead, behind, 0.0))
    parts = []
    for part, begin, last in (
        (x, ahead, end),
        (one, none if counted else ahead, beyond if counted else end),
    ):
        padded = _padded(c, part, begin, last, 0.0)
        parts.append(c.apply("Pooling", padded, kernel=kernel, stride=stride, pool_type="sum"))
    return c.apply("broadcast_div", *parts)


def _beyond(
    c: NodeReader, i: int, kernel: list[int], stride: list[int], ahead: list[int], behind: list[int]
) -> int:
    """How far ceil_mode's last window reaches beyond the padding; it begins before it."""
    size = c.shape()[2 + i]
    if size < 0:
        c.fail("ceil_mode needs fixed spatial sizes")
    whole = size + ahead[i] + behind[i]
    windows = -(-(whole - kernel[i]) // stride[i]) + 1
    if (windows - 1) * stride[i] >= size + ahead[i]:
        windows -= 1
    return max(0, (windows - 1) * stride[i] + kernel[i] - whole)


def _is_full(
    c: NodeReader, kernel: list[int], stride: list[int], ahead: list[int], end: list[int]
) -> bool:
    """Whether MXNet's convention 'full' has exactly these windows."""
    for i, size in enumerate(c.shape()[2:]):
        if size < 0 or end[i] < ahead[i]:
            return False
        full = -(-(size + 2 * ahead[i] - kernel[i]) // stride[i])
        if full != (size + ahead[i] + end[i] - kernel[i]) // stride[i]:
            return False
    return True


@reads("GlobalMaxPool", "GlobalAveragePool")
def global_pool(c: NodeReader) -> Value:
    kind = "max" if c.kind == "GlobalMaxPool" else "avg"
    if 3 <= c.rank() <= 5:
        kernel = (1,) * (c.rank() - 2)
        return c.apply("Pooling", c.value(), global_pool=True, pool_type=kind, kernel=kernel)
    reduction = "max" if kind == "max" else "mean"
    return c.apply(reduction, c.value(), axis=tuple(range(2, c.rank())), keepdims=True)


@reads("Softmax", "LogSoftmax")
def softmax(c: NodeReader) -> Value:
    op = "softmax" if c.kind == "Softmax" else "log_softmax"
    return c.apply(op, c.value(), axis=c.attr("axis", -1))
