// Elementwise operators of one input.
#include <cmath>

#include "kernels/elem_table.h"
#include "ops/emit.h"
#include "ops/expr.h"
#include "ops/families.h"
#include "ops/half.h"
#include "ops/infer.h"

namespace hybrid {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kLn2 = 0.69314718055994530942;
constexpr double kLn10 = 2.30258509299404568402;

template <ElemCode code>
void emit(const Attrs&, const std::vector<DType>& in, std::vector<ElemInstr>* out) {
  const DType dtype = in[0];
  Emitter e(out);
  if constexpr (code == ElemCode::floor || code == ElemCode::ceil || code == ElemCode::trunc ||
                code == ElemCode::rint || code == ElemCode::round) {
    if (!is_floating(dtype) && !is_complex(dtype)) {  // whole numbers are already round
      e.op(ElemCode::copy, dtype, Emitter::input(0));
      return;
    }
  }
  if constexpr (code == ElemCode::conj) {
    if (!is_complex(dtype)) {
      e.op(ElemCode::copy, dtype, Emitter::input(0));
      return;
    }
  }
  if constexpr (code == ElemCode::relu) {
    if (!is_floating(dtype)) {
      e.op(ElemCode::maximum, dtype, Emitter::input(0), Emitter::number(0.0));
      return;
    }
  }
  e.op_to(code, dtype, elem_result(code, dtype), Emitter::input(0));
}

// abs, real, imag, angle: complex numbers give their real type.
void infer_real(InferContext& c) {
  one_shape(c);
  set_dtype(c, 0, real_part(c.in_dtypes[0]));
}

template <ElemCode code>
void emit_test(const Attrs& attrs, const std::vector<DType>& in, std::vector<ElemInstr>* out) {
  const DType to = attrs.has("dtype") ? attrs.dtype("dtype") : in[0];
  Emitter(out).test(code, in[0], to, Emitter::input(0));
}

// What a rule sees: x the input, y the output, g the gradient that flows in.
using Rule = Expr (*)(const Expr& x, const Expr& y, const Expr& g);

template <Rule rule>
void gradient(GradBuilder& b) {
  if (!b.wanted(0)) return;
  const Expr x(b, b.input(0)), y(b, b.output()), g(b, b.out_grad());
  b.set(0, rule(x, y, g).entry());
}

void no_gradient(GradBuilder&) {}  // piecewise constant: zero almost everywhere

Expr sq(const Expr& a) { return unary("square", a); }
Expr rule_identity(const Expr&, const Expr&, const Expr& g) { return g; }
Expr rule_neg(const Expr&, const Expr&, const Expr& g) { return -g; }
Expr rule_abs(const Expr& x, const Expr&, const Expr& g) { return g * unary("sign", x); }
Expr rule_square(const Expr& x, const Expr&, const Expr& g) { return g * (2 * x); }
Expr rule_sqrt(const Expr&, const Expr& y, const Expr& g) { return g * (0.5 / y); }
Expr rule_rsqrt(const Expr&, const Expr& y, const Expr& g) { return g * (-0.5 * (y * sq(y))); }
Expr rule_cbrt(const Expr&, const Expr& y, const Expr& g) { return g / (3 * sq(y)); }
Expr rule_rcbrt(const Expr& x, const Expr& y, const Expr& g) { return g * (y / (-3 * x)); }
Expr rule_reciprocal(const Expr&, const Expr& y, const Expr& g) { return -(g * sq(y)); }
Expr rule_exp(const Expr&, const Expr& y, const Expr& g) { return g * y; }
Expr rule_expm1(const Expr&, const Expr& y, const Expr& g) { return g * (y + 1); }
Expr rule_log(const Expr& x, const Expr&, const Expr& g) { return g / x; }
Expr rule_log2(const Expr& x, const Expr&, const Expr& g) { return g / (kLn2 * x); }
Expr rule_log10(const Expr& x, const Expr&, const Expr& g) { return g / (kLn10 * x); }
Expr rule_log1p(const Expr& x, const Expr&, const Expr& g) { return g / (x + 1); }
Expr rule_sin(const Expr& x, const Expr&, const Expr& g) { return g * unary("cos", x); }
Expr rule_cos(const Expr& x, const Expr&, const Expr& g) { return -(g * unary("sin", x)); }
Expr rule_tan(const Expr&, const Expr& y, const Expr& g) { return g * (sq(y) + 1); }
Expr rule_arcsin(const Expr& x, const Expr&, const Expr& g) {
  return g * unary("rsqrt", 1 - sq(x));
}
Expr rule_arccos(const Expr& x, const Expr&, const Expr& g) {
  return -(g * unary("rsqrt", 1 - sq(x)));
}
Expr rule_arctan(const Expr& x, const Expr&, const Expr& g) { return g / (sq(x) + 1); }
Expr rule_sinh(const Expr& x, const Expr&, const Expr& g) { return g * unary("cosh", x); }
Expr rule_cosh(const Expr& x, const Expr&, const Expr& g) { return g * unary("sinh", x); }
Expr rule_tanh(const Expr&, const Expr& y, const Expr& g) { return g * (1 - sq(y)); }
Expr rule_arcsinh(const Expr& x, const Expr&, const Expr& g) {
  return g * unary("rsqrt", sq(x) + 1);
}
Expr rule_arccosh(const Expr& x, const Expr&, const Expr& g) {
  return g * unary("rsqrt", sq(x) - 1);
}
Expr rule_arctanh(const Expr& x, const Expr&, const Expr& g) { return g / (1 - sq(x)); }
Expr rule_erf(const Expr& x, const Expr&, const Expr& g) {
  return g * (2 / std::sqrt(kPi) * unary("exp", -sq(x)));
}
Expr rule_sigmoid(const Expr&, const Expr& y, const Expr& g) { return g * (y * (1 - y)); }
Expr rule_log_sigmoid(const Expr&, const Expr& y, const Expr& g) {
  return g * (1 - unary("exp", y));
}
Expr rule_softrelu(const Expr& x, const Expr&, const Expr& g) { return g * unary("sigmoid", x); }
Expr rule_softsign(const Expr&, const Expr& y, const Expr& g) {
  return g * sq(1 - unary("abs", y));
}
// From the output, so that the input need not be kept.
Expr rule_relu(const Expr&, const Expr& y, const Expr& g) { return g * unary("sign", y); }
Expr rule_degrees(const Expr&, const Expr&, const Expr& g) { return 180 / kPi * g; }
Expr rule_radians(const Expr&, const Expr&, const Expr& g) { return kPi / 180 * g; }

OpDef unary_def(const char* name, ElemCode code, DTypeSet dtypes, const char* doc,
                void (*rule)(GradBuilder&)) {
  OpDef def;
  def.name = name;
  def.family = Family::elementwise;
  def.doc = doc;
  def.inputs = {{"data", "array of any shape", rule != nullptr}};
  def.dtypes = dtypes;
  def.code = code;
  def.infer = infer_like;
  def.gradient = rule;
  def.in_place = {{0, 0}};
  return def;
}

template <ElemCode code>
void add(const char* name, DTypeSet dtypes, const char* doc, void (*rule)(GradBuilder&)) {
  OpDef def = unary_def(name, code, dtypes, doc, rule);
  def.elementwise = emit<code>;
  if (gives_real(code)) def.infer = infer_real;
  if ((dtypes & kFloats) == kFloats && (dtypes & kInts) == 0) cut_integers(&def);
  add_op(std::move(def));
}

void infer_test(InferContext& c) {
  one_shape(c);
  set_dtype(c, 0, c.attrs.has("dtype") ? c.attrs.dtype("dtype") : c.in_dtypes[0]);
}

template <ElemCode code>
void add_test(const char* name, DTypeSet dtypes, const char* doc) {
  OpDef def = unary_def(name, code, dtypes, doc, nullptr);
  def.attrs = {
      {"dtype", AttrType::dtype, "bool", "dtype of the result; None: that of data", "None"}};
  def.infer = infer_test;
  def.elementwise = emit_test<code>;
  add_op(std::move(def));
}

// Operators made of two or three instructions.
void emit_rcbrt(const Attrs&, const std::vector<DType>& in, std::vector<ElemInstr>* out) {
  Emitter e(out);
  e.op(ElemCode::reciprocal, in[0], e.op(ElemCode::cbrt, in[0], Emitter::input(0)));
}
// floor(x), and 1 more where x lies more than 1/2 above it.
void emit_round_half_down(const Attrs&, const std::vector<DType>& in, std::vector<ElemInstr>* out) {
  Emitter e(out);
  const DType d = in[0];
  const auto x = Emitter::input(0);
  if (!is_floating(d)) {
    e.op(ElemCode::copy, d, x);
    return;
  }
  const auto down = e.op(ElemCode::floor, d, x);
  const auto rest = e.op(ElemCode::sub, d, x, down);
  e.op(ElemCode::add, d, down, e.test(ElemCode::greater, d, d, rest, Emitter::number(0.5)));
}
// log(sigmoid(x)) = -softrelu(-x): no overflow on either side.
void emit_log_sigmoid(const Attrs&, const std::vector<DType>& in, std::vector<ElemInstr>* out) {
  Emitter e(out);
  const auto minus_x = e.op(ElemCode::neg, in[0], Emitter::input(0));
  e.op(ElemCode::neg, in[0], e.op(ElemCode::softrelu, in[0], minus_x));
}
void emit_degrees(const Attrs&, const std::vector<DType>& in, std::vector<ElemInstr>* out) {
  Emitter(out).op(ElemCode::mul, in[0], Emitter::input(0), Emitter::number(180 / kPi));
}
void emit_radians(const Attrs&, const std::vector<DType>& in, std::vector<ElemInstr>* out) {
  Emitter(out).op(ElemCode::mul, in[0], Emitter::input(0), Emitter::number(kPi / 180));
}

template <Rule rule>
void add_composed(const char* name, ElemCode code, const char* doc,
                  decltype(OpDef::elementwise) emit_code) {
  OpDef def = unary_def(name, code, kFloats, doc, gradient<rule>);
  def.elementwise = emit_code;
  cut_integers(&def);
  add_op(std::move(def));
}

}  // namespace

