"""Elementwise functions of one array."""

from __future__ import annotations

from case import Call, Family
from drawn import DTYPES, FLOATS, distinct, given, real

f = Family("unary")
CASES = f.cases

EVERYWHERE = "abs sin cos tanh sinh cosh exp expm1 arctan arcsinh erf sigmoid softsign relu"
for name in (EVERYWHERE + " cbrt square degrees radians negative sign").split():
    f.every(DTYPES, name, real(3, 5))
f.every(DTYPES, "tan", real(3, 5, low=-1, high=1))
for name in ("arcsin", "arccos", "arctanh", "erfinv"):
    f.every(FLOATS, name, real(3, 5, low=-0.9, high=0.9))
for name in ("gamma", "gammaln"):  # MXNet's digamma is one of float32
    f.every(FLOATS, name, real(3, 5, low=0.25, high=3), times=10)
for name in ["sqrt", "rsqrt", "rcbrt", "reciprocal", "log", "log2", "log10", "log1p"]:
    f.every(FLOATS, name, real(3, 5, low=0.25, high=3))
f.every(FLOATS, "arccosh", real(3, 5, low=1.25, high=4))
for name in ["floor", "ceil", "trunc", "fix", "rint", "round"]:
    f.every(DTYPES, name, real(4, 5, low=-3, high=3))
    f.add(name, given([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5]))
f.every(DTYPES, "logical_not", given([[0, 1, 2], [0, 3, 0]]))
for name in ["gamma", "gammaln"]:
    f.add(name, given([-2.5, -1.25, -0.5, 0.5, 1, 2, 7.5]))

for name in [
    "exp",
    "abs",
    "relu",
    "sigmoid",
    "tanh",
    "negative",
    "square",
    "sign",
    "floor",
]:  # edges
    f.add(name, real(1))
    f.add(name, real(1, 1, 1))
    f.add(name, real(7, 1, 3, 2))
f.add("abs", given([0.0, -0.0, 1.0]))
f.add("sign", given([0.0, -3.0, 3.0]))
f.add("sqrt", given([0.0, 1.0, 4.0]), call=Call(gradient=False))

for alpha, beta in ((0.2, 0.5), (0.5, 0.25)):
    f.every(FLOATS, "hard_sigmoid", real(3, 5, low=-4, high=4), alpha=alpha, beta=beta)
f.add("hard_sigmoid", real(4, 3))
for scalar in (1.0, 0.5, 2.0):
    f.every(FLOATS, "smooth_l1", real(3, 5), scalar=scalar)
for low, high in ((-1, 1), (0, 1.5), (-3, -0.5)):
    dtypes = DTYPES if low == 0 else (*FLOATS, "int8", "int32", "int64")
    f.every(dtypes, "clip", distinct(4, 6), a_min=low, a_max=high)

for name in ["identity", "zeros_like", "ones_like", "BlockGrad", "stop_gradient", "make_loss"]:
    f.every(DTYPES, name, real(2, 3))
for name in ["shape_array", "size_array"]:
    f.every(DTYPES, name, real(2, 1, 3))
    f.add(name, real(5))
for name in ("Cast", "cast"):
    for dtype in DTYPES:
        f.every(DTYPES, name, real(2, 3, low=0, high=5), dtype=dtype)
for dtype in FLOATS:
    f.every(FLOATS, "amp_cast", real(2, 3), dtype=dtype)
f.add("amp_multicast", real(2, dtype="float16"), real(3), num_outputs=2)
f.add("amp_multicast", real(2, dtype="float16"), real(3), num_outputs=2, cast_narrow=True)
f.every(FLOATS, "all_finite", real(3, 4))
f.add("all_finite", given([1.0, float("inf")]))
f.add("all_finite", given([1.0, float("nan")]), init_output=False)
f.add("multi_all_finite", real(3), real(2, 2), num_arrays=2)
f.add("multi_all_finite", real(3), given([float("nan")]), num_arrays=2)
f.every(FLOATS, "multi_sum_sq", real(3), real(2, 2), num_arrays=2)

for kind in ["relu", "sigmoid", "softrelu", "softsign", "tanh"]:
    f.every(FLOATS, "Activation", real(3, 4), act_type=kind)
    f.add("Activation", real(1, 2, 1, 3), act_type=kind)
for kind in ["leaky", "elu", "selu", "gelu"]:
    f.every(FLOATS, "LeakyReLU", real(3, 4), act_type=kind)
    f.add("LeakyReLU", real(2, 1, 3), act_type=kind, slope=0.5)
f.add("LeakyReLU", real(3, 4))
f.every(FLOATS, "LeakyReLU", real(2, 3, 4), given([0.25, 0.5, -0.5]), act_type="prelu")
f.add("LeakyReLU", real(2, 3), given([0.25]), act_type="prelu")
# In prediction MXNet leaves the second output, the slopes, unwritten.
f.add("LeakyReLU", real(3, 4), act_type="rrelu", values=False, call=Call(train=False))
f.add(
    "LeakyReLU",
    real(3, 4),
    act_type="rrelu",
    values=False,
    lower_bound=0.5,
    upper_bound=1.0,
    call=Call(train=False),
)
f.add("MakeLoss", real(3, 4))
f.add("MakeLoss", real(3, 4), grad_scale=2.0, normalization="batch")
f.add("MakeLoss", real(3, 4), normalization="valid", valid_thresh=0.5)
for name in ["isfinite", "isinf", "isnan"]:
    f.add(f"contrib.{name}", given([1.0, float("inf"), float("-inf"), float("nan"), 0.0]))
f.every(FLOATS, "contrib.div_sqrt_dim", real(2, 5))
f.every(FLOATS, "contrib.gradientmultiplier", real(3, 2), scalar=2.5)
f.add("contrib.quadratic", real(3, 2), a=1.5, b=-2.0, c=0.5)
f.add("contrib.quadratic", real(3, 2))
f.every(FLOATS, "contrib.round_ste", real(3, 4))
f.every(FLOATS, "contrib.sign_ste", real(3, 4))

# Attributes that are left at one value above.
three = (real(2, dtype="float16"), real(3), real(2, 2, dtype="float64"))
f.add("amp_multicast", *three, num_outputs=3)
f.add("multi_sum_sq", real(3), real(2, 2), real(1), num_arrays=3)
f.add("contrib.gradientmultiplier", real(3, 2), scalar=2.0, is_int=False)
f.add("multi_all_finite", real(3), given([float("nan")]), num_arrays=2, init_output=False)
