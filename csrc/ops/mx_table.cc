// MXNet 1.9.1's operator names: which core operator each one is.
#include "ops/mx_table.h"

#include <cstring>

namespace hybrid {

namespace {

using Fixed = std::map<std::string, std::string>;

class Rows {
 public:
  std::vector<MxName> take() { return std::move(rows_); }

  // The canonical name, which symbol.json uses, and its aliases.
  void add(const char* core, const char* name, std::initializer_list<const char*> aliases = {},
           const Fixed& fixed = {}, const Fixed& renamed = {}) {
    row(core, name, fixed, renamed, true, false);
    for (const char* alias : aliases) row(core, alias, fixed, renamed, false, false);
  }

  // elementwise name for equal shapes, broadcasting name, and the forms with a number.
  void binary(const char* core, const char* elementwise, std::initializer_list<const char*> aliases,
              const char* broadcast, std::initializer_list<const char*> broadcast_aliases,
              const char* scalar, const char* scalar_alias, const char* reversed,
              const char* reversed_alias, const Fixed& fixed = {}) {
    row(core, elementwise, fixed, {}, true, true);
    for (const char* alias : aliases) row(core, alias, fixed, {}, false, true);
    row(core, broadcast, fixed, {}, true, false);
    for (const char* alias : broadcast_aliases) row(core, alias, fixed, {}, false, false);
    const std::string name = core;
    row((name + "_scalar").c_str(), scalar, fixed, {}, true, false);
    if (scalar_alias) row((name + "_scalar").c_str(), scalar_alias, fixed, {}, false, false);
    if (reversed) row(("r" + name + "_scalar").c_str(), reversed, fixed, {}, true, false);
    if (reversed_alias)
      row(("r" + name + "_scalar").c_str(), reversed_alias, fixed, {}, false, false);
  }

 private:
  void row(const char* core, const char* name, const Fixed& fixed, const Fixed& renamed,
           bool exported, bool same_shapes) {
    MxName r;
    r.name = name;
    r.op = get_op(core);
    r.fixed = fixed;
    r.renamed = renamed;
    r.exported = exported;
    r.face = name[0] != '_';
    r.same_shapes = same_shapes;
    rows_.push_back(std::move(r));
  }

