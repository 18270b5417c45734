// Softmax along an axis, its logarithm, and their gradient operators.
#include "kernels/kernels.h"
#include "ops/dispatch.h"
#include "ops/expr.h"
#include "ops/families.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

constexpr bool kPlain = false, kLog = true;

double temperature(const Attrs& attrs) {
  return attrs.has("temperature") ? attrs.real("temperature") : 1.0;
}

void infer_softmax(InferContext& c) {
  infer_like(c);
  const double t = temperature(c.attrs);
  require(t > 0, c.op_name, ": given temperature ", t, ", expected above 0");
  const Shape& in = c.in_shapes[0];
  if (in.rank_known()) normalize_axis(c.attrs.integer("axis"), in.ndim(), c.op_name);
}

AxisView axis_view(const KernelContext& c) {
  const Shape& shape = c.in[0].shape;
  return AxisView(shape, normalize_axis(c.attrs.integer("axis"), shape.ndim(), c.attrs.op()->name));
}

template <bool log>
void run_softmax(KernelContext& c) {
  if (c.out[0].size() == 0) return;
  const AxisView v = axis_view(c);
  softmax(c.in[0].dtype, v.outer, v.size, v.inner, c.in[0].data, c.out[0].data,
          temperature(c.attrs), log, c.resources);
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

template <bool log>
void gradient(GradBuilder& b) {
  const char* op = log ? "log_softmax_grad" : "softmax_grad";
  if (b.wanted(0)) b.set(0, b.op(op, {b.out_grad(), b.output()}, attrs_for(b, op)));
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
  def.infer = infer_softmax;
  def.in_place = {{0, 0}};
  def.on_device = true;
  def.flops = softmax_flops;
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
  OpDef plain = softmax_def("softmax",
                            "exp(x / t) divided by its sum along axis, computed without overflow.");
  plain.cpu = run_softmax<kPlain>;
  plain.gradient = gradient<kPlain>;
  add_op(std::move(plain));

  OpDef log = softmax_def("log_softmax",
                          "The logarithm of softmax, computed as x / t - log(sum(exp(x / t))).");
  log.cpu = run_softmax<kLog>;
  log.gradient = gradient<kLog>;
  add_op(std::move(log));

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
