// Random operators: every number is a pure function of the draw's key and its position.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "kernels/kernels.h"
#include "ops/families.h"
#include "ops/grad_builder.h"
#include "ops/infer.h"
#include "ops/run_elem.h"

namespace hybrid {

namespace {

constexpr DTypeSet kDrawn =
    dtype_bit(DType::uint8) | dtype_bit(DType::int32) | dtype_bit(DType::int64);

double draw_flops(const Attrs&, const std::vector<Shape>&, const std::vector<Shape>& out) {
  return 20.0 * static_cast<double>(out[0].size());
}

// --- Dropout ------------------------------------------------------------------------------------

double drop_rate(const Attrs& attrs) {
  const double p = attrs.real("p");
  require(p >= 0 && p <= 1, "Dropout: given p ", p, ", expected 0 to 1");
  return p;
}

// The mask has size 1 on the axes it is shared along.
Shape mask_shape(const Attrs& attrs, const Shape& data) {
  Shape mask = data;
  for (int64_t axis : attrs.ints("axes")) mask[normalize_axis(axis, data.ndim(), "Dropout")] = 1;
  return mask;
}

void infer_dropout(InferContext& c) {
  drop_rate(c.attrs);
  infer_like(c);
  if (c.in_shapes[0].rank_known()) mask_shape(c.attrs, c.in_shapes[0]);
}

void run_dropout(KernelContext& c) {
  const TensorView &x = c.in[0], &y = c.out[0];
  const double p = drop_rate(c.attrs);
  if (y.size() == 0) return;
  if (p == 1) return run_fill(NAN, y, c.resources);  // 0 times 1 / (1 - p), as in MXNet
  TensorView mask = scratch_view(x.dtype, mask_shape(c.attrs, x.shape), c.resources);
  dropout_mask(x.dtype, c.key, p, mask.size(), mask.data, c.resources);
  for (int i = 0; i < x.shape.ndim(); ++i) {
    if (mask.shape[i] == 1) mask.strides[i] = 0;
  }
  mask.shape = x.shape;
  ElemProgram product;
  product.inputs = {x.dtype, x.dtype};
  ElemInstr mul;
  mul.code = ElemCode::mul;
  mul.dtype = mul.out_dtype = x.dtype;
  mul.a = {ElemOperand::input, 0};
  mul.b = {ElemOperand::input, 1};
  product.instrs = {mul};
  product.outputs = {0};
  const TensorView inputs[] = {x, mask};
  run_elementwise(product, inputs, &y, c.resources);
}

// The same key draws the same mask: nothing is kept from the forward pass.
void grad_dropout(GradBuilder& b) {
  if (b.wanted(0)) b.set(0, b.op("Dropout", {b.out_grad()}, b.attrs()));
}

// --- uniform, normal, randint -------------------------------------------------------------------

void infer_draw(InferContext& c) {
  set_given_shape(c);
  set_dtype(c, 0, c.attrs.dtype("dtype"));
}

void run_uniform(KernelContext& c) {
  random_uniform(c.out[0].dtype, c.key, c.attrs.real("low"), c.attrs.real("high"), c.out[0].size(),
                 c.out[0].data, c.resources);
}

void infer_normal(InferContext& c) {
  require(c.attrs.real("scale") >= 0, c.op_name, ": given scale ", c.attrs.real("scale"),
          ", expected 0 or more");
  infer_draw(c);
}

void run_normal(KernelContext& c) {
  random_normal(c.out[0].dtype, c.key, c.attrs.real("loc"), c.attrs.real("scale"), c.out[0].size(),
                c.out[0].data, c.resources);
}

void infer_randint(InferContext& c) {
  require(c.attrs.integer("low") < c.attrs.integer("high"), c.op_name, ": given low ",
          c.attrs.integer("low"), " and high ", c.attrs.integer("high"),
          ", expected low below high");
  infer_draw(c);
}

void run_randint(KernelContext& c) {
  random_int(c.out[0].dtype, c.key, c.attrs.integer("low"), c.attrs.integer("high"),
             c.out[0].size(), c.out[0].data, c.resources);
}

OpDef draw_def(const char* name, const char* doc, AttrDef first, AttrDef second, DTypeSet dtypes,
               const char* default_dtype) {
  OpDef def;
  def.name = name;
  def.family = Family::random;
  def.doc = doc;
  def.attrs = {first,
               second,
               {"shape", AttrType::ints, "()", "shape of the result"},
               {"dtype", AttrType::dtype, default_dtype, "dtype of the result"},
               {"at_least_1d", AttrType::boolean, "False",
                "the empty shape means (1,) instead of () (MXNet 1.x)"},
               open_attr()};
  def.dtypes = dtypes;
  def.infer = infer_draw;
  def.random = true;
  def.flops = draw_flops;
  return def;
}

// --- shuffle ------------------------------------------------------------------------------------

void infer_shuffle(InferContext& c) {
  infer_like(c);
  require(!c.in_shapes[0].rank_known() || c.in_shapes[0].ndim() > 0, c.op_name,
          ": given data of shape (), expected at least one dimension");
}

void run_shuffle(KernelContext& c) {
  const int64_t rows = c.in[0].shape[0];
  if (c.in[0].size() == 0) return;
  // Rows in the order of random numbers; equal numbers keep their order.
  const TensorView draws = scratch_view(DType::int64, {rows}, c.resources);
  random_int(DType::int64, c.key, 0, INT64_MAX, rows, draws.data, c.resources);
  std::vector<int64_t> order(static_cast<size_t>(rows));
  std::iota(order.begin(), order.end(), int64_t{0});
  const int64_t* number = draws.as<int64_t>();
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return number[a] < number[b]; });
  const size_t row = static_cast<size_t>(c.in[0].size() / rows) * dtype_size(c.in[0].dtype);
  for (size_t i = 0; i < order.size(); ++i) {
    std::memcpy(c.out[0].as<char>() + i * row,
                c.in[0].as<char>() + static_cast<size_t>(order[i]) * row, row);
  }
}

}  // namespace

