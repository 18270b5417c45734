// Expr: gradient rules written as formulas.
#include "ops/expr.h"

#include <cmath>
#include <cstring>

#include "core/error.h"
#include "ops/binary.h"

namespace hybrid {

namespace {

double fold(const char* op, double a, double b) {
  if (std::strcmp(op, "add") == 0) return a + b;
  if (std::strcmp(op, "sub") == 0) return a - b;
  if (std::strcmp(op, "mul") == 0) return a * b;
  if (std::strcmp(op, "div") == 0) return a / b;
  if (std::strcmp(op, "power") == 0) return std::pow(a, b);
  fail("gradient rule: ", op, " of two numbers");
}

// `compare`: the result in the operands' dtype rather than bool.
Expr apply(const char* op, const Expr& a, const Expr& b, bool compare) {
  GradBuilder& builder = a.is_number() ? b.builder() : a.builder();
  const bool scalar = a.is_number() || b.is_number();
  const std::string name = scalar ? scalar_form(op, a.is_number()) : op;
  Attrs attrs(get_op(name));
  if (scalar) attrs.set("scalar", a.is_number() ? a.number() : b.number());
  if (compare) attrs.set("dtype", AttrValue());
  std::vector<Entry> inputs;
  if (!a.is_number()) inputs.push_back(a.entry());
  if (!b.is_number()) inputs.push_back(b.entry());
  return Expr(builder, builder.op(name.c_str(), inputs, attrs));
}

}  // namespace

Entry Expr::entry() const {
  require(builder_ != nullptr, "gradient rule: a number stands where a value is needed");
  return entry_;
}

Expr binary(const char* op, const Expr& a, const Expr& b) {
  if (a.is_number() && b.is_number()) return fold(op, a.number(), b.number());
  return apply(op, a, b, false);
}

Expr test(const char* op, const Expr& a, const Expr& b) { return apply(op, a, b, true); }

Expr unary(const char* op, const Expr& a) {
  if (a.is_number()) {
    if (std::strcmp(op, "log") == 0) return std::log(a.number());
    fail("gradient rule: ", op, " of a number");
  }
  return Expr(a.builder(), a.builder().op(op, {a.entry()}));
}

Expr operator+(const Expr& a, const Expr& b) { return binary("add", a, b); }
Expr operator-(const Expr& a, const Expr& b) { return binary("sub", a, b); }
Expr operator*(const Expr& a, const Expr& b) {
  if (a.is_number() && !b.is_number() && a.number() == 1) return b;
  if (b.is_number() && !a.is_number() && b.number() == 1) return a;
  return binary("mul", a, b);
}
Expr operator/(const Expr& a, const Expr& b) { return binary("div", a, b); }
Expr operator-(const Expr& a) { return a.is_number() ? Expr(-a.number()) : unary("neg", a); }

}  // namespace hybrid
