// gemm_int: products of integer matrices; sums wrap as the dtype does.
#include <algorithm>
#include <type_traits>

#include "core/error.h"
#include "kernels/kernels.h"

namespace hybrid {
namespace {

constexpr int64_t kChunkProducts = 1 << 17;

template <class T>
void rows_of(bool ta, bool tb, int64_t begin, int64_t end, int64_t m, int64_t n, int64_t k,
             const T* a, const T* b, T* c) {
  using Wide = std::conditional_t<sizeof(T) == 2, uint32_t, T>;  // an int would overflow
  for (int64_t i = begin; i < end; ++i) {
    T* row = c + i * n;
    if (tb) {
      for (int64_t j = 0; j < n; ++j) {
        T sum = 0;
        for (int64_t q = 0; q < k; ++q) {
          const Wide factor = ta ? a[q * m + i] : a[i * k + q];
          sum = static_cast<T>(sum + static_cast<T>(factor * b[j * k + q]));
        }
        row[j] = sum;
      }
      continue;
    }
    std::fill(row, row + n, T(0));
    for (int64_t q = 0; q < k; ++q) {
      const Wide factor = ta ? a[q * m + i] : a[i * k + q];
      for (int64_t j = 0; j < n; ++j)
        row[j] = static_cast<T>(row[j] + static_cast<T>(factor * b[q * n + j]));
    }
  }
}

}  // namespace

void gemm_int(DType dtype, bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k,
              const void* a, const void* b, void* c, Resources& resources) {
  if (m == 0 || n == 0) return;
  require(is_integer(dtype), "gemm_int: given ", dtype_name(dtype), ", expected integers");
  const int64_t grain = std::max<int64_t>(1, kChunkProducts / std::max<int64_t>(1, n * k));
  // Unsigned arithmetic wraps; its low bits are those of the signed product.
  const auto run = [&](auto zero) {
    using U = decltype(zero);
    resources.parallel(m, grain, [&](int64_t begin, int64_t end) {
      rows_of(trans_a, trans_b, begin, end, m, n, k, static_cast<const U*>(a),
              static_cast<const U*>(b), static_cast<U*>(c));
    });
  };
  switch (dtype_size(dtype)) {
    case 1:
      return run(uint8_t{});
    case 2:
      return run(uint16_t{});
    case 4:
      return run(uint32_t{});
    default:
      return run(uint64_t{});
  }
}

}  // namespace hybrid
