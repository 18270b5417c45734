"""Convolution, pooling, normalization and the others that layers are made of."""

from __future__ import annotations

from case import Call, Family
from drawn import FLOATS, distinct, given, real

f = Family("layers")
CASES = f.cases
TEST = Call(train=False)
TWO = ("float32", "float64")

VOLUME = {"kernel": (2, 2, 2), "pad": (1, 0, 1), "stride": (1, 2, 1)}
ADJUSTED = {"kernel": (3, 3), "stride": (2, 3), "pad": (1, 0), "adj": (1, 2)}
CONVOLUTIONS = [
    ((1, 2, 5, 6), (3, 2, 2, 3), {"kernel": (2, 3)}),
    ((2, 2, 5, 5), (3, 2, 3, 3), {"kernel": (3, 3), "stride": (2, 1), "pad": (1, 2)}),
    ((1, 2, 7, 6), (2, 2, 2, 2), {"kernel": (2, 2), "dilate": (3, 2)}),
    ((1, 4, 4, 4), (6, 2, 3, 3), {"kernel": (3, 3), "num_group": 2, "pad": (1, 1)}),
    ((1, 3, 4, 4), (3, 1, 3, 3), {"kernel": (3, 3), "num_group": 3}),
    ((2, 3, 6), (4, 3, 3), {"kernel": (3,), "stride": (2,), "pad": (1,)}),
    ((1, 2, 7), (2, 2, 2), {"kernel": (2,), "dilate": (3,)}),
    ((1, 2, 3, 4, 3), (2, 2, 2, 2, 2), VOLUME),
    ((1, 1, 1, 1), (1, 1, 1, 1), {"kernel": (1, 1)}),
]
for data, weight, attrs in CONVOLUTIONS:
    n = weight[0]
    f.add("Convolution", real(*data), real(*weight), real(n), num_filter=n, **attrs)
    f.add("Convolution", real(*data), real(*weight), num_filter=n, no_bias=True, **attrs)
f.every(
    FLOATS, "Convolution", real(1, 2, 4, 4), real(2, 2, 3, 3), real(2), kernel=(3, 3), num_filter=2
)
f.add(
    "Convolution",
    real(1, 2, 4, 4),
    real(2, 2, 3, 3),
    real(2),
    kernel=(3, 3),
    num_filter=2,
    workspace=256,
    cudnn_tune="off",
    cudnn_off=True,
    layout="NCHW",
)
f.add(
    "Convolution",
    real(1, 2, 4, 4),
    real(2, 3, 3, 3),
    real(2),
    kernel=(3, 3),
    num_filter=2,
    raises=True,
)
f.add("Convolution_v1", real(1, 2, 4, 4), real(2, 2, 3, 3), real(2), kernel=(3, 3), num_filter=2)

UPWARD = [
    ((1, 2, 3, 4), (2, 3, 2, 3), {"kernel": (2, 3)}),
    ((1, 2, 3, 3), (2, 3, 3, 3), ADJUSTED),
    ((1, 4, 3, 3), (4, 1, 2, 2), {"kernel": (2, 2), "num_group": 2}),
    ((1, 2, 3, 3), (2, 2, 2, 2), {"kernel": (2, 2), "dilate": (2, 2)}),
    ((1, 2, 3, 3), (2, 2, 4, 4), {"kernel": (4, 4), "stride": (2, 2), "target_shape": (6, 6)}),
    ((2, 2, 5), (2, 3, 3), {"kernel": (3,), "stride": (2,), "pad": (1,), "adj": (1,)}),
]
for data, weight, attrs in UPWARD:
    n = weight[1] * attrs.get("num_group", 1)
    f.add("Deconvolution", real(*data), real(*weight), num_filter=n, **attrs)
    f.add(
        "Deconvolution", real(*data), real(*weight), real(n), num_filter=n, no_bias=False, **attrs
    )
f.every(TWO, "Deconvolution", real(1, 2, 3, 3), real(2, 2, 2, 2), kernel=(2, 2), num_filter=2)

