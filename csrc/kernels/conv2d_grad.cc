// Gradients of conv2d: to the input (a convolution for stride 1, else columns), to the weight.
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

constexpr double kTaskProducts = 2e6;

// Channels a task, so that one image's gradient is enough work for several tasks but not too small.
int64_t channel_block(const ConvParams& p, int64_t in_c, int64_t out_c, int64_t images) {
  const double channel = static_cast<double>(p.taps() * p.out_size()) * static_cast<double>(out_c);
  const int64_t least = std::max<int64_t>(1, static_cast<int64_t>(kTaskProducts / channel));
  const int64_t wanted = std::max<int64_t>(1, 16 / std::max<int64_t>(1, images));
  return std::min(in_c, std::max(least, (in_c + wanted - 1) / wanted));
}

template <class T>
void input_by_columns(const ConvParams& p, const T* dy, const T* w, T* dx, Resources& resources) {
  const int64_t in_c = p.in_channels / p.groups, out_c = p.out_channels / p.groups;
  const int64_t taps = p.taps(), pixels = p.out_size();
  const int64_t block = channel_block(p, in_c, out_c, p.batch * p.groups);
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

template <class T>
void weight_gradient(const ConvParams& p, const T* dy, const T* x, T* dw, Resources& resources) {
  const int64_t in_c = p.in_channels / p.groups, out_c = p.out_channels / p.groups;
  const int64_t taps = p.taps(), pixels = p.out_size();
  const int64_t size = p.out_channels * in_c * taps;
  const double products = static_cast<double>(size) * static_cast<double>(pixels * p.batch);
  // Independent sums over groups of images, added in order at the end; large weights are cut by
  // input channel instead, so that these sums need no memory.
  constexpr int64_t kMostSums = 8, kLargeWeight = 1 << 17;
  int64_t sums = 1;
  if (products > 2 * kTaskProducts && size <= kLargeWeight) sums = std::min(p.batch, kMostSums);
  const int64_t block = sums > 1 ? in_c : channel_block(p, in_c, out_c, p.groups);
  const int64_t parts = (in_c + block - 1) / block, rows = column_rows(p, block, sizeof(T));
  const int64_t lines = p.out_d * p.out_h;
  const int64_t per_sum = (p.batch + sums - 1) / sums;
  T* partial = dw;
  if (sums > 1) {
    partial = static_cast<T*>(resources.workspace(static_cast<size_t>(sums * size) * sizeof(T)));
  }
  resources.parallel(sums * p.groups * parts, 1, [&](int64_t begin, int64_t end) {
    thread_local ThreadScratch scratch;
    T* columns = static_cast<T*>(
        scratch.get(static_cast<size_t>(block * taps * rows * p.out_w) * sizeof(T)));
    for (int64_t task = begin; task < end; ++task) {
      const int64_t first = task % parts * block, group = task / parts % p.groups;
      const int64_t sum = task / parts / p.groups, channels = std::min(block, in_c - first);
      T* out = partial + sum * size + (group * out_c * in_c + first) * taps;
      bool fresh = true;
      for (int64_t b = sum * per_sum; b < std::min(p.batch, (sum + 1) * per_sum); ++b) {
        if (resources.cancelled()) return;
        const T* image = x + (b * p.in_channels + group * in_c + first) * p.in_size();
        const T* gradient = dy + (b * p.groups + group) * out_c * pixels;
        for (int64_t y0 = 0; y0 < lines; y0 += rows) {
          const int64_t y1 = std::min(lines, y0 + rows), n = (y1 - y0) * p.out_w;
          image_to_columns(p, image, channels, y0, y1, columns);
          blas_gemm(false, true, out_c, channels * taps, n, gradient + y0 * p.out_w, pixels,
                    columns, n, T(fresh ? 0 : 1), out, in_c * taps);
          fresh = false;
        }
      }
      for (int64_t o = 0; fresh && o < out_c; ++o) {  // no image in this sum
        std::fill(out + o * in_c * taps, out + (o * in_c + channels) * taps, T(0));
      }
    }
  });
  if (sums == 1) return;
  resources.parallel(size, 1 << 15, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      T total = partial[i];
      for (int64_t s = 1; s < sums; ++s) total += partial[s * size + i];
      dw[i] = total;
    }
  });
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

void conv2d_grad_weight(DType dtype, const ConvParams& p, const void* dy, const void* x, void* dw,
                        Resources& resources) {
  if (p.out_channels * p.in_channels * p.taps() == 0) return;
  if (DeviceKernels* const device = resources.device()) {
    if (p.is_volume()) throw NotOnDevice("the gradient of convolution in three dimensions");
    return device->conv2d_grad_weight(dtype, p, dy, x, dw);
  }
  for_float(dtype, "conv2d_grad_weight", [&](auto zero) {
    using T = decltype(zero);
    weight_gradient(p, static_cast<const T*>(dy), static_cast<const T*>(x), static_cast<T*>(dw),
                    resources);
  });
}

}  // namespace hybrid
