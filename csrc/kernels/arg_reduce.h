// Index of the greatest or least element: the first of equal ones, a NaN before all.
#pragma once
#include "kernels/reduce_shape.h"

namespace hybrid {

// `x` is contiguous and not empty; `out` holds an index for every kept element, of any dtype.
void arg_reduce(bool greatest, const TensorView& x, const ReduceStage& stage, const TensorView& out,
                Resources& resources);

}  // namespace hybrid
