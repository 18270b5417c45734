"""ONNX's elementwise operators as MXNet's."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from .library import dtype_of
from .values import NodeReader, Value, reads

_DIRECT = {
    "Neg": "negative",
    "Abs": "abs",
    "Sign": "sign",
    "Sqrt": "sqrt",
    "Reciprocal": "reciprocal",
    "Exp": "exp",
    "Log": "log",
    "Sin": "sin",
    "Cos": "cos",
    "Tan": "tan",
    "Asin": "arcsin",
    "Acos": "arccos",
    "Atan": "arctan",
    "Sinh": "sinh",
    "Cosh": "cosh",
    "Tanh": "tanh",
    "Asinh": "arcsinh",
    "Acosh": "arccosh",
    "Atanh": "arctanh",
    "Erf": "erf",
    "Relu": "relu",
    "Sigmoid": "sigmoid",
    "Softsign": "softsign",
    "Floor": "floor",
    "Ceil": "ceil",
    "Round": "rint",
    "Not": "logical_not",
    "BitwiseNot": "_npi_bitwise_not",
}


@reads(*_DIRECT)
def direct(c: NodeReader) -> Value:
    return c.apply(_DIRECT[c.kind], c.value())


@reads("Identity")
def identity(c: NodeReader) -> Value:
    return c.value()


@reads("Dropout")
def dropout(c: NodeReader) -> Value:
    if c.has(2) and c.known(2, "training_mode").any():
        c.fail("training_mode draws random numbers")
    return c.value()  # a mask, its second output, is missed by who wants it


# Activations --------------------------------------------------------------------------------------
@reads("Softplus")
def softplus(c: NodeReader) -> Value:
    return c.apply("Activation", c.value(), act_type="softrelu")


@reads("LeakyRelu", "Elu")
def leaky(c: NodeReader) -> Value:
    kind, slope = ("leaky", 0.01) if c.kind == "LeakyRelu" else ("elu", 1.0)
    return c.apply("LeakyReLU", c.value(), act_type=kind, slope=c.attr("alpha", slope))


@reads("Selu")
def selu(c: NodeReader) -> Value:
    alpha, gamma = c.attr("alpha", 1.6732632), c.attr("gamma", 1.0507010)
    if abs(alpha - 1.6732632) > 1e-6 or abs(gamma - 1.0507010) > 1e-6:
        c.fail(f"alpha {alpha} and gamma {gamma}, expected those of Klambauer et al.")
    return c.apply("LeakyReLU", c.value(), act_type="selu")


@reads("Gelu")
def gelu(c: NodeReader) -> Value:
    if c.attr("approximate", "none") != "none":
        c.fail("only the exact form is read, not approximate='tanh'")
    return c.apply("LeakyReLU", c.value(), act_type="gelu")


@reads("HardSigmoid")
def hard_sigmoid(c: NodeReader) -> Value:
    return c.apply("hard_sigmoid", c.value(), alpha=c.attr("alpha", 0.2), beta=c.attr("beta", 0.5))


@reads("HardSwish", "Mish")
def swish(c: NodeReader) -> Value:
    x = c.value()
    if c.kind == "HardSwish":
        gate = c.apply("hard_sigmoid", x, alpha=1 / 6, beta=0.5)
    else:
        gate = c.apply("tanh", c.apply("Activation", x, act_type="softrelu"))
    return c.apply("elemwise_mul", x, gate)


@reads("PRelu")
def prelu(c: NodeReader) -> Value:
    """The slope broadcasts to x, whichever of its axes it has."""
    zero = c.apply("zeros_like", c.value())
    below = c.apply("broadcast_mul", c.apply("broadcast_minimum", c.value(), zero), c.value(1))
    return c.apply("elemwise_add", c.apply("relu", c.value()), below)


@reads("ThresholdedRelu")
def thresholded(c: NodeReader) -> Value:
    over = c.apply("broadcast_greater", c.value(), c.attr("alpha", 1.0))
    return c.apply("_npi_where", over, c.value(), c.apply("zeros_like", c.value()))


@reads("Clip")
def clip(c: NodeReader) -> Value:
    bounds = {}
    for i, name in ((1, "a_min"), (2, "a_max")):
        if c.has(i):
            bounds[name] = c.known(i, name).reshape(-1)[0].item()
    return c.apply("clip", c.value(), **bounds) if bounds else c.value()


@reads("Cast")
def cast(c: NodeReader) -> Value:
    return c.cast(c.value(), dtype_of(c.attr("to", 0), f"node '{c.label}'"))


@reads("IsNaN")
def isnan(c: NodeReader) -> Value:
    return c.cast(c.apply("broadcast_not_equal", c.value(), c.value()), np.bool_)


@reads("IsInf")
def isinf(c: NodeReader) -> Value:
    if not (c.attr("detect_positive", 1) and c.attr("detect_negative", 1)):
        c.fail("only both infinities together are read")
    return c.cast(c.apply("broadcast_equal", c.apply("abs", c.value()), np.inf), np.bool_)


# Two and more operands ----------------------------------------------------------------------------
def pair(c: NodeReader, op: str, a: Value, b: Value) -> Value:
    """Two operands; a constant of one element becomes a number of the operator."""
    for this, other in ((a, b), (b, a)):
        number = this.known and this.array is not None and this.array.size == 1
        if number and other.symbol is not None and not other.known and other.shape is not None:
            assert this.array is not None
            if this.array.ndim <= len(other.shape) and this.dtype not in ("bool", "float16"):
                value = this.array.reshape(-1)[0].item()
                return c.apply(op, *((value, other) if this is a else (other, value)))
    return c.apply(op, a, b)


_BINARY = {
    "Add": "broadcast_add",
    "Sub": "broadcast_sub",
    "Mul": "broadcast_mul",
    "Div": "broadcast_div",
    "BitwiseAnd": "_npi_bitwise_and",
    "BitwiseOr": "_npi_bitwise_or",
    "BitwiseXor": "_npi_bitwise_xor",
    "And": "broadcast_logical_and",
    "Or": "broadcast_logical_or",
    "Xor": "broadcast_logical_xor",
}


@reads(*_BINARY)
def binary(c: NodeReader) -> Value:
    return pair(c, _BINARY[c.kind], c.value(0), c.value(1))


@reads("Pow")
def power(c: NodeReader) -> Value:
    base, exponent = c.value(0), c.value(1)
    if exponent.dtype != base.dtype:
        exponent = c.cast(exponent, base.dtype)
    return pair(c, "broadcast_power", base, exponent)


@reads("Mod")
def mod(c: NodeReader) -> Value:
    a, b = c.value(0), c.value(1)
    if not c.attr("fmod", 0):
        if np.dtype(a.dtype).kind == "f":
            c.fail("floats need fmod=1")
        return pair(c, "broadcast_mod", a, b)
    # The sign of a: the rest of the absolute values, signed.
    rest = pair(c, "broadcast_mod", c.apply("abs", a), _absolute(c, b))
    return c.apply("broadcast_mul", c.apply("sign", a), rest)


def _absolute(c: NodeReader, x: Value) -> Value:
    if x.known:
        assert x.array is not None
        return Value(None, np.abs(x.array), x.shape, x.dtype, x.name)
    return c.apply("abs", x)


_COMPARISONS = {
    "Equal": "broadcast_equal",
    "Greater": "broadcast_greater",
    "GreaterOrEqual": "broadcast_greater_equal",
    "Less": "broadcast_lesser",
    "LessOrEqual": "broadcast_lesser_equal",
}


@reads(*_COMPARISONS)
def compare(c: NodeReader) -> Value:
    return c.cast(pair(c, _COMPARISONS[c.kind], c.value(0), c.value(1)), np.bool_)


_MANY = {"Max": "broadcast_maximum", "Min": "broadcast_minimum", "Sum": "broadcast_add"}


@reads(*_MANY, "Mean")
def many(c: NodeReader) -> Value:
    values: list[Any] = [c.value(i) for i in range(len(c.inputs))]
    total = reduce(lambda a, b: pair(c, _MANY.get(c.kind, "broadcast_add"), a, b), values)
    if c.kind == "Mean" and len(values) > 1:
        return c.apply("broadcast_div", total, len(values))
    return total


@reads("Where")
def where(c: NodeReader) -> Value:
    return c.apply("_npi_where", c.value(0), c.value(1), c.value(2))
