"""Softmax and its kin as ONNX nodes."""

from __future__ import annotations

from .writer import NodeWriter, writes


def _softmax(c: NodeWriter, kind: str, x: str) -> str:
    if c.attrs["use_length"]:
        c.fail("rows of different lengths have no form in ONNX")
    x = c.cast(x, c.dtype(), c.out_dtype)
    temperature = c.attrs["temperature"]
    if temperature not in (None, 1):
        x = c.add("Div", x, c.number(temperature, c.out_dtype))
    return c.add(kind, x, axis=int(c.attrs["axis"]))


@writes("softmax")
def softmax(c: NodeWriter) -> str:
    return _softmax(c, "Softmax", c.inputs[0])


@writes("softmin")
def softmin(c: NodeWriter) -> str:
    return _softmax(c, "Softmax", c.add("Neg", c.inputs[0]))


@writes("log_softmax")
def log_softmax(c: NodeWriter) -> str:
    return _softmax(c, "LogSoftmax", c.inputs[0])


@writes("SoftmaxActivation")
def softmax_activation(c: NodeWriter) -> str:
    return c.add("Softmax", c.inputs[0], axis=1 if c.attrs["mode"] == "channel" else -1)
