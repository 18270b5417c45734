// Term: elementwise code written as formulas.
#include "ops/elem_terms.h"

#include "core/error.h"

namespace hybrid {

Term Term::binary(ElemCode code, const Term& a, const Term& b) {
  const Term& value = a.is_number() ? b : a;
  require(!value.is_number(), "elementwise code: ", elem_code_name(code), " of two numbers");
  const DType d = value.dtype_;
  return Term(*value.emitter_, d, value.emitter_->op(code, d, a.value_, b.value_));
}

Term Term::unary(ElemCode code, const Term& a) {
  require(!a.is_number(), "elementwise code: ", elem_code_name(code), " of a number");
  return Term(*a.emitter_, a.dtype_, a.emitter_->op(code, a.dtype_, a.value_));
}

Term Term::where_greater(const Term& a, const Term& b, const Term& yes, const Term& no) {
  require(!a.is_number() && !yes.is_number(), "elementwise code: where of numbers");
  const DType d = yes.dtype_;
  Emitter& e = *yes.emitter_;
  const ElemValue is = e.test(ElemCode::greater, d, DType::boolean, a.value_, b.value_);
  return Term(e, d, e.select(d, is, yes.value_, no.value_));
}

Term operator+(const Term& a, const Term& b) {
  if (a.is_number() && b.is_number()) return a.number() + b.number();
  return Term::binary(ElemCode::add, a, b);
}

Term operator-(const Term& a, const Term& b) {
  if (a.is_number() && b.is_number()) return a.number() - b.number();
  return Term::binary(ElemCode::sub, a, b);
}

Term operator*(const Term& a, const Term& b) {
  if (a.is_number() && b.is_number()) return a.number() * b.number();
  return Term::binary(ElemCode::mul, a, b);
}

Term operator/(const Term& a, const Term& b) {
  if (a.is_number() && b.is_number()) return a.number() / b.number();
  return Term::binary(ElemCode::div, a, b);
}

}  // namespace hybrid
