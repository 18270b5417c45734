// NumPy's allocators of array data, as in numpy/ndarraytypes.h: part of its binary interface.
#pragma once
#include <cstddef>
#include <cstdint>

namespace hybrid {
namespace bind {

struct NumpyAllocator {
  void* context;
  void* (*malloc)(void*, size_t);
  void* (*calloc)(void*, size_t, size_t);
  void* (*realloc)(void*, void*, size_t);
  void (*free)(void*, void*, size_t);
};
struct NumpyHandler {
  char name[127];
  uint8_t version;
  NumpyAllocator allocator;
};

}  // namespace bind
}  // namespace hybrid
