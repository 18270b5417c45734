"""Elementwise operators as ONNX nodes."""

from __future__ import annotations

import math

import numpy as np

from .library import onnx
from .writer import NodeWriter, writes

_DIRECT = {
    "identity": "Identity",
    "copy_to_device": "Identity",  # where values are is the runtime's
    "contiguous": "Identity",
    "stop_gradient": "Identity",
    "make_loss": "Identity",
    "gradientmultiplier": "Identity",
    "cast_storage": "Identity",
    "LinearRegressionOutput": "Identity",
    "MAERegressionOutput": "Identity",
    "SVMOutput": "Identity",
    "LogisticRegressionOutput": "Sigmoid",
    "neg": "Neg",
    "abs": "Abs",
    "sign": "Sign",
    "sign_ste": "Sign",
    "sqrt": "Sqrt",
    "reciprocal": "Reciprocal",
    "exp": "Exp",
    "log": "Log",
    "sin": "Sin",
    "cos": "Cos",
    "tan": "Tan",
    "arcsin": "Asin",
    "arccos": "Acos",
    "arctan": "Atan",
    "sinh": "Sinh",
    "cosh": "Cosh",
    "tanh": "Tanh",
    "arcsinh": "Asinh",
    "arccosh": "Acosh",
    "arctanh": "Atanh",
    "erf": "Erf",
    "sigmoid": "Sigmoid",
    "softrelu": "Softplus",
    "softsign": "Softsign",
    "floor": "Floor",
    "ceil": "Ceil",
    "rint": "Round",
}


@writes(*_DIRECT)
def direct(c: NodeWriter) -> str:
    kind = _DIRECT[str(c.node.op)]
    if c.dtype().kind in "iub" and kind in ("Floor", "Ceil", "Round"):
        return c.add("Identity", c.inputs[0])
    return c.add(kind, c.inputs[0])


@writes("conj", "real")
def real(c: NodeWriter) -> str:
    return c.add("Identity", c.inputs[0])  # complex dtypes are refused before


# Activations --------------------------------------------------------------------------------------
@writes("relu")
def relu(c: NodeWriter) -> str:
    if c.dtype().kind in "iu":
        return c.add("Max", c.inputs[0], c.number(0))
    return c.add("Relu", c.inputs[0])


@writes("Activation")
def activation(c: NodeWriter) -> str:
    kinds = {"sigmoid": "Sigmoid", "tanh": "Tanh", "softrelu": "Softplus", "softsign": "Softsign"}
    kind = c.attrs["act_type"]
    return relu(c) if kind == "relu" else c.add(kinds[kind], c.inputs[0])


@writes("LeakyReLU")
def leaky_relu(c: NodeWriter) -> str:
    x, kind, slope = c.inputs[0], c.attrs["act_type"], float(c.attrs["slope"])
    if kind == "gelu":
        inner = c.add("Erf", c.add("Div", x, c.number(math.sqrt(2))))
        return c.add("Mul", c.add("Mul", x, c.number(0.5)), c.add("Add", inner, c.number(1)))
    if c.dtype() == np.float64:
        return _leaky_double(c, x, kind, slope)
    if kind == "leaky":
        return c.add("LeakyRelu", x, alpha=slope)
    return c.add("Elu", x, alpha=slope) if kind == "elu" else c.add("Selu", x)


@writes("prelu")
def prelu(c: NodeWriter) -> str:
    """ONNX broadcasts the slopes from the last axis on, MXNet along axis 1."""
    x, slope, axes = c.inputs[0], c.inputs[1], len(c.shape())
    if axes > 2:
        slope = c.reshape(slope, (-1, *[1] * (axes - 2)))
    return c.add("PRelu", x, slope)


@writes("rrelu")
def rrelu(c: NodeWriter) -> list[str]:
    """Outside training: the slopes' mean."""
    slope = (float(c.attrs["lower_bound"]) + float(c.attrs["upper_bound"])) / 2
    above = c.add("Greater", c.inputs[0], c.number(0))
    factor = c.where(above, c.number(1), c.number(slope))
    return [c.add("Mul", c.inputs[0], factor), factor]


#: Klambauer et al. 2017.
_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772, 1.0507009873554805


