// Softmax along an axis, its logarithm, softmin, and their gradient operators.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/device_kernels.h"
#include "kernels/kernels.h"
#include "ops/dispatch.h"
#include "ops/expr.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"
#include "ops/run_elem.h"

namespace hybrid {

namespace {

enum class Kind : uint8_t { plain, log, negative };
constexpr bool kPlain = false, kLog = true;

double temperature(const Attrs& attrs) {
  return attrs.has("temperature") ? attrs.real("temperature") : 1.0;
}

void check_attrs(const InferContext& c) {
  require(temperature(c.attrs) != 0, c.op_name, ": given temperature 0, expected another number");
  const Shape& in = c.in_shapes[0];
  if (in.rank_known()) normalize_axis(c.attrs.integer("axis"), in.ndim(), c.op_name);
}

void infer_softmax_grad(InferContext& c) {
  infer_like(c);
  check_attrs(c);
}

void infer_softmax(InferContext& c) {
  check_attrs(c);
  if (c.attrs.has("dtype")) {
    const DType dtype = c.attrs.dtype("dtype");
    require((kFloats & dtype_bit(dtype)) != 0, c.op_name, ": given dtype ", dtype_name(dtype),
            ", expected one of ", dtype_set_names(kFloats));
    set_dtype(c, 0, dtype);
  } else {
    set_dtype(c, 0, c.in_dtypes[0]);
    expect_dtype(c, 0, c.out_dtypes[0]);
  }
  set_shape(c, 0, c.in_shapes[0]);
  expect_shape(c, 0, c.out_shapes[0]);
  if (!c.attrs.boolean("use_length")) return;
  require(c.in_shapes.size() > 1, c.op_name, ": given use_length=True, but MXNet's ", c.op_name,
          " has no input for lengths; softmax has");
  if (c.in_dtypes[1] == DType::unknown) c.in_dtypes[1] = DType::int32;
  const Shape& data = c.in_shapes[0];
  if (!data.rank_known()) return;
  const int axis = normalize_axis(c.attrs.integer("axis"), data.ndim(), c.op_name);
  Shape lengths;
  for (int i = 0; i < data.ndim(); ++i) {
    if (i != axis) lengths.push_back(data[i]);
  }
  expect_shape(c, 1, lengths);
}

AxisView axis_view(const KernelContext& c) {
  const Shape& shape = c.in[0].shape;
  return AxisView(shape, normalize_axis(c.attrs.integer("axis"), shape.ndim(), c.attrs.op()->name));
}

// Softmax of the first elements of every row, 0 behind them. The result may lie where x is.
void softmax_of_lengths(const KernelContext& c, const TensorView& x, const AxisView& v, double t) {
  only_on_host(c.resources, "softmax of different lengths");
  const IndexReader lengths(c.in[1]);
  const size_t item = dtype_size(x.dtype);
  const TensorView row = scratch_view(x.dtype, {v.size}, c.resources);
  for (int64_t k = 0; k < v.outer * v.inner; ++k) {
    const int64_t length = std::clamp<int64_t>(lengths[k], 0, v.size);
    const int64_t first = k / v.inner * v.size * v.inner + k % v.inner;
    const auto at = [&](const TensorView& a, int64_t j) {
      return a.as<char>() + static_cast<size_t>(first + j * v.inner) * item;
    };
    for (int64_t j = 0; j < length; ++j) {
      std::memcpy(row.as<char>() + static_cast<size_t>(j) * item, at(x, j), item);
    }
    if (length != 0) softmax(x.dtype, 1, length, 1, row.data, row.data, t, false, c.resources);
    for (int64_t j = length; j < v.size; ++j) std::memset(at(c.out[0], j), 0, item);
    for (int64_t j = 0; j < length; ++j) {
      std::memcpy(at(c.out[0], j), row.as<char>() + static_cast<size_t>(j) * item, item);
    }
  }
}

template <Kind kind>
void run_softmax(KernelContext& c) {
  if (c.out[0].size() == 0) return;
  const AxisView v = axis_view(c);
  TensorView x = c.in[0];
  double t = temperature(c.attrs);
  const auto replaced = [&](ElemCode code) {
    const TensorView made = scratch_view(c.out[0].dtype, x.shape, c.resources);
    run_unary(code, x, made, c.resources);
    x = made;
  };
  if (x.dtype != c.out[0].dtype) replaced(ElemCode::copy);
  if ((kind == Kind::negative) != (t < 0)) replaced(ElemCode::neg);
  t = std::abs(t);
  if (c.attrs.boolean("use_length")) return softmax_of_lengths(c, x, v, t);
  softmax(x.dtype, v.outer, v.size, v.inner, x.data, c.out[0].data, t, kind == Kind::log,
          c.resources);
}

template <bool log>
void run_grad(KernelContext& c) {
  if (c.out[0].size() == 0) return;
  const AxisView v = axis_view(c);
  softmax_grad(c.in[0].dtype, v.outer, v.size, v.inner, c.in[0].data, c.in[1].data, c.out[0].data,
               temperature(c.attrs), log, c.resources);
}

Attrs attrs_for(const GradBuilder& b, const char* op) {
  Attrs attrs(get_op(op));
  attrs.set("axis", b.attrs().at("axis"));
  attrs.set("temperature", b.attrs().at("temperature"));
  return attrs;
}

// Behind a row's length y is 0, and so is its gradient.
template <Kind kind>
void gradient(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const char* op = kind == Kind::log ? "log_softmax_grad" : "softmax_grad";
  Entry grad = b.op(op, {b.out_grad(), b.output()}, attrs_for(b, op));
  if (kind == Kind::negative) grad = b.op("neg", {grad});
  if (b.attrs().has("dtype")) {
    grad = b.op("cast", {grad}, {{"dtype", static_cast<int64_t>(known_dtype(b, b.input(0)))}});
  }
  b.set(0, grad);
}

Expr sum_along(GradBuilder& b, const Expr& e) {
  return Expr(
      b, b.op("sum", {e.entry()},
              {{"axis", std::vector<int64_t>{b.attrs().integer("axis")}}, {"keepdims", true}}));
}

// f = y (g - sum(g y)) / t: linear and symmetric in g.
void grad_softmax_grad(GradBuilder& b) {
  const Expr g(b, b.input(0)), y(b, b.input(1)), h(b, b.out_grad());
  if (b.wanted(0))
    b.set(0, b.op("softmax_grad", {h.entry(), y.entry()}, attrs_for(b, "softmax_grad")));
  if (b.wanted(1)) {
    const Expr by_y = h * (g - sum_along(b, g * y)) - g * sum_along(b, h * y);
    b.set(1, (by_y / temperature(b.attrs())).entry());
  }
}

// f = (g - exp(y) sum(g)) / t.
void grad_log_softmax_grad(GradBuilder& b) {
  const Expr g(b, b.input(0)), y(b, b.input(1)), h(b, b.out_grad());
  const double t = temperature(b.attrs());
  const Expr p = unary("exp", y);
  if (b.wanted(0)) b.set(0, ((h - sum_along(b, h * p)) / t).entry());
  if (b.wanted(1)) b.set(1, (-(h * p * sum_along(b, g)) / t).entry());
}

double softmax_flops(const Attrs&, const std::vector<Shape>& in, const std::vector<Shape>&) {
  return 10.0 * static_cast<double>(in[0].size());
}

OpDef softmax_def(const char* name, const char* doc) {
  OpDef def;
  def.name = name;
  def.family = Family::loss;
  def.doc = doc;
  def.inputs = {{"data", "array"}};
  def.attrs = {{"axis", AttrType::integer, "-1", "axis to normalize"},
               {"temperature", AttrType::real, "None", "data is divided by it; None: 1"}};
  def.infer = infer_softmax_grad;
  def.in_place = {{0, 0}};
  def.on_device = true;
  def.flops = softmax_flops;
  return def;
}

OpDef forward_def(const char* name, const char* doc) {
  OpDef def = softmax_def(name, doc);
  def.attrs.push_back({"dtype", AttrType::dtype, "None", "of the result; None: data's"});
  def.attrs.push_back({"use_length", AttrType::boolean, "False",
                       "every row has its own length; behind it the result is 0"});
  def.infer = infer_softmax;
  return def;
}

OpDef grad_def(const char* name, const char* doc) {
  OpDef def = softmax_def(name, doc);
  def.inputs = {{"grad", "gradient of the result"}, {"result", "the result"}};
  def.in_place = {{0, 0}, {1, 0}};  // the kernel reads a place twice, then writes it
  return def;
}

}  // namespace

void register_softmax() {
  OpDef plain = forward_def("softmax",
                            "exp(x / t) divided by its sum along axis, computed without overflow.");
  plain.inputs.push_back(
      {"length", "of every row: data's shape without axis", false, "!use_length"});
  plain.cpu = run_softmax<Kind::plain>;
  plain.gradient = gradient<Kind::plain>;
  add_op(std::move(plain));

  OpDef log = forward_def("log_softmax",
                          "The logarithm of softmax, computed as x / t - log(sum(exp(x / t))).");
  log.cpu = run_softmax<Kind::log>;
  log.gradient = gradient<Kind::log>;
  add_op(std::move(log));

  OpDef least = forward_def("softmin", "softmax of -data: exp(-x / t) divided by its sum.");
  least.cpu = run_softmax<Kind::negative>;
  least.gradient = gradient<Kind::negative>;
  add_op(std::move(least));

  OpDef plain_grad =
      grad_def("softmax_grad", "Gradient of softmax with result y: y (g - sum(g y)) / t.");
  plain_grad.cpu = run_grad<kPlain>;
  plain_grad.gradient = grad_softmax_grad;
  add_op(std::move(plain_grad));

  OpDef log_grad = grad_def("log_softmax_grad",
                            "Gradient of log_softmax with result y: (g - exp(y) sum(g)) / t.");
  log_grad.cpu = run_grad<kLog>;
  log_grad.gradient = grad_log_softmax_grad;
  add_op(std::move(log_grad));
}

}  // namespace hybrid
