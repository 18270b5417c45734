// conv2d: forward convolution, direct, or a matrix product for 1x1 kernels.
#include <algorithm>

#include "kernels/blas.h"
#include "kernels/by_dtype.h"
#include "kernels/conv2d.h"
#include "kernels/conv_direct.h"
#include "kernels/conv_patch.h"
#include "kernels/device_kernels.h"
#include "kernels/scratch.h"

namespace hybrid {
namespace {

constexpr double kTaskProducts = 2e6;       // multiplications of one task, about: 50 us
constexpr double kMostProducts = 2e8;       // so that cancelling is quick
constexpr int64_t kPatchBytes = 384 << 10;  // of a task, to stay in the second-level cache

void run_band(const ConvBand<float>& b) { conv_direct().f32(b); }
void run_band(const ConvBand<double>& b) { conv_direct().f64(b); }

// How the work on one image and group is cut: from the shape alone.
struct Cut {
  int64_t rows;      // output rows a band
  int64_t channels;  // output channels a task
};
Cut choose_cut(const ConvParams& p, int64_t in_channels, int64_t out_channels, int block,
               int64_t item) {
  const double row_products = static_cast<double>(p.out_w * in_channels * p.kernel_h * p.kernel_w) *
                              static_cast<double>(out_channels);
  const double image = row_products * static_cast<double>(p.out_h);
  const double images = static_cast<double>(p.batch * p.groups);
  const double wanted = std::min(64.0, image * images / kTaskProducts);
  int64_t parts = static_cast<int64_t>(std::max(1.0, wanted / images));  // of an image
  parts = std::max(parts, static_cast<int64_t>(image / kMostProducts) + 1);
  const int64_t halo = (p.kernel_h - 1) * p.dilate_h;
  const int64_t line = in_channels * (p.in_w + 2 * std::max<int64_t>(p.pad_w, 0)) * item;
  const int64_t fitting = std::max<int64_t>(1, (kPatchBytes / line - halo) / p.stride_h);
  // Rows first (little is read twice), then channels.
  const int64_t row_vectors = (p.out_w + 7) / 8;  // a band holds many of them, or the whole image
  const int64_t least_rows =
      std::min<int64_t>(p.out_h, std::max<int64_t>(halo, (24 + row_vectors - 1) / row_vectors));
  Cut cut;
  cut.rows = std::min({p.out_h, std::max(fitting, least_rows),
                       std::max(least_rows, (p.out_h + parts - 1) / parts)});
  const int64_t bands = (p.out_h + cut.rows - 1) / cut.rows;
  const int64_t channel_parts = std::max<int64_t>(1, (parts + bands - 1) / bands);
  cut.channels = (out_channels + channel_parts - 1) / channel_parts;
  cut.channels = (cut.channels + block - 1) / block * block;
  return cut;
}

}  // namespace

template <class T>
void convolve_direct(const ConvParams& p, const T* x, const T* w, const T* bias, T* y,
                     const Finish* finish, Resources& resources) {
  const int64_t in_c = p.in_channels / p.groups, out_c = p.out_channels / p.groups;
  const int block = conv_block(out_c);
  const Cut cut = choose_cut(p, in_c, out_c, block, sizeof(T));
  const PatchLayout layout(p, in_c, cut.rows);
  const int64_t bands = (p.out_h + cut.rows - 1) / cut.rows;
  const int64_t parts = (out_c + cut.channels - 1) / cut.channels;
  const int64_t tasks = p.batch * p.groups * bands * parts;
  const int64_t taps = static_cast<int64_t>(layout.taps.size());
  const double task_products = static_cast<double>(cut.rows * p.out_w * taps) *
                               static_cast<double>(std::min(cut.channels, out_c));
  const int64_t grain = std::max<int64_t>(1, static_cast<int64_t>(kTaskProducts / task_products));
  resources.parallel(tasks, grain, [&](int64_t begin, int64_t end) {
    thread_local ThreadScratch scratch;
    T* patch = static_cast<T*>(scratch.get(static_cast<size_t>(layout.size()) * sizeof(T)));
    int64_t filled = -1;
    for (int64_t task = begin; task < end; ++task) {
      const int64_t part = task % parts, place = task / parts;
      const int64_t y0 = place % bands * cut.rows, image = place / bands;  // image and group
      const int64_t y1 = std::min(p.out_h, y0 + cut.rows), group = image % p.groups;
      if (place != filled) fill_patch(p, layout, x + image * in_c * p.in_h * p.in_w, y0, y1, patch);
      filled = place;
      const int64_t first = part * cut.channels;
      ConvBand<T> b;
      b.patch = patch;
      b.taps = layout.taps.data();
      b.num_taps = taps;
      b.row_step = layout.row_step;
      b.weight = w + (group * out_c + first) * taps;
      b.bias = bias ? bias + group * out_c + first : nullptr;
      b.channels = std::min(cut.channels, out_c - first);
      b.rows = y1 - y0;
      b.width = p.out_w;
      b.out_plane = p.out_h * p.out_w;
      b.out_row = p.out_w;
      b.out = y + (image * out_c + first) * b.out_plane + y0 * b.out_row;
      b.block = block;
      run_band(b);
      for (int64_t c = 0; finish && c < b.channels; ++c) {
        const int64_t from = b.out + c * b.out_plane - y;
        (*finish)(from, from + b.rows * b.out_row);
      }
    }
  });
}

template void convolve_direct(const ConvParams&, const float*, const float*, const float*, float*,
                              const Finish*, Resources&);
template void convolve_direct(const ConvParams&, const double*, const double*, const double*,
                              double*, const Finish*, Resources&);

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
