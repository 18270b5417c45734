// LayerNorm: every row along an axis normalized by its own statistics.
#include "kernels/layer_norm.h"
#include "ops/dispatch.h"
#include "ops/expr.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

// Inputs and outputs by position.
constexpr int kData = 0, kGamma = 1, kBeta = 2;
constexpr int kOut = 0, kMean = 1, kStd = 2;

int row_axis(const Attrs& attrs, const Shape& data) {
  const char* op = attrs.op()->name;
  require(data.ndim() > 0, op, ": given data of shape ", data, ", expected at least one dimension");
  return normalize_axis(attrs.integer("axis"), data.ndim(), op);
}

int count_outputs(const Attrs& attrs) { return attrs.boolean("output_mean_var") ? 3 : 1; }

void infer_layer_norm(InferContext& c) {
  require(c.attrs.real("eps") >= 0, c.op_name, ": given eps ", c.attrs.real("eps"),
          ", expected 0 or more");
  one_dtype(c);
  Shape& data = c.in_shapes[kData];
  set_shape(c, kOut, data);
  data = c.out_shapes[kOut];
  Shape row{-1};
  const int axis = data.rank_known() ? row_axis(c.attrs, data) : -1;
  if (axis >= 0) row[0] = data[axis];
  for (int pass = 0; pass < 2; ++pass) {  // what is learnt from one holds for both
    for (size_t i : {kGamma, kBeta}) {
      expect_shape(c, i, row);
      row = c.in_shapes[i];
    }
  }
  if (axis < 0) return;
  data[axis] = row[0];
  set_shape(c, kOut, data);
  Shape statistics = data;
  statistics[axis] = 1;
  for (size_t i = 1; i < c.out_shapes.size(); ++i) set_shape(c, i, statistics);
}

void run_layer_norm(KernelContext& c) {
  const TensorView& x = c.in[kData];
  const AxisView v(x.shape, row_axis(c.attrs, x.shape));
  require(v.size > 0 || v.outer * v.inner == 0, "LayerNorm: given data of shape ", x.shape,
          ", expected at least one element along axis ", c.attrs.integer("axis"));
  const bool statistics = c.attrs.boolean("output_mean_var");
  layer_norm(x.dtype, v.outer, v.size, v.inner, x.data, c.attrs.real("eps"), c.in[kGamma].data,
             c.in[kBeta].data, c.out[kOut].data, statistics ? c.out[kMean].data : nullptr,
             statistics ? c.out[kStd].data : nullptr, c.resources);
}

// With d = x - mean, r = 1 / sqrt(mean(d d) + eps), z = d r, w = g gamma and means along the row:
// gx = r (w - mean(w) - z mean(w z)); ggamma and gbeta sum g z and g over all rows. Written in
// operators, so that it has gradients of its own.
void grad_layer_norm(GradBuilder& b) {
  const Shape data = known_shape(b, b.input(kData));
  const int axis = row_axis(b.attrs(), data);
  const auto size = static_cast<double>(data[axis]);
  std::vector<int64_t> others;
  Shape row = data;
  for (int i = 0; i < data.ndim(); ++i) {
    if (i == axis) continue;
    others.push_back(i);
    row[i] = 1;
  }
  const auto mean = [&](const Expr& e) {
    return Expr(
        b, b.op("mean", {e.entry()}, {{"axis", std::vector<int64_t>{axis}}, {"keepdims", true}}));
  };
  const auto over_rows = [&](const Expr& e) {
    return others.empty() ? e.entry() : b.op("sum", {e.entry()}, {{"axis", others}});
  };
  const bool by_stats = b.num_outputs() > 1 && (b.has_out_grad(kMean) || b.has_out_grad(kStd));
  if (b.wanted(kBeta) && b.has_out_grad(kOut)) b.set(kBeta, over_rows(Expr(b, b.out_grad(kOut))));
  if (!b.wanted(kGamma) && !b.wanted(kData)) return;
  const Expr x(b, b.input(kData));
  const Expr d = x - mean(x);
  const Expr r = unary("rsqrt", mean(d * d) + b.attrs().real("eps"));
  const Expr z = d * r;
  Expr total = 0.0;
  const auto add = [&](const Expr& part) { total = total.is_number() ? part : total + part; };
  if (b.has_out_grad(kOut)) {
    const Expr g(b, b.out_grad(kOut));
    if (b.wanted(kGamma)) b.set(kGamma, over_rows(g * z));
    if (b.wanted(kData)) {
      const Expr w = g * Expr(b, reshape_to(b, b.input(kGamma), row));
      add(r * (w - mean(w) - z * mean(w * z)));
    }
  }
  if (!b.wanted(kData)) return;
  if (by_stats && b.has_out_grad(kStd)) add(z * (Expr(b, b.out_grad(kStd)) / size));
  if (by_stats && b.has_out_grad(kMean)) {
    const Expr part = Expr(b, b.out_grad(kMean)) / size;
    add(Expr(b, b.op("broadcast_to", {part.entry()}, {{"shape", data.to_vector()}})));
  }
  if (!total.is_number()) b.set(kData, total.entry());
}

}  // namespace

void register_layer_norm() {
  OpDef norm;
  norm.name = "LayerNorm";
  norm.family = Family::reduce;
  norm.doc =
      "(data - mean) / sqrt(var + eps) * gamma + beta with the mean and the biased variance of "
      "every row along axis (Ba, Kiros and Hinton 2016). MXNet's LayerNorm; with output_mean_var "
      "mean and sqrt(var + eps) are results too, of size 1 along axis.";
  norm.inputs = {{"data", "array"},
                 {"gamma", "factors, as many as data has along axis"},
                 {"beta", "terms, as many as data has along axis"}};
  norm.attrs = {{"axis", AttrType::integer, "-1", "axis of the rows"},
                {"eps", AttrType::real, "1e-05", "added to the variance"},
                {"output_mean_var", AttrType::boolean, "False", "three results instead of one"}};
  norm.num_outputs_fn = count_outputs;
  norm.infer = infer_layer_norm;
  norm.cpu = run_layer_norm;
  norm.on_device = true;
  norm.gradient = grad_layer_norm;
  norm.in_place = {{kData, kOut}};
  norm.flops = [](const Attrs&, const std::vector<Shape>& in, const std::vector<Shape>&) {
    return 8.0 * static_cast<double>(in[0].size());
  };
  add_op(std::move(norm));
}

}  // namespace hybrid