void register_unary() {
  using E = ElemCode;
  constexpr DTypeSet kBoolInts = kInts | dtype_bit(DType::boolean);
  add<E::copy>("identity", kAllComputed, "A copy of data.", gradient<rule_identity>);
  add<E::neg>("neg", kNumbersComplex, "-data.", gradient<rule_neg>);
  add<E::abs>("abs", kNumbersComplex, "|data|, real for complex data. Gradient at 0: 0.",
              gradient<rule_abs>);
  add<E::sign>("sign", kNumbers, "-1, 0 or 1 by the sign of data. Gradient: 0.", no_gradient);
  add<E::square>("square", kNumbersComplex, "data * data.", gradient<rule_square>);
  add<E::sqrt>("sqrt", kFloatsComplex, "Square root; nan below 0.", gradient<rule_sqrt>);
  add<E::rsqrt>("rsqrt", kFloats, "1 / sqrt(data).", gradient<rule_rsqrt>);
  add<E::cbrt>("cbrt", kFloats, "Cube root, negative for negative data.", gradient<rule_cbrt>);
  add<E::reciprocal>("reciprocal", kFloatsComplex, "1 / data.", gradient<rule_reciprocal>);
  add<E::exp>("exp", kFloatsComplex, "e to the power of data.", gradient<rule_exp>);
  add<E::expm1>("expm1", kFloats, "exp(data) - 1, exact near 0.", gradient<rule_expm1>);
  add<E::log>("log", kFloatsComplex, "Natural logarithm; -inf at 0, nan below.",
              gradient<rule_log>);
  add<E::log2>("log2", kFloatsComplex, "Logarithm to base 2.", gradient<rule_log2>);
  add<E::log10>("log10", kFloatsComplex, "Logarithm to base 10.", gradient<rule_log10>);
  add<E::log1p>("log1p", kFloats, "log(1 + data), exact near 0.", gradient<rule_log1p>);
  add<E::sin>("sin", kFloatsComplex, "Sine; data in radians.", gradient<rule_sin>);
  add<E::cos>("cos", kFloatsComplex, "Cosine; data in radians.", gradient<rule_cos>);
  add<E::tan>("tan", kFloatsComplex, "Tangent; data in radians.", gradient<rule_tan>);
  add<E::arcsin>("arcsin", kFloatsComplex, "Inverse sine, in [-pi/2, pi/2].",
                 gradient<rule_arcsin>);
  add<E::arccos>("arccos", kFloatsComplex, "Inverse cosine, in [0, pi].", gradient<rule_arccos>);
  add<E::arctan>("arctan", kFloatsComplex, "Inverse tangent, in (-pi/2, pi/2).",
                 gradient<rule_arctan>);
  add<E::sinh>("sinh", kFloatsComplex, "Hyperbolic sine.", gradient<rule_sinh>);
  add<E::cosh>("cosh", kFloatsComplex, "Hyperbolic cosine.", gradient<rule_cosh>);
  add<E::tanh>("tanh", kFloatsComplex, "Hyperbolic tangent.", gradient<rule_tanh>);
  add<E::arcsinh>("arcsinh", kFloatsComplex, "Inverse hyperbolic sine.", gradient<rule_arcsinh>);
  add<E::arccosh>("arccosh", kFloatsComplex, "Inverse hyperbolic cosine; nan below 1.",
                  gradient<rule_arccosh>);
  add<E::arctanh>("arctanh", kFloatsComplex, "Inverse hyperbolic tangent; nan outside [-1, 1].",
                  gradient<rule_arctanh>);
  add<E::erf>("erf", kFloats, "Error function, 2/sqrt(pi) * integral of exp(-t^2) from 0 to data.",
              gradient<rule_erf>);
  add<E::sigmoid>("sigmoid", kFloats, "1 / (1 + exp(-data)).", gradient<rule_sigmoid>);
  add<E::softrelu>("softrelu", kFloats, "log(1 + exp(data)), without overflow (softplus).",
                   gradient<rule_softrelu>);
  add<E::softsign>("softsign", kFloats, "data / (1 + |data|).", gradient<rule_softsign>);
  add<E::relu>("relu", kNumbers, "max(data, 0). Gradient at 0: 0.", gradient<rule_relu>);
  add<E::floor>("floor", kNumbers, "Largest whole number <= data. Gradient: 0.", no_gradient);
  add<E::ceil>("ceil", kNumbers, "Smallest whole number >= data. Gradient: 0.", no_gradient);
  add<E::trunc>("trunc", kNumbers, "Whole part, toward 0. Gradient: 0.", no_gradient);
  add<E::rint>("rint", kNumbersComplex, "Nearest whole number, halves to even. Gradient: 0.",
               no_gradient);
  add<E::round>("round", kNumbers,
                "Nearest whole number, halves away from 0 (MXNet's round). Gradient: 0.",
                no_gradient);
  add<E::conj>("conj", kNumbersComplex, "The complex conjugate; real data stay.",
               gradient<rule_identity>);
  add<E::real>("real", kComplex, "The real part, in its real type.", nullptr);
  add<E::imag>("imag", kComplex, "The imaginary part, in its real type.", nullptr);
  add<E::angle>("angle", kComplex, "Angle of data in the plane, in [-pi, pi].", nullptr);
  add<E::invert>("invert", kBoolInts, "Every bit flipped; for bool: not.", nullptr);
  add_test<E::logical_not>("logical_not", kAllComputed, "True where data is 0.");
  add_test<E::isnan>("isnan", kFloatsComplex, "True where data is not a number.");
  add_test<E::isinf>("isinf", kFloatsComplex, "True where data is infinite.");
  add_test<E::isfinite>("isfinite", kFloatsComplex, "True where data is neither infinite nor nan.");
  OpDef down = unary_def("round_half_down", E::floor, kNumbers,
                         "Nearest whole number, halves toward -inf (MXNet's rint). Gradient: 0.",
                         no_gradient);
  down.elementwise = emit_round_half_down;
  add_op(std::move(down));
  add_composed<rule_rcbrt>("rcbrt", E::cbrt, "1 / cbrt(data).", emit_rcbrt);
  add_composed<rule_log_sigmoid>("log_sigmoid", E::softrelu,
                                 "log(sigmoid(data)), without overflow.", emit_log_sigmoid);
  add_composed<rule_degrees>("degrees", E::mul, "Radians to degrees.", emit_degrees);
  add_composed<rule_radians>("radians", E::mul, "Degrees to radians.", emit_radians);
}

}  // namespace hybrid
