// gemm: products of matrices, split into tiles that follow from the shape alone.
#include <algorithm>
#include <cstring>

#include "kernels/blas.h"
#include "kernels/by_dtype.h"
#include "kernels/device_kernels.h"
#include "kernels/dot_rows.h"
#include "kernels/kernels.h"

namespace hybrid {
namespace {

constexpr double kSerialProducts = 4e6;  // multiplications not worth splitting (~100 us)
constexpr double kTileProducts = 2e8;  // of one tile at most: 5-10 ms, so that cancelling is quick
constexpr int64_t kVectorChunk = 400000;  // elements of a matrix that one chunk of a gemv reads
constexpr int64_t kShortRowLeast = 32, kShortRowMost = 192;  // bytes: there add_rows beats BLAS

int64_t round_up(int64_t n, int64_t step) { return (n + step - 1) / step * step; }

// Tile sizes; sums over k run in slices when k alone would make a tile too long.
struct Tiles {
  int64_t m, n, k;
};
Tiles choose_tiles(int64_t m, int64_t n, int64_t k) {
  constexpr int64_t kStep = 48, kLeast = 96;  // a multiple of the usual micro-kernels' sizes
  const double all = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  const double target = std::min(kTileProducts, std::max(kSerialProducts, all / 8));
  int64_t parts_m = 1, parts_n = 1;
  Tiles t{m, n, k};
  while (static_cast<double>(t.m) * static_cast<double>(t.n) * static_cast<double>(k) > target &&
         std::max(t.m, t.n) > kLeast) {
    if (t.m >= t.n) {
      t.m = round_up((m + 2 * parts_m - 1) / (2 * parts_m), kStep);
      parts_m *= 2;
    } else {
      t.n = round_up((n + 2 * parts_n - 1) / (2 * parts_n), kStep);
      parts_n *= 2;
    }
  }
  const double area = static_cast<double>(t.m) * static_cast<double>(t.n);
  if (area * static_cast<double>(k) > 2 * kTileProducts) {
    t.k = std::max<int64_t>(256, static_cast<int64_t>(kTileProducts / area));
  }
  return t;
}

template <class T>
void tiled(bool ta, bool tb, int64_t m, int64_t n, int64_t k, const T* a, int64_t lda, const T* b,
           int64_t ldb, T* c, int64_t ldc, bool accumulate, Resources& resources) {
  const Tiles t = choose_tiles(m, n, k);
  const int64_t rows = (m + t.m - 1) / t.m, columns = (n + t.n - 1) / t.n;
  resources.parallel(rows * columns, 1, [&](int64_t begin, int64_t end) {
    for (int64_t tile = begin; tile < end; ++tile) {
      const int64_t i = tile / columns * t.m, j = tile % columns * t.n;
      const int64_t height = std::min(t.m, m - i), width = std::min(t.n, n - j);
      for (int64_t q = 0; q < k; q += t.k) {
        if (q > 0 && resources.cancelled()) return;
        blas_gemm(ta, tb, height, width, std::min(t.k, k - q),
                  ta ? a + q * lda + i : a + i * lda + q, lda,
                  tb ? b + j * ldb + q : b + q * ldb + j, ldb, T(q > 0 || accumulate),
                  c + i * ldc + j, ldc);
      }
    }
  });
}

// Rows of `w` against few vectors, chunks of rows at a time.
template <class T>
void few_vectors(int64_t m, int64_t n, int64_t k, const T* x, int64_t ldx, const T* w, int64_t ldw,
                 T* y, int64_t y_vector, int64_t y_row, Resources& resources) {
  if (n * k <= 2 * kVectorChunk) return dot_rows(m, n, k, x, ldx, w, ldw, y, y_vector, y_row);
  const int64_t grain = round_up(std::max<int64_t>(1, kVectorChunk / k), 4);
  resources.parallel(n, grain, [&](int64_t begin, int64_t end) {
    dot_rows(m, end - begin, k, x, ldx, w + begin * ldw, ldw, y + begin * y_row, y_vector, y_row);
  });
}

// y[n] = a[k,n]^T x of many short rows: chunks of rows, whose sums are added in order.
template <class T>
void short_rows(int64_t n, int64_t k, const T* a, int64_t lda, const T* x, int64_t stride_x, T* y,
                int64_t stride_y, bool accumulate, Resources& resources) {
  const int64_t rows = std::max<int64_t>(1, kVectorChunk / n);
  const int64_t chunks = (k + rows - 1) / rows;
  T* const sums = static_cast<T*>(resources.workspace(static_cast<size_t>(chunks * n) * sizeof(T)));
  resources.parallel(chunks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t chunk = begin; chunk < end; ++chunk) {
      const int64_t first = chunk * rows;
      add_rows(n, std::min(rows, k - first), x + first * stride_x, stride_x, a + first * lda, lda,
               sums + chunk * n);
    }
  });
  for (int64_t j = 0; j < n; ++j) {
    T sum = accumulate ? y[j * stride_y] : T(0);
    for (int64_t chunk = 0; chunk < chunks; ++chunk) sum += sums[chunk * n + j];
    y[j * stride_y] = sum;
  }
}

