// Copies of arrays to and from host memory.
#pragma once
#include <cstddef>

#include "core/ndarray.h"

namespace hybrid {

// Wait for the array (see engine.h). n is in bytes.
void copy_to_host(const NDArray& array, void* destination, size_t bytes);
// Pushes the copy after taking `bytes` from `source` at once (source may be reused on return).
void copy_from_host(const NDArray& array, const void* source, size_t bytes);

}  // namespace hybrid
