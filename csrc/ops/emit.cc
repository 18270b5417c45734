// Emitter: writes the elementwise code of one operator.
#include "ops/emit.h"

#include <cmath>

#include "core/error.h"

namespace hybrid {

Emitter::Value Emitter::number(double value) {
  Value v;
  v.operand.kind = ElemOperand::immediate;
  v.real = value;
  constexpr double kLimit = 9.2e18;
  v.integer = std::isnan(value)  ? 0
              : value >= kLimit  ? INT64_MAX
              : value <= -kLimit ? INT64_MIN
                                 : static_cast<int64_t>(value);
  return v;
}

Emitter::Value Emitter::number(const AttrValue& value) {
  if (const double* real = std::get_if<double>(&value)) return number(*real);
  const int64_t* integer = std::get_if<int64_t>(&value);
  require(integer != nullptr, "elementwise code: a number is missing");
  Value v;
  v.operand.kind = ElemOperand::immediate;
  v.real = static_cast<double>(*integer);
  v.integer = *integer;
  return v;
}

Emitter::Value Emitter::op(ElemCode code, DType dtype, Value a, Value b, Value c) {
  return op_to(code, dtype, dtype, a, b, c);
}

Emitter::Value Emitter::op_to(ElemCode code, DType dtype, DType out, Value a, Value b, Value c) {
  ElemInstr instr;
  instr.code = code;
  instr.dtype = dtype;
  instr.out_dtype = out;
  instr.a = a.operand;
  instr.b = b.operand;
  instr.c = c.operand;
  for (const Value& v : {a, b, c}) {
    if (v.operand.kind != ElemOperand::immediate) continue;
    instr.imm = v.real;
    instr.imm_int = v.integer;
  }
  out_->push_back(instr);
  Value result;
  result.operand.kind = ElemOperand::temp;
  result.operand.index = static_cast<int16_t>(out_->size() - 1);
  return result;
}

Emitter::Value Emitter::cast(Value a, DType from, DType to) {
  return from == to ? a : op_to(ElemCode::cast, from, to, a);
}

Emitter::Value Emitter::test(ElemCode code, DType dtype, DType out, Value a, Value b) {
  return op_to(code, dtype, out, a, b);
}

Emitter::Value Emitter::fill(DType dtype, Value number) {
  return op(ElemCode::fill, dtype, number);
}

}  // namespace hybrid
