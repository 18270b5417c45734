// Expr: gradient rules written as formulas. An operand is a graph value or a plain number, so one
// formula serves add and add_scalar alike.
#pragma once
#include "ops/grad_builder.h"

namespace hybrid {

class Expr {
 public:
  Expr(double number) : number_(number) {}  // NOLINT: `2 * x` should read so
  Expr(GradBuilder& builder, Entry entry) : builder_(&builder), entry_(entry) {}
  bool is_number() const { return builder_ == nullptr; }
  double number() const { return number_; }
  GradBuilder& builder() const { return *builder_; }
  // The value in the graph; throws Error on a plain number.
  Entry entry() const;

 private:
  GradBuilder* builder_ = nullptr;
  Entry entry_;
  double number_ = 0;
};

Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);
Expr operator/(const Expr& a, const Expr& b);
Expr operator-(const Expr& a);
// Any operator of the binary table, its scalar forms included: binary("power", x, 2).
Expr binary(const char* op, const Expr& a, const Expr& b);
// 1 where true, else 0, in the dtype of the value: test("greater", x, 0).
Expr test(const char* op, const Expr& a, const Expr& b);
// Any unary operator of the table: unary("exp", x).
Expr unary(const char* op, const Expr& a);

}  // namespace hybrid
