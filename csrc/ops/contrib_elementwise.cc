// Small operators of MXNet's contrib, element by element: quadratic, straight-through estimators,
// gradientmultiplier, div_sqrt_dim, allclose.
#include <cmath>

#include "ops/dispatch.h"
#include "ops/emit.h"
#include "ops/expr.h"
#include "ops/families.h"
#include "ops/grad_shape.h"
#include "ops/infer.h"
#include "ops/run_elem.h"

namespace hybrid {

namespace {

void emit_copy(const Attrs&, const std::vector<DType>& in, std::vector<ElemInstr>* out) {
  Emitter(out).op(ElemCode::copy, in[0], Emitter::input(0));
}

template <ElemCode code>
void emit(const Attrs&, const std::vector<DType>& in, std::vector<ElemInstr>* out) {
  const bool round = is_floating(in[0]) || code != ElemCode::round;
  Emitter(out).op(round ? code : ElemCode::copy, in[0], Emitter::input(0));
}

void emit_quadratic(const Attrs& attrs, const std::vector<DType>& in, std::vector<ElemInstr>* out) {
  Emitter e(out);
  const DType d = in[0];
  const auto x = Emitter::input(0);
  const auto number = [&](const char* name) { return Emitter::number(attrs.real(name)); };
  const auto square = e.op(ElemCode::mul, d, e.op(ElemCode::square, d, x), number("a"));
  const auto line = e.op(ElemCode::mul, d, x, number("b"));
  e.op(ElemCode::add, d, e.op(ElemCode::add, d, square, line), number("c"));
}

void grad_pass(GradBuilder& b) {
  if (b.wanted(0)) b.set(0, b.out_grad());
}
void grad_multiplied(GradBuilder& b) {
  if (b.wanted(0)) b.set(0, (Expr(b, b.out_grad()) * b.attrs().real("scalar")).entry());
}
void grad_quadratic(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Expr x(b, b.input(0)), g(b, b.out_grad());
  b.set(0, (g * (2 * b.attrs().real("a") * x + b.attrs().real("b"))).entry());
}

// --- div_sqrt_dim -------------------------------------------------------------------------------

void infer_div_sqrt_dim(InferContext& c) {
  infer_like(c);
  const Shape& in = c.in_shapes[0];
  require(!in.rank_known() || in.ndim() > 0, c.op_name,
          ": given data of shape (), expected at least one dimension");
}

void run_div_sqrt_dim(KernelContext& c) {
  if (c.in[0].size() == 0) return;
  const Shape& in = c.in[0].shape;
  const double root = std::sqrt(static_cast<double>(in[in.ndim() - 1]));
  run_with_number(ElemCode::div, c.in[0], root, c.out[0], c.resources);
}

void grad_div_sqrt_dim(GradBuilder& b) {
  if (b.wanted(0)) b.set(0, b.op("div_sqrt_dim", {b.out_grad()}));
}

// --- allclose -----------------------------------------------------------------------------------

void infer_allclose(InferContext& c) {
  const DType dtype = unify_dtypes(c, {0, 1});
  (void)dtype;
  Shape shape = c.in_shapes[0];
  require(merge_shape(&shape, c.in_shapes[1]), c.op_name, ": given a of shape ", c.in_shapes[0],
          " and b of shape ", c.in_shapes[1], ", expected equal shapes");
  c.in_shapes[0] = c.in_shapes[1] = shape;
  set_dtype(c, 0, DType::uint8);
  set_shape(c, 0, {});
}

void run_allclose(KernelContext& c) {
  const double rtol = c.attrs.real("rtol"), atol = c.attrs.real("atol");
  const bool equal_nan = c.attrs.boolean("equal_nan");
  bool close = true;
  dispatch(c.in[0].dtype, "allclose", [&](auto zero) {
    using T = decltype(zero);
    const int64_t n = c.in[0].size();
    for (int64_t i = 0; i < n && close; ++i) {
      const double a = static_cast<double>(c.in[0].as<T>()[i]);
      const double b = static_cast<double>(c.in[1].as<T>()[i]);
      close = a == b || (a != a && b != b && equal_nan) ||
              (std::isfinite(b) && std::fabs(a - b) <= atol + rtol * std::fabs(b));
    }
  });
  *c.out[0].as<uint8_t>() = close ? 1 : 0;
}

OpDef contrib_def(const char* name, const char* doc, DTypeSet dtypes) {
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

}  // namespace

void register_contrib_elementwise() {
  OpDef round = contrib_def("round_ste",
                            "round(data), with the gradient of the identity: the straight-through "
                            "estimator (Bengio et al. 2013).",
                            kNumbers);
  round.elementwise = emit<ElemCode::round>;
  round.gradient = grad_pass;
  add_op(std::move(round));

  OpDef sign = contrib_def("sign_ste",
                           "sign(data), with the gradient of the identity: the straight-through "
                           "estimator (Bengio et al. 2013).",
                           kNumbers);
  sign.elementwise = emit<ElemCode::sign>;
  sign.gradient = grad_pass;
  add_op(std::move(sign));

  OpDef multiplier = contrib_def("gradientmultiplier",
                                 "data; the gradient that flows back is multiplied by scalar "
                                 "(gradient reversal: Ganin and Lempitsky 2015).",
                                 kNumbers);
  multiplier.attrs = {{"scalar", AttrType::real, "1.0", "factor of the gradient"}};
  multiplier.elementwise = emit_copy;
  multiplier.gradient = grad_multiplied;
  add_op(std::move(multiplier));

  OpDef quadratic = contrib_def("quadratic", "a data^2 + b data + c.", kNumbers);
  quadratic.attrs = {{"a", AttrType::real, "0.0", "factor of the square"},
                     {"b", AttrType::real, "0.0", "factor of data"},
                     {"c", AttrType::real, "0.0", "what is added"}};
  quadratic.elementwise = emit_quadratic;
  quadratic.gradient = grad_quadratic;
  add_op(std::move(quadratic));

  OpDef root = contrib_def("div_sqrt_dim",
                           "data divided by the square root of the size of its last axis "
                           "(attention: Vaswani et al. 2017).",
                           kFloats);
  root.infer = infer_div_sqrt_dim;
  root.cpu = run_div_sqrt_dim;
  root.gradient = grad_div_sqrt_dim;
  add_op(std::move(root));

  OpDef close = contrib_def("allclose",
                            "1 if |a - b| <= atol + rtol |b| for all elements, else 0: uint8 of "
                            "shape ().",
                            kAllOrdered);
  close.family = Family::reduce;
  close.inputs = {{"a", "array", false}, {"b", "array of a's shape and dtype", false}};
  close.attrs = {{"rtol", AttrType::real, "1e-05", "relative tolerance"},
                 {"atol", AttrType::real, "1e-08", "absolute tolerance"},
                 {"equal_nan", AttrType::boolean, "True", "nan is close to nan"}};
  close.in_place = {};
  close.infer = infer_allclose;
  close.cpu = run_allclose;
  add_op(std::move(close));
}

}  // namespace hybrid
