// Finish: what is done with parts of a result right after they are computed.
#pragma once
#include <cstdint>

#include "kernels/kernels.h"

namespace hybrid {

// Called once for every element of the result, in runs [begin, end) of its memory, by any thread.
struct Finish {
  void (*run)(const void* self, int64_t begin, int64_t end) = nullptr;
  const void* self = nullptr;
  void operator()(int64_t begin, int64_t end) const { run(self, begin, end); }
};

// As conv2d and fully_connected; `finish` may be null.
void conv2d_finished(DType dtype, const ConvParams& p, const void* x, const void* w,
                     const void* bias, void* y, const Finish* finish, Resources& resources);
void fully_connected_finished(DType dtype, int64_t m, int64_t n, int64_t k, const void* x,
                              const void* w, const void* bias, void* y, const Finish* finish,
                              Resources& resources);

}  // namespace hybrid