def _leaky_double(c: NodeWriter, x: str, kind: str, slope: float) -> str:
    # An attribute of ONNX's own operators is a float32.
    if kind == "leaky":
        below = c.add("Mul", x, c.number(slope))
    else:
        alpha = slope if kind == "elu" else _SELU_ALPHA
        below = c.add("Mul", expm1(c), c.number(alpha))
    result = c.where(c.add("Less", x, c.number(0)), below, x)
    return c.add("Mul", result, c.number(_SELU_SCALE)) if kind == "selu" else result


@writes("hard_sigmoid")
def hard_sigmoid(c: NodeWriter) -> str:
    alpha, beta = float(c.attrs["alpha"]), float(c.attrs["beta"])
    if c.dtype() != np.float64:
        return c.add("HardSigmoid", c.inputs[0], alpha=alpha, beta=beta)
    line = c.add("Add", c.add("Mul", c.inputs[0], c.number(alpha)), c.number(beta))
    return c.add("Clip", line, c.number(0), c.number(1))


@writes("log_sigmoid")
def log_sigmoid(c: NodeWriter) -> str:
    return c.add("Neg", c.add("Softplus", c.add("Neg", c.inputs[0])))


@writes("smooth_l1")
def smooth_l1(c: NodeWriter) -> str:
    square = float(c.attrs["scalar"]) ** 2
    size = c.add("Abs", c.inputs[0])
    near = c.add("Mul", c.add("Mul", size, size), c.number(square / 2))
    far = c.add("Sub", size, c.number(0.5 / square))
    return c.where(c.add("Less", size, c.number(1 / square)), near, far)


# Mathematics --------------------------------------------------------------------------------------
@writes("square")
def square(c: NodeWriter) -> str:
    return c.add("Mul", c.inputs[0], c.inputs[0])


@writes("quadratic")
def quadratic(c: NodeWriter) -> str:
    x, (a, b, more) = c.inputs[0], (c.number(float(c.attrs[name])) for name in "abc")
    slope = c.add("Add", c.add("Mul", x, a), b)
    return c.add("Add", c.add("Mul", slope, x), more)


@writes("div_sqrt_dim")
def div_sqrt_dim(c: NodeWriter) -> str:
    size = c.shape()[-1]
    if size < 0:
        c.fail("needs a fixed size of the last axis")
    return c.add("Div", c.inputs[0], c.number(math.sqrt(size)))


@writes("rsqrt")
def rsqrt(c: NodeWriter) -> str:
    return c.add("Reciprocal", c.add("Sqrt", c.inputs[0]))


@writes("cbrt", "rcbrt")
def cbrt(c: NodeWriter) -> str:
    size = c.add("Pow", c.add("Abs", c.inputs[0]), c.number(1 / 3))
    root = c.add("Mul", c.add("Sign", c.inputs[0]), size)
    return c.add("Reciprocal", root) if c.node.op == "rcbrt" else root


_FACTORS = {"degrees": 180 / math.pi, "radians": math.pi / 180}


@writes(*_FACTORS)
def angles(c: NodeWriter) -> str:
    return c.add("Mul", c.inputs[0], c.number(_FACTORS[str(c.node.op)]))


@writes("log2", "log10")
def logarithm(c: NodeWriter) -> str:
    base = 2 if c.node.op == "log2" else 10
    return c.add("Div", c.add("Log", c.inputs[0]), c.number(math.log(base)))


def _small(c: NodeWriter, near_0: str, plain: str, exact: str) -> str:
    """x where the rounded argument says nothing, the corrected form below 1, else the plain one."""
    x, one = c.inputs[0], c.number(1)
    large = c.add("GreaterOrEqual", c.add("Abs", x), one)
    return c.where(c.add("Equal", exact, one), x, c.where(large, plain, near_0))


@writes("log1p")
def log1p(c: NodeWriter) -> str:
    # W. Kahan's: log(u) x / (u - 1) with u = 1 + x as rounded.
    x, one = c.inputs[0], c.number(1)
    u = c.add("Add", x, one)
    plain = c.add("Log", u)
    near_0 = c.add("Mul", plain, c.add("Div", x, c.add("Sub", u, one)))
    return _small(c, near_0, plain, u)


@writes("expm1")
def expm1(c: NodeWriter) -> str:
    x, u = c.inputs[0], c.add("Exp", c.inputs[0])
    plain = c.add("Sub", u, c.number(1))
    return _small(c, c.add("Mul", plain, c.add("Div", x, c.add("Log", u))), plain, u)