for kind in ("max", "avg", "sum"):
    for attrs in (
        {"kernel": (2, 3)},
        {"kernel": (3, 3), "stride": (2, 2), "pad": (1, 1)},
        {"kernel": (3, 2), "stride": (2, 2), "pooling_convention": "full"},
        {"kernel": (1, 2), "pad": (0, 1)},
        {"global_pool": True},
        {"kernel": (2, 2), "global_pool": True},
    ):
        f.add("Pooling", distinct(1, 2, 5, 6), pool_type=kind, **attrs)
    f.every(FLOATS, "Pooling", distinct(1, 1, 4, 4), pool_type=kind, kernel=(2, 2))
    f.add("Pooling", distinct(2, 2, 7), pool_type=kind, kernel=(3,), stride=(2,), pad=(1,))
    f.add("Pooling", distinct(1, 2, 3, 4, 3), pool_type=kind, kernel=(2, 2, 2), stride=(1, 2, 1))
    f.add("Pooling", distinct(1, 1, 1, 1), pool_type=kind, kernel=(1, 1))
    f.add("Pooling", distinct(1, 5, 6, 2), pool_type=kind, kernel=(2, 2), layout="NHWC")
    f.add("Pooling_v1", distinct(1, 2, 5, 6), pool_type=kind, kernel=(2, 3))
f.add(
    "Pooling",
    distinct(1, 1, 5, 5),
    kernel=(3, 3),
    pad=(1, 1),
    pool_type="avg",
    count_include_pad=False,
)
f.add(
    "Pooling",
    distinct(1, 1, 5, 5),
    kernel=(3, 3),
    pad=(1, 1),
    pool_type="avg",
    count_include_pad=True,
)
for p in (1, 2, 3):
    f.add(
        "Pooling",
        real(1, 2, 5, 5, low=0.5),
        kernel=(3, 2),
        stride=(2, 2),
        pool_type="lp",
        p_value=p,
    )
f.every(TWO, "contrib.AdaptiveAvgPooling2D", real(1, 2, 5, 7), output_size=(2, 3))
f.add("contrib.AdaptiveAvgPooling2D", real(1, 2, 5, 7))
f.add("contrib.AdaptiveAvgPooling2D", real(1, 2, 5, 7), output_size=3)

STATS = (real(3), real(3, low=0.5))
for attrs in (
    {"fix_gamma": False},
    {},
    {"fix_gamma": False, "eps": 0.1, "momentum": 0.5},
    {"fix_gamma": False, "use_global_stats": True},
    {"fix_gamma": False, "output_mean_var": True},
):
    for call in (Call(), TEST):
        f.add("BatchNorm", real(4, 3, 2), real(3), real(3), *STATS, call=call, times=5, **attrs)
f.add("BatchNorm", real(2, 4, 3), real(3), real(3), *STATS, axis=-1, fix_gamma=False, times=5)
f.add(
    "BatchNorm",
    real(2, 3, 2, 2),
    real(3),
    real(3),
    *STATS,
    axis=1,
    fix_gamma=False,
    cudnn_off=True,
    times=5,
)
f.add(
    "BatchNorm",
    real(4, 3, dtype="float64"),
    *[x.of("float64") for x in (real(3), real(3), *STATS)],
    fix_gamma=False,
)
f.add("BatchNorm", real(4, 3, dtype="float16"), real(3), real(3), *STATS, fix_gamma=False, times=30)
for attrs in ({}, {"eps": 0.1, "momentum": 0.5}, {"use_global_stats": True}, {"fix_gamma": True}):
    for call in (Call(), TEST):
        f.add(
            *("contrib.SyncBatchNorm", real(4, 3, 2, 2), real(3), real(3), *STATS),
            **{"call": call, "times": 5, "key": "norm", "ndev": 1, "fix_gamma": False, **attrs},
        )
for axis, n in ((-1, 4), (1, 3), (0, 2)):
    f.every(TWO, "LayerNorm", real(2, 3, 4), real(n), real(n), axis=axis, times=5)
