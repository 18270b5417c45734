// Float check: which of the floating-point exceptions that a block function left count. Vector code
// meets some that its operation does not have (comparisons with NaN), and integers meet none.
#pragma once
#include <cstdint>

#include "kernels/elementwise.h"

namespace hybrid {

enum class FloatCheck : uint8_t {
  none,       // it meets none, or those that it meets are right
  met,        // floats: those that it meets count
  quiet,      // the operation has no exceptions
  raised32,   // those that it meets count if a result is not finite
  raised64,   //
  divisor8,   // integers: a divisor of 0, by bytes
  divisor16,  //
  divisor32,  //
  divisor64,  //
};
FloatCheck float_check(ElemCode code, DType dtype);

// One block's operands and results. `one`: a single element, repeated; null: no such operand.
struct FloatBlock {
  const void *a, *b, *out;
  bool one_a, one_b;
  int64_t n;
};
// After a block: `before` are the flags that were set before it. Returns, and sets, those that
// count now.
uint32_t settle_floats(FloatCheck check, const FloatBlock& block, uint32_t before);

}  // namespace hybrid