  std::vector<MxName> rows_;
};

void add_arithmetic(Rows& t) {
  t.binary("add", "elemwise_add", {"_add", "_plus", "_Plus", "_grad_add"}, "broadcast_add",
           {"broadcast_plus"}, "_plus_scalar", "_PlusScalar", nullptr, nullptr);
  t.binary("sub", "elemwise_sub", {"_sub", "_minus", "_Minus"}, "broadcast_sub",
           {"broadcast_minus"}, "_minus_scalar", "_MinusScalar", "_rminus_scalar", "_RMinusScalar");
  t.binary("mul", "elemwise_mul", {"_mul", "_Mul"}, "broadcast_mul", {}, "_mul_scalar",
           "_MulScalar", nullptr, nullptr);
  t.binary("div", "elemwise_div", {"_div", "_Div"}, "broadcast_div", {}, "_div_scalar",
           "_DivScalar", "_rdiv_scalar", "_RDivScalar");
  t.binary("mod", "_mod", {"_Mod"}, "broadcast_mod", {}, "_mod_scalar", "_ModScalar",
           "_rmod_scalar", "_RModScalar");
  t.binary("power", "_power", {"_Power"}, "broadcast_power", {}, "_power_scalar", "_PowerScalar",
           "_rpower_scalar", "_RPowerScalar");
  t.binary("maximum", "_maximum", {"_Maximum"}, "broadcast_maximum", {}, "_maximum_scalar",
           "_MaximumScalar", nullptr, nullptr);
  t.binary("minimum", "_minimum", {"_Minimum"}, "broadcast_minimum", {}, "_minimum_scalar",
           "_MinimumScalar", nullptr, nullptr);
  t.binary("hypot", "_hypot", {"_Hypot"}, "broadcast_hypot", {}, "_hypot_scalar", "_HypotScalar",
           nullptr, nullptr);
  t.add("arctan2", "_npi_arctan2");
  t.add("arctan2_scalar", "_npi_arctan2_scalar");
  t.add("rarctan2_scalar", "_npi_rarctan2_scalar");
  t.add("bit_and", "_npi_bitwise_and");
  t.add("bit_or", "_npi_bitwise_or");
  t.add("bit_xor", "_npi_bitwise_xor");
  t.add("invert", "_npi_bitwise_not");
}

void add_comparisons(Rows& t) {
  const Fixed own{{"dtype", "None"}};  // 1 and 0 in the operands' dtype
  t.binary("equal", "_equal", {"_Equal"}, "broadcast_equal", {}, "_equal_scalar", "_EqualScalar",
           nullptr, nullptr, own);
  t.binary("not_equal", "_not_equal", {"_Not_Equal"}, "broadcast_not_equal", {},
           "_not_equal_scalar", "_NotEqualScalar", nullptr, nullptr, own);
  t.binary("greater", "_greater", {"_Greater"}, "broadcast_greater", {}, "_greater_scalar",
           "_GreaterScalar", nullptr, nullptr, own);
  t.binary("greater_equal", "_greater_equal", {"_Greater_Equal"}, "broadcast_greater_equal", {},
           "_greater_equal_scalar", "_GreaterEqualScalar", nullptr, nullptr, own);
  t.binary("lesser", "_lesser", {"_Lesser"}, "broadcast_lesser", {}, "_lesser_scalar",
           "_LesserScalar", nullptr, nullptr, own);
  t.binary("lesser_equal", "_lesser_equal", {"_Lesser_Equal"}, "broadcast_lesser_equal", {},
           "_lesser_equal_scalar", "_LesserEqualScalar", nullptr, nullptr, own);
  t.binary("logical_and", "_logical_and", {"_Logical_And"}, "broadcast_logical_and", {},
           "_logical_and_scalar", "_LogicalAndScalar", nullptr, nullptr, own);
  t.binary("logical_or", "_logical_or", {"_Logical_Or"}, "broadcast_logical_or", {},
           "_logical_or_scalar", "_LogicalOrScalar", nullptr, nullptr, own);
  t.binary("logical_xor", "_logical_xor", {"_Logical_Xor"}, "broadcast_logical_xor", {},
           "_logical_xor_scalar", "_LogicalXorScalar", nullptr, nullptr, own);
  t.add("logical_not", "logical_not", {}, own);
}

void add_unary(Rows& t) {
  for (const char* name :
       {"abs",         "sign",     "square",  "sqrt",    "rsqrt",   "cbrt",         "rcbrt",
        "reciprocal",  "exp",      "expm1",   "log",     "log2",    "log10",        "log1p",
        "sin",         "cos",      "tan",     "arcsin",  "arccos",  "arctan",       "sinh",
        "cosh",        "tanh",     "arcsinh", "arccosh", "arctanh", "erf",          "sigmoid",
        "log_sigmoid", "softsign", "gamma",   "gammaln", "erfinv",  "relu",         "floor",
        "ceil",        "trunc",    "round",   "degrees", "radians", "hard_sigmoid", "zeros_like",
        "ones_like",   "smooth_l1"}) {
    t.add(name, name);
  }
  t.add("trunc", "fix");
  t.add("round_half_down", "rint");
  t.add("neg", "negative", {"_np_negative"});
  t.add("identity", "_copy", {"identity"});
  t.add("stop_gradient", "BlockGrad", {"stop_gradient"});
  t.add("make_loss", "MakeLoss");
  t.add("make_loss", "make_loss", {},
        {{"grad_scale", "1.0"}, {"valid_thresh", "0.0"}, {"normalization", "null"}});
  t.add("cast", "Cast", {"cast"});
  t.add("clip", "clip");
  t.add("where_rows", "where");
  t.add("where", "_npi_where");
  t.add("add_n", "add_n", {"ElementWiseSum", "element_wise_sum"});
}

void add_networks(Rows& t) {
  const Fixed one_d{{"at_least_1d", "True"}};
  t.add("FullyConnected", "FullyConnected");
  t.add("RNN", "RNN");
  t.add("Custom", "Custom");
  t.add("Convolution", "Convolution", {"Convolution_v1"});
  t.add("Pooling", "Pooling");
  t.add("Pooling", "Pooling_v1", {},
        {{"layout", "None"}, {"count_include_pad", "True"}, {"p_value", "None"}});
  t.add("BatchNorm", "BatchNorm", {"BatchNorm_v1"}, {{"batch_stats", "None"}});
  t.add("BatchNormWithReLU", "_contrib_BatchNormWithReLU", {}, {{"batch_stats", "None"}});
  t.add("SyncBatchNorm", "_contrib_SyncBatchNorm", {}, {{"batch_stats", "None"}, {"axis", "1"}});
  t.add("LayerNorm", "LayerNorm");
  t.add("GroupNorm", "GroupNorm");
  t.add("InstanceNorm", "InstanceNorm");
  t.add("L2Normalization", "L2Normalization");
  t.add("LRN", "LRN");
  t.add("Deconvolution", "Deconvolution");
  t.add("UpSampling", "UpSampling");
  t.add("Crop", "Crop");
  t.add("im2col", "im2col");
  t.add("col2im", "col2im");
  t.add("AdaptiveAvgPooling2D", "_contrib_AdaptiveAvgPooling2D");
  t.add("DeformableConvolution", "_contrib_DeformableConvolution");
  t.add("ModulatedDeformableConvolution", "_contrib_ModulatedDeformableConvolution");
  t.add("BilinearResize2D", "_contrib_BilinearResize2D");
  t.add("Activation", "Activation");
  t.add("LeakyReLU", "LeakyReLU");
  t.add("Dropout", "Dropout");
  t.add("Embedding", "Embedding");
  t.add("softmax", "softmax");
  t.add("softmin", "softmin");
  t.add("SoftmaxActivation", "SoftmaxActivation");
  t.add("SVMOutput", "SVMOutput");
  t.add("CTCLoss", "CTCLoss", {"ctc_loss", "_contrib_CTCLoss", "_contrib_ctc_loss"});
  t.add("SequenceMask", "SequenceMask");
  t.add("SequenceLast", "SequenceLast");
  t.add("SequenceReverse", "SequenceReverse");
  t.add("moments", "moments");
  t.add("log_softmax", "log_softmax");
  t.add("SoftmaxOutput", "SoftmaxOutput", {"Softmax"});
  t.add("softmax_cross_entropy", "softmax_cross_entropy", {}, one_d);
  t.add("LinearRegressionOutput", "LinearRegressionOutput");
  t.add("LogisticRegressionOutput", "LogisticRegressionOutput");
  t.add("MAERegressionOutput", "MAERegressionOutput");
  t.add("dot", "dot", {}, one_d);
  t.add("batch_dot", "batch_dot");
  t.add("matmul", "_npi_matmul", {}, {{"transpose_a", "False"}, {"transpose_b", "False"}});
}

void add_updates(Rows& t) {
  for (const char* name : {"sgd_update",
                           "sgd_mom_update",
                           "mp_sgd_update",
                           "mp_sgd_mom_update",
                           "nag_mom_update",
                           "mp_nag_mom_update",
                           "signsgd_update",
                           "signum_update",
                           "multi_sgd_update",
                           "multi_sgd_mom_update",
                           "multi_mp_sgd_update",
                           "multi_mp_sgd_mom_update",
                           "adam_update",
                           "ftml_update",
                           "ftrl_update",
                           "rmsprop_update",
                           "rmspropalex_update",
                           "lamb_update_phase1",
                           "lamb_update_phase2",
                           "mp_lamb_update_phase1",
                           "mp_lamb_update_phase2",
                           "multi_lars"}) {
    t.add(name, name);
  }
  for (const char* name : {"multi_sgd_update", "multi_sgd_mom_update", "multi_mp_sgd_update",
                           "multi_mp_sgd_mom_update"}) {
    const std::string preloaded = std::string("preloaded_") + name;
    t.add(preloaded.c_str(), preloaded.c_str());
  }
  for (const char* name : {"adamw_update", "mp_adamw_update", "multi_adamw_update",
                           "multi_mp_adamw_update", "multi_lamb_update", "multi_mp_lamb_update"}) {
    t.add(name, (std::string("_") + name).c_str());
  }
  t.add("group_adagrad_update", "_contrib_group_adagrad_update");
}

void add_detection(Rows& t) {
  t.add("ROIPooling", "ROIPooling");
  t.add("GridGenerator", "GridGenerator");
  t.add("BilinearSampler", "BilinearSampler");
  t.add("SpatialTransformer", "SpatialTransformer");
  t.add("Correlation", "Correlation");
  for (const char* name :
       {"DeformablePSROIPooling", "Proposal", "MultiProposal", "PSROIPooling", "RROIAlign",
        "hawkesll", "ROIAlign", "MultiBoxPrior", "MultiBoxTarget", "MultiBoxDetection", "box_iou",
        "box_encode", "box_decode", "bipartite_matching"}) {
    t.add(name, (std::string("_contrib_") + name).c_str());
  }
  t.add("box_nms", "_contrib_box_nms", {"_contrib_box_non_maximum_suppression"});
}

void add_reductions(Rows& t) {
  const Fixed one_d{{"at_least_1d", "True"}};
  t.add("sum", "sum", {"sum_axis"}, one_d);
  t.add("nansum", "nansum", {}, one_d);
  t.add("mean", "mean", {}, one_d);
  t.add("prod", "prod", {}, one_d);
  t.add("nanprod", "nanprod", {}, one_d);
  t.add("max", "max", {"max_axis"}, one_d);
  t.add("min", "min", {"min_axis"}, one_d);
  t.add("norm", "norm", {}, {{"at_least_1d", "True"}, {"exclude", "False"}});
  const Fixed index{{"at_least_1d", "True"}, {"dtype", "None"}};
  t.add("argmax", "argmax", {}, index);
  t.add("argmin", "argmin", {}, index);
  t.add("argmax", "argmax_channel", {},
        {{"at_least_1d", "True"}, {"dtype", "None"}, {"axis", "1"}, {"keepdims", "False"}});
}

void add_shapes(Rows& t) {
  const Fixed codes{{"codes", "True"}};
  t.add("reshape", "Reshape", {"reshape"}, codes);
  t.add("reshape_like", "reshape_like");
  t.add("identity_like", "_identity_with_attr_like_rhs");
  t.add("flatten", "Flatten", {"flatten"});
  t.add("expand_dims", "expand_dims");
  t.add("squeeze", "squeeze", {}, {{"at_least_1d", "True"}});
  t.add("transpose", "transpose");
  t.add("swapaxes", "SwapAxis", {"swapaxes"});
  t.add("slice", "slice", {"crop"});
  t.add("slice_axis", "slice_axis");
  t.add("slice_like", "slice_like");
  t.add("slice_assign", "_slice_assign", {"_crop_assign"});
  t.add("slice_assign_scalar", "_slice_assign_scalar", {"_crop_assign_scalar"});
  t.add("reverse", "reverse", {"flip"});
  t.add("concat", "Concat", {"concat", "_rnn_param_concat"});
  t.add("stack", "stack");
  t.add("split", "SliceChannel", {"split"});
  t.add("tile", "tile");
  t.add("repeat", "repeat");
  t.add("pad", "Pad", {"pad"});
  t.add("broadcast_to", "broadcast_to", {}, codes);
  t.add("broadcast_like", "broadcast_like");
  t.add("broadcast_axis", "broadcast_axis", {"broadcast_axes"});
  t.add("shape_array", "shape_array");
  t.add("size_array", "size_array");
  t.add("split_v2", "_split_v2");
  t.add("histogram", "_histogram");
  t.add("diag", "diag");
  t.add("depth_to_space", "depth_to_space");
  t.add("space_to_depth", "space_to_depth");
  t.add("khatri_rao", "khatri_rao");
}

void add_indices(Rows& t) {
  t.add("take", "take", {}, {{"from_end", "False"}});
  t.add("pick", "pick", {"choose_element_0index"}, {{"at_least_1d", "True"}});
  t.add("one_hot", "one_hot");
  t.add("batch_take", "batch_take");
  t.add("fill_element_0index", "fill_element_0index");
  t.add("ravel_multi_index", "_ravel_multi_index", {"ravel_multi_index"});
  t.add("unravel_index", "_unravel_index", {"unravel_index"});
  t.add("gather_nd", "gather_nd");
  t.add("scatter_nd", "scatter_nd", {}, {{"accumulate", "False"}});
  t.add("cumsum", "_np_cumsum", {"cumsum"});
  t.add("sort", "sort");
  t.add("argsort", "argsort");
  t.add("topk", "topk");
}

void add_linalg(Rows& t) {
  for (const char* name :
       {"linalg_gemm", "linalg_gemm2", "linalg_potrf", "linalg_potri", "linalg_trmm", "linalg_trsm",
        "linalg_syrk", "linalg_gelqf", "linalg_inverse", "linalg_det", "linalg_sumlogdiag",
        "linalg_extractdiag", "linalg_makediag", "linalg_extracttrian", "linalg_maketrian"}) {
    t.add(name, ("_" + std::string(name)).c_str(), {name});
  }
  t.add("linalg_syevd", "_linalg_syevd");
  t.add("linalg_slogdet", "_linalg_slogdet", {"linalg_slogdet"}, {{"at_least_1d", "True"}});
}

void add_mixed_precision(Rows& t) {
  for (const char* name : {"all_finite", "multi_all_finite", "multi_sum_sq", "amp_cast",
                           "amp_multicast", "cast_storage"}) {
    t.add(name, name);
  }
}

void add_contrib(Rows& t) {
  t.add("_contrib_fft", "_contrib_fft");
  t.add("_contrib_ifft", "_contrib_ifft");
  for (const char* name : {"arange_like", "index_array", "index_copy", "allclose", "div_sqrt_dim",
                           "quadratic", "gradientmultiplier", "round_ste", "sign_ste",
                           "interleaved_matmul_selfatt_qk", "interleaved_matmul_selfatt_valatt",
                           "interleaved_matmul_encdec_qk", "interleaved_matmul_encdec_valatt"}) {
    t.add(name, ("_contrib_" + std::string(name)).c_str());
  }
}

void add_images(Rows& t) {
  for (const char* name :
       {"to_tensor", "normalize", "flip_left_right", "flip_top_bottom", "random_flip_left_right",
        "random_flip_top_bottom", "crop", "resize", "random_brightness", "random_contrast",
        "random_saturation", "random_hue", "random_color_jitter", "random_lighting",
        "adjust_lighting"}) {
    const std::string core = std::string("image_") + name;
    t.add(core.c_str(), ("_" + core).c_str());
  }
}

void add_sources(Rows& t) {
  const Fixed made{{"open", "False"}};  // a symbol's may be: open_sizes()
  const Fixed drawn_1d{{"at_least_1d", "True"}, {"open", "False"}};
  t.add("random_uniform", "_random_uniform", {"random_uniform", "uniform"}, drawn_1d);
  t.add("random_normal", "_random_normal", {"random_normal", "normal"}, drawn_1d);
  t.add("random_randint", "_random_randint", {"random_randint"}, drawn_1d);
  t.add("shuffle", "_shuffle", {"shuffle"});
  for (const std::string law : {"uniform", "normal", "exponential", "gamma", "poisson",
                                "negative_binomial", "generalized_negative_binomial"}) {
    const std::string drawn = "random_" + law, sampled = "sample_" + law;
    if (law != "uniform" && law != "normal") {
      t.add(drawn.c_str(), ("_" + drawn).c_str(), {drawn.c_str()}, drawn_1d);
    }
    t.add((drawn + "_like").c_str(), ("_" + drawn + "_like").c_str());
    t.add(sampled.c_str(), ("_" + sampled).c_str(), {sampled.c_str()});
    const std::string density = "random_pdf_" + law;
    t.add(density.c_str(), ("_" + density).c_str(), {density.c_str()});
  }
  t.add("sample_multinomial", "_sample_multinomial", {"sample_multinomial"});
  t.add("random_pdf_dirichlet", "_random_pdf_dirichlet", {"random_pdf_dirichlet"});
  t.add("zeros", "_zeros", {}, made);
  t.add("ones", "_ones", {}, made);
  t.add("full", "_full", {}, made);
  t.add("arange", "_arange");
  t.add("linspace", "_linspace");
  t.add("eye", "_eye");
}

}  // namespace

std::vector<MxName> make_mx_table() {
  Rows t;
  add_arithmetic(t);
  add_comparisons(t);
  add_unary(t);
  add_networks(t);
  add_updates(t);
  add_detection(t);
  add_reductions(t);
  add_shapes(t);
  add_indices(t);
  add_linalg(t);
  add_mixed_precision(t);
  add_contrib(t);
  add_images(t);
  add_sources(t);
  return t.take();
}

const std::vector<MxSpelling>& mx_spellings() {
  static const std::vector<MxSpelling> list = {
      {"softrelu", "Activation", "act_type", "softrelu"},
      {"contiguous", "_copy", nullptr, nullptr},
      {"prelu", "LeakyReLU", "act_type", "prelu", true},
      {"rrelu", "LeakyReLU", "act_type", "rrelu", true},
  };
  return list;
}

const std::vector<MxIgnored>& mx_ignored() {
  static const std::vector<MxIgnored> list = {
      {"*", "workspace", nullptr},
      {"*", "cudnn_tune", nullptr},
      {"*", "cudnn_off", nullptr},
      {"*", "ctx", nullptr},
      {"*", "num_args", nullptr},
      {"*", "is_int", nullptr},
      {"*", "forward_stype", nullptr},
      {"broadcast_maximum", "axis", nullptr},
      {"broadcast_minimum", "axis", nullptr},
      {"BatchNorm", "min_calib_range", nullptr},
      {"BatchNorm", "max_calib_range", nullptr},
      {"_contrib_ModulatedDeformableConvolution", "im2col_step", nullptr},
      {"_contrib_BatchNormWithReLU", "min_calib_range", "None"},
      {"_contrib_BatchNormWithReLU", "max_calib_range", "None"},
      {"_contrib_fft", "compute_size", nullptr},
      {"_contrib_ifft", "compute_size", nullptr},
      {"all_finite", "init_output", "True"},
      {"multi_all_finite", "init_output", "True"},
      {"broadcast_maximum", "axis", nullptr},  // code gives it; MXNet does not look
      {"Reshape", "target_shape", "()"},
      {"Reshape", "keep_highest", "False"},
  };
  return list;
}

bool is_core_only(const char* attr, const OpDef& op) {
  for (const char* name :
       {"at_least_1d", "codes", "accumulate", "batch_stats", "open", "no_bins"}) {
    if (std::strcmp(attr, name) == 0) return true;
  }
  if (std::strcmp(attr, "axis") == 0) return std::strcmp(op.name, "SyncBatchNorm") == 0;
  return std::strcmp(attr, "mode") == 0 &&
         (std::strcmp(op.name, "Embedding") == 0 || std::strcmp(op.name, "batch_take") == 0);
}

}  // namespace hybrid
