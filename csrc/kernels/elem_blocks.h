// Elem blocks: parts of strided arrays as contiguous blocks of elements, in flattened order.
#pragma once
#include "kernels/elementwise.h"

namespace hybrid {

// True when element i of the flattened shape lies at data[i].
inline bool is_flat(const Shape& shape, const Shape& strides) {
  int64_t step = 1;
  for (int d = shape.ndim() - 1; d >= 0; --d) {
    if (shape[d] == 1) continue;
    if (strides[d] != step) return false;
    step *= shape[d];
  }
  return true;
}

// An array with adjacent dimensions merged and those of size 1 dropped; innermost first.
struct StridedBlock {
  char* data = nullptr;
  int64_t item = 0;  // bytes of an element
  int ndim = 0;
  int64_t size[kMaxDims];
  int64_t stride[kMaxDims];  // elements

  StridedBlock() = default;
  StridedBlock(void* data, DType dtype, const Shape& shape, const Shape& strides);
  bool repeats_one() const { return ndim == 0 || (ndim == 1 && stride[0] == 0); }
  // Of element i of the flattened array whose element 0 is at `from`.
  char* address(int64_t i, char* from) const {
    int64_t offset = 0;
    for (int d = 0; d < ndim; ++d) {
      offset += i % size[d] * stride[d];
      i /= size[d];
    }
    return from + offset * item;
  }
  // Elements [begin, begin + n) of the flattened array, whose element 0 is at `array`, to or from
  // contiguous memory.
  void load(int64_t begin, int64_t n, void* to, char* array) const;
  void save(int64_t begin, int64_t n, const void* from, char* array) const;
};

// Copies n bytes past the caches; falls back to plain stores where that is not possible.
void copy_past_cache(void* to, const void* from, int64_t bytes);
void finish_past_cache();  // before anybody else may read what was copied
int64_t last_level_cache_bytes();

}  // namespace hybrid