f.add("LayerNorm", real(2, 5), real(5), real(5), eps=0.1)
f.add("LayerNorm", real(2, 5), real(5), real(5), output_mean_var=True, times=5)
f.add(
    "LayerNorm",
    real(2, 5, dtype="float16"),
    real(5, dtype="float16"),
    real(5, dtype="float16"),
    times=3,
)
f.every(TWO, "InstanceNorm", real(2, 3, 4), real(3), real(3), times=5)
f.add("InstanceNorm", real(2, 3, 2, 3), real(3), real(3), eps=0.1)
f.every(TWO, "GroupNorm", real(2, 4, 3), real(2), real(2), num_groups=2, times=5)
f.add("GroupNorm", real(2, 4, 3), real(1), real(1), times=5)
f.add(
    "GroupNorm",
    real(2, 4, 2, 2),
    real(4),
    real(4),
    num_groups=4,
    eps=0.1,
    output_mean_var=True,
    times=5,
)
for mode in ("instance", "channel", "spatial"):
    f.every(TWO, "L2Normalization", real(2, 3, 4), mode=mode)
    f.add("L2Normalization", real(2, 3, 2, 2), mode=mode, eps=0.5)
f.every(TWO, "LRN", real(2, 5, 3, 3), nsize=3)
f.add("LRN", real(1, 5, 2, 2), nsize=5, alpha=0.5, beta=0.5, knorm=1.0)
f.add("Dropout", real(3, 4), p=0.5, call=TEST)
f.add("Dropout", real(3, 4), p=0.0)
f.add("Dropout", real(30, 4), p=0.5, values=False)
f.add("Dropout", real(30, 4), p=0.3, mode="always", axes=(0,), call=TEST, values=False)

f.add("UpSampling", real(1, 2, 2, 3), scale=2, sample_type="nearest")
f.add("UpSampling", real(1, 2, 2, 3), real(1, 1, 4, 6), scale=2, sample_type="nearest", num_args=2)
f.add(
    "UpSampling",
    real(1, 2, 2, 3),
    real(1, 2, 4, 6),
    scale=2,
    sample_type="nearest",
    num_args=2,
    multi_input_mode="sum",
)
f.add(
    "UpSampling",
    real(1, 2, 3, 3),
    real(2, 1, 4, 4),
    scale=2,
    sample_type="bilinear",
    num_filter=2,
    num_args=2,
)
f.add("contrib.BilinearResize2D", real(1, 2, 3, 4), height=5, width=6)
f.add("contrib.BilinearResize2D", real(1, 2, 3, 4), height=5, width=6, align_corners=False)
f.add(
    "contrib.BilinearResize2D",
    real(1, 2, 3, 4),
    scale_height=2.0,
    scale_width=1.5,
    mode="odd_scale",
)
f.add("contrib.BilinearResize2D", real(1, 2, 3, 4), real(1, 2, 5, 2), mode="like")
for mode in ("to_even_down", "to_even_up", "to_odd_down", "to_odd_up"):
    f.add("contrib.BilinearResize2D", real(1, 1, 3, 4), mode=mode)
f.add("GridGenerator", real(2, 6), transform_type="affine", target_shape=(3, 4))
f.add("GridGenerator", real(1, 2, 3, 4), transform_type="warp")
f.every(TWO, "BilinearSampler", real(1, 2, 4, 5), real(1, 2, 3, 3, low=-0.9, high=0.9), times=5)
f.add("BilinearSampler", real(1, 1, 3, 3), real(1, 2, 3, 3, low=-2, high=2), times=5)
f.add(
    "SpatialTransformer",
    real(1, 2, 4, 5),
    given([[0.9, 0.1, 0.05, -0.1, 0.8, 0.1]]),
    target_shape=(3, 3),
    transform_type="affine",
    sampler_type="bilinear",
    times=5,
)
for attrs in (
    {},
    {"kernel_size": 3, "pad_size": 1},
    {"max_displacement": 2, "pad_size": 2},
    {"stride1": 2, "stride2": 2, "max_displacement": 2, "pad_size": 2},
    {"is_multiply": False, "max_displacement": 1, "pad_size": 1},
):
    f.add("Correlation", real(1, 2, 6, 6), real(1, 2, 6, 6), **attrs)
