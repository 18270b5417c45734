// BatchNorm, alone and with relu, the moving averages of its states, and its gradient.
#include <cstring>

#include "kernels/kernels.h"
#include "ops/batch_norm.h"
#include "ops/dispatch.h"
#include "ops/emit.h"
#include "ops/expr.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"
#include "ops/states.h"

namespace hybrid {

namespace {

using namespace batch_norm;
constexpr int kOut = 0, kMean = 1, kInvstd = 2, kVar = 3;

int channel_axis(const Attrs& attrs, const Shape& data, const char* op) {
  require(data.ndim() > 0, op, ": given data of shape ", data, ", expected at least one dimension");
  return normalize_axis(attrs.integer("axis"), data.ndim(), op);
}

// One dtype; beside data of a half what there is one of a channel is float32, unless it is given
// as the half.
void expect_dtypes(InferContext& c, size_t data_input, size_t first) {
  const DType data = c.in_dtypes[data_input];
  if (!is_half(data)) return one_dtype(c);
  DType channels = DType::float32;
  for (size_t i = first; i < c.in_dtypes.size(); ++i) {
    if (c.in_dtypes[i] != DType::unknown) channels = c.in_dtypes[i];
  }
  for (size_t i = 0; i < c.in_dtypes.size(); ++i) expect_dtype(c, i, i < first ? data : channels);
  for (size_t i = 0; i < c.out_dtypes.size(); ++i) set_dtype(c, i, i == 0 ? data : channels);
}

}  // namespace

namespace batch_norm {

bool uses_batch(const Attrs& attrs) {
  return attrs.has("batch_stats") && attrs.boolean("batch_stats");
}

BatchNormShape channel_shape(const KernelContext& c, const Shape& data) {
  const AxisView v(data, channel_axis(c.attrs, data, c.attrs.op()->name));
  return {v.outer, v.size, v.inner};
}

void expect_channels(InferContext& c, size_t data_input, size_t first) {
  expect_dtypes(c, data_input, first);
  Shape& data = c.in_shapes[data_input];
  Shape channels{-1};
  const int axis = data.rank_known() ? channel_axis(c.attrs, data, c.op_name) : -1;
  if (axis >= 0) channels[0] = data[axis];
  for (int pass = 0; pass < 2; ++pass) {  // what is learnt from one holds for all
    for (size_t i = first; i < c.in_shapes.size(); ++i) {
      expect_shape(c, i, channels);
      channels = c.in_shapes[i];
    }
  }
  if (axis >= 0) data[axis] = channels[0];
  for (size_t i = 1; i < c.out_shapes.size(); ++i) set_shape(c, i, channels);
  set_shape(c, 0, data);
}

void infer(InferContext& c) {
  require(c.attrs.real("eps") >= 0, c.op_name, ": given eps ", c.attrs.real("eps"),
          ", expected 0 or more");
  expect_channels(c, kData, kGamma);
}

AttrDef mode_attr() {
  return {"batch_stats", AttrType::boolean, "None",
          "normalized with the batch's own statistics, as in training, or with the moving ones; "
          "None: as the program is run"};
}

OpDef normalization(const char* name, const char* doc) {
  OpDef norm;
  norm.name = name;
  norm.family = Family::reduce;
  norm.doc = doc;
  norm.inputs = {{"data", "array"},
                 {"gamma", "factors, (channels,)"},
                 {"beta", "terms, (channels,)"},
                 {"moving_mean", "state, (channels,)", false, "batch_stats"},
                 {"moving_var", "state, (channels,)", false, "batch_stats"}};
  norm.attrs = {
      {"eps", AttrType::real, "0.001", "added to the variance"},
      {"momentum", AttrType::real, "0.9", "part of the moving statistics that stays"},
      {"fix_gamma", AttrType::boolean, "True", "gamma counts as 1 and has no gradient"},
      {"use_global_stats", AttrType::boolean, "False", "moving statistics in training too"},
      {"output_mean_var", AttrType::boolean, "False", "mean and 1 / sqrt(var + eps) are outputs"},
      {"axis", AttrType::integer, "1", "the channels' axis"},
      mode_attr()};
  norm.num_outputs = 4;
  norm.infer = infer;
  norm.in_place = {{kData, kOut}};
  norm.flops = flops;
  return norm;
}

OpDef gradient(const char* name, const char* doc) {
  OpDef grad;
  grad.name = name;
  grad.family = Family::reduce;
  grad.doc = doc;
  grad.inputs = {{"grad", "gradient of the result"},
                 {"data", "the data"},
                 {"gamma", "factors, (channels,)"},
                 {"mean", "means, (channels,)"},
                 {"invstd", "1 / sqrt(var + eps), (channels,)"}};
  grad.attrs = {{"axis", AttrType::integer, "1", "the channels' axis"},
                {"fix_gamma", AttrType::boolean, "True", "gamma counts as 1"},
                {"use_global_stats", AttrType::boolean, "False", "moving statistics in training"},
                mode_attr()};
  grad.num_outputs = 3;
  grad.flops = flops;
  return grad;
}

StatesDef states(int mean, int variance) {
  StatesDef states;
  states.first = kMovingMean;
  states.updates = {{kMovingMean, mean}, {kMovingVar, variance}};
  states.num_visible = [](const Attrs& a) { return a.boolean("output_mean_var") ? 3 : 1; };
  return states;
}

double flops(const Attrs&, const std::vector<Shape>& in, const std::vector<Shape>&) {
  return 8.0 * static_cast<double>(in[0].size());
}

}  // namespace batch_norm

namespace {

void run_batch_norm(KernelContext& c) {
  const TensorView& x = c.in[kData];
  const BatchNormShape shape = channel_shape(c, x.shape);
  const double eps = c.attrs.real("eps");
  void *mean = c.out[kMean].data, *invstd = c.out[kInvstd].data, *variance = c.out[kVar].data;
  if (uses_batch(c.attrs)) {
    require(shape.outer * shape.inner > 0 || shape.channels == 0, "BatchNorm: given data of shape ",
            x.shape, ", expected at least one element a channel in training");
    batch_norm_statistics(x.dtype, shape, x.data, eps, mean, invstd, variance, c.resources);
  } else {
    strided_copy(c.in[kMovingMean], c.out[kMean], c.resources);
    strided_copy(c.in[kMovingVar], c.out[kVar], c.resources);
    batch_norm_invstd(x.dtype, shape.channels, variance, eps, invstd);
  }
  const void* gamma = c.attrs.boolean("fix_gamma") ? nullptr : c.in[kGamma].data;
  batch_norm_apply(x.dtype, shape, x.data, mean, invstd, gamma, c.in[kBeta].data, c.out[kOut].data,
                   c.resources);
}

// Values of one element a channel, in the rank of the data.
struct Channels {
  GradBuilder& b;
  Shape data, flat, kept;
  std::vector<int64_t> others;  // every axis but the channels'
  double count;                 // elements a channel

