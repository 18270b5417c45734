// Term: elementwise code written as formulas, of values and plain numbers.
#pragma once
#include "ops/emit.h"

namespace hybrid {

class Term {
 public:
  Term(double number) : value_(Emitter::number(number)) {}  // NOLINT: `2 * x` should read so
  Term(Emitter& emitter, DType dtype, ElemValue value)
      : emitter_(&emitter), dtype_(dtype), value_(value) {}
  bool is_number() const { return emitter_ == nullptr; }
  double number() const { return value_.real; }
  ElemValue value() const { return value_; }
  // Of an instruction; one of the operands is no number.
  static Term binary(ElemCode code, const Term& a, const Term& b);
  static Term unary(ElemCode code, const Term& a);
  // a > b ? yes : no; neither a nor yes is a number.
  static Term where_greater(const Term& a, const Term& b, const Term& yes, const Term& no);

 private:
  Emitter* emitter_ = nullptr;  // null: a number
  DType dtype_ = DType::float32;
  ElemValue value_;
};

Term operator+(const Term& a, const Term& b);
Term operator-(const Term& a, const Term& b);
Term operator*(const Term& a, const Term& b);
Term operator/(const Term& a, const Term& b);
inline Term sqrt(const Term& a) { return Term::unary(ElemCode::sqrt, a); }
inline Term square(const Term& a) { return Term::unary(ElemCode::square, a); }
inline Term sign(const Term& a) { return Term::unary(ElemCode::sign, a); }
inline Term abs(const Term& a) { return Term::unary(ElemCode::abs, a); }
inline Term larger(const Term& a, const Term& b) { return Term::binary(ElemCode::maximum, a, b); }
inline Term smaller(const Term& a, const Term& b) { return Term::binary(ElemCode::minimum, a, b); }
// Cut to [-bound, bound].
inline Term cut(const Term& a, double bound) { return smaller(larger(a, -bound), bound); }

}  // namespace hybrid
