// Operators on float16 and bfloat16: computed in float32, each result rounded once.
#pragma once
#include "ops/op.h"

namespace hybrid {

// Puts the conversions around the operator's own code and kernel; add_op does it once.
void compute_halves(OpDef* def);

}  // namespace hybrid