  Channels(GradBuilder& builder, Entry x) : b(builder), data(known_shape(builder, x)), count(1) {
    const int axis = channel_axis(b.attrs(), data, b.attrs().op()->name);
    flat = {data[axis]};
    kept = data;
    for (int i = 0; i < data.ndim(); ++i) {
      if (i == axis) continue;
      kept[i] = 1;
      others.push_back(i);
      count *= static_cast<double>(data[i]);
    }
  }
  Expr spread(Entry e) const { return Expr(b, reshape_to(b, e, kept)); }
  Expr sum(const Expr& e) const {
    if (others.empty()) return e;
    return Expr(b, b.op("sum", {e.entry()}, {{"axis", others}, {"keepdims", true}}));
  }
  Entry flatten(const Expr& e) const { return reshape_to(b, e.entry(), flat); }
  Entry like_data(const Expr& e) const {  // a value of one element a channel, for every element
    return b.op("broadcast_to", {e.entry()}, {{"shape", data.to_vector()}});
  }
};

bool is_rectified(const Attrs& attrs) {
  return std::strcmp(attrs.op()->name, "BatchNormWithReLU") == 0;
}

void run_with_relu(KernelContext& c) {
  run_batch_norm(c);
  dispatch(c.out[kOut].dtype, "BatchNormWithReLU", [&](auto zero) {
    using T = decltype(zero);
    T* y = c.out[kOut].as<T>();
    c.resources.parallel(c.out[kOut].size(), 1 << 15, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) y[i] = y[i] < T(0) ? T(0) : y[i];
    });
  });
}

// The gradient of what BatchNorm alone computes.
Entry normalized_grad(GradBuilder& b) {
  const Entry g = b.out_grad(kOut);
  if (!is_rectified(b.attrs())) return g;
  return (Expr(b, g) * test("greater", Expr(b, b.output(kOut)), 0.0)).entry();
}

Attrs grad_attrs(const Attrs& from) {
  Attrs attrs(get_op("batch_norm_grad"));
  for (const char* name : {"axis", "fix_gamma", "use_global_stats", "batch_stats"}) {
    attrs.set(name, from.at(name));
  }
  return attrs;
}

