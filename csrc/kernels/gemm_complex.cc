// gemm_complex: OpenBLAS's product, the rows of the result split among threads.
#include <algorithm>

#include "core/error.h"
#include "kernels/blas.h"
#include "kernels/kernels.h"

namespace hybrid {

void gemm_complex(DType dtype, bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k,
                  const void* a, const void* b, void* c, Resources& resources) {
  constexpr int64_t kChunkProducts = 1 << 17, kRows = 32;
  require(is_complex(dtype), "gemm_complex: given ", dtype_name(dtype),
          ", expected complex64 or complex128");
  if (m == 0 || n == 0) return;
  const bool wide = dtype == DType::complex128;
  const int64_t item = wide ? 16 : 8, lda = trans_a ? m : k;
  const auto rows = [&](int64_t begin, int64_t end) {
    const char* const from = static_cast<const char*>(a) + begin * (trans_a ? 1 : k) * item;
    blas_gemm_complex(wide, trans_a, trans_b, end - begin, n, k, from, lda, b, trans_b ? k : n,
                      static_cast<char*>(c) + begin * n * item, n);
  };
  // Blocks of rows follow from the shape alone.
  const int64_t blocks = (m + kRows - 1) / kRows;
  const int64_t grain = std::max<int64_t>(1, kChunkProducts / std::max<int64_t>(1, kRows * n * k));
  resources.parallel(blocks, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) rows(i * kRows, std::min(m, (i + 1) * kRows));
  });
}

}  // namespace hybrid
