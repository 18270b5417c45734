// Elementwise operators that are neither plain unary nor plain binary: cast, clip, where, add_n...
#include "ops/emit.h"
#include "ops/expr.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/half.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

OpDef elementwise_def(const char* name, const char* doc, DTypeSet dtypes) {
  OpDef def;
  def.name = name;
  def.family = Family::elementwise;
  def.doc = doc;
  def.inputs = {{"data", "array of any shape"}};
  def.dtypes = dtypes;
  def.infer = infer_like;
  def.in_place = {{0, 0}};
  return def;
}

// --- cast ---------------------------------------------------------------------------------------

void infer_cast(InferContext& c) {
  const DType dtype = c.attrs.dtype("dtype");
  require((kAllComputed & dtype_bit(dtype)) != 0, "cast: given dtype ", dtype_name(dtype),
          ", expected one of ", dtype_set_names(kAllComputed));
  one_shape(c);
  set_dtype(c, 0, dtype);
}

void emit_cast(const Attrs& attrs, const std::vector<DType>& in, std::vector<ElemInstr>* out) {
  const DType to = attrs.dtype("dtype");
  Emitter e(out);
  if (in[0] == to) {
    e.op(ElemCode::copy, to, Emitter::input(0));
  } else {
    e.cast(Emitter::input(0), in[0], to);
  }
}

void grad_cast(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const DType from = known_dtype(b, b.input(0));
  if (!is_floating(from) && !is_integer(from)) return;
  b.set(0, b.op("cast", {b.out_grad()}, {{"dtype", static_cast<int64_t>(from)}}));
}

// --- clip ---------------------------------------------------------------------------------------

void infer_clip(InferContext& c) {
  require(c.attrs.has("a_min") || c.attrs.has("a_max"),
          "clip: given neither a_min nor a_max, expected at least one of them");
  infer_like(c);
}

void emit_clip(const Attrs& attrs, const std::vector<DType>& in, std::vector<ElemInstr>* out) {
  Emitter e(out);
  Emitter::Value v = Emitter::input(0);
  if (attrs.has("a_min")) v = e.op(ElemCode::maximum, in[0], v, Emitter::number(attrs.at("a_min")));
  if (attrs.has("a_max")) e.op(ElemCode::minimum, in[0], v, Emitter::number(attrs.at("a_max")));
}

void grad_clip(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Expr x(b, b.input(0));
  Expr g(b, b.out_grad());
  if (b.attrs().has("a_min")) g = g * test("greater_equal", x, b.attrs().real("a_min"));
  if (b.attrs().has("a_max")) g = g * test("lesser_equal", x, b.attrs().real("a_max"));
  b.set(0, g.entry());
}

// --- where --------------------------------------------------------------------------------------

void infer_where(InferContext& c) {
  DType dtype = unify_dtypes(c, {1, 2});
  if (dtype == DType::unknown) dtype = c.out_dtypes[0];
  if (dtype != DType::unknown) c.in_dtypes[1] = c.in_dtypes[2] = dtype;
  set_dtype(c, 0, dtype);
  for (const Shape& s : c.in_shapes) {
    if (!s.rank_known()) return;
  }
  const Shape choices = broadcast_shapes(c.in_shapes[1], c.in_shapes[2], c.op_name);
  set_shape(c, 0, broadcast_shapes(c.in_shapes[0], choices, c.op_name));
}

void emit_where(const Attrs&, const std::vector<DType>& in, std::vector<ElemInstr>* out) {
  Emitter e(out);
  Emitter::Value condition = Emitter::input(0);
  if (in[0] != DType::boolean) {
    condition =
        e.op_to(ElemCode::not_equal, in[0], DType::boolean, condition, Emitter::number(0.0));
  }
  e.select(in[1], condition, Emitter::input(1), Emitter::input(2));
}

void grad_where(GradBuilder& b) {
  const Entry condition = b.input(0), g = b.out_grad();
  const Entry zero = b.op("zeros_like", {g});
  if (b.wanted(1)) b.set(1, b.sum_like(b.op("where", {condition, g, zero}), b.input(1)));
  if (b.wanted(2)) b.set(2, b.sum_like(b.op("where", {condition, zero, g}), b.input(2)));
}

// --- smooth_l1: Huber's loss, Girshick 2015
// -------------------------------------------------------

void emit_smooth_l1(const Attrs& attrs, const std::vector<DType>& in, std::vector<ElemInstr>* out) {
  Emitter e(out);
  const DType d = in[0];
  const double s2 = attrs.real("scalar") * attrs.real("scalar");
  const auto x = Emitter::input(0);
  const auto size = e.op(ElemCode::abs, d, x);
  const auto near = e.op_to(ElemCode::lesser, d, DType::boolean, size, Emitter::number(1 / s2));
  const auto bowl = e.op(ElemCode::mul, d, e.op(ElemCode::square, d, x), Emitter::number(0.5 * s2));
  const auto line = e.op(ElemCode::sub, d, size, Emitter::number(0.5 / s2));
  e.select(d, near, bowl, line);
}

void grad_smooth_l1(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const double s2 = b.attrs().real("scalar") * b.attrs().real("scalar");
  const Expr x(b, b.input(0)), g(b, b.out_grad());
  const Expr slope = binary("maximum", binary("minimum", s2 * x, 1), -1);
  b.set(0, (g * slope).entry());
}

// --- constants of an array's shape, gradient stops, sums ----------------------------------------

template <int value>
void emit_constant(const Attrs&, const std::vector<DType>& in, std::vector<ElemInstr>* out) {
  Emitter(out).fill(in[0], Emitter::number(static_cast<double>(value)));
}

