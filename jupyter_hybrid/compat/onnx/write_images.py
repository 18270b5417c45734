"""Images that are made larger, smaller or cut as ONNX nodes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .writer import NodeWriter, writes


@writes("UpSampling")
def upsampling(c: NodeWriter) -> str:
    if c.attrs["sample_type"] == "bilinear":
        return _interpolated(c)
    parts = [_repeated(c, i) for i in range(len(c.inputs))]
    if len(parts) == 1:
        return parts[0]
    if c.attrs["multi_input_mode"] == "sum":
        return c.add("Sum", *parts)
    return c.add("Concat", *parts, axis=1)


def _repeated(c: NodeWriter, i: int) -> str:
    scale = float(c.attrs["scale"])
    if i > 0:
        large, small = c.out_shape[2], c.shape(i)[2]
        if large < 0 or small < 1:
            c.fail("several images need fixed heights and widths")
        scale = large / small
    scales = c.constant(np.array([1, 1, scale, scale], np.float32))
    how = {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    return c.add("Resize", c.inputs[i], "", scales, mode="nearest", **how)


def _interpolated(c: NodeWriter) -> str:
    scale, pad = int(c.attrs["scale"]), int(c.attrs["scale"]) // 2
    return c.add(
        "ConvTranspose",
        *c.inputs,
        kernel_shape=[2 * scale - scale % 2] * 2,
        strides=[scale, scale],
        pads=[pad] * 4,
        group=int(c.attrs["num_filter"]),
    )


@writes("Crop")
def crop(c: NodeWriter) -> str:
    data, sizes = c.shape()[2:], c.out_shape[2:]
    if -1 in (*data, *sizes):
        c.fail("needs a fixed height and width")
    begin = list(c.attrs["offset"])
    if c.attrs["center_crop"]:
        begin = [(have - want) // 2 for have, want in zip(data, sizes, strict=True)]
    end = [b + want for b, want in zip(begin, sizes, strict=True)]
    return c.add("Slice", c.inputs[0], c.ints(begin), c.ints(end), c.ints([2, 3]))


@writes("AdaptiveAvgPooling2D")
def adaptive_pooling(c: NodeWriter) -> str:
    return _by_matrices(c, _means)


@writes("BilinearResize2D")
def bilinear_resize(c: NodeWriter) -> str:
    """ONNX's Resize puts a single result elsewhere."""
    align = bool(c.attrs["align_corners"])
    return _by_matrices(c, lambda have, want: _between(have, want, align))


def _by_matrices(c: NodeWriter, matrix: Callable[[int, int], np.ndarray]) -> str:
    """What is linear along both axes: rows @ image @ columns."""
    data, sizes = c.shape()[2:], c.out_shape[2:]
    if -1 in (*data, *sizes):
        c.fail("needs a fixed height and width")
    rows, columns = (matrix(*pair).astype(c.dtype()) for pair in zip(data, sizes, strict=True))
    image = c.add("MatMul", c.inputs[0], c.constant(columns.T.copy()))
    return c.add("MatMul", c.constant(rows), image)


def _means(have: int, want: int) -> np.ndarray:
    rows = np.zeros((want, have))
    for i in range(want):
        begin, end = i * have // want, -(-(i + 1) * have // want)
        rows[i, begin:end] = 1 / (end - begin)
    return rows


def _between(have: int, want: int, align: bool) -> np.ndarray:
    step = 0.0 if want == 1 else (have - 1) / (want - 1) if align else have / want
    at = np.arange(want) * step
    if not align:
        at = np.maximum(0.0, (np.arange(want) + 0.5) * step - 0.5)
    low = np.minimum(at.astype(int), have - 1)
    rows, i = np.zeros((want, have)), np.arange(want)
    rows[i, low] = 1 - (at - low)
    rows[i, np.minimum(low + 1, have - 1)] += at - low
    return rows
