// Reduce shape: an array as alternating groups of kept and reduced dimensions.
#pragma once
#include "kernels/elementwise.h"

namespace hybrid {

// A contiguous array seen as (outer, size, inner): `size` is reduced.
struct ReduceStage {
  int64_t outer, size, inner;
};

// The stages of a reduction, innermost group first: the result of each is the next one's input.
// One stage at least, also when nothing is reduced.
std::vector<ReduceStage> reduce_stages(const Shape& shape, uint32_t axes_mask);

}  // namespace hybrid