void emit_copy(const Attrs&, const std::vector<DType>& in, std::vector<ElemInstr>* out) {
  Emitter(out).op(ElemCode::copy, in[0], Emitter::input(0));
}

void emit_add_n(const Attrs&, const std::vector<DType>& in, std::vector<ElemInstr>* out) {
  Emitter e(out);
  Emitter::Value sum = Emitter::input(0);
  if (in.size() == 1) e.op(ElemCode::copy, in[0], sum);
  for (size_t i = 1; i < in.size(); ++i) {
    sum = e.op(ElemCode::add, in[0], sum, Emitter::input(static_cast<int>(i)));
  }
}

void grad_add_n(GradBuilder& b) {
  for (int i = 0; i < b.num_inputs(); ++i) b.set(i, b.out_grad());
}

void grad_make_loss(GradBuilder& b) {
  const Expr ones(b, b.op("ones_like", {b.output()}));
  const std::string& normalization = b.attrs().string("normalization");
  const double scale = b.attrs().real("grad_scale");
  if (normalization == "valid") {
    const Expr counted = test("greater", Expr(b, b.output()), b.attrs().real("valid_thresh"));
    const Expr valid(b, b.op("sum", {counted.entry()}));
    return b.set(0, (scale * (ones / binary("maximum", valid, 1.0))).entry());
  }
  const Shape shape = b.shape(b.output());
  const bool batch = normalization == "batch";
  require(!batch || (shape.rank_known() && shape.ndim() > 0 && shape[0] >= 0),
          "MakeLoss: given data of shape ", shape,
          ", expected one whose first axis is known for normalization by the batch");
  const double examples = batch && shape[0] > 0 ? static_cast<double>(shape[0]) : 1.0;
  b.set(0, (scale / examples * ones).entry());
}

void no_gradient(GradBuilder&) {}

}  // namespace

void register_elementwise() {
  OpDef cast = elementwise_def("cast",
                               "data in another dtype. Floats to integers: toward 0; to bool: not "
                               "equal to 0.",
                               kAllComputed);
  cast.attrs = {{"dtype", AttrType::dtype, nullptr, "dtype of the result"}};
  cast.infer = infer_cast;
  cast.elementwise = emit_cast;
  cast.gradient = grad_cast;
  add_op(std::move(cast));

  OpDef clip = elementwise_def(
      "clip", "min(max(data, a_min), a_max). Gradient: 1 inside, borders included, else 0.",
      kNumbers);
  clip.attrs = {{"a_min", AttrType::scalar, "None", "lower bound; None: no bound"},
                {"a_max", AttrType::scalar, "None", "upper bound; None: no bound"}};
  clip.code = ElemCode::maximum;
  clip.infer = infer_clip;
  clip.elementwise = emit_clip;
  clip.gradient = grad_clip;
  add_op(std::move(clip));

  OpDef where = elementwise_def(
      "where", "x where condition is not 0, else y; the three broadcast by NumPy's rule.",
      kAllComputed);
  where.inputs = {
      {"condition", "any dtype", false}, {"x", "taken where true"}, {"y", "taken where false"}};
  where.code = ElemCode::where;
  where.infer = infer_where;
  where.elementwise = emit_where;
  where.gradient = grad_where;
  where.in_place = {{1, 0}, {2, 0}};
  add_op(std::move(where));

  OpDef smooth = elementwise_def(
      "smooth_l1",
      "(s x)^2 / 2 where |x| < 1 / s^2, else |x| - 1 / (2 s^2), with s = scalar (Girshick 2015).",
      kFloats);
  smooth.attrs = {{"scalar", AttrType::real, "1.0", "s, where the parabola meets the line"}};
  smooth.code = ElemCode::sqrt;
  smooth.elementwise = emit_smooth_l1;
  cut_integers(&smooth);
  smooth.gradient = grad_smooth_l1;
  add_op(std::move(smooth));

  OpDef zeros = elementwise_def("zeros_like", "Zeros of data's shape and dtype.", kAllComputed);
  zeros.elementwise = emit_constant<0>;
  zeros.gradient = no_gradient;
  add_op(std::move(zeros));

  OpDef ones = elementwise_def("ones_like", "Ones of data's shape and dtype.", kAllComputed);
  ones.elementwise = emit_constant<1>;
  ones.gradient = no_gradient;
  add_op(std::move(ones));

  OpDef stop =
      elementwise_def("stop_gradient", "data; no gradient flows back through it.", kAllComputed);
  stop.elementwise = emit_copy;
  stop.gradient = no_gradient;
  add_op(std::move(stop));

  OpDef loss = elementwise_def("make_loss",
                               "data, declared to be a loss: its gradient is grad_scale, whatever "
                               "flows in (MXNet's MakeLoss).",
                               kNumbers);
  loss.attrs = {{"grad_scale", AttrType::real, "1.0", "the gradient"},
                {"valid_thresh", AttrType::real, "0.0", "valid: elements above it count"},
                {"normalization", AttrType::string, "null",
                 "gradient divided by nothing, by the first axis's size, or by the number of valid "
                 "elements, at least 1",
                 "null|batch|valid"}};
  loss.elementwise = emit_copy;
  loss.gradient = grad_make_loss;
  add_op(std::move(loss));

  OpDef add_n = elementwise_def("add_n", "Sum of arrays of one shape and dtype, left to right.",
                                kNumbersComplex);
  add_n.inputs = {{"args", "arrays of one shape and dtype"}};
  add_n.variadic = true;
  add_n.code = ElemCode::add;
  add_n.elementwise = emit_add_n;
  add_n.gradient = grad_add_n;
  add_op(std::move(add_n));
}

}  // namespace hybrid
