// LayerNorm: every row along an axis normalized by its own statistics.
#include "kernels/layer_norm.h"
#include "ops/dispatch.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"
#include "ops/row_norm.h"

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

void grad_layer_norm(GradBuilder& b) {
  RowNorm norm;
  norm.seen = known_shape(b, b.input(kData));
  norm.axis = row_axis(b.attrs(), norm.seen);
  norm.factors = norm.seen;
  for (int i = 0; i < norm.seen.ndim(); ++i) {
    if (i == norm.axis) continue;
    norm.others.push_back(i);
    norm.factors[i] = 1;
  }
  grad_row_norm(b, norm);
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
