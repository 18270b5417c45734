"""The order of parameters where MXNet has some without a meaning here, as they stand there.

A parameter that the core operator does not have is accepted; what it may be, `mx_ignored` of
csrc/ops/mx_table.cc says.
"""

from __future__ import annotations

_CONVOLUTION = ("num_filter", "num_group", "workspace", "no_bias", "cudnn_tune", "cudnn_off")

#: By operator: names of all attributes in MXNet's order.
SIGNATURES: dict[str, tuple[str, ...]] = {
    "MakeLoss": ("grad_scale", "valid_thresh", "normalization"),
    "Convolution": ("kernel", "stride", "dilate", "pad", *_CONVOLUTION, "layout"),
    "Deconvolution": (
        "kernel", "stride", "dilate", "pad", "adj", "target_shape", *_CONVOLUTION, "layout",
    ),
    "Pooling": (
        "kernel", "pool_type", "global_pool", "cudnn_off", "pooling_convention", "stride", "pad",
        "p_value", "count_include_pad", "layout",
    ),
    "BatchNorm": (
        "eps", "momentum", "fix_gamma", "use_global_stats", "output_mean_var", "axis", "cudnn_off",
        "min_calib_range", "max_calib_range",
    ),
    "UpSampling": (
        "scale", "num_filter", "sample_type", "multi_input_mode", "workspace",
    ),
    "Dropout": ("p", "mode", "axes", "cudnn_off"),
    "dot": ("transpose_a", "transpose_b", "forward_stype"),
    "batch_dot": ("transpose_a", "transpose_b", "forward_stype"),
    "Reshape": ("shape", "reverse", "target_shape", "keep_highest"),
    "reshape": ("shape", "reverse", "target_shape", "keep_highest"),
    "_contrib_fft": ("compute_size",),
    "_contrib_ifft": ("compute_size",),
    "_contrib_arange_like": ("start", "step", "repeat", "ctx", "axis"),
    "_contrib_gradientmultiplier": ("scalar", "is_int"),
}  # fmt: skip
SIGNATURES["_contrib_BatchNormWithReLU"] = SIGNATURES["BatchNorm"]