@writes("trunc")
def trunc(c: NodeWriter) -> str:
    if c.dtype().kind in "iu":
        return c.add("Identity", c.inputs[0])
    return c.add("Mul", c.add("Sign", c.inputs[0]), c.add("Floor", c.add("Abs", c.inputs[0])))


@writes("round", "round_ste")
def round_half_away(c: NodeWriter) -> str:
    if c.dtype().kind in "iu":
        return c.add("Identity", c.inputs[0])
    # Not floor(|x| + 0.5), which is 1 just below 0.5.
    size = c.add("Abs", c.inputs[0])
    whole = c.add("Floor", size)
    up = c.add("GreaterOrEqual", c.add("Sub", size, whole), c.number(0.5))
    rounded = c.add("Add", whole, c.cast(up, np.bool_, c.dtype()))
    return c.add("Mul", c.add("Sign", c.inputs[0]), rounded)


@writes("round_half_down")
def round_half_down(c: NodeWriter) -> str:
    if c.dtype().kind in "iu":
        return c.add("Identity", c.inputs[0])
    down = c.add("Floor", c.inputs[0])
    up = c.add("Greater", c.add("Sub", c.inputs[0], down), c.number(0.5))
    return c.add("Add", down, c.cast(up, np.bool_, c.dtype()))


@writes("invert")
def invert(c: NodeWriter) -> str:
    if c.dtype().kind == "b":
        return c.add("Not", c.inputs[0])
    top = np.iinfo(c.dtype()).max if c.dtype().kind == "u" else -1
    return c.add("Sub", c.number(top), c.inputs[0])


# Tests --------------------------------------------------------------------------------------------
@writes("logical_not")
def logical_not(c: NodeWriter) -> str:
    return c.cast(c.add("Not", c.truth(c.inputs[0], c.dtype())), np.bool_, c.out_dtype)


@writes("isnan", "isinf", "isfinite")
def kinds(c: NodeWriter) -> str:
    x = c.inputs[0]
    if c.dtype().kind != "f":
        never = c.add("Less", c.cast(x, c.dtype(), np.int64), c.cast(x, c.dtype(), np.int64))
        found = c.add("Not", never) if c.node.op == "isfinite" else never
    elif c.node.op == "isfinite":
        found = c.add("Not", c.add("Or", c.add("IsNaN", x), c.add("IsInf", x)))
    else:
        found = c.add("IsNaN" if c.node.op == "isnan" else "IsInf", x)
    return c.cast(found, np.bool_, c.out_dtype)


@writes("cast", "amp_cast")
def cast(c: NodeWriter) -> str:
    if c.dtype() == c.out_dtype:
        return c.add("Identity", c.inputs[0])
    return c.cast(c.inputs[0], c.dtype(), c.out_dtype)


@writes("clip")
def clip(c: NodeWriter) -> str:
    low, high = c.attrs["a_min"], c.attrs["a_max"]
    bounds = [c.number(low) if low is not None else ""]
    if high is not None:
        bounds.append(c.number(high))
    return c.add("Clip", c.inputs[0], *bounds)


@writes("where", "where_rows")
def where(c: NodeWriter) -> str:
    condition, x, y = c.inputs
    condition = c.truth(condition, c.dtype(0))
    rank = len(c.out_shape)
    if c.node.op == "where_rows" and len(c.shape()) < rank:
        condition = c.reshape(condition, [-1, *[1] * (rank - 1)])
    if c.dtype(1).kind == "b":
        no = c.add("And", c.add("Not", condition), y)
        return c.add("Or", c.add("And", condition, x), no)
    return c.where(condition, x, y)


@writes("zeros_like", "ones_like")
def filled_like(c: NodeWriter) -> str:
    value = np.full(1, int(c.node.op == "ones_like"), c.dtype())
    tensor = onnx().numpy_helper.from_array(value)
    return c.add("ConstantOfShape", c.add("Shape", c.inputs[0]), value=tensor)


@writes("add_n")
def add_n(c: NodeWriter) -> str:
    total = c.inputs[0]
    for other in c.inputs[1:]:
        total = c.add("Add", total, other)
    return total if len(c.inputs) > 1 else c.add("Identity", total)
