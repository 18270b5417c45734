// pool2d: rows of the window are combined as whole lines first, then every output along its line.
#include <limits>

#include "kernels/by_dtype.h"
#include "kernels/device_kernels.h"
#include "kernels/elem_table.h"
#include "kernels/kernels.h"
#include "kernels/pool_window.h"
#include "kernels/scratch.h"

namespace hybrid {
namespace {

constexpr int64_t kChunkElements = 1 << 15;

// As the elementwise maximum: NaN from either side.
template <class T>
T larger(T a, T b) {
  return a > b || a != a ? a : b;
}

template <class T>
T along_max(const T* line, int64_t begin, int64_t end) {
  if (begin == end) return std::numeric_limits<T>::lowest();
  T best = line[begin];
  for (int64_t x = begin + 1; x < end; ++x) best = larger(best, line[x]);
  return best;
}
template <class T>
T along_sum(const T* line, int64_t begin, int64_t end) {
  T sum = 0;
  for (int64_t x = begin; x < end; ++x) sum += line[x];
  return sum;
}

template <class T>
void pool_plane(const PoolParams& p, BlockFn combine, const T* image, T* buffer, T* out) {
  const bool is_max = p.type == PoolType::max;
  for (int64_t at = 0; at < p.out_d * p.out_h; ++at, out += p.out_w) {
    const PoolWindow depth(at / p.out_h, p.kernel_d, p.stride_d, p.pad_d, p.in_d);
    const PoolWindow rows(at % p.out_h, p.kernel_h, p.stride_h, p.pad_h, p.in_h);
    const T* line = nullptr;
    for (int64_t z = depth.begin; z < depth.end; ++z) {
      for (int64_t y = rows.begin; y < rows.end; ++y) {
        const T* next = image + (z * p.in_h + y) * p.in_w;
        if (line) combine(line, next, nullptr, buffer, p.in_w);
        line = line ? buffer : next;
      }
    }
    const bool empty = line == nullptr;
    // The usual window, away from the borders.
    if (is_max && !empty && p.kernel_w == 2 && p.stride_w == 2 && p.pad_w == 0 &&
        p.out_w * 2 <= p.in_w) {
      for (int64_t ox = 0; ox < p.out_w; ++ox) out[ox] = larger(line[2 * ox], line[2 * ox + 1]);
      continue;
    }
    for (int64_t ox = 0; ox < p.out_w; ++ox) {
      const PoolWindow columns(ox, p.kernel_w, p.stride_w, p.pad_w, p.in_w);
      const int64_t end = empty ? columns.begin : columns.end;
      if (is_max) {
        out[ox] = along_max(line, columns.begin, end);
      } else {
        const int64_t divisor =
            pool_divisor(depth, rows, columns, p.type == PoolType::avg, p.count_include_pad);
        out[ox] = along_sum(line, columns.begin, end) / static_cast<T>(divisor);
      }
    }
  }
}

}  // namespace

void pool2d(DType dtype, const PoolParams& p, const void* x, void* y, Resources& resources) {
  const int64_t in_plane = p.in_size(), out_plane = p.out_size();
  if (p.batch * p.channels * out_plane == 0) return;
  if (DeviceKernels* const device = resources.device()) {
    if (p.is_volume()) throw NotOnDevice("pooling in three dimensions");
    return device->pool2d(dtype, p, x, y);
  }
  const ElemCode code = p.type == PoolType::max ? ElemCode::maximum : ElemCode::add;
  for_float(dtype, "pool2d", [&](auto zero) {
    using T = decltype(zero);
    const BlockFn combine = elem_table().code[static_cast<int>(code)][elem_type(dtype)][0];
    const int64_t work = in_plane + out_plane * p.kernel_w;
    const int64_t grain = std::max<int64_t>(1, kChunkElements / work);
    resources.parallel(p.batch * p.channels, grain, [&](int64_t begin, int64_t end) {
      thread_local ThreadScratch scratch;
      T* buffer = static_cast<T*>(scratch.get(static_cast<size_t>(p.in_w) * sizeof(T)));
      for (int64_t i = begin; i < end; ++i) {
        pool_plane(p, combine, static_cast<const T*>(x) + i * in_plane, buffer,
                   static_cast<T*>(y) + i * out_plane);
      }
    });
  });
}

}  // namespace hybrid