void register_random() {
  OpDef dropout;
  dropout.name = "Dropout";
  dropout.family = Family::random;
  dropout.doc =
      "In training, 0 with probability p and data / (1 - p) otherwise (Srivastava et al. 2014); "
      "outside "
      "training data itself. Along axes all elements share one draw. MXNet's Dropout.";
  dropout.inputs = {{"data", "array"}};
  dropout.attrs = {{"p", AttrType::real, "0.5", "probability of 0"},
                   {"mode", AttrType::string, "training", "when it acts", "training|always"},
                   {"axes", AttrType::ints, "()", "axes that share one draw"}};
  dropout.infer = infer_dropout;
  dropout.cpu = run_dropout;
  dropout.gradient = grad_dropout;
  dropout.in_place = {{0, 0}};
  dropout.random = true;
  dropout.training_only = true;
  dropout.flops = draw_flops;
  add_op(std::move(dropout));

  OpDef uniform =
      draw_def("random_uniform", "Numbers drawn evenly from [low, high).",
               {"low", AttrType::real, "0.0", "smallest number"},
               {"high", AttrType::real, "1.0", "end of the range, excluded"}, kFloats, "float32");
  uniform.cpu = run_uniform;
  add_op(std::move(uniform));

  OpDef normal =
      draw_def("random_normal", "Numbers drawn from the normal distribution.",
               {"loc", AttrType::real, "0.0", "mean"},
               {"scale", AttrType::real, "1.0", "standard deviation"}, kFloats, "float32");
  normal.infer = infer_normal;
  normal.cpu = run_normal;
  add_op(std::move(normal));

  OpDef randint =
      draw_def("random_randint", "Whole numbers drawn evenly from low to high - 1.",
               {"low", AttrType::integer, nullptr, "smallest number"},
               {"high", AttrType::integer, nullptr, "end of the range, excluded"}, kDrawn, "int32");
  randint.infer = infer_randint;
  randint.cpu = run_randint;
  add_op(std::move(randint));

  OpDef shuffle;
  shuffle.name = "shuffle";
  shuffle.family = Family::random;
  shuffle.doc = "The rows of data (slices along axis 0) in random order.";
  shuffle.inputs = {{"data", "(n, ...)", false}};
  shuffle.dtypes = kAllComputed;
  shuffle.infer = infer_shuffle;
  shuffle.cpu = run_shuffle;
  shuffle.random = true;
  shuffle.flops = draw_flops;
  add_op(std::move(shuffle));
}

}  // namespace hybrid
