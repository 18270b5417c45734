// gamma, gammaln, erfinv and the derivatives of log(gamma), element by element.
#include <cmath>

#include "ops/emit.h"
#include "ops/expr.h"
#include "ops/families.h"
#include "ops/half.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

constexpr double kPi = 3.14159265358979323846;

template <ElemCode code>
void emit(const Attrs&, const std::vector<DType>& in, std::vector<ElemInstr>* out) {
  Emitter(out).op(code, in[0], Emitter::input(0));
}

void emit_polygamma(const Attrs& attrs, const std::vector<DType>& in, std::vector<ElemInstr>* out) {
  Emitter(out).op(ElemCode::polygamma, in[0], Emitter::input(0), Emitter::number(attrs.at("n")));
}

Expr derivative(const Expr& x, int64_t n) {
  GradBuilder& b = x.builder();
  return Expr(b, b.op("polygamma", {x.entry()}, {{"n", n}}));
}

void grad_gamma(GradBuilder& b) {
  const Expr x(b, b.input(0)), y(b, b.output()), g(b, b.out_grad());
  if (b.wanted(0)) b.set(0, (g * y * derivative(x, 0)).entry());
}
void grad_log_gamma(GradBuilder& b) {
  const Expr x(b, b.input(0)), g(b, b.out_grad());
  if (b.wanted(0)) b.set(0, (g * derivative(x, 0)).entry());
}
void grad_polygamma(GradBuilder& b) {
  const Expr x(b, b.input(0)), g(b, b.out_grad());
  if (b.wanted(0)) b.set(0, (g * derivative(x, b.attrs().integer("n") + 1)).entry());
}
void grad_erfinv(GradBuilder& b) {
  const Expr y(b, b.output()), g(b, b.out_grad());
  if (b.wanted(0)) {
    b.set(0, (g * (std::sqrt(kPi) / 2 * unary("exp", unary("square", y)))).entry());
  }
}

void infer_polygamma(InferContext& c) {
  const int64_t n = c.attrs.integer("n");
  require(n >= 0 && n <= 100, c.op_name, ": given n ", n, ", expected 0 to 100");
  infer_like(c);
}

OpDef special_def(const char* name, ElemCode code, const char* doc, void (*rule)(GradBuilder&)) {
  OpDef def;
  def.name = name;
  def.family = Family::elementwise;
  def.doc = doc;
  def.inputs = {{"data", "array of any shape"}};
  def.dtypes = kFloats;
  def.code = code;
  def.infer = infer_like;
  def.gradient = rule;
  def.in_place = {{0, 0}};
  cut_integers(&def);
  return def;
}

}  // namespace

void register_special_functions() {
  OpDef gamma = special_def("gamma", ElemCode::gamma,
                            "The gamma function, (data - 1)! of whole numbers; nan at -1, -2, ...",
                            grad_gamma);
  gamma.elementwise = emit<ElemCode::gamma>;
  add_op(std::move(gamma));

  OpDef log =
      special_def("gammaln", ElemCode::gammaln,
                  "log |gamma(data)|, without overflow; inf at 0, -1, -2, ...", grad_log_gamma);
  log.elementwise = emit<ElemCode::gammaln>;
  add_op(std::move(log));

  OpDef inverse =
      special_def("erfinv", ElemCode::erfinv,
                  "y with erf(y) = data; infinite at -1 and 1, nan beyond.", grad_erfinv);
  inverse.elementwise = emit<ElemCode::erfinv>;
  add_op(std::move(inverse));

  OpDef polygamma = special_def("polygamma", ElemCode::polygamma,
                                "Derivative n + 1 of log(gamma(data)): digamma for n = 0, trigamma "
                                "for n = 1, ...",
                                grad_polygamma);
  polygamma.attrs = {{"n", AttrType::integer, "0", "order, 0 to 100"}};
  polygamma.infer = infer_polygamma;
  polygamma.elementwise = emit_polygamma;
  add_op(std::move(polygamma));
}

}  // namespace hybrid
