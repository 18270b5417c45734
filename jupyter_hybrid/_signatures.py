"""The order of parameters where MXNet has some without a meaning here, as they stand there.

A parameter that the core operator does not have stands with MXNet's default and is accepted; what
it may be, `mx_ignored` of csrc/ops/mx_table.cc says.
"""

from __future__ import annotations

_WORKSPACE = ("num_filter", "num_group", "workspace=1024")
_CONVOLUTION = (*_WORKSPACE, "no_bias", "cudnn_tune", "cudnn_off=False")
_DEFORMABLE = (
    "kernel", "stride", "dilate", "pad", *_WORKSPACE[:2], "num_deformable_group", "workspace=1024",
    "no_bias",
)  # fmt: skip

#: By operator: names of all attributes in MXNet's order.
SIGNATURES: dict[str, tuple[str, ...]] = {
    "Convolution": ("kernel", "stride", "dilate", "pad", *_CONVOLUTION, "layout"),
    "Deconvolution": (
        "kernel", "stride", "dilate", "pad", "adj", "target_shape", "num_filter", "num_group",
        "workspace=512", "no_bias", "cudnn_tune", "cudnn_off=False", "layout",
    ),
    "Pooling": (
        "kernel", "pool_type", "global_pool", "cudnn_off=False", "pooling_convention", "stride",
        "pad", "p_value", "count_include_pad", "layout",
    ),
    "BatchNorm": (
        "eps", "momentum", "fix_gamma", "use_global_stats", "output_mean_var", "axis",
        "cudnn_off=False", "min_calib_range", "max_calib_range",
    ),
    "UpSampling": (
        "scale", "num_filter", "sample_type", "multi_input_mode", "workspace=512",
    ),
    "Dropout": ("p", "mode", "axes", "cudnn_off=False"),
    "BilinearSampler": ("cudnn_off",),
    "SpatialTransformer": ("target_shape", "transform_type", "sampler_type", "cudnn_off"),
    "dot": ("transpose_a", "transpose_b", "forward_stype"),
    "batch_dot": ("transpose_a", "transpose_b", "forward_stype"),
    "Reshape": ("shape", "reverse", "target_shape", "keep_highest=False"),
    "reshape": ("shape", "reverse", "target_shape", "keep_highest=False"),
    "all_finite": ("init_output=True",),
    "multi_all_finite": ("num_arrays", "init_output=True"),
    "_contrib_fft": ("compute_size=128",),
    "_contrib_ifft": ("compute_size=128",),
    "_contrib_arange_like": ("start", "step", "repeat", "ctx", "axis"),
    "_contrib_gradientmultiplier": ("scalar", "is_int=True"),
    "_contrib_DeformableConvolution": (*_DEFORMABLE, "layout"),
    "_contrib_ModulatedDeformableConvolution": (*_DEFORMABLE, "im2col_step=64", "layout"),
}  # fmt: skip
SIGNATURES["_contrib_BatchNormWithReLU"] = SIGNATURES["BatchNorm"]
