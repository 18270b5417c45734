// Reduce shape: an array as alternating groups of kept and reduced dimensions.
#pragma once
#include "kernels/kernels.h"

namespace hybrid {

// A contiguous array seen as (outer, size, inner): `size` is reduced.
struct ReduceStage {
  int64_t outer, size, inner;
};

// The stages of a reduction, innermost group first: the result of each is the next one's input.
// One stage at least, also when nothing is reduced.
std::vector<ReduceStage> reduce_stages(const Shape& shape, uint32_t axes_mask);

// Contiguous elements of a type with loops of its own (float32, float64, int32, int64, uint8, bool)
// through the stages; sums, products and so on. `out` is contiguous, of any real dtype.
void reduce_lanes(Reduction kind, DType dtype, const void* x,
                  const std::vector<ReduceStage>& stages, const TensorView& out,
                  Resources& resources);

}  // namespace hybrid