// y[n] = a[k,n]^T x, chunks of columns at a time.
template <class T>
void one_vector(int64_t n, int64_t k, const T* a, int64_t lda, const T* x, int64_t stride_x, T* y,
                int64_t stride_y, bool accumulate, Resources& resources) {
  const int64_t row = n * static_cast<int64_t>(sizeof(T));
  // Of fewer numbers BLAS's own order is kept: it is NumPy's to the bit.
  if (row >= kShortRowLeast && row <= kShortRowMost && n * k > 2 * kVectorChunk) {
    return short_rows(n, k, a, lda, x, stride_x, y, stride_y, accumulate, resources);
  }
  const int64_t grain = round_up(std::max<int64_t>(256, kVectorChunk / k), 64);
  resources.parallel(n, grain, [&](int64_t begin, int64_t end) {
    blas_gemv_t(k, end - begin, a + begin, lda, x, stride_x, T(accumulate), y + begin * stride_y,
                stride_y);
  });
}

template <class T>
void product(bool ta, bool tb, int64_t m, int64_t n, int64_t k, const T* a, int64_t lda, const T* b,
             int64_t ldb, T* c, int64_t ldc, bool accumulate, Resources& resources) {
  if (m == 0 || n == 0) return;
  if (k == 0) {
    for (int64_t i = 0; i < m && !accumulate; ++i) std::fill(c + i * ldc, c + i * ldc + n, T(0));
    return;
  }
  // The rows of both factors lie along k, and one factor has few of them.
  if (!accumulate && !ta && (tb || (n == 1 && ldb == 1)) && std::min(m, n) <= kFewVectors) {
    const int64_t b_row = tb ? ldb : k;
    if (m <= n) return few_vectors(m, n, k, a, lda, b, b_row, c, ldc, 1, resources);
    return few_vectors(n, m, k, b, b_row, a, lda, c, 1, ldc, resources);
  }
  if (m == 1 && !tb) {
    return one_vector(n, k, b, ldb, a, ta ? lda : 1, c, 1, accumulate, resources);
  }
  if (n == 1 && ta) {
    return one_vector(m, k, a, lda, b, tb ? 1 : ldb, c, ldc, accumulate, resources);
  }
  tiled(ta, tb, m, n, k, a, lda, b, ldb, c, ldc, accumulate, resources);
}

}  // namespace

void gemm(DType dtype, bool trans_a, bool trans_b, int64_t m, int64_t n, int64_t k, const void* a,
          int64_t lda, const void* b, int64_t ldb, void* c, int64_t ldc, bool accumulate,
          Resources& resources) {
  if (DeviceKernels* const device = resources.device()) {
    return device->gemm(dtype, trans_a, trans_b, m, n, k, a, lda, b, ldb, c, ldc, accumulate);
  }
  for_float(dtype, "gemm", [&](auto zero) {
    using T = decltype(zero);
    product(trans_a, trans_b, m, n, k, static_cast<const T*>(a), lda, static_cast<const T*>(b), ldb,
            static_cast<T*>(c), ldc, accumulate, resources);
  });
}

}  // namespace hybrid
