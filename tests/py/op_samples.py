"""Sample inputs of every operator with a gradient, for checks against finite differences.

``SAMPLES`` maps a core operator's name to uses of it: shapes, value ranges that stay away from
kinks and poles, attributes. ``draw`` makes the arrays. ``require_complete`` fails when the op table
has a differentiable operator without samples, so a new operator cannot be forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from jupyter_hybrid import _core

#: Values keep at least this distance from the points named in ``Real.avoid``, and distinct values
#: from each other: far above a finite difference's step, so no step crosses a kink.
MARGIN = 0.02


@dataclass(frozen=True)
class Real:
    """Float64 values drawn from [low, high], away from some points; optionally all distinct."""

    shape: tuple[int, ...]
    low: float = -2.0
    high: float = 2.0
    avoid: tuple[float, ...] = ()
    distinct: bool = False

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        size = int(np.prod(self.shape, dtype=np.int64))
        if self.distinct:
            step = (self.high - self.low) / max(size, 1)
            assert step > 2 * MARGIN, "range too narrow for that many distinct values"
            values = self.low + step * (rng.permutation(size) + 0.25 + 0.5 * rng.random(size))
        else:
            values = rng.uniform(self.low, self.high, size)
        for point in self.avoid:
            near = np.abs(values - point) < MARGIN
            values[near] = point + np.where(values[near] < point, -2.0, 2.0) * MARGIN
        return values.reshape(self.shape)


@dataclass(frozen=True)
class Whole:
    """Integers from low to high - 1: indices, labels, conditions. Not differentiated."""

    shape: tuple[int, ...]
    low: int
    high: int
    dtype: str = "int64"

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        return rng.integers(self.low, self.high, self.shape).astype(self.dtype)


@dataclass(frozen=True)
class Places:
    """Exactly these numbers: indices that must not repeat, lengths. Not differentiated."""

    values: tuple[Any, ...]

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        return np.array(self.values)


@dataclass(frozen=True)
class From:
    """The result of another operator on drawn inputs: y of ``softmax_grad(g, y)``, say.

    ``make`` gets the arrays drawn before this one.
    """

    make: Any
    shape: tuple[int, ...] = ()

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        raise TypeError("From needs the inputs before it; use op_samples.draw")


@dataclass(frozen=True)
class Sample:
    """One use of an operator.

    own_gradient: the gradient is a loss's, by definition not the derivative of the output (MXNet's
    output layers); ``expected(inputs)`` then gives the gradient of input 0 for a head gradient of
    ones.
    second_order: also the gradient's gradient is the derivative (False for own gradients).
    """

    inputs: tuple[Any, ...]
    attrs: dict[str, Any] = field(default_factory=dict)
    own_gradient: bool = False
    expected: Any = None
    second_order: bool = True


def use(*inputs: Any, **attrs: Any) -> Sample:
    return Sample(inputs, attrs)


def draw(sample: Sample, seed: int = 0) -> list[np.ndarray]:
    """The arrays of one use; the same seed gives the same arrays."""
    rng = np.random.default_rng(seed)
    arrays: list[np.ndarray] = []
    for spec in sample.inputs:
        arrays.append(spec.make(*arrays) if isinstance(spec, From) else spec.draw(rng))
    return arrays


def missing(op_table: Iterable[dict[str, Any]]) -> list[str]:
    """Operators of the table that have a gradient and no sample here."""
    with_gradient = [op["name"] for op in op_table if op["has_gradient"]]
    # What Custom computes is Python's.
    return [name for name in with_gradient if name != "Custom" and not SAMPLES.get(name)]


def require_complete(op_table: Iterable[dict[str, Any]]) -> None:
    """Raises AssertionError naming what is missing here, or what no operator is called."""
    table = list(op_table)
    without = missing(table)
    assert not without, f"operators with a gradient but without samples: {', '.join(without)}"
    unknown = sorted(set(SAMPLES) - {op["name"] for op in table})
    assert not unknown, f"samples of operators that do not exist: {', '.join(unknown)}"


# --- what expected values are made of -------------------------------------------------------------


def _softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def _log_softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    return np.log(_softmax(x, axis))


def _one_hot(labels: np.ndarray, depth: int) -> np.ndarray:
    return np.eye(depth)[labels.astype(np.int64)]


def _max_pool_2x2(x: np.ndarray) -> np.ndarray:
    n, c, h, w = x.shape
    return x.reshape(n, c, h // 2, 2, w // 2, 2).max(axis=(3, 5))


# --- the samples ----------------------------------------------------------------------------------

_A = (3, 4)  # an ordinary array

SAMPLES: dict[str, list[Sample]] = {}


def _unary() -> None:
    everywhere = [
        "conj", "identity", "neg", "square", "exp", "expm1", "sin", "cos", "arctan", "sinh",
        "cosh", "tanh", "arcsinh", "erf", "sigmoid", "log_sigmoid", "softrelu", "degrees",
        "radians", "zeros_like",
        "ones_like", "contiguous",
    ]  # fmt: skip
    for name in everywhere:
        SAMPLES[name] = [use(Real(_A)), use(Real(()))]
    for name in ["abs", "sign", "relu", "softsign"]:
        SAMPLES[name] = [use(Real(_A, avoid=(0.0,)))]
    for name in ["sqrt", "rsqrt", "log", "log2", "log10"]:
        SAMPLES[name] = [use(Real(_A, 0.3, 3.0))]
    for name in ["cbrt", "rcbrt", "reciprocal"]:
        SAMPLES[name] = [use(Real(_A, 0.3, 3.0)), use(Real(_A, -3.0, -0.3))]
    for name in ["arcsin", "arccos", "arctanh"]:
        SAMPLES[name] = [use(Real(_A, -0.8, 0.8))]
    SAMPLES["log1p"] = [use(Real(_A, -0.7, 2.0))]
    SAMPLES["gamma"] = [use(Real(_A, 0.4, 3.0)), use(Real(_A, -1.8, -1.2))]
    SAMPLES["gammaln"] = [use(Real(_A, 0.4, 3.0)), use(Real(_A, -0.8, -0.2))]
    SAMPLES["polygamma"] = [use(Real(_A, 0.6, 3.0), n=n) for n in (0, 1, 2)]
    SAMPLES["polygamma"].append(use(Real(_A, -1.8, -1.2), n=1))
    SAMPLES["erfinv"] = [use(Real(_A, -0.8, 0.8))]
    SAMPLES["quadratic"] = [use(Real(_A), a=0.5, b=-1.0, c=2.0)]
    SAMPLES["div_sqrt_dim"] = [use(Real(_A))]
    SAMPLES["amp_cast"] = [use(Real(_A), dtype="float64")]
    SAMPLES["cast_storage"] = [use(Real(_A), stype="default")]
    SAMPLES["amp_multicast"] = [use(Real(_A), Real((2,)), num_outputs=2)]
    # Straight through: the gradient is not the derivative.
    for name in ["round_ste", "sign_ste"]:
        SAMPLES[name] = [Sample((Real(_A),), own_gradient=True, expected=np.ones_like)]
    SAMPLES["gradientmultiplier"] = [
        Sample((Real(_A),), {"scalar": 3.0}, own_gradient=True,
               expected=lambda x: 3 * np.ones_like(x)),
    ]  # fmt: skip
    SAMPLES["arange_like"] = [use(Real(_A), start=1.0), use(Real(_A), axis=1)]
    SAMPLES["tan"] = [use(Real(_A, -1.2, 1.2))]
    SAMPLES["arccosh"] = [use(Real(_A, 1.2, 3.0))]
    for name in ["floor", "ceil", "trunc"]:
        SAMPLES[name] = [use(Real(_A, avoid=(-2.0, -1.0, 0.0, 1.0, 2.0)))]
    for name in ["rint", "round", "round_half_down"]:
        SAMPLES[name] = [use(Real(_A, avoid=(-1.5, -0.5, 0.5, 1.5)))]
    SAMPLES["cast"] = [use(Real(_A), dtype="float64")]
    SAMPLES["Activation"] = [
        use(Real(_A, avoid=(0.0,)), act_type=kind)
        for kind in ["relu", "sigmoid", "tanh", "softrelu", "softsign"]
    ]
    SAMPLES["LeakyReLU"] = [
        use(Real(_A, avoid=(0.0,)), act_type=kind, slope=0.3)
        for kind in ["leaky", "elu", "selu", "gelu"]
    ]
    SAMPLES["prelu"] = [
        use(Real((2, 4, 3), avoid=(0.0,)), Real((4,))),
        use(Real((2, 4, 1, 3), avoid=(0.0,)), Real((1,))),
        use(Real((5,), avoid=(0.0,)), Real((5,))),
    ]
    SAMPLES["rrelu"] = [use(Real(_A, avoid=(0.0,)), lower_bound=0.2, upper_bound=0.7)]
    SAMPLES["hard_sigmoid"] = [use(Real(_A, -4.0, 4.0, avoid=(-2.5, 2.5)))]
    SAMPLES["clip"] = [
        use(Real(_A, avoid=(-1.0, 0.5)), a_min=-1.0, a_max=0.5),
        use(Real(_A, avoid=(0.5,)), a_max=0.5),
    ]
    SAMPLES["smooth_l1"] = [
        use(Real(_A, avoid=(-1.0, 1.0))),
        use(Real(_A, avoid=(-0.25, 0.25)), scalar=2.0),
    ]
    SAMPLES["add_n"] = [use(Real(_A), Real(_A), Real(_A)), use(Real(_A))]
    SAMPLES["where_rows"] = [
        use(Whole(_A, 0, 2), Real(_A), Real(_A)),
        use(Whole((3,), 0, 2), Real((3, 3)), Real((3, 3))),
    ]
    SAMPLES["where"] = [
        use(Whole(_A, 0, 2, "bool"), Real(_A), Real(_A)),
        use(Whole((3, 1), 0, 2, "float64"), Real((4,)), Real(())),
    ]


def _binary() -> None:
    shapes = [(_A, _A), (_A, (4,)), ((3, 1), (1, 4)), ((), _A)]
    for name in ["add", "sub", "mul"]:
        SAMPLES[name] = [use(Real(a), Real(b)) for a, b in shapes]
        SAMPLES[name + "_scalar"] = [use(Real(_A), scalar=1.5)]
    SAMPLES["rsub_scalar"] = [use(Real(_A), scalar=1.5)]
    SAMPLES["div"] = [use(Real(a), Real(b, 0.4, 2.0)) for a, b in shapes]
    SAMPLES["div_scalar"] = [use(Real(_A), scalar=-0.7)]
    SAMPLES["rdiv_scalar"] = [use(Real(_A, 0.4, 2.0), scalar=1.5)]
    SAMPLES["power"] = [use(Real(a, 0.3, 2.0), Real(b)) for a, b in shapes]
    SAMPLES["power_scalar"] = [
        use(Real(_A), scalar=2),
        use(Real(_A), scalar=3.0),
        use(Real(_A), scalar=1),
        use(Real(_A, 0.3, 2.0), scalar=-0.5),
    ]
    SAMPLES["rpower_scalar"] = [use(Real(_A), scalar=1.7)]
    # Quotients stay between whole numbers: mod jumps at each of them.
    SAMPLES["mod"] = [use(From(_quotients), Real(_A, 0.9, 1.0))]
    SAMPLES["mod_scalar"] = [
        use(Real(_A, 0.1, 0.6), scalar=0.7),
        use(Real(_A, 0.1, 0.6), scalar=-0.7),
    ]
    SAMPLES["rmod_scalar"] = [use(Real(_A, 1.1, 1.4), scalar=1.5)]
    SAMPLES["floor_div"] = [use(From(_quotients), Real(_A, 0.9, 1.0))]
    SAMPLES["floor_div_scalar"] = [use(Real(_A, 0.1, 0.6), scalar=0.7)]
    SAMPLES["rfloor_div_scalar"] = [use(Real(_A, 1.1, 1.4), scalar=1.5)]
    for name in ["maximum", "minimum"]:
        SAMPLES[name] = [
            use(Real(_A), From(lambda a: a + np.where(np.arange(12).reshape(_A) % 3, 0.5, -0.5))),
            use(Real(_A, 1.0, 2.0), Real((4,), -2.0, 0.9)),
        ]
        SAMPLES[name + "_scalar"] = [use(Real(_A, avoid=(0.4,)), scalar=0.4)]
    for name in ["hypot", "arctan2"]:
        SAMPLES[name] = [use(Real(a, 0.3, 2.0), Real(b, 0.3, 2.0)) for a, b in shapes]
        SAMPLES[name + "_scalar"] = [use(Real(_A), scalar=0.8)]
    SAMPLES["rarctan2_scalar"] = [use(Real(_A), scalar=0.8)]


def _quotients() -> np.ndarray:
    """Values whose quotient by anything in [0.9, 1] is not near a whole number."""
    return np.array([0.3, 0.5, 1.3, 2.4, -0.4, -1.5, 0.6, 1.5, 2.5, -2.5, 0.2, -0.6]).reshape(_A)


def _linear() -> None:
    channels = (Real((3,), 0.5, 2.0), Real((3,)))
    batch = {"batch_stats": True, "eps": 0.125, "fix_gamma": False}
    moving = (Real((3,)), Real((3,), 0.5, 2.0))
    SAMPLES["BatchNorm"] = [
        use(Real((2, 3, 4)), *channels, **batch),
        use(Real((5, 3)), *channels, **{**batch, "fix_gamma": True}),
        use(Real((2, 2, 3)), *channels, axis=-1, output_mean_var=True, **batch),
        use(Real((2, 3, 4)), *channels, *moving, **{**batch, "batch_stats": False}),
        use(Real((4, 3)), *channels, *moving, eps=0.125, batch_stats=False),
    ]
    SAMPLES["BatchNormWithReLU"] = [
        use(Real((2, 3, 4)), *channels, **batch),
        use(Real((4, 3)), *channels, *moving, eps=0.125, batch_stats=False, output_mean_var=True),
    ]
    once = (
        use(Real((2, 3, 4)), *channels, **batch),
        use(Real((5, 3)), *channels, **{**batch, "fix_gamma": True}),
        use(Real((4, 3)), *channels, *moving, eps=0.125, batch_stats=False, output_mean_var=True),
    )
    SAMPLES["SyncBatchNorm"] = [replace(sample, second_order=False) for sample in once]
    SAMPLES["InstanceNorm"] = [use(Real((2, 3, 4)), *channels, eps=0.125)]
    pair = (Real((2,), 0.5, 2.0), Real((2,)))
    SAMPLES["GroupNorm"] = [
        use(Real((2, 4, 3)), *pair, num_groups=2, eps=0.125, output_mean_var=True),
        use(Real((2, 3, 2, 2)), Real((1,)), Real((1,)), eps=0.125),
    ]
    SAMPLES["L2Normalization"] = [
        use(Real((2, 3, 2)), mode=mode, eps=0.125) for mode in ("instance", "channel", "spatial")
    ]
    SAMPLES["LRN"] = [
        use(Real((2, 5, 2, 1)), nsize=3, alpha=0.5),
        use(Real((1, 3, 1, 2)), nsize=5, alpha=0.5, beta=0.5, knorm=1.0),
    ]
    SAMPLES["LayerNorm"] = [
        use(Real((2, 3, 4)), Real((4,)), Real((4,)), eps=0.125),
        use(Real((2, 3, 4)), *channels, axis=1, eps=0.125, output_mean_var=True),
        use(Real((6,)), Real((6,)), Real((6,))),
    ]
    SAMPLES["batch_norm_grad"] = [
        use(Real((2, 3, 4)), Real((2, 3, 4)), Real((3,)), *moving, batch_stats=b, fix_gamma=f)
        for b in (True, False)
        for f in (True, False)
    ]
    SAMPLES["dot"] = [
        use(Real((3, 4)), Real((4, 2))),
        use(Real((4, 3)), Real((4, 2)), transpose_a=True),
        use(Real((3, 4)), Real((2, 4)), transpose_b=True),
        use(Real((4, 3)), Real((2, 4)), transpose_a=True, transpose_b=True),
        use(Real((5,)), Real((5,))),
        use(Real((5,)), Real((5,)), at_least_1d=True),
        use(Real((2, 3, 4)), Real((4,))),
        use(Real((2, 3)), Real((3, 2, 2))),
    ]
    SAMPLES["matmul"] = [
        use(Real((3, 4)), Real((4, 2))),
        use(Real((2, 3, 4)), Real((2, 4, 2))),
        use(Real((2, 1, 3, 4)), Real((3, 4, 2))),
        use(Real((4,)), Real((2, 4, 3))),
        use(Real((2, 3, 4)), Real((4,))),
        use(Real((4,)), Real((4,))),
        use(Real((2, 4, 3)), Real((2, 2, 4)), transpose_a=True, transpose_b=True),
    ]
    SAMPLES["batch_dot"] = [
        use(Real((2, 3, 4)), Real((2, 4, 2))),
        use(Real((2, 4, 3)), Real((2, 4, 2)), transpose_a=True),
        use(Real((2, 3, 4)), Real((2, 2, 4)), transpose_b=True),
    ]
    SAMPLES["FullyConnected"] = [
        use(Real((3, 4)), Real((5, 4)), Real((5,)), num_hidden=5),
        use(Real((2, 2, 3)), Real((4, 6)), num_hidden=4, no_bias=True),
        use(Real((2, 3, 4)), Real((5, 4)), Real((5,)), num_hidden=5, flatten=False),
    ]


def _conv() -> None:
    plain = {"kernel": (3, 3), "num_filter": 4, "no_bias": True}
    strided = {"kernel": (3, 2), "stride": (2, 1), "dilate": (1, 2), "pad": (1, 1), "num_filter": 4}
    grouped = {"kernel": (2, 2), "num_filter": 4, "num_group": 2, "no_bias": True}
    SAMPLES["Convolution"] = [
        use(Real((2, 3, 5, 5)), Real((4, 3, 3, 3)), **plain),
        use(Real((2, 3, 5, 6)), Real((4, 3, 3, 2)), Real((4,)), **strided),
        use(Real((1, 4, 4, 4)), Real((4, 2, 2, 2)), **grouped),
        use(Real((2, 2, 6)), Real((3, 2, 3)), Real((3,)), kernel=(3,), stride=(2,), num_filter=3),
        use(
            Real((1, 2, 4, 3, 3)), Real((2, 1, 2, 2, 3)), Real((2,)), kernel=(2, 2, 3),
            stride=(2, 1, 1), pad=(1, 0, 1), dilate=(1, 2, 1), num_filter=2, num_group=2,
        ),
        use(
            Real((1, 2, 2, 2, 2)), Real((3, 2, 1, 1, 1)), kernel=(1, 1, 1), num_filter=3,
            no_bias=True,
        ),
    ]  # fmt: skip
    strided["no_bias"] = True
    SAMPLES["Deconvolution"] = [
        use(Real((2, 4, 3, 3)), Real((4, 3, 3, 3)), kernel=(3, 3), num_filter=3),
        use(
            Real((1, 2, 3, 2)), Real((2, 4, 3, 2)), Real((4,)), kernel=(3, 2), stride=(2, 3),
            dilate=(1, 2), pad=(1, 0), adj=(1, 2), num_filter=4, no_bias=False,
        ),
        use(Real((1, 4, 2, 2)), Real((4, 1, 2, 2)), kernel=(2, 2), num_filter=2, num_group=2),
        use(
            Real((2, 2, 4)), Real((2, 3, 3)), kernel=(3,), stride=(2,), num_filter=3,
            target_shape=8,
        ),
        use(
            Real((1, 2, 2, 2, 3)), Real((2, 2, 2, 3, 2)), kernel=(2, 3, 2), stride=(2, 1, 2),
            pad=(0, 1, 1), adj=(1, 0, 0), num_filter=2,
        ),
    ]  # fmt: skip
    # Between pixels: the offsets' gradient jumps at them.
    moved, masks = Real((2, 16, 3, 2), 0.1, 0.4), Real((2, 8, 3, 2), 0.2, 1.0)
    how = {"kernel": (2, 2), "stride": (1, 2), "pad": (0, 1), "num_deformable_group": 2}
    image, weight = Real((2, 4, 4, 3)), Real((4, 2, 2, 2))
    SAMPLES["DeformableConvolution"] = [
        Sample((image, moved, weight, Real((4,))), {**how, "num_filter": 4, "num_group": 2},
               second_order=False),
    ]  # fmt: skip
    SAMPLES["ModulatedDeformableConvolution"] = [
        Sample((image, moved, masks, weight, Real((4,))), {**how, "num_filter": 4, "num_group": 2},
               second_order=False),
    ]  # fmt: skip
    SAMPLES["UpSampling"] = [
        use(Real((2, 3, 2, 3)), scale=2, sample_type="nearest"),
        use(Real((1, 2, 1, 2)), Real((1, 1, 3, 6)), scale=3, sample_type="nearest"),
        use(
            Real((1, 2, 1, 2)), Real((1, 2, 2, 4)), scale=2, sample_type="nearest",
            multi_input_mode="sum",
        ),
        use(Real((1, 2, 2, 3)), Real((2, 1, 5, 5)), scale=3, sample_type="bilinear", num_filter=2),
    ]  # fmt: skip
    SAMPLES["Crop"] = [
        use(Real((1, 2, 4, 5)), h_w=(2, 3), offset=(1, 2)),
        use(Real((1, 2, 4, 5)), Real((1, 1, 3, 2)), center_crop=True),
    ]
    SAMPLES["im2col"] = [
        use(Real((2, 2, 4, 3)), kernel=(2, 3), stride=(2, 1), pad=(1, 0)),
        use(Real((1, 2, 5)), kernel=(2,), dilate=(2,)),
        use(Real((1, 2, 3, 2, 2)), kernel=(2, 1, 2)),
    ]
    SAMPLES["col2im"] = [
        use(Real((2, 12, 3)), output_size=(4, 3), kernel=(2, 3), stride=(2, 1), pad=(1, 0)),
        use(Real((1, 4, 3)), output_size=5, kernel=(2,), dilate=(2,)),
    ]
    SAMPLES["AdaptiveAvgPooling2D"] = [
        use(Real((2, 2, 5, 4)), output_size=(3, 6)),
        use(Real((1, 2, 2, 3))),
    ]
    SAMPLES["adaptive_pool_grad"] = [use(Real((2, 2, 3, 6)), size=(5, 4))]
    image = Real((1, 2, 3, 4))
    SAMPLES["BilinearResize2D"] = [
        use(image, height=5, width=3),
        use(image, height=2, width=6, align_corners=False),
        use(image, scale_height=2.0, scale_width=0.5, mode="odd_scale"),
        use(image, Real((1, 1, 5, 1)), mode="like"),
        use(image, mode="to_even_up"),
    ]
    SAMPLES["bilinear_resize_grad"] = [
        use(image, size=(5, 3)),
        use(image, size=(2, 5), align_corners=False),
    ]
    SAMPLES["conv_grad_data"] = [
        use(Real((2, 4, 3, 3)), Real((4, 3, 3, 3)), size=(5, 5), **plain),
        use(Real((1, 4, 3, 6)), Real((4, 3, 3, 2)), size=(5, 6), **strided),
        use(Real((1, 4, 3, 3)), Real((4, 2, 2, 2)), size=(4, 4), **grouped),
    ]
    SAMPLES["conv_grad_weight"] = [
        use(Real((2, 4, 3, 3)), Real((2, 3, 5, 5)), **plain),
        use(Real((1, 4, 3, 6)), Real((1, 3, 5, 6)), **strided),
        use(Real((1, 4, 3, 3)), Real((1, 4, 4, 4)), **grouped),
    ]
    image = Real((2, 2, 4, 4), -4.0, 4.0, distinct=True)
    volume = Real((1, 2, 2, 3, 3), -4.0, 4.0, distinct=True)
    window = {"kernel": (2, 2), "stride": (2, 2)}
    padded = {"kernel": (3, 3), "stride": (2, 2), "pad": (1, 1)}
    SAMPLES["Pooling"] = [
        use(image, pool_type="max", **window),
        use(image, pool_type="avg", **window),
        use(image, pool_type="sum", **padded),
        use(image, pool_type="avg", count_include_pad=False, **padded),
        use(image, pool_type="max", pooling_convention="full", **padded),
        use(image, pool_type="max", global_pool=True),
        use(image, pool_type="avg", global_pool=True),
        use(Real((2, 3, 7), distinct=True, high=9.0), kernel=(3,), stride=(2,), pad=(1,)),
        use(volume, kernel=(2, 2, 3), stride=(1, 2, 1), pad=(1, 0, 1)),
        use(volume, pool_type="avg", kernel=(2, 2, 3), stride=(1, 2, 1), pad=(1, 0, 1)),
        use(image, pool_type="max", kernel=(2, 2), layout="NHWC"),
        use(Real((2, 5, 2)), pool_type="avg", kernel=(2,), layout="NWC"),
        use(
            Real((2, 2, 5)), pool_type="sum", kernel=(3,), stride=(2,), pad=(0, 0, 0),
            pooling_convention="same",
        ),
        use(Real((1, 2, 4, 4)), pool_type="lp", p_value=2, **padded),
        use(Real((1, 2, 4, 4), 0.5, 2.0), pool_type="lp", p_value=3, kernel=(2, 2), layout="NHWC"),
        use(Real((2, 2, 4)), pool_type="lp", p_value=1, kernel=(2,)),
    ]  # fmt: skip
    SAMPLES["pool_avg_grad"] = [
        use(
            Real((1, 2, 3, 1, 3)), size=(2, 3, 3), pool_type="avg", kernel=(2, 2, 3),
            stride=(1, 2, 1), pad=(1, 0, 1),
        ),
        use(Real((2, 2, 2, 2)), size=(4, 4), pool_type="avg", **window),
        use(Real((2, 2, 2, 2)), size=(4, 4), pool_type="avg", count_include_pad=False, **padded),
        use(Real((2, 2, 1, 1)), size=(3, 4), pool_type="sum", global_pool=True),
    ]  # fmt: skip
    SAMPLES["pool_max_grad"] = [
        use(Real((2, 2, 2, 2)), image, From(lambda g, x: _max_pool_2x2(x)), **window)
    ]
    SAMPLES["pool_max_select"] = [use(Real((2, 2, 4, 4)), image, **window)]


def _reductions() -> None:
    ways: list[dict[str, Any]] = [
        {},
        {"axis": (1,)},
        {"axis": (0, -1), "keepdims": True},
        {"axis": (1,), "exclude": True},
        {"at_least_1d": True},
    ]
    cube = (2, 3, 4)
    for name in ["sum", "nansum", "mean"]:
        SAMPLES[name] = [use(Real(cube), **way) for way in ways] + [use(Real(()))]
    for name in ["prod", "nanprod"]:
        SAMPLES[name] = [use(Real(cube, 0.5, 1.5), **way) for way in ways]
    for name in ["max", "min"]:
        SAMPLES[name] = [use(Real(cube, distinct=True), **way) for way in ways]
    SAMPLES["norm"] = [use(Real(cube), **way) for way in ways] + [
        use(Real(cube, avoid=(0.0,)), ord=1, **way) for way in ways
    ]
    SAMPLES["norm"].append(use(Real(cube), axis=(1,), out_dtype="float64"))
    SAMPLES["broadcast_to"] = [
        use(Real((3, 1)), shape=(2, 3, 4)),
        use(Real((2, 1)), shape=(0, 5), codes=True),
        use(Real(()), shape=(2, 2)),
    ]
    SAMPLES["broadcast_like"] = [
        use(Real((3, 1)), Real((2, 3, 4))),
        use(Real((1, 2, 1)), Real((4, 5)), lhs_axes=(0, -1), rhs_axes=(1, 0)),
    ]
    SAMPLES["broadcast_axis"] = [use(Real((2, 1, 3, 1)), axis=(1, 3), size=(4, 2))]
    SAMPLES["sum_like"] = [use(Real((2, 3, 4)), Real((3, 1))), use(Real(_A), Real(()))]
    SAMPLES["sum_to_shape"] = [use(Real((2, 3, 4)), shape=(1, 4)), use(Real(_A), shape=())]


def _shapes() -> None:
    cube = Real((2, 3, 4))
    SAMPLES["reshape"] = [
        use(cube, shape=(4, -1)),
        use(cube, shape=(0, -3), codes=True),
        use(cube, shape=(-4, 1, 2, -2), codes=True),
    ]
    SAMPLES["reshape_like"] = [
        use(cube, Real((4, 6))),
        use(cube, Real((5, 12)), lhs_begin=1, rhs_begin=-1),
        use(cube, Real((3, 2)), lhs_begin=0, lhs_end=2, rhs_begin=0, rhs_end=2),
    ]
    SAMPLES["identity_like"] = [use(cube, cube)]
    SAMPLES["flatten"] = [use(cube)]
    SAMPLES["expand_dims"] = [use(cube, axis=1), use(cube, axis=-1)]
    SAMPLES["squeeze"] = [use(Real((2, 1, 3, 1))), use(Real((2, 1, 3, 1)), axis=(1,))]
    SAMPLES["transpose"] = [use(cube), use(cube, axes=(1, 2, 0))]
    SAMPLES["swapaxes"] = [use(cube, dim1=0, dim2=2)]
    SAMPLES["slice"] = [
        use(Real((4, 5)), begin=(1, 0), end=(3, 4)),
        use(Real((4, 5)), begin=(None, 4), end=(None, None), step=(2, -2)),
    ]
    SAMPLES["slice_axis"] = [
        use(Real((4, 5)), axis=1, begin=1, end=-1),
        use(Real((4, 5)), axis=-2, begin=2, end=None),
    ]
    SAMPLES["slice_like"] = [
        use(Real((4, 5)), Real((2, 3))),
        use(Real((4, 5)), Real((2, 3)), axes=(1,)),
    ]
    SAMPLES["slice_assign"] = [
        use(Real((4, 5)), Real((2, 3)), begin=(1, 0), end=(3, 5), step=(1, 2)),
        use(Real((4, 5)), Real((1, 5)), begin=(1,), end=(4,)),
        use(Real((4, 5)), Real(()), begin=(3,), end=(None,), step=(-1,)),
    ]
    SAMPLES["slice_assign_scalar"] = [use(Real((4, 5)), begin=(1,), end=(3,), scalar=2.5)]
    SAMPLES["reverse"] = [use(cube, axis=(0, 2)), use(cube, axis=1)]
    SAMPLES["concat"] = [
        use(Real((2, 3)), Real((2, 1)), Real((2, 2)), dim=1),
        use(Real((2, 3)), Real((1, 3)), dim=0),
        use(Real((2, 3)), dim=-1),
    ]
    SAMPLES["stack"] = [use(Real(_A), Real(_A), axis=0), use(Real(_A), Real(_A), Real(_A), axis=-1)]
    SAMPLES["split"] = [
        use(Real((4, 6)), num_outputs=3),
        use(Real((2, 3)), num_outputs=2, axis=0, squeeze_axis=True),
    ]
    SAMPLES["tile"] = [use(Real((2, 3)), reps=(2, 1, 3)), use(Real((2, 3)), reps=(2,))]
    SAMPLES["repeat"] = [use(Real((2, 3)), repeats=2), use(Real((2, 3)), repeats=3, axis=0)]
    SAMPLES["pad"] = [
        use(Real((2, 3)), pad_width=(1, 0, 2, 1), constant_value=0.5),
        use(Real((2, 3)), mode="edge", pad_width=(1, 0, 2, 1)),
        use(Real((1, 3, 4)), mode="reflect", pad_width=(0, 0, 2, 1, 1, 3)),
    ]
    SAMPLES["pad_grad"] = [
        use(Real((3, 6)), mode="edge", pad_width=(1, 0, 2, 1)),
        use(Real((3, 6)), mode="reflect", pad_width=(1, 0, 1, 2)),
    ]


def _indices() -> None:
    SAMPLES["take"] = [
        use(Real((4, 3)), Whole((2, 2), 0, 4)),
        use(Real((4, 3)), Whole((5,), -7, 7, "float64"), axis=1, mode="wrap"),
        use(Real((4, 3)), Whole((5,), -2, 9), mode="clip"),
        use(Real((4, 3)), Whole((), 0, 3), axis=-1, mode="raise"),
    ]
    SAMPLES["take_grad"] = [
        use(Real((2, 2, 3)), Whole((2, 2), 0, 4), dim=4),
        use(Real((4, 5)), Whole((5,), 0, 3), axis=1, dim=3),
    ]
    SAMPLES["Embedding"] = [use(Whole((2, 3), 0, 5), Real((5, 4)), input_dim=5, output_dim=4)]
    SAMPLES["pick"] = [
        use(Real((3, 4)), Whole((3,), 0, 4)),
        use(Real((3, 4)), Whole((3,), 0, 4, "float64"), keepdims=True),
        use(Real((3, 4)), Whole((1, 4), 0, 3), axis=0),
    ]
    SAMPLES["take_along_axis"] = [use(Real((3, 4)), Whole((3, 2), 0, 4), axis=1)]
    SAMPLES["take_along_axis_grad"] = [use(Real((3, 2)), Whole((3, 2), 0, 4), axis=1, dim=4)]
    SAMPLES["batch_take"] = [use(Real((3, 4)), Whole((3,), 0, 4))]
    SAMPLES["index_copy"] = [use(Real((4, 2)), Places((2, 0)), Real((2, 2)))]
    for name in ("depth_to_space", "space_to_depth"):
        SAMPLES[name] = [use(Real((2, 8, 2, 4)), block_size=2)]
    SAMPLES["split_v2"] = [
        use(Real((3, 4)), indices=(0, 1, 1), axis=1),
        use(Real((4, 3)), sections=2, axis=0),
        use(Real((3, 2)), sections=2, axis=-1, squeeze_axis=True),
    ]
    SAMPLES["gather_nd"] = [
        use(Real((3, 4)), Whole((2, 5), 0, 3)),
        use(Real((3, 4, 2)), Whole((1, 2, 2), 0, 3)),
    ]
    SAMPLES["scatter_nd"] = [
        use(Real((3,)), Places(((0, 2, 1), (1, 3, 0))), shape=(3, 4)),
        use(Real((3, 4)), Whole((1, 3), 0, 2), shape=(2, 4), accumulate=True),
    ]
    SAMPLES["sort"] = [
        use(Real((3, 4), distinct=True)),
        use(Real((3, 4), distinct=True), axis=0, is_ascend=False),
        use(Real((3, 4), distinct=True), axis=None),
    ]
    for name in ("cumsum", "cumprod"):
        SAMPLES[name] = [
            use(Real((5,))),
            use(Real((2, 4)), axis=-1),
            use(Real((3, 1, 2)), axis=1),
            use(Real((3, 2, 2)), axis=0),
            use(Real((0, 2)), axis=0),
        ]
    SAMPLES["cumprod"].append(use(From(lambda: np.array([[1.5, 0.0, -2.0, 0.0, 0.5]])), axis=1))
    for name in ("cummax", "cummin"):
        SAMPLES[name] = [
            use(Real((7,), distinct=True)),
            use(Real((3, 4), distinct=True), axis=0),
            use(Real((1, 2), distinct=True), axis=0),
        ]
    square = From(lambda: np.array([[[3.0, 1, 0.5], [1, -2, 0.3], [0.2, 0.7, 1.5]]] * 2))
    SAMPLES["linalg_solve"] = [use(square, Real((2, 3, 2)))]
    SAMPLES["linalg_inverse"] = [use(square)]
    SAMPLES["linalg_slogdet"] = [use(square)]
    positive = From(lambda: np.array([[[4.0, 9, 9], [1, 3, 9], [0.5, -1, 2]]] * 2))
    # Its gradient is symmetric: half of the derivative by the elements below the diagonal.
    SAMPLES["linalg_potrf"] = [Sample((positive,), own_gradient=True, expected=_cholesky_gradient)]
    SAMPLES["correlate"] = [
        use(Real((7,)), Real((3,)), left=2, size=9),
        use(Real((3,)), Real((5,)), left=-1, size=4),
    ]
    SAMPLES["_contrib_fft"] = [use(Real((2, 6))), use(Real((7,)))]
    SAMPLES["_contrib_ifft"] = [use(Real((2, 6))), use(Real((2, 2, 8)))]
    SAMPLES["linear_recurrence"] = [
        use(Real((5,)), Real((5,))),
        use(Real((3, 4)), Real((3, 4)), axis=0),
    ]
    SAMPLES["topk"] = [
        use(Real((3, 5), distinct=True), k=2, ret_typ="value"),
        use(Real((3, 5), distinct=True), k=2, ret_typ="value", axis=0, is_ascend=True),
    ]


def _symmetric_gradient(change: Any, a: np.ndarray) -> np.ndarray:
    """Of a sum of results: ``change(x, dx)`` is how it changes with both elements of a pair."""
    whole = np.tril(a) + np.swapaxes(np.tril(a, -1), -1, -2)
    gradient = np.zeros_like(whole)
    for k, i, j in np.ndindex(whole.shape):
        moved = np.zeros(whole.shape[-2:])
        moved[i, j] += 0.5
        moved[j, i] += 0.5
        gradient[k, i, j] = change(whole[k], moved)
    return gradient


def _cholesky_gradient(a: np.ndarray) -> np.ndarray:
    def change(x: np.ndarray, dx: np.ndarray) -> float:
        factor = np.linalg.cholesky(x)
        inverse = np.linalg.inv(factor)
        inner = inverse @ dx @ inverse.T
        return float((factor @ (np.tril(inner) - np.diag(np.diag(inner)) / 2)).sum())

    return _symmetric_gradient(change, a)


def _eigen_gradient(a: np.ndarray) -> np.ndarray:
    def change(x: np.ndarray, dx: np.ndarray) -> float:
        values, columns = np.linalg.eigh(x)
        u = (columns * np.sign(columns[np.abs(columns).argmax(0), range(len(values))])).T
        inner = u @ dx @ u.T
        gaps = values[:, None] - values + np.eye(len(values))
        turned = inner / gaps * (1 - np.eye(len(values)))
        return float((turned @ u).sum() + np.trace(inner))

    return _symmetric_gradient(change, a)


def _linalg() -> None:
    square = From(lambda: np.array([[[3.0, 1, 0.5], [1, -2, 0.3], [0.2, 0.7, 1.5]]] * 2))
    lower = From(lambda *_: np.array([[[3.0, 9, 9], [1, -2, 9], [0.2, 0.7, 1.5]]] * 2))
    turned = {"transpose_a": True, "transpose_b": True, "alpha": 0.5}
    SAMPLES["linalg_gemm"] = [
        use(Real((2, 3, 4)), Real((2, 4, 2)), Real((2, 3, 2)), alpha=0.7, beta=-0.4),
        use(Real((4, 3)), Real((2, 4)), Real((3, 2)), **turned),
        use(Real((3, 2, 4)), Real((4, 2, 2)), Real((3, 2, 2)), axis=0),
    ]
    SAMPLES["linalg_gemm2"] = [
        use(Real((2, 3, 4)), Real((2, 4, 2)), alpha=0.7),
        use(Real((4, 3)), Real((2, 4)), **turned),
        use(Real((3, 4)), Real((2, 4)), transpose_b=True),
        use(Real((4, 2, 3)), Real((4, 2, 5)), transpose_a=True, axis=0),
    ]
    SAMPLES["linalg_syrk"] = [
        use(Real((2, 3, 4)), alpha=0.7),
        use(Real((3, 2)), transpose=True, alpha=-2.0),
    ]
    sides = [
        {"transpose": t, "rightside": r, "lower": low, "alpha": 0.6}
        for t in (False, True)
        for r in (False, True)
        for low in (False, True)
    ]
    for name in ("linalg_trmm", "linalg_trsm"):
        SAMPLES[name] = [
            use(lower, Real((2, 2, 3) if side["rightside"] else (2, 3, 2)), **side)
            for side in sides
        ]
    SAMPLES["linalg_potri"] = [use(lower), use(lower, lower=False)]
    positive = From(lambda: np.array([[[4.0, 1, 0.5], [1, 3, -1], [0.5, -1, 2]]] * 2))
    SAMPLES["linalg_syevd"] = [Sample((positive,), own_gradient=True, expected=_eigen_gradient)]
    SAMPLES["linalg_gelqf"] = [use(Real((2, 2, 3))), use(square)]
    SAMPLES["linalg_det"] = [use(square), use(From(lambda: np.array([[2.0, 1], [0.5, -1]])))]
    SAMPLES["linalg_sumlogdiag"] = [use(Real((2, 3, 3), 0.3, 2.0)), use(Real((2, 2), 0.3, 2.0))]
    SAMPLES["linalg_extractdiag"] = [use(Real((2, 4, 4)), offset=o) for o in (0, 1, -2)]
    SAMPLES["linalg_makediag"] = [use(Real((2, 3)), offset=o) for o in (0, 2, -1)]
    triangles = [{"offset": o, "lower": low} for o in (0, 1, -1) for low in (False, True)]
    SAMPLES["linalg_extracttrian"] = [use(Real((2, 3, 3)), **way) for way in triangles]
    SAMPLES["linalg_maketrian"] = [use(Real((2, 6)), **way) for way in triangles]
    SAMPLES["triangle"] = [use(Real((2, 3, 4)), k=1), use(Real((3, 2)), lower=False)]
    SAMPLES["diag"] = [
        use(Real((3,)), k=-1),
        use(Real((3, 4)), k=1),
        use(Real((2, 3, 4)), k=-1, axis1=2, axis2=0),
    ]
    SAMPLES["diag_put"] = [use(Real((3, 2)), shape=(4, 3, 2), k=-1, axis1=0, axis2=2)]
    SAMPLES["khatri_rao"] = [
        use(Real((2, 3)), Real((3, 3)), Real((2, 3))),
        use(Real((2, 3))),
        use(Real((1, 2)), Real((4, 2))),
    ]
    heads = {"heads": 2}
    SAMPLES["interleaved_matmul_selfatt_qk"] = [use(Real((3, 2, 12)), **heads)]
    SAMPLES["interleaved_matmul_selfatt_valatt"] = [use(Real((3, 2, 12)), Real((4, 3, 3)), **heads)]
    SAMPLES["interleaved_matmul_encdec_qk"] = [use(Real((2, 2, 6)), Real((3, 2, 12)), **heads)]
    SAMPLES["interleaved_matmul_encdec_valatt"] = [use(Real((3, 2, 12)), Real((4, 2, 3)), **heads)]


def _distributions() -> None:
    positive = Real((2, 3), 0.4, 2.0)
    one = Real((2,), 0.4, 2.0)
    counts = Whole((2, 3), 0, 5, "float64")
    for is_log in (False, True):
        way = {"is_log": is_log}
        uses = {
            "uniform": use(positive, Real((2,), -1.0, 0.0), Real((2,), 2.5, 3.0), **way),
            "normal": use(Real((2, 3)), Real((2,)), one, **way),
            "gamma": use(positive, one, one, **way),
            "exponential": use(positive, one, **way),
            "dirichlet": use(Real((2, 2, 3), 0.2, 0.5), Real((2, 3), 0.5, 2.0), **way),
        }
        for name, sample in uses.items():
            SAMPLES.setdefault(f"random_pdf_{name}", []).append(sample)
        # Of counts the gradient by the sample is 0, so they are no input that is moved.
        discrete = {
            "poisson": (one,),
            "negative_binomial": (one, Real((2,), 0.3, 0.7)),
            "generalized_negative_binomial": (one, one),
        }
        for name, inputs in discrete.items():
            sample = use(counts, *inputs, **way)
            SAMPLES.setdefault(f"random_pdf_{name}", []).append(sample)
    SAMPLES["sample_multinomial"] = [
        Sample((Real((2, 3), 0.2, 0.5),), {"get_prob": True}, own_gradient=True,
               expected=_drawn_slopes),
    ]  # fmt: skip


def _drawn_slopes(p: np.ndarray) -> np.ndarray:
    """1 / p of the classes that seed 11 draws."""
    _core.seed(11)
    drawn = _core.invoke_core("sample_multinomial", [_core.from_numpy(p)], {}).asnumpy()
    return np.eye(p.shape[1])[drawn] / p


def _softmax_family() -> None:
    for name in ["softmax", "log_softmax"]:
        SAMPLES[name] = [
            use(Real(_A)),
            use(Real((2, 3, 2)), axis=1, temperature=2.0),
        ]
    SAMPLES["softmax_grad"] = [
        use(Real(_A), From(lambda g: _softmax(np.sin(3 * g)))),
        use(Real(_A), From(lambda g: _softmax(np.sin(g), 0)), axis=0, temperature=0.5),
    ]
    SAMPLES["log_softmax_grad"] = [use(Real(_A), From(lambda g: _log_softmax(np.sin(3 * g))))]
    SAMPLES["softmax_cross_entropy"] = [use(Real((3, 4)), Whole((3,), 0, 4, "float64"))]
    SAMPLES["SoftmaxOutput"] = [
        Sample(
            (Real((3, 4)), Whole((3,), 0, 4, "float64")),
            {},
            own_gradient=True,
            expected=lambda x, label: _softmax(x) - _one_hot(label, 4),
            second_order=False,
        ),
        Sample(
            (Real((3, 4)), Whole((3,), 0, 4, "float64")),
            {"normalization": "batch", "grad_scale": 2.0},
            own_gradient=True,
            expected=lambda x, label: 2 * (_softmax(x) - _one_hot(label, 4)) / 3,
            second_order=False,
        ),
    ]
    own: dict[str, Any] = {
        "LinearRegressionOutput": lambda x, label: (x - label) / 4,
        "LogisticRegressionOutput": lambda x, label: (1 / (1 + np.exp(-x)) - label) / 4,
        "MAERegressionOutput": lambda x, label: np.sign(x - label) / 4,
    }
    for name, expected in own.items():
        SAMPLES[name] = [
            Sample((Real(_A), Real(_A)), {}, True, expected, second_order=False),
        ]
    SAMPLES["make_loss"] = [
        Sample((Real(_A),), {"grad_scale": 3.0}, True, lambda x: 3 * np.ones_like(x), False),
        Sample(
            (Real(_A),), {"normalization": "batch"}, True, lambda x: np.ones_like(x) / len(x), False
        ),
    ]
    SAMPLES["stop_gradient"] = [
        Sample((Real(_A),), {}, True, lambda x: np.zeros_like(x), second_order=False),
    ]
    SAMPLES["copy_to_device"] = [use(Real(_A), ctx="cpu(0)")]
    SAMPLES["Dropout"] = [
        use(Real(_A), p=0.4, mode="always"),
        use(Real(_A), p=0.5, axes=(0,), mode="always"),
    ]


def _images() -> None:
    image, batch = Real((3, 4, 3), 20.0, 200.0), Real((2, 4, 3, 1), 20.0, 200.0)
    fixed = {"min_factor": 1.3, "max_factor": 1.3}
    names = ["image_flip_left_right", "image_flip_top_bottom", "image_random_flip_left_right",
             "image_random_flip_top_bottom"]  # fmt: skip
    for name in names:
        SAMPLES[name] = [use(image), use(batch)]
    SAMPLES["image_crop"] = [
        use(image, x=1, y=0, width=2, height=3), use(batch, x=0, y=2, width=3, height=1),
    ]  # fmt: skip
    # Its results are float32, too coarse for finite differences.
    SAMPLES["image_to_tensor"] = [
        Sample((shape,), {}, True, lambda x: np.full_like(x, 1 / 255), second_order=False)
        for shape in (image, batch)
    ]
    SAMPLES["image_normalize"] = [
        use(image, mean=(1.0, 2.0, 3.0), std=(4.0, 5.0, 6.0)), use(batch, mean=0.5, std=(2.0,)),
    ]  # fmt: skip
    SAMPLES["image_resize"] = [
        *(use(image, size=(5, 2), interp=interp) for interp in range(5)),
        use(batch, size=2, keep_ratio=True),
        use(batch, size=(2, 3), interp=3),
    ]
    SAMPLES["image_resize_grad"] = [
        use(image, size=(2, 5)), use(batch, size=(6, 2), interp=2),
    ]  # fmt: skip
    SAMPLES["image_random_brightness"] = [use(image, min_factor=0.2, max_factor=2.0)]
    for kind in ("contrast", "saturation"):
        SAMPLES[f"image_random_{kind}"] = [
            use(image, min_factor=0.2, max_factor=2.0),
            use(batch, **fixed),
        ]
        SAMPLES[f"image_random_{kind}_grad"] = [
            use(image, image, **fixed),
            use(batch, batch, **fixed),
        ]
    # Steps of hue are not differentiated twice.
    some = {"brightness": 0.4, "contrast": 0.4, "saturation": 0.4, "hue": 0.0}
    distinct = Real((3, 4, 3), 20.0, 200.0, distinct=True)
    SAMPLES["image_random_hue"] = [
        Sample((distinct,), {"min_factor": 0.2, "max_factor": 0.4}, second_order=False),
        Sample((batch,), fixed, second_order=False),
    ]
    SAMPLES["image_random_color_jitter"] = [
        Sample((image,), some, second_order=False),
        Sample((distinct,), {**some, "hue": 0.1}, second_order=False),
    ]
    SAMPLES["image_random_lighting"] = [use(image, alpha_std=0.3)]
    SAMPLES["image_adjust_lighting"] = [
        use(image, alpha=(0.1, -0.2, 0.3)),
        use(batch, alpha=(1.0, 2.0, 3.0)),
    ]


def _sequences() -> None:
    lengths = Places((1.0, 4.0, 2.0))
    every = {"use_sequence_length": True}
    for name in ["SequenceMask", "SequenceReverse", "SequenceLast"]:
        SAMPLES[name] = [use(Real((4, 3, 2))), use(Real((4, 3)), lengths, **every)]
    SAMPLES["SequenceMask"].append(use(Real((3, 4, 2)), lengths, **every, axis=1, value=3.0))
    SAMPLES["SequenceLast"].append(use(Real((3, 4, 2)), lengths, **every, axis=1))
    SAMPLES["sequence_last_grad"] = [
        use(Real((3, 2)), steps=4),
        use(Real((3, 2)), lengths, **every, axis=1, steps=4),
    ]
    SAMPLES["softmin"] = [use(Real(_A)), use(Real(_A), axis=0, temperature=2.0, dtype="float64")]
    SAMPLES["softmax"].append(use(Real((3, 4)), Places((1, 4, 2)), use_length=True))
    SAMPLES["SoftmaxActivation"] = [use(Real(_A)), use(Real((2, 3, 2)), mode="channel")]
    SAMPLES["moments"] = [
        use(Real((2, 3, 4)), axes=(0, -1)),
        use(Real(_A), axes=(1,), keepdims=True),
        use(Real(_A), axes=(0, 1)),
    ]
    SAMPLES["SVMOutput"] = [
        Sample((Real((3, 4)), Whole((3,), 0, 4, "float64")), {"use_linear": linear}, True,
               _svm(linear), second_order=False)
        for linear in (True, False)
    ]  # fmt: skip
    label = Places(((1, 2, 2), (3, 0, 0)))
    SAMPLES["CTCLoss"] = [once(Real((5, 2, 4)), label), once(
        Real((5, 2, 4)), Places(((1, 2, 2), (0, 1, 1))), Places((4, 5)), Places((3, 2)),
        use_data_lengths=True, use_label_lengths=True, blank_label="last",
    )]  # fmt: skip


def _hawkes() -> None:
    SAMPLES["hawkesll"] = [
        once(
            Real((2, 3), 0.5, 1.5), Real((3,), 0.2, 0.8), Real((3,), 0.5, 1.5), Real((2, 3), 0, 1),
            Places(((0.5, 0.2, 0.7, 0.1), (1.0, 0.3, 9.0, 9.0))),
            Places(((0, 2, 0, 1), (1, 1, 7, 7))), Places((4.0, 2.0)), Places((3.0, 2.5)),
        )
    ]  # fmt: skip


def _svm(linear: bool) -> Any:
    def expected(x: np.ndarray, label: np.ndarray) -> np.ndarray:
        sign = 2 * _one_hot(label, x.shape[1]) - 1
        short_of = np.maximum(1 - sign * x, 0)
        return -sign * ((short_of > 0) if linear else 2 * short_of)

    return expected


def once(*inputs: Any, **attrs: Any) -> Sample:
    """A use of an operator that is differentiable once."""
    return Sample(inputs, attrs, second_order=False)


def rnn(mode: str, layers: int, ways: int, count: int, *lengths: Any, **attrs: Any) -> Sample:
    """Recurrent layers of state size 3 on (4 steps, 2 sequences, 2)."""
    out = attrs.get("projection_size", 3)
    states = [Real((layers * ways, 2, out))]
    if mode == "lstm":
        states.append(Real((layers * ways, 2, 3)))
    return once(
        Real((4, 2, 2)), Real((count,), -0.7, 0.7), *states, *lengths, mode=mode, state_size=3,
        num_layers=layers, bidirectional=ways == 2, state_outputs=True, **attrs,
    )  # fmt: skip


def _recurrent() -> None:
    lengths = Places((1, 3))
    SAMPLES["RNN"] = [
        rnn("rnn_tanh", 3, 1, 21 + 2 * 24),
        rnn("rnn_relu", 1, 2, 42),
        rnn("gru", 2, 2, 2 * 63 + 2 * 99),
        rnn("lstm", 2, 2, 2 * 84 + 2 * 132),
        rnn("lstm", 2, 2, 2 * (72 + 6) + 2 * (96 + 6), projection_size=2),
        rnn("lstm", 1, 1, 84, lstm_state_clip_min=-0.3, lstm_state_clip_max=0.4),
        rnn("lstm", 1, 2, 168, lengths, use_sequence_length=True),
        rnn("lstm", 1, 2, 2 * 78, lengths, use_sequence_length=True, projection_size=2),
        rnn("gru", 2, 1, 63 + 72, lengths, use_sequence_length=True),
        rnn("rnn_tanh", 1, 2, 42, lengths, use_sequence_length=True),
    ]


def _detection() -> None:
    rois = Places(((0.0, 0.2, 0.3, 3.1, 3.4), (1.0, 1.0, 0.0, 2.0, 3.0), (1.0, 0.0, 0.0, 1.0, 1.0)))
    size = {"pooled_size": (2, 2), "spatial_scale": 0.9}
    SAMPLES["ROIPooling"] = [use(Real((2, 2, 4, 4), distinct=True, low=-4, high=4), rois, **size)]
    SAMPLES["ROIAlign"] = [
        use(Real((2, 2, 4, 4)), rois, **size),
        use(
            Real((2, 4, 4, 4)), rois, **size, position_sensitive=True, sample_ratio=2, aligned=True
        ),
    ]
    SAMPLES["roi_align_grad"] = [use(Real((3, 2, 2, 2)), rois, **size, shape=(2, 2, 4, 4))]
    psroi = {"spatial_scale": 0.9, "output_dim": 2, "pooled_size": 2}
    SAMPLES["PSROIPooling"] = [
        use(Real((2, 8, 4, 4)), rois, **psroi),
        use(Real((2, 2, 4, 4)), rois, **psroi, group_size=1),
    ]
    moved = {**psroi, "sample_per_part": 2, "trans_std": 0.25, "group_size": 2}
    SAMPLES["DeformablePSROIPooling"] = [
        Sample((Real((2, 8, 4, 4)), rois, *trans), {**moved, **more}, second_order=False)
        for trans, more in (
            ((Real((3, 4, 2, 2), -0.2, 0.2),), {}),
            ((Real((3, 2, 1, 1), -0.2, 0.2),), {"part_size": 1}),
            ((), {"no_trans": True}),
        )
    ]
    proposals = {
        "rpn_post_nms_top_n": 4, "rpn_min_size": 1, "scales": (2.0,), "ratios": (0.5, 1.0),
        "feature_stride": 4, "output_score": True,
    }  # fmt: skip
    for name, images in (("Proposal", 1), ("MultiProposal", 2)):
        maps = Real((images, 4, 2, 3), 0, 1), Real((images, 8, 2, 3), -0.25, 0.25)
        sizes = Places(((8.0, 12.0, 1.0), (8.0, 8.0, 1.0))[:images])
        SAMPLES[name] = [Sample((*maps, sizes), proposals, True, lambda x, *_: 0 * x, False)]
    SAMPLES["psroi_pooling_grad"] = [use(Real((3, 2, 2, 2)), rois, **psroi, shape=(2, 8, 4, 4))]
    rotated = Places(((0.0, 2.0, 2.5, 3.0, 2.0, 30.0), (1.0, 1.0, 0.5, 2.0, 4.0, -70.0)))
    SAMPLES["RROIAlign"] = [
        use(Real((2, 2, 4, 5)), rotated, **size),
        use(Real((2, 2, 4, 5)), rotated, **size, sampling_ratio=3),
    ]
    SAMPLES["rroi_align_grad"] = [use(Real((2, 2, 2, 2)), rotated, **size, shape=(2, 2, 4, 5))]
    boxes = ((0, 0.5, 0.1, 0.1, 0.5, 0.5), (1, 0.9, 0.1, 0.1, 0.5, 0.6), (0, 0.4, 0.6, 0.6, 1, 1))
    SAMPLES["box_nms"] = [
        use(From(lambda: np.array(boxes)), overlap_thresh=0.3),
        use(From(lambda: np.array([boxes, boxes[::-1]])), overlap_thresh=0.9, id_index=0),
    ]
    affine = {"transform_type": "affine", "target_shape": (3, 2)}
    SAMPLES["GridGenerator"] = [
        use(Real((2, 6)), **affine),
        use(Real((1, 2, 3, 4)), transform_type="warp"),
    ]
    SAMPLES["grid_generator_grad"] = [
        use(Real((2, 2, 3, 2)), transform_type="affine"),
        use(Real((1, 2, 3, 4)), transform_type="warp"),
    ]
    grid = Real((2, 2, 2, 3), -1.4, 1.4, avoid=(-1.0, -1 / 3, 0.0, 1 / 3, 1.0))
    SAMPLES["BilinearSampler"] = [once(Real((2, 2, 3, 4)), grid)]
    SAMPLES["SpatialTransformer"] = [
        once(Real((2, 2, 3, 4)), Real((2, 6), 0.2, 0.4), **affine, sampler_type="bilinear")
    ]
    maps = (Real((2, 2, 4, 5)), Real((2, 2, 4, 5)))
    SAMPLES["Correlation"] = [
        once(*maps, pad_size=1),
        once(*maps, kernel_size=3, max_displacement=1, stride1=2, stride2=1, pad_size=2),
        once(maps[0], Real((2, 2, 4, 5), 2.5, 4.0), is_multiply=False),
    ]


for _family in (
    _unary, _binary, _linear, _conv, _reductions, _shapes, _indices, _softmax_family, _linalg,
    _distributions, _images, _sequences, _recurrent, _detection, _hawkes,
):  # fmt: skip
    _family()
