// Slopes below 0 that are learnt or drawn: what MXNet's LeakyReLU calls prelu and rrelu.
#include "ops/slopes.h"

#include <algorithm>

#include "kernels/kernels.h"
#include "ops/emit.h"
#include "ops/expr.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"
#include "ops/run_elem.h"
#include "ops/states.h"

namespace hybrid {

namespace {

// --- prelu --------------------------------------------------------------------------------------

// A single slope is for all elements, whatever its rank.
bool is_single(const Shape& gamma) { return gamma.known() && gamma.size() == 1; }

// The shape in which gamma broadcasts to data. MXNet's rule: its sizes are data's on axes 1 and 0,
// the last one first, or 1; it says nothing of later axes.
Shape beside(const Shape& gamma, const Shape& data) {
  Shape shape = Shape::of_rank(data.ndim(), 1);
  if (is_single(gamma)) return shape;
  int left = gamma.ndim() - 1;
  for (int i = std::min(data.ndim() - 1, 1); i >= 0 && left >= 0; --i) {
    if (gamma[left] != data[i] && gamma[left] != 1) continue;
    shape[i] = gamma[left--];
  }
  require(left < 0, "prelu: given gamma of shape ", gamma, " for data of shape ", data,
          ", expected one slope, (channels,), or what broadcasts to data's first two axes");
  return shape;
}

void infer_prelu(InferContext& c) {
  set_shape(c, 0, c.in_shapes[0]);
  if (!c.in_shapes[0].rank_known()) expect_shape(c, 0, c.out_shapes[0]);
  one_dtype(c);
  const Shape& data = c.in_shapes[0];
  if (!data.rank_known() || is_single(c.in_shapes[1])) return;
  require(data.ndim() > 0, c.op_name, ": given gamma of shape ", c.in_shapes[1],
          " for data of shape (), expected a single slope");
  if (!c.in_shapes[1].rank_known()) return expect_shape(c, 1, {data[data.ndim() > 1 ? 1 : 0]});
  if (c.in_shapes[1].known()) beside(c.in_shapes[1], data);
}

void run_prelu(KernelContext& c) {
  const TensorView &x = c.in[0], &y = c.out[0];
  TensorView slope = c.in[1];
  const Shape around = beside(slope.shape, x.shape);
  slope.strides = contiguous_strides(around);
  for (int i = 0; i < x.shape.ndim(); ++i) {
    if (around[i] == 1) slope.strides[i] = 0;
  }
  slope.shape = x.shape;
  ElemProgram program;
  program.inputs = {x.dtype, x.dtype};
  Emitter e(&program.instrs);
  const auto value = Emitter::input(0);
  const auto positive =
      e.op_to(ElemCode::greater, x.dtype, DType::boolean, value, Emitter::number(0.0));
  const auto low = e.op(ElemCode::mul, x.dtype, value, Emitter::input(1));
  e.select(x.dtype, positive, value, low);
  program.outputs = {static_cast<int16_t>(program.instrs.size() - 1)};
  const TensorView inputs[] = {x, slope};
  run_elementwise(program, inputs, &y, c.resources);
}

void grad_prelu(GradBuilder& b) {
  const Entry x = b.input(0), g = b.out_grad();
  const Entry positive = test("greater", Expr(b, x), 0).entry();
  known_rank(b, x);
  const Entry slope = reshape_to(b, b.input(1), beside(known_shape(b, b.input(1)), b.shape(x)));
  if (b.wanted(0)) {
    b.set(0, b.op("where", {positive, g, (Expr(b, g) * Expr(b, slope)).entry()}));
  }
  if (b.wanted(1)) {
    const Entry below = b.op("where", {positive, b.zeros_as(x), (Expr(b, g) * Expr(b, x)).entry()});
    b.set(1, reshape_as(b, b.sum_like(below, slope), b.input(1)));
  }
}

// --- rrelu --------------------------------------------------------------------------------------

void infer_rrelu(InferContext& c) {
  const double lower = c.attrs.real("lower_bound"), upper = c.attrs.real("upper_bound");
  require(lower <= upper, c.op_name, ": given lower_bound ", lower, " above upper_bound ", upper);
  infer_like(c);
  set_shape(c, 1, c.out_shapes[0]);
  set_dtype(c, 1, c.out_dtypes[0]);
}

// The factors, 1 above 0, are an output, of which the gradient is made.
void run_rrelu(KernelContext& c) {
  const TensorView& x = c.in[0];
  const double lower = c.attrs.real("lower_bound"), upper = c.attrs.real("upper_bound");
  if (x.size() == 0) return;
  const TensorView drawn = scratch_view(x.dtype, x.shape, c.resources);
  if (c.key == 0) {  // outside training
    run_fill((lower + upper) / 2, drawn, c.resources);
  } else {
    random_uniform(x.dtype, c.key, lower, upper, x.size(), drawn.data, c.resources);
  }
  ElemProgram program;
  program.inputs = {x.dtype, x.dtype};
  Emitter e(&program.instrs);
  const auto value = Emitter::input(0);
  const auto low =
      e.op_to(ElemCode::lesser_equal, x.dtype, DType::boolean, value, Emitter::number(0.0));
  const auto one = e.fill(x.dtype, Emitter::number(1.0));
  const auto factor = e.select(x.dtype, low, Emitter::input(1), one);
  const auto y = e.op(ElemCode::mul, x.dtype, value, factor);
  program.outputs = {y.operand.index, factor.operand.index};
  const TensorView inputs[] = {x, drawn};
  run_elementwise(program, inputs, c.out, c.resources);
}

void grad_rrelu(GradBuilder& b) {
  if (b.wanted(0)) b.set(0, (Expr(b, b.out_grad()) * Expr(b, b.output(1))).entry());
}

double draw_flops(const Attrs&, const std::vector<Shape>&, const std::vector<Shape>& out) {
  return 20.0 * static_cast<double>(out[0].size());
}

}  // namespace

void register_slopes() {
  OpDef prelu;
  prelu.name = "prelu";
  prelu.doc =
      "data above 0 and gamma * data elsewhere (He et al. 2015); gamma is a single slope, one for "
      "each index of data's axis 1 (of its only axis), or broadcasts to data's first two axes. "
      "MXNet's LeakyReLU with act_type prelu.";
  prelu.inputs = {{"data", "array of any shape"},
                  {"gamma", "slopes: (1,), (channels,) or (batch, channels)"}};
  prelu.infer = infer_prelu;
  prelu.cpu = run_prelu;
  prelu.gradient = grad_prelu;
  prelu.in_place = {{0, 0}};
  prelu.strided_ok = false;
  add_op(std::move(prelu));

  OpDef rrelu;
  rrelu.name = "rrelu";
  rrelu.family = Family::random;
  rrelu.doc =
      "data above 0 and slope * data elsewhere; in training each element's slope is drawn evenly "
      "from the bounds, outside it is their mean (Xu et al. 2015). Gives the factors, too, which "
      "are 1 above 0. MXNet's LeakyReLU with act_type rrelu.";
  rrelu.inputs = {{"data", "array of any shape"}};
  rrelu.attrs = {{"lower_bound", AttrType::real, "0.125", "smallest slope"},
                 {"upper_bound", AttrType::real, "0.334", "largest slope"}};
  rrelu.num_outputs = 2;
  rrelu.infer = infer_rrelu;
  rrelu.cpu = run_rrelu;
  rrelu.gradient = grad_rrelu;
  rrelu.random = true;
  rrelu.drops_in_training = true;
  rrelu.flops = draw_flops;
  StatesDef shown;
  shown.num_visible = [](const Attrs&) { return 2; };
  shown.output_names = {"output", "mask"};
  add_states(add_op(std::move(rrelu)), std::move(shown));
}

}  // namespace hybrid
