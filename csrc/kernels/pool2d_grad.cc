// pool2d_grad: maxima send their gradient to the first largest pixel, sums to all of them.
#include <algorithm>

#include "kernels/by_dtype.h"
#include "kernels/device_kernels.h"
#include "kernels/kernels.h"
#include "kernels/pool_window.h"
#include "kernels/scratch.h"

namespace hybrid {
namespace {

constexpr int64_t kChunkElements = 1 << 15;

// Where the window's largest value stands first; -1: nowhere.
template <class T>
int64_t find_first(const PoolParams& p, const PoolWindow& depth, const PoolWindow& rows,
                   const PoolWindow& columns, const T* image, T largest) {
  const bool is_nan = largest != largest;
  for (int64_t z = depth.begin; z < depth.end; ++z) {
    for (int64_t i = rows.begin; i < rows.end; ++i) {
      const int64_t line = (z * p.in_h + i) * p.in_w;
      for (int64_t j = columns.begin; j < columns.end; ++j) {
        const T value = image[line + j];
        if (value == largest || (is_nan && value != value)) return line + j;
      }
    }
  }
  return -1;
}

template <class T>
void max_plane(const PoolParams& p, const T* dy, const T* image, const T* y, T* dx) {
  for (int64_t at = 0; at < p.out_d * p.out_h; ++at) {
    const PoolWindow depth(at / p.out_h, p.kernel_d, p.stride_d, p.pad_d, p.in_d);
    const PoolWindow rows(at % p.out_h, p.kernel_h, p.stride_h, p.pad_h, p.in_h);
    for (int64_t ox = 0; ox < p.out_w; ++ox, ++dy, ++y) {
      const PoolWindow columns(ox, p.kernel_w, p.stride_w, p.pad_w, p.in_w);
      const int64_t found = find_first(p, depth, rows, columns, image, *y);
      if (found >= 0) dx[found] += *dy;
    }
  }
}

template <class T>
void sum_plane(const PoolParams& p, const T* dy, T* line, T* dx) {
  for (int64_t at = 0; at < p.out_d * p.out_h; ++at, dy += p.out_w) {
    const PoolWindow depth(at / p.out_h, p.kernel_d, p.stride_d, p.pad_d, p.in_d);
    const PoolWindow rows(at % p.out_h, p.kernel_h, p.stride_h, p.pad_h, p.in_h);
    // Spread along the line once, then add the line to every row of the window.
    std::fill(line, line + p.in_w, T(0));
    for (int64_t ox = 0; ox < p.out_w; ++ox) {
      const PoolWindow columns(ox, p.kernel_w, p.stride_w, p.pad_w, p.in_w);
      const int64_t divisor =
          pool_divisor(depth, rows, columns, p.type == PoolType::avg, p.count_include_pad);
      const T share = dy[ox] / static_cast<T>(divisor);
      for (int64_t j = columns.begin; j < columns.end; ++j) line[j] += share;
    }
    for (int64_t z = depth.begin; z < depth.end; ++z) {
      for (int64_t i = rows.begin; i < rows.end; ++i) {
        T* row = dx + (z * p.in_h + i) * p.in_w;
        for (int64_t j = 0; j < p.in_w; ++j) row[j] += line[j];
      }
    }
  }
}

}  // namespace

void pool2d_grad(DType dtype, const PoolParams& p, const void* dy, const void* x, const void* y,
                 void* dx, Resources& resources) {
  const int64_t in_plane = p.in_size(), out_plane = p.out_size();
  if (p.batch * p.channels * in_plane == 0) return;
  if (DeviceKernels* const device = resources.device()) {
    if (p.is_volume()) throw NotOnDevice("the gradient of pooling in three dimensions");
    return device->pool2d_grad(dtype, p, dy, x, y, dx);
  }
  for_float(dtype, "pool2d_grad", [&](auto zero) {
    using T = decltype(zero);
    const int64_t grain = std::max<int64_t>(
        1, kChunkElements / (in_plane + out_plane * p.kernel_d * p.kernel_h * p.kernel_w));
    resources.parallel(p.batch * p.channels, grain, [&](int64_t begin, int64_t end) {
      thread_local ThreadScratch scratch;
      T* line = static_cast<T*>(scratch.get(static_cast<size_t>(p.in_w) * sizeof(T)));
      for (int64_t i = begin; i < end; ++i) {
        T* out = static_cast<T*>(dx) + i * in_plane;
        const T* gradient = static_cast<const T*>(dy) + i * out_plane;
        std::fill(out, out + in_plane, T(0));
        if (p.type == PoolType::max) {
          max_plane(p, gradient, static_cast<const T*>(x) + i * in_plane,
                    static_cast<const T*>(y) + i * out_plane, out);
        } else {
          sum_plane(p, gradient, line, out);
        }
      }
    });
  });
}

}  // namespace hybrid
