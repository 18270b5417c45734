// Operators on dtypes that their kernels do not have: float16 and bfloat16 are computed in float32,
// each result rounded once; of functions of floats alone integers are, too, the result cut.
#pragma once
#include "ops/op.h"

namespace hybrid {

// Puts the conversions around the operator's own code and kernel; add_op does it once.
void compute_halves(OpDef* def);

// An operator of floats has integers, too, as MXNet's functions have: elementwise code computes
// them in float32, kernels in float64, and the result's fraction is cut off. Before add_op. NumPy's
// rules ask for floats first, so they never meet this.
void cut_integers(OpDef* def);
bool cuts_integers(const OpDef& op);

}  // namespace hybrid
