// fully_connected: the product, then bias and activation row by row with the elementwise loops.
#include <algorithm>

#include "kernels/by_dtype.h"
#include "kernels/elem_table.h"
#include "kernels/kernels.h"

namespace hybrid {

void fully_connected(DType dtype, int64_t m, int64_t n, int64_t k, const void* x, const void* w,
                     const void* bias, ElemCode activation, void* y, Resources& resources) {
  gemm(dtype, false, true, m, n, k, x, k, w, k, y, n, false, resources);
  const int type = elem_type(dtype);
  const auto fn_of = [type](ElemCode code) {
    return elem_table().code[static_cast<int>(code)][type][0];
  };
  const BlockFn add = bias ? fn_of(ElemCode::add) : nullptr;
  const BlockFn act = activation == ElemCode::copy ? nullptr : fn_of(activation);
  if (!add && !act) return;
  const int64_t row_bytes = n * static_cast<int64_t>(dtype_size(dtype));
  auto finish = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      char* row = static_cast<char*>(y) + i * row_bytes;
      if (add) add(row, bias, nullptr, row, n);
      if (act) act(row, nullptr, nullptr, row, n);
    }
  };
  constexpr int64_t kChunkElements = 1 << 16;
  const int64_t grain = std::max<int64_t>(1, kChunkElements / std::max<int64_t>(1, n));
  if (m <= grain) return finish(0, m);
  resources.parallel(m, grain, finish);
}

}  // namespace hybrid
