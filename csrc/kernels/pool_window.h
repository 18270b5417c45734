// Pool window: the pixels under one output along one axis, clipped to the image.
#pragma once
#include <algorithm>
#include <cstdint>

namespace hybrid {

struct PoolWindow {
  int64_t begin, end;  // inside the image
  int64_t padded;      // length with padding, as count_include_pad counts it
  PoolWindow(int64_t out, int64_t kernel, int64_t stride, int64_t pad, int64_t in) {
    const int64_t first = out * stride - pad, last = std::min(first + kernel, in + pad);
    begin = std::max<int64_t>(first, 0);
    end = std::max(begin, std::min(last, in));
    padded = last - first;
  }
};

// What a sum over the window is divided by.
inline int64_t pool_divisor(const PoolWindow& z, const PoolWindow& y, const PoolWindow& x,
                            bool average, bool include_padding) {
  if (!average) return 1;
  const int64_t count = include_padding ? z.padded * y.padded * x.padded
                                        : (z.end - z.begin) * (y.end - y.begin) * (x.end - x.begin);
  return std::max<int64_t>(count, 1);
}

}  // namespace hybrid
