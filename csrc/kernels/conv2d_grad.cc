// The gradient of conv2d to its input: a convolution for stride 1, else columns.
#include <algorithm>
#include <vector>

#include "kernels/blas.h"
#include "kernels/by_dtype.h"
#include "kernels/conv2d.h"
#include "kernels/conv_columns.h"
#include "kernels/device_kernels.h"
#include "kernels/scratch.h"

namespace hybrid {
namespace {

template <class T>
void input_by_columns(const ConvParams& p, const T* dy, const T* w, T* dx, Resources& resources) {
  const int64_t in_c = p.in_channels / p.groups, out_c = p.out_channels / p.groups;
  const int64_t taps = p.taps(), pixels = p.out_size();
  const int64_t block = channels_a_task(p, in_c, out_c, p.batch * p.groups);
  const int64_t parts = (in_c + block - 1) / block, rows = column_rows(p, block, sizeof(T));
  const int64_t plane = p.in_size(), lines = p.out_d * p.out_h;
  resources.parallel(p.batch * p.groups * parts, 1, [&](int64_t begin, int64_t end) {
    thread_local ThreadScratch scratch;
    T* columns = static_cast<T*>(
        scratch.get(static_cast<size_t>(block * taps * rows * p.out_w) * sizeof(T)));
    for (int64_t task = begin; task < end; ++task) {
      const int64_t image = task / parts, first = task % parts * block, group = image % p.groups;
      const int64_t channels = std::min(block, in_c - first);
      T* out = dx + (image * in_c + first) * plane;
      std::fill(out, out + channels * plane, T(0));
      for (int64_t y0 = 0; y0 < lines; y0 += rows) {
        const int64_t y1 = std::min(lines, y0 + rows), n = (y1 - y0) * p.out_w;
        if (out_c == 0 || resources.cancelled()) break;
        blas_gemm(true, false, channels * taps, n, out_c, w + (group * out_c * in_c + first) * taps,
                  in_c * taps, dy + image * out_c * pixels + y0 * p.out_w, pixels, T(0), columns,
                  n);
        add_columns_to_image(p, columns, channels, y0, y1, out);
      }
    }
  });
}

// The convolution from dy to dx, for stride 1.
ConvParams backwards(const ConvParams& p) {
  ConvParams q = p;
  q.in_channels = p.out_channels;
  q.out_channels = p.in_channels;
  q.in_d = p.out_d;
  q.out_d = p.in_d;
  q.in_h = p.out_h;
  q.in_w = p.out_w;
  q.out_h = p.in_h;
  q.out_w = p.in_w;
  q.pad_h = (p.kernel_h - 1) * p.dilate_h - p.pad_h;
  q.pad_w = (p.kernel_w - 1) * p.dilate_w - p.pad_w;
  return q;
}

// For stride 1 the gradient is the convolution of dy with the kernel turned round.
template <class T>
void input_by_convolution(const ConvParams& p, const T* dy, const T* w, T* dx,
                          Resources& resources) {
  if (is_pointwise(p)) {
    return convolve_pointwise<T>(backwards(p), true, dy, w, nullptr, dx, nullptr, resources);
  }
  const int64_t in_c = p.in_channels / p.groups, out_c = p.out_channels / p.groups;
  const int64_t taps = p.kernel_h * p.kernel_w;
  T* turned = static_cast<T*>(
      resources.workspace(static_cast<size_t>(p.out_channels * in_c * taps) * sizeof(T)));
  for (int64_t g = 0; g < p.groups; ++g) {
    const T* from = w + g * out_c * in_c * taps;
    T* to = turned + g * out_c * in_c * taps;
    for (int64_t i = 0; i < in_c; ++i) {
      for (int64_t o = 0; o < out_c; ++o) {
        for (int64_t t = 0; t < taps; ++t) {
          to[(i * out_c + o) * taps + t] = from[(o * in_c + i) * taps + taps - 1 - t];
        }
      }
    }
  }
  convolve_direct<T>(backwards(p), dy, turned, nullptr, dx, nullptr, resources);
}

}  // namespace

void conv2d_grad_input(DType dtype, const ConvParams& p, const void* dy, const void* w, void* dx,
                       Resources& resources) {
  if (p.batch * p.in_channels * p.in_size() == 0) return;
  if (DeviceKernels* const device = resources.device()) {
    if (p.is_volume()) throw NotOnDevice("the gradient of convolution in three dimensions");
    return device->conv2d_grad_input(dtype, p, dy, w, dx);
  }
  for_float(dtype, "conv2d_grad_input", [&](auto zero) {
    using T = decltype(zero);
    if (p.out_channels == 0) {
      std::fill_n(static_cast<T*>(dx), p.batch * p.in_channels * p.in_size(), T(0));
      return;
    }
    const bool dense = p.stride_h == 1 && p.stride_w == 1 && (!p.is_volume() || is_pointwise(p));
    const auto run = dense ? input_by_convolution<T> : input_by_columns<T>;
    run(p, static_cast<const T*>(dy), static_cast<const T*>(w), static_cast<T*>(dx), resources);
  });
}

}  // namespace hybrid