rois = given([[0, 0, 0, 3, 3], [1, 1, 0, 4, 2], [0, 2, 2, 5, 5]], fixed=True)
f.add("ROIPooling", distinct(2, 2, 6, 6), rois, pooled_size=(2, 2), spatial_scale=1.0)
f.add("ROIPooling", distinct(2, 1, 6, 6), rois, pooled_size=(3, 2), spatial_scale=0.5)
f.add("contrib.ROIAlign", real(2, 2, 6, 6), rois, pooled_size=(2, 2), spatial_scale=1.0)
f.add(
    "contrib.ROIAlign",
    real(2, 2, 6, 6),
    rois,
    pooled_size=(2, 3),
    spatial_scale=0.5,
    sample_ratio=2,
)
f.add(
    "contrib.ROIAlign",
    real(2, 4, 6, 6),
    rois,
    pooled_size=(2, 2),
    spatial_scale=1.0,
    sample_ratio=2,
    position_sensitive=True,
)
f.add(
    "contrib.ROIAlign",
    real(2, 2, 6, 6),
    rois,
    pooled_size=(2, 2),
    spatial_scale=1.0,
    sample_ratio=2,
    aligned=True,
)
f.add(
    "contrib.DeformableConvolution",
    real(1, 2, 5, 5),
    real(1, 18, 3, 3, low=-0.5, high=0.5),
    real(2, 2, 3, 3),
    real(2),
    kernel=(3, 3),
    num_filter=2,
    times=5,
)
f.add(
    "contrib.DeformableConvolution",
    real(1, 2, 5, 5),
    real(1, 8, 6, 6, low=-0.5, high=0.5),
    real(2, 2, 2, 2),
    kernel=(2, 2),
    num_filter=2,
    pad=(1, 1),
    no_bias=True,
    times=5,
)
f.add(
    "contrib.ModulatedDeformableConvolution",
    real(1, 2, 5, 5),
    real(1, 18, 3, 3, low=-0.5, high=0.5),
    real(1, 9, 3, 3, low=0, high=1),
    real(2, 2, 3, 3),
    real(2),
    kernel=(3, 3),
    num_filter=2,
    times=5,
)

# Attributes that are left at one value above.
ONCE = Call(gradient=False)
f.add(
    "BatchNorm",
    real(4, 3, 2),
    real(3),
    real(3),
    *STATS,
    fix_gamma=False,
    min_calib_range=0.5,
    max_calib_range=2.0,
    times=5,
)
f.add(
    "Deconvolution",
    real(1, 2, 3, 4),
    real(2, 3, 2, 3),
    num_filter=3,
    kernel=(2, 3),
    workspace=256,
    cudnn_tune="off",
    cudnn_off=True,
    layout="NCHW",
)
f.add("Dropout", real(3, 4), p=0.5, cudnn_off=True, call=TEST)
f.add("Pooling", distinct(1, 1, 4, 4), kernel=(2, 2), cudnn_off=True)
f.add("BilinearSampler", real(1, 2, 4, 5), real(1, 2, 3, 3, low=-0.9, high=0.9), cudnn_off=True)
f.add(
    "SpatialTransformer",
    real(1, 2, 4, 5),
    given([[0.8, 0.1, 0.05, -0.1, 0.7, 0.1]]),
    target_shape=(2, 3),
    transform_type="affine",
    sampler_type="bilinear",
    cudnn_off=True,
    times=5,
)
f.add("UpSampling", real(1, 2, 2, 3), scale=3, sample_type="nearest", workspace=256)
DEFORMED = {"kernel": (2, 2), "stride": (2, 1), "dilate": (1, 2), "num_group": 2, "workspace": 64}
f.add(
    "contrib.DeformableConvolution",
    real(1, 4, 5, 5),
    real(1, 16, 2, 3, low=-0.5, high=0.5),
    real(4, 2, 2, 2),
    real(4),
    num_filter=4,
    num_deformable_group=2,
    layout="NCHW",
    times=5,
    **DEFORMED,
)
f.add(
    "contrib.ModulatedDeformableConvolution",
    real(1, 4, 5, 5),
    real(1, 16, 4, 5, low=-0.5, high=0.5),
    real(1, 8, 4, 5, low=0, high=1),
    real(4, 2, 2, 2),
    num_filter=4,
    num_deformable_group=2,
    pad=(2, 1),
    no_bias=True,
    im2col_step=32,
    layout="NCHW",
    times=5,
    call=ONCE,
    **DEFORMED,
)