void require_known_mode(const GradBuilder& b, const char* what) {
  require(b.attrs().has("batch_stats") || b.attrs().boolean("use_global_stats"),
          b.attrs().op()->name, ": ", what,
          " of a symbol depends on whether it trains, which is not known yet; use autograd, or "
          "use_global_stats=True");
}

void grad_batch_norm(GradBuilder& b) {
  const Entry x = b.input(kData);
  if (b.has_out_grad(kOut)) {
    const Entry first =
        b.op("batch_norm_grad",
             {normalized_grad(b), x, b.input(kGamma), b.output(kMean), b.output(kInvstd)},
             grad_attrs(b.attrs()));
    for (int i : {kData, kGamma, kBeta}) {
      if (b.wanted(i)) b.set(i, {first.node, i});
    }
  }
  const bool through_stats =
      b.has_out_grad(kMean) || b.has_out_grad(kInvstd) || b.has_out_grad(kVar);
  if (!through_stats || !b.wanted(kData)) return;
  require_known_mode(b, "the gradient by mean and variance");
  if (!uses_batch(b.attrs())) return;  // moving statistics do not depend on the data
  const Channels ch(b, x);
  const Expr mean = ch.spread(b.output(kMean)), r = ch.spread(b.output(kInvstd));
  // d mean / dx = 1 / n; d var / dx = 2 (x - mean) / n; d invstd / d var = -invstd^3 / 2.
  Expr by_var = 0.0, by_mean = 0.0;
  if (b.has_out_grad(kVar)) by_var = ch.spread(b.out_grad(kVar));
  if (b.has_out_grad(kInvstd)) {
    const Expr part = -0.5 * (ch.spread(b.out_grad(kInvstd)) * (r * r * r));
    by_var = by_var.is_number() ? part : by_var + part;
  }
  if (b.has_out_grad(kMean)) by_mean = ch.spread(b.out_grad(kMean)) / ch.count;
  Entry grad;
  if (!by_var.is_number()) {
    const Expr part = (Expr(b, x) - mean) * (by_var * (2 / ch.count));
    grad = (by_mean.is_number() ? part : part + by_mean).entry();
  } else {
    grad = ch.like_data(by_mean);
  }
  if (b.has_out_grad(kOut)) {
    const Entry direct = b.result()[kData];
    if (direct.defined()) grad = b.op("add", {direct, grad});
  }
  b.set(kData, grad);
}

// --- batch_norm_grad(g, x, gamma, mean, invstd) -------------------------------------------------

void infer_batch_norm_grad(InferContext& c) {
  expect_channels(c, 1, 2);
  expect_shape(c, 0, c.in_shapes[1]);
}

void run_batch_norm_grad(KernelContext& c) {
  const TensorView& x = c.in[1];
  const BatchNormShape shape = channel_shape(c, x.shape);
  const void* gamma = c.attrs.boolean("fix_gamma") ? nullptr : c.in[2].data;
  batch_norm_grad(x.dtype, shape, uses_batch(c.attrs), c.in[0].data, x.data, gamma, c.in[3].data,
                  c.in[4].data, c.out[0].data, c.out[1].data, c.out[2].data, c.resources);
}

