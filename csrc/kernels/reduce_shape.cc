#include "kernels/reduce_shape.h"

namespace hybrid {

std::vector<ReduceStage> reduce_stages(const Shape& shape, uint32_t axes_mask) {
  std::vector<ReduceStage> stages;
  int64_t inner = 1;  // kept elements to the right of where we are
  for (int d = shape.ndim() - 1; d >= 0;) {
    if (!(axes_mask >> d & 1)) {
      inner *= shape[d--];
      continue;
    }
    int64_t size = 1;
    // Dimensions of size 1 between reduced ones do not part them.
    for (; d >= 0 && ((axes_mask >> d & 1) || shape[d] == 1); --d) size *= shape[d];
    int64_t outer = 1;
    for (int e = 0; e <= d; ++e) outer *= shape[e];
    stages.push_back({outer, size, inner});
  }
  if (stages.empty()) stages.push_back({1, 1, inner});
  return stages;
}

}  // namespace hybrid
