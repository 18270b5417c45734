// NDArray: a typed, strided window on a storage; the value that crosses every interface.
#pragma once
#include "core/dtype.h"
#include "core/shape.h"
#include "core/storage.h"

namespace hybrid {

struct NDArray {
  StorageRef storage;  // empty: no value (an absent optional input)
  int64_t offset = 0;  // elements from the storage's start
  Shape shape;
  Shape strides;  // in elements
  DType dtype = DType::float32;

  static NDArray empty(const Shape& shape, DType dtype, Context ctx);
  bool defined() const { return static_cast<bool>(storage); }
  bool contiguous() const;
  Context ctx() const { return storage->ctx; }
  int64_t nbytes() const { return shape.size() * static_cast<int64_t>(dtype_size(dtype)); }
  char* data() const {  // device pointer of element 0; only kernels may dereference it
    return static_cast<char*>(storage->data) + offset * static_cast<int64_t>(dtype_size(dtype));
  }
};

}  // namespace hybrid
