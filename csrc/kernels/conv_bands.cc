// Direct convolution in bands: output rows of an image, or of small images side by side.
#include <algorithm>

#include "kernels/conv2d.h"
#include "kernels/conv_direct.h"
#include "kernels/conv_patch.h"
#include "kernels/scratch.h"

namespace hybrid {
namespace {

constexpr double kMostProducts = 2e8;       // so that cancelling is quick
constexpr int64_t kPatchBytes = 384 << 10;  // of a task, to stay in the second-level cache
constexpr int64_t kTurnsBytes = 32 << 10;   // of results of images side by side, in the first

void run_band(const ConvBand<float>& b) { conv_direct().f32(b); }
void run_band(const ConvBand<double>& b) { conv_direct().f64(b); }

// How the work is cut: from the shape alone.
struct Cut {
  int64_t images;    // side by side
  int64_t rows;      // output rows a band
  int64_t channels;  // output channels a task
};
Cut choose_cut(const ConvParams& p, int64_t in_channels, int64_t out_channels, int block,
               int64_t item) {
  Cut cut;
  const int64_t halo = (p.kernel_h - 1) * p.dilate_h;
  const int64_t alone = in_channels * (p.in_w + 2 * std::max<int64_t>(p.pad_w, 0)) * item;
  const int64_t few_rows = halo + std::min<int64_t>(p.out_h, 4) * p.stride_h;
  cut.images = images_together(p, in_channels, out_channels, conv_direct().vector_bytes / item,
                               kPatchBytes / std::max<int64_t>(1, alone * few_rows));
  const int64_t line = alone * cut.images;
  const double row_products =
      static_cast<double>(p.out_w * cut.images * in_channels * p.kernel_h * p.kernel_w) *
      static_cast<double>(out_channels);
  const double image = row_products * static_cast<double>(p.out_h);
  const double images = static_cast<double>((p.batch + cut.images - 1) / cut.images * p.groups);
  const double wanted = std::min(64.0, image * images / kTaskProducts);
  int64_t parts = static_cast<int64_t>(std::max(1.0, wanted / images));  // of an image
  parts = std::max(parts, static_cast<int64_t>(image / kMostProducts) + 1);
  const int64_t fitting = std::max<int64_t>(1, (kPatchBytes / line - halo) / p.stride_h);
  // Rows first (little is read twice), then channels.
  const int64_t row_vectors = (p.out_w * cut.images + 7) / 8;  // a band holds many, or all rows
  const int64_t least_rows =
      std::min<int64_t>(p.out_h, std::max<int64_t>(halo, (24 + row_vectors - 1) / row_vectors));
  cut.rows = std::min({p.out_h, std::max(fitting, least_rows),
                       std::max(least_rows, (p.out_h + parts - 1) / parts)});
  const int64_t bands = (p.out_h + cut.rows - 1) / cut.rows;
  const int64_t channel_parts = std::max<int64_t>(1, (parts + bands - 1) / bands);
  cut.channels = (out_channels + channel_parts - 1) / channel_parts;
  cut.channels = (cut.channels + block - 1) / block * block;
  return cut;
}

// Computes a band of images side by side, some channels at a time, and takes the images apart.
template <class T>
void run_together(const ConvParams& p, ConvBand<T> b, int64_t images, int64_t count, T* y) {
  const int64_t pixels = b.rows * p.out_w, plane = pixels * images, all = b.channels;
  const int64_t fitting = kTurnsBytes / static_cast<int64_t>(sizeof(T)) / plane / b.block * b.block;
  const int64_t step = std::min<int64_t>(all, std::max<int64_t>(fitting, b.block));
  thread_local ThreadScratch scratch;
  b.out = static_cast<T*>(scratch.get(static_cast<size_t>(step * plane) * sizeof(T)));
  b.width = b.out_row = p.out_w * images;
  b.out_plane = plane;
  for (int64_t c = 0; c < all; c += step) {
    b.channels = std::min(step, all - c);
    run_band(b);
    for (int64_t i = 0; i < b.channels; ++i, y += p.out_h * p.out_w) {
      take_apart(b.out + i * plane, images, pixels, count, p.out_channels * p.out_h * p.out_w, y);
    }
    b.weight += step * b.num_taps;
    if (b.bias) b.bias += step;
  }
}

// Calls finish for a task's part of one image: its channels, a band of `rows` of each.
void finish_band(const ConvParams& p, const Finish& finish, int64_t from, int64_t channels,
                 int64_t rows) {
  const int64_t plane = p.out_h * p.out_w;
  if (rows == p.out_h) return finish(from, from + channels * plane);
  for (int64_t c = 0; c < channels; ++c, from += plane) finish(from, from + rows * p.out_w);
}

}  // namespace

template <class T>
void convolve_direct(const ConvParams& p, const T* x, const T* w, const T* bias, T* y,
                     const Finish* finish, Resources& resources) {
  const int64_t in_c = p.in_channels / p.groups, out_c = p.out_channels / p.groups;
  const int block = conv_direct().block(out_c);
  const Cut cut = choose_cut(p, in_c, out_c, block, sizeof(T));
  const PatchLayout layout(p, in_c, cut.rows, cut.images);
  const int64_t bands = (p.out_h + cut.rows - 1) / cut.rows;
  const int64_t parts = (out_c + cut.channels - 1) / cut.channels;
  const int64_t sets = (p.batch + cut.images - 1) / cut.images;  // of images
  const int64_t taps = static_cast<int64_t>(layout.taps.size());
  const int64_t in_image = p.in_channels * p.in_h * p.in_w, plane = p.out_h * p.out_w;
  const double task_products = static_cast<double>(cut.rows * p.out_w * cut.images * taps) *
                               static_cast<double>(std::min(cut.channels, out_c));
  const int64_t grain = std::max<int64_t>(1, static_cast<int64_t>(kTaskProducts / task_products));
  resources.parallel(sets * p.groups * bands * parts, grain, [&](int64_t begin, int64_t end) {
    thread_local ThreadScratch scratch;
    T* patch = static_cast<T*>(scratch.get(static_cast<size_t>(layout.size()) * sizeof(T)));
    int64_t filled = -1;
    for (int64_t task = begin; task < end; ++task) {
      const int64_t part = task % parts, place = task / parts;
      const int64_t y0 = place % bands * cut.rows, set = place / bands;  // of images, and a group
      const int64_t y1 = std::min(p.out_h, y0 + cut.rows), group = set % p.groups;
      const int64_t image = set / p.groups * cut.images;
      const int64_t count = std::min(cut.images, p.batch - image);
      if (place != filled) {
        const T* const from = x + (image * p.groups + group) * in_c * p.in_h * p.in_w;
        fill_patch(p, layout, from, in_image, count, y0, y1, patch);
      }
      filled = place;
      const int64_t first = group * out_c + part * cut.channels;
      ConvBand<T> b;
      b.patch = patch;
      b.taps = layout.taps.data();
      b.num_taps = taps;
      b.row_step = layout.row_step;
      b.weight = w + first * taps;
      b.bias = bias ? bias + first : nullptr;
      b.channels = std::min(cut.channels, out_c - part * cut.channels);
      b.rows = y1 - y0;
      b.block = block;
      const int64_t at = (image * p.out_channels + first) * plane + y0 * p.out_w;
      if (cut.images > 1) {
        run_together(p, b, cut.images, count, y + at);
      } else {
        b.width = b.out_row = p.out_w;
        b.out_plane = plane;
        b.out = y + at;
        run_band(b);
      }
      const int64_t channels = std::min(cut.channels, out_c - part * cut.channels);
      for (int64_t i = 0; finish && i < count; ++i) {
        finish_band(p, *finish, at + i * p.out_channels * plane, channels, b.rows);
      }
    }
  });
}

template void convolve_direct(const ConvParams&, const float*, const float*, const float*, float*,
                              const Finish*, Resources&);
template void convolve_direct(const ConvParams&, const double*, const double*, const double*,
                              double*, const Finish*, Resources&);

}  // namespace hybrid
