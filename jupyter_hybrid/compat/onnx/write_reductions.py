"""Reductions and running sums as ONNX nodes."""

from __future__ import annotations

import numpy as np

from .writer import NodeWriter, writes


def _axes(c: NodeWriter) -> list[int]:
    rank, axis = len(c.shape()), c.attrs["axis"]
    if axis is None:
        return list(range(rank))
    axes = sorted(c.axis(a) for a in axis)
    if c.attrs.get("exclude"):
        return [a for a in range(rank) if a not in axes]
    return axes


_REDUCTIONS = {
    "sum": "ReduceSum",
    "nansum": "ReduceSum",
    "mean": "ReduceMean",
    "prod": "ReduceProd",
    "max": "ReduceMax",
    "min": "ReduceMin",
}


def _reduced(c: NodeWriter, kind: str, x: str) -> str:
    axes, keepdims = _axes(c), bool(c.attrs["keepdims"])
    result = c.reduce(kind, x, axes, keepdims)
    if c.attrs.get("at_least_1d") and not keepdims and len(axes) == len(c.shape()):
        return c.reshape(result, (1,))
    return result if result != c.inputs[0] else c.add("Identity", x)


@writes(*_REDUCTIONS)
def reduction(c: NodeWriter) -> str:
    x, op = c.inputs[0], str(c.node.op)
    if c.dtype().kind == "b":
        c.fail("ONNX reduces no bool")
    if op == "nansum" and c.dtype().kind == "f":
        x = c.where(c.add("IsNaN", x), c.number(0), x)
    if op == "mean" and c.dtype().kind != "f":
        c.fail("ONNX does not define how a mean of integers is rounded")
    return _reduced(c, _REDUCTIONS[op], x)


@writes("norm")
def norm(c: NodeWriter) -> str:
    kind = "ReduceL2" if c.attrs["ord"] == 2 else "ReduceL1"
    x = c.inputs[0] if _axes(c) else c.add("Abs", c.inputs[0])
    return c.cast(_reduced(c, kind, x), c.dtype(), c.out_dtype)


@writes("any", "all")
def truth(c: NodeWriter) -> str:
    x = c.cast(c.truth(c.inputs[0], c.dtype()), np.bool_, np.int32)
    kind = "ReduceMax" if c.node.op == "any" else "ReduceMin"
    return c.cast(_reduced(c, kind, x), np.int32, c.out_dtype)


@writes("argmax", "argmin")
def argmax(c: NodeWriter) -> str:
    x, axis, keepdims = c.inputs[0], c.attrs["axis"], int(c.attrs["keepdims"])
    kind = "ArgMax" if c.node.op == "argmax" else "ArgMin"
    if axis is None:
        found = c.add(kind, c.reshape(x, (-1,)), axis=0, keepdims=0)
    else:
        found = c.add(kind, x, axis=c.axis(axis), keepdims=keepdims)
    found = c.cast(found, np.int64, c.out_dtype)
    made = 0 if axis is None else len(c.shape()) - (1 - keepdims)
    return found if made == len(c.out_shape) else c.reshape(found, c.out_shape)


@writes("sum_like", "sum_to_shape")
def sum_to(c: NodeWriter) -> str:
    shape, wanted = c.static(), c.out_shape
    ahead = len(shape) - len(wanted)
    axes = [*range(ahead)]
    axes += [ahead + i for i, s in enumerate(wanted) if s == 1 and shape[ahead + i] != 1]
    return c.reshape(c.reduce("ReduceSum", c.inputs[0], axes, True), wanted)  # drops axes ahead


@writes("cumsum")
def cumsum(c: NodeWriter) -> str:
    x, axis = c.inputs[0], c.attrs["axis"]
    if axis is None:
        x, axis = c.reshape(x, (-1,)), 0
    x = c.cast(x, c.dtype(), c.out_dtype)
    return c.add("CumSum", x, c.constant(np.array(axis, dtype=np.int64)))


@writes("moments")
def moments(c: NodeWriter) -> list[str]:
    axes, keepdims = sorted(c.axis(a) for a in c.attrs["axes"]), bool(c.attrs["keepdims"])
    mean = c.reduce("ReduceMean", c.inputs[0], axes, True)
    beside = c.add("Sub", c.inputs[0], mean)
    var = c.reduce("ReduceMean", c.add("Mul", beside, beside), axes, True)
    if keepdims:
        return [mean, var]
    kept = [a for a in range(len(c.shape())) if a not in axes]
    if not kept:
        return [c.reshape(x, (1,)) for x in (mean, var)]
    return [c.add("Squeeze", x, c.ints(axes)) for x in (mean, var)]
