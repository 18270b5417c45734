#include "kernels/scratch.h"

#include <cstdlib>

#include "core/error.h"

namespace hybrid {

ThreadScratch::~ThreadScratch() { std::free(data_); }

void* ThreadScratch::grow(size_t bytes) {
  bytes = (bytes + 4095) & ~size_t{4095};
  void* data = nullptr;
  if (posix_memalign(&data, 64, bytes) != 0) fail("kernel: no memory for ", bytes, " bytes");
  std::free(data_);
  data_ = data;
  bytes_ = bytes;
  return data_;
}

}  // namespace hybrid