// With d = x - mean, z = d r, w = gamma, and sums over a channel of n elements:
// gx = w r (g - sum(g)/n - z sum(g z)/n), or w r g outside training; ggamma = sum(g z);
// gbeta = sum(g). All five inputs count as independent: mean and invstd have gradients of their
// own.
void grad_batch_norm_grad(GradBuilder& b) {
  require_known_mode(b, "the second derivative");
  const bool batch = uses_batch(b.attrs()), fixed = b.attrs().boolean("fix_gamma");
  const Channels ch(b, b.input(1));
  const Expr g(b, b.input(0)), d = Expr(b, b.input(1)) - ch.spread(b.input(3));
  const Expr r = ch.spread(b.input(4)), z = d * r;
  const Expr wr = fixed ? r : ch.spread(b.input(2)) * r;
  // Gradients by g, by z, and by w r; undefined while nothing flows.
  std::vector<Expr> by_g, by_z, by_wr;
  if (b.has_out_grad(0)) {
    const Expr h(b, b.out_grad(0));
    if (batch) {
      const Expr g_mean = ch.sum(g) / ch.count, h_mean = ch.sum(h) / ch.count;
      const Expr gz_mean = ch.sum(g * z) / ch.count, hz_mean = ch.sum(h * z) / ch.count;
      by_g.push_back(wr * (h - h_mean - z * hz_mean));
      by_z.push_back(-(wr * (g * hz_mean + h * gz_mean)));
      by_wr.push_back(ch.sum(h * g) - ch.count * (g_mean * h_mean + gz_mean * hz_mean));
    } else {
      by_g.push_back(wr * h);
      by_wr.push_back(ch.sum(h * g));
    }
  }
  if (b.has_out_grad(1) && !fixed) {
    const Expr h = ch.spread(b.out_grad(1));
    by_g.push_back(h * z);
    by_z.push_back(h * g);
  }
  const auto total = [](const std::vector<Expr>& parts) {
    Expr sum = parts[0];
    for (size_t i = 1; i < parts.size(); ++i) sum = sum + parts[i];
    return sum;
  };
  if (b.wanted(0)) {
    Entry grad;
    if (b.has_out_grad(2)) {
      const Expr h = ch.spread(b.out_grad(2));
      grad = by_g.empty() ? ch.like_data(h) : (total(by_g) + h).entry();
    } else if (!by_g.empty()) {
      grad = total(by_g).entry();
    }
    if (grad.defined()) b.set(0, grad);
  }
  if (b.wanted(2) && !fixed && !by_wr.empty()) b.set(2, ch.flatten(total(by_wr) * r));
  Expr by_r = 0.0;
  if (!by_z.empty()) {
    const Expr z_grad = total(by_z);
    const Expr x_grad = z_grad * r;
    if (b.wanted(1)) b.set(1, x_grad.entry());
    if (b.wanted(3)) b.set(3, ch.flatten(-ch.sum(x_grad)));
    by_r = ch.sum(z_grad * d);
  }
  if (!by_wr.empty()) {
    const Expr part = fixed ? total(by_wr) : total(by_wr) * ch.spread(b.input(2));
    by_r = by_r.is_number() ? part : by_r + part;
  }
  if (b.wanted(4) && !by_r.is_number()) b.set(4, ch.flatten(by_r));
}

// --- moving_average -----------------------------------------------------------------------------

void emit_average(const Attrs& attrs, const std::vector<DType>& in, std::vector<ElemInstr>* out) {
  Emitter e(out);
  const DType d = in[0];
  const double momentum = attrs.real("momentum");
  const auto old = e.op(ElemCode::mul, d, Emitter::input(0), Emitter::number(momentum));
  const auto now = e.op(ElemCode::mul, d, Emitter::input(1), Emitter::number(1 - momentum));
  e.op(ElemCode::add, d, old, now);
}

void add_norm(const char* name, const char* doc, void (*run)(KernelContext&)) {
  OpDef norm = normalization(name, doc);
  norm.cpu = run;
  norm.gradient = grad_batch_norm;
  StatesDef states = batch_norm::states(kMean, kVar);
  states.output_names = {"output", "mean", "var", "batch_var"};
  states.mx_outputs = 3;
  add_states(add_op(std::move(norm)), std::move(states));
}

}  // namespace

void register_batch_norm() {
  add_norm(
      "BatchNorm",
      "(data - mean) / sqrt(var + eps) * gamma + beta for every channel (Ioffe and Szegedy 2015). "
      "In training mean and variance (over all other axes, biased) are the batch's, and "
      "moving_mean and moving_var become momentum * moving + (1 - momentum) * batch, once a "
      "forward; otherwise they are the moving ones. MXNet's BatchNorm; with output_mean_var mean "
      "and 1 / sqrt(var + eps) are results too.",
      run_batch_norm);
  add_norm("BatchNormWithReLU",
           "relu(BatchNorm(...)), with BatchNorm's inputs, attributes and results. MXNet's "
           "contrib.BatchNormWithReLU.",
           run_with_relu);

  OpDef grad = gradient(
      "batch_norm_grad",
      "Gradients of BatchNorm by data, gamma and beta, given that of its result, its data and "
      "gamma, and the mean and 1 / sqrt(var + eps) that it used.");
  grad.infer = infer_batch_norm_grad;
  grad.cpu = run_batch_norm_grad;
  grad.gradient = grad_batch_norm_grad;
  grad.in_place = {{0, 0}, {1, 0}};
  add_op(std::move(grad));

  OpDef average;
  average.name = "moving_average";
  average.family = Family::elementwise;
  average.doc = "momentum * state + (1 - momentum) * value: the new value of a moving statistic.";
  average.inputs = {{"state", "the old value", false}, {"value", "of this batch", false}};
  average.attrs = {{"momentum", AttrType::real, "0.9", "part of the state that stays"}};
  average.infer = infer_like;
  average.elementwise = emit_average;
  average.code = ElemCode::mul;
  average.in_place = {{0, 0}};
  add_op(std::move(average));
}

}  // namespace hybrid
