// conv2d: forward convolution, direct, or a matrix product for 1x1 kernels.
#include <algorithm>

#include "kernels/blas.h"
#include "kernels/by_dtype.h"
#include "kernels/conv2d.h"
#include "kernels/device_kernels.h"

namespace hybrid {
template <class T>
void convolve_pointwise(const ConvParams& p, bool transpose, const T* x, const T* w, const T* bias,
                        T* y, const Finish* finish, Resources& resources) {
  const int64_t k = p.in_channels / p.groups, m = p.out_channels / p.groups;
  const int64_t pixels = p.out_size();
  const double products = static_cast<double>(m * k);
  int64_t columns = static_cast<int64_t>(kTaskProducts * 4 / products);
  columns = std::min(pixels, std::max<int64_t>(96, columns));
  const int64_t parts = (pixels + columns - 1) / columns;
  const int64_t grain = std::max<int64_t>(
      1, static_cast<int64_t>(kTaskProducts / (products * static_cast<double>(columns))));
  resources.parallel(p.batch * p.groups * parts, grain, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t image = task / parts, at = task % parts * columns, group = image % p.groups;
      const int64_t n = std::min(columns, pixels - at);
      T* out = y + image * m * pixels + at;
      blas_gemm(transpose, false, m, n, k, w + group * m * k, transpose ? m : k,
                x + image * k * pixels + at, pixels, T(0), out, pixels);
      for (int64_t o = 0; bias && o < m; ++o) {
        const T add = bias[group * m + o];
        for (int64_t i = 0; i < n; ++i) out[o * pixels + i] += add;
      }
      if (finish && parts == 1) (*finish)(out - y, out - y + m * pixels);
    }
  });
  if (!finish || parts == 1) return;
  // A task's columns are runs too short to be worth a call each.
  const int64_t total = p.batch * p.groups * m * pixels;
  auto rest = [&](int64_t begin, int64_t end) { (*finish)(begin, end); };
  resources.parallel(total, 1 << 16, rest);
}

template void convolve_pointwise(const ConvParams&, bool, const float*, const float*, const float*,
                                 float*, const Finish*, Resources&);
template void convolve_pointwise(const ConvParams&, bool, const double*, const double*,
                                 const double*, double*, const Finish*, Resources&);

void conv2d(DType dtype, const ConvParams& p, const void* x, const void* w, const void* bias,
            void* y, Resources& resources) {
  conv2d_finished(dtype, p, x, w, bias, y, nullptr, resources);
}

void conv2d_finished(DType dtype, const ConvParams& p, const void* x, const void* w,
                     const void* bias, void* y, const Finish* finish, Resources& resources) {
  if (p.batch * p.out_channels * p.out_size() == 0) return;
  if (DeviceKernels* const device = resources.device()) {
    if (p.is_volume()) throw NotOnDevice("convolution in three dimensions");
    require(finish == nullptr, "conv2d: on a device an epilogue is a kernel of its own");
    return device->conv2d(dtype, p, x, w, bias, y);
  }
  for_float(dtype, "conv2d", [&](auto zero) {
    using T = decltype(zero);
    const T *data = static_cast<const T*>(x), *weight = static_cast<const T*>(w);
    const T* add = static_cast<const T*>(bias);
    if (is_pointwise(p) && p.in_channels > 0) {
      convolve_pointwise(p, false, data, weight, add, static_cast<T*>(y), finish, resources);
    } else if (p.is_volume() || p.in_channels == 0) {
      convolve_columns(p, data, weight, add, static_cast<T*>(y), finish, resources);
    } else {
      convolve_direct(p, data, weight, add, static_cast<T*>(y), finish, resources);
    }
  });
}

}  // namespace hybrid
