#include "core/ndarray.h"

#include "core/error.h"

namespace hybrid {

NDArray NDArray::empty(const Shape& shape, DType dtype, Context ctx) {
  NDArray array;
  const auto item = static_cast<int64_t>(dtype_size(dtype));
  const int64_t n = shape.size();
  require(n <= (int64_t{1} << 62) / item, "empty: ", dtype_name(dtype), " ", shape,
          " is larger than any memory");
  array.storage = allocate(static_cast<size_t>(n * item), ctx);
  array.shape = shape;
  array.strides = contiguous_strides(shape);
  array.dtype = dtype;
  return array;
}

bool NDArray::contiguous() const {
  int64_t step = 1;
  for (int i = shape.ndim() - 1; i >= 0; --i) {
    if (shape[i] == 0) return true;
    if (shape[i] == 1) continue;  // never stepped along
    if (strides[i] != step) return false;
    step *= shape[i];
  }
  return true;
}

}  // namespace hybrid
