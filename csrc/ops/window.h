// Window2d: kernel, stride, dilation and padding of operators that slide a window over (h, w).
#pragma once
#include <cstdint>

#include "ops/attrs.h"

namespace hybrid {

struct Window2d {
  int64_t kernel[2], stride[2] = {1, 1}, dilate[2] = {1, 1}, pad[2] = {0, 0};

  // Checks ranks and ranges; throws Error naming the operator. `dilated`: has the attribute dilate.
  Window2d(const Attrs& attrs, bool dilated);
  // Output size along axis 0 (height) or 1 (width): floor, or ceiling when `full`; -1 for -1.
  int64_t out_size(int64_t in, int axis, bool full, const char* op) const;
};

}  // namespace hybrid
