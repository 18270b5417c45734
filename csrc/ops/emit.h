// Emitter: writes the elementwise code of one operator, instruction by instruction.
#pragma once
#include <vector>

#include "kernels/elementwise.h"
#include "ops/attrs.h"

namespace hybrid {

// An operand of an instruction: an input, an earlier result or a number.
struct ElemValue {
  ElemOperand operand;
  double real = 0;
  int64_t integer = 0;
};

class Emitter {
 public:
  using Value = ElemValue;

  explicit Emitter(std::vector<ElemInstr>* out) : out_(out) {}

  static Value input(int i) { return {{ElemOperand::input, static_cast<int16_t>(i)}, 0, 0}; }
  static Value number(double value);
  // An int or a float attribute; integer instructions truncate it toward zero.
  static Value number(const AttrValue& value);

  // Result dtype `out` (same as `dtype` when left out). At most one operand is a number.
  Value op(ElemCode code, DType dtype, Value a, Value b = {}, Value c = {});
  Value op_to(ElemCode code, DType dtype, DType out, Value a, Value b = {}, Value c = {});
  Value cast(Value a, DType from, DType to);  // nothing when they are equal
  // A comparison or test: 1 or 0 in dtype `out`.
  Value test(ElemCode code, DType dtype, DType out, Value a, Value b = {});
  Value select(DType dtype, Value condition, Value yes, Value no) {
    return op(ElemCode::where, dtype, condition, yes, no);
  }
  Value fill(DType dtype, Value number);

 private:
  std::vector<ElemInstr>* out_;
};

}  // namespace hybrid
