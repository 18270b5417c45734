// moments: mean and variance along axes.
#include "kernels/kernels.h"
#include "ops/axes.h"
#include "ops/emit.h"
#include "ops/expr.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"
#include "ops/run_elem.h"

namespace hybrid {

namespace {

uint32_t mask_of(const Attrs& attrs, int ndim) {
  uint32_t mask = 0;
  require(attrs.has("axes") && !attrs.ints("axes").empty(),
          "moments: given no axes, expected at least one; name all of them for moments of the "
          "whole array");
  for (int64_t axis : attrs.ints("axes")) {
    const uint32_t bit = 1u << normalize_axis(axis, ndim, "moments");
    require((mask & bit) == 0, "moments: given axis ", axis, " twice");
    mask |= bit;
  }
  return mask;
}

Shape kept_shape(const Shape& data, uint32_t mask, bool keepdims) {
  Shape out;
  for (int i = 0; i < data.ndim(); ++i) {
    if (!axis_in(mask, i)) {
      out.push_back(data[i]);
    } else if (keepdims) {
      out.push_back(1);
    }
  }
  return out;
}

double count_of(const Shape& data, uint32_t mask) {
  double count = 1;
  for (int i = 0; i < data.ndim(); ++i) {
    if (axis_in(mask, i)) count *= static_cast<double>(data[i]);
  }
  return count;
}

void infer_moments(InferContext& c) {
  one_dtype(c);
  const Shape& data = c.in_shapes[0];
  if (!data.rank_known()) return;
  const uint32_t mask = mask_of(c.attrs, data.ndim());
  Shape out = kept_shape(data, mask, c.attrs.boolean("keepdims"));
  if (out.ndim() == 0) out.push_back(1);  // MXNet 1.x
  set_shape(c, 0, out);
  set_shape(c, 1, out);
}

// Two passes: the mean, then the mean square of what is beside it.
void run_moments(KernelContext& c) {
  const TensorView& x = c.in[0];
  const uint32_t mask = mask_of(c.attrs, x.shape.ndim());
  const double count = count_of(x.shape, mask);
  TensorView mean = c.out[0];
  mean.shape = kept_shape(x.shape, mask, false);
  mean.strides = contiguous_strides(mean.shape);
  TensorView var = mean;
  var.data = c.out[1].data;
  if (mean.size() == 0) return;
  reduce(Reduction::sum, x, mask, mean, c.resources);
  run_with_number(ElemCode::div, mean, count, mean, c.resources);
  const TensorView beside = scratch_view(x.dtype, x.shape, c.resources);
  TensorView spread = mean;
  spread.shape = x.shape;
  spread.strides = Shape::of_rank(x.shape.ndim(), 0);
  for (int i = 0, k = 0; i < x.shape.ndim(); ++i) {
    if (!axis_in(mask, i)) spread.strides[i] = mean.strides[k++];
  }
  ElemProgram difference;
  difference.inputs = {x.dtype, x.dtype};
  Emitter(&difference.instrs).op(ElemCode::sub, x.dtype, Emitter::input(0), Emitter::input(1));
  difference.outputs = {0};
  const TensorView in[] = {x, spread};
  if (x.size() > 0) run_elementwise(difference, in, &beside, c.resources);
  reduce(Reduction::sum_squares, beside, mask, var, c.resources);
  run_with_number(ElemCode::div, var, count, var, c.resources);
}

// d mean / dx = 1 / n, d var / dx = 2 (x - mean) / n.
void grad_moments(GradBuilder& b) {
  if (!b.wanted(0) || !(b.has_out_grad(0) || b.has_out_grad(1))) return;
  const Shape data = known_shape(b, b.input(0));
  const uint32_t mask = mask_of(b.attrs(), data.ndim());
  const double count = count_of(data, mask);
  const Shape kept = kept_shape(data, mask, true);
  const auto spread = [&](Entry e) { return Expr(b, reshape_to(b, e, kept)); };
  const auto whole = [&](const Expr& e) {
    return Expr(b, b.op("broadcast_to", {e.entry()}, {{"shape", data.to_vector()}}));
  };
  Expr total = 0.0;
  if (b.has_out_grad(1)) {
    const Expr beside = Expr(b, b.input(0)) - spread(b.output(0));
    total = beside * (spread(b.out_grad(1)) * (2 / count));
  }
  if (b.has_out_grad(0)) {
    const Expr part = whole(spread(b.out_grad(0)) / count);
    total = total.is_number() ? part : total + part;
  }
  b.set(0, total.entry());
}

}  // namespace

void register_moments() {
  OpDef def;
  def.name = "moments";
  def.family = Family::reduce;
  def.doc = "Mean and variance (of the whole, not of a sample) along axes. MXNet's moments.";
  def.inputs = {{"data", "array"}};
  def.attrs = {{"axes", AttrType::ints, "None", "axes that go; at least one"},
               {"keepdims", AttrType::boolean, "False", "they stay, with size 1"}};
  def.num_outputs = 2;
  def.infer = infer_moments;
  def.cpu = run_moments;
  def.gradient = grad_moments;
  add_op(std::move(def));
}

}  // namespace hybrid
