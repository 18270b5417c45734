// Layer normalization: rows are shared by threads, each row's sums are one thread's.
#include "kernels/layer_norm.h"

#include <algorithm>
#include <cmath>

#include "kernels/batch_norm_table.h"
#include "kernels/by_dtype.h"
#include "kernels/device_kernels.h"

namespace hybrid {

namespace {

constexpr int64_t kChunkElements = 1 << 14;

template <class T>
T spread(double squares, double size, double eps) {
  return static_cast<T>(std::sqrt(squares / size + eps));
}

// A row whose elements are `step` apart.
template <class T>
void strided_row(int64_t size, int64_t step, const T* x, double eps, const T* gamma, const T* beta,
                 T* y, T* mean, T* std) {
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < size; ++i) sum += static_cast<double>(x[i * step]);
  *mean = static_cast<T>(sum / static_cast<double>(size));
  for (int64_t i = 0; i < size; ++i) {
    const double d = static_cast<double>(x[i * step] - *mean);
    squares += d * d;
  }
  *std = spread<T>(squares, static_cast<double>(size), eps);
  const T by = T(1) / *std;
  for (int64_t i = 0; i < size; ++i) {
    y[i * step] = (x[i * step] - *mean) * by * gamma[i] + beta[i];
  }
}

}  // namespace

void layer_norm(DType dtype, int64_t outer, int64_t size, int64_t inner, const void* data,
                double eps, const void* gammas, const void* betas, void* result, void* means,
                void* stds, Resources& resources) {
  if (DeviceKernels* const device = resources.device()) {
    return device->layer_norm(dtype, outer, size, inner, data, eps, gammas, betas, result, means,
                              stds);
  }
  const int64_t rows = outer * inner;
  if (rows == 0) return;
  for_float(dtype, "layer normalization", [&](auto zero) {
    using T = decltype(zero);
    const T *x = static_cast<const T*>(data), *gamma = static_cast<const T*>(gammas);
    const T* beta = static_cast<const T*>(betas);
    T *y = static_cast<T*>(result), *mean = static_cast<T*>(means), *std = static_cast<T*>(stds);
    const BatchNormFns<T>& fns = batch_norm_fns(T(0));
    auto some = [&](int64_t first, int64_t last) {
      for (int64_t r = first; r < last; ++r) {
        const int64_t at = r / inner * size * inner + r % inner;
        T m = 0, s = 0;
        if (inner > 1) {
          strided_row(size, inner, x + at, eps, gamma, beta, y + at, &m, &s);
        } else {
          const auto count = static_cast<double>(size);
          m = static_cast<T>(fns.sum(size, x + at) / count);
          s = spread<T>(fns.sum_squares(size, x + at, m), count, eps);
          fns.affine(size, x + at, m, T(1) / s, gamma, beta, y + at);
        }
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
