// Group normalization: rows are shared by threads, each row's sums are one thread's.
#include "kernels/group_norm.h"

#include <algorithm>
#include <cmath>

#include "kernels/batch_norm_table.h"
#include "kernels/by_dtype.h"

namespace hybrid {

void group_norm(DType dtype, int64_t rows, int64_t size, int64_t groups, const void* data,
                double eps, const void* gammas, const void* betas, void* result, void* means,
                void* stds, Resources& resources) {
  constexpr int64_t kChunkElements = 1 << 14;
  if (rows == 0) return;
  for_float(dtype, "group normalization", [&](auto zero) {
    using T = decltype(zero);
    const T *x = static_cast<const T*>(data), *gamma = static_cast<const T*>(gammas);
    const T* beta = static_cast<const T*>(betas);
    T *y = static_cast<T*>(result), *mean = static_cast<T*>(means), *std = static_cast<T*>(stds);
    const BatchNormFns<T>& fns = batch_norm_fns(T(0));
    const auto count = static_cast<double>(size);
    auto some = [&](int64_t first, int64_t last) {
      for (int64_t r = first; r < last; ++r) {
        const T* row = x + r * size;
        const T m = static_cast<T>(fns.sum(size, row) / count);
        const T s = static_cast<T>(std::sqrt(fns.sum_squares(size, row, m) / count + eps));
        fns.apply(size, row, m, T(1) / s * gamma[r % groups], beta[r % groups], y + r * size);
        if (mean != nullptr) mean[r] = m;
        if (std != nullptr) std[r] = s;
      }
    };
    const int64_t grain = std::max<int64_t>(1, kChunkElements / std::max<int64_t>(1, size));
    if (rows <= grain) return some(int64_t{0}, rows);
    resources.parallel(rows, grain, some);
  });
}

}  // namespace hybrid
