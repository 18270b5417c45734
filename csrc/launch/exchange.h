// Exchange: sums over devices, and their results on devices, as one operator.
#pragma once
#include <string>
#include <vector>

#include "core/ndarray.h"

namespace hybrid {

// The sum of `sources` is written into each of `targets`; an array may be in both.
struct Exchanged {
  std::vector<NDArray> sources, targets;
};

// All of them together, on the lane "all-reduce" of the first one's device. Arrays are added in the
// order in which they are given: bits do not differ from run to run.
// priority: higher goes first among those that are ready. `name`: of its span. `bytes`: that every
// device sends, as when they are compressed; 0: those of the arrays.
// Throws Error for shapes or dtypes that differ, and for GPUs of the machine.
void exchange(const std::vector<Exchanged>& groups, int priority, const std::string& name,
              int64_t bytes = 0);

}  // namespace hybrid
