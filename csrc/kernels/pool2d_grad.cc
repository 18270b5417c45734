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

template <class T>
void max_plane(const PoolParams& p, const T* dy, const T* image, const T* y, T* dx) {
  for (int64_t oy = 0; oy < p.out_h; ++oy) {
    const PoolWindow rows(oy, p.kernel_h, p.stride_h, p.pad_h, p.in_h);
    for (int64_t ox = 0; ox < p.out_w; ++ox, ++dy, ++y) {
      const PoolWindow columns(ox, p.kernel_w, p.stride_w, p.pad_w, p.in_w);
      const T largest = *y;
      const bool is_nan = largest != largest;
      bool found = false;
      for (int64_t i = rows.begin; i < rows.end && !found; ++i) {
        for (int64_t j = columns.begin; j < columns.end; ++j) {
          const T value = image[i * p.in_w + j];
          if (value == largest || (is_nan && value != value)) {
            dx[i * p.in_w + j] += *dy;
            found = true;
            break;
          }
        }
      }
    }
  }
}

template <class T>
void sum_plane(const PoolParams& p, const T* dy, T* line, T* dx) {
  for (int64_t oy = 0; oy < p.out_h; ++oy, dy += p.out_w) {
    const PoolWindow rows(oy, p.kernel_h, p.stride_h, p.pad_h, p.in_h);
    // Spread along the line once, then add the line to every row of the window.
    std::fill(line, line + p.in_w, T(0));
    for (int64_t ox = 0; ox < p.out_w; ++ox) {
      const PoolWindow columns(ox, p.kernel_w, p.stride_w, p.pad_w, p.in_w);
      const int64_t divisor =
          pool_divisor(rows, columns, p.type == PoolType::avg, p.count_include_pad);
      const T share = dy[ox] / static_cast<T>(divisor);
      for (int64_t j = columns.begin; j < columns.end; ++j) line[j] += share;
    }
    for (int64_t i = rows.begin; i < rows.end; ++i) {
      T* row = dx + i * p.in_w;
      for (int64_t j = 0; j < p.in_w; ++j) row[j] += line[j];
    }
  }
}

}  // namespace

void pool2d_grad(DType dtype, const PoolParams& p, const void* dy, const void* x, const void* y,
                 void* dx, Resources& resources) {
  const int64_t in_plane = p.in_h * p.in_w, out_plane = p.out_h * p.out_w;
  if (p.batch * p.channels * in_plane == 0) return;
  if (DeviceKernels* const device = resources.device()) {
    return device->pool2d_grad(dtype, p, dy, x, y, dx);
  }
  for_float(dtype, "pool2d_grad", [&](auto zero) {
    using T = decltype(zero);
    const int64_t grain =
        std::max<int64_t>(1, kChunkElements / (in_plane + out_plane * p.kernel_h * p.kernel_w));
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
