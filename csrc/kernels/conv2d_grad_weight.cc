// The gradient of conv2d to its weight: direct, or by columns where there is depth.
#include <algorithm>

#include "kernels/blas.h"
#include "kernels/by_dtype.h"
#include "kernels/conv2d.h"
#include "kernels/conv_columns.h"
#include "kernels/conv_direct.h"
#include "kernels/conv_patch.h"
#include "kernels/conv_weight.h"
#include "kernels/device_kernels.h"
#include "kernels/scratch.h"

namespace hybrid {

int64_t channels_a_task(const ConvParams& p, int64_t in_c, int64_t out_c, int64_t images) {
  const double channel = static_cast<double>(p.taps() * p.out_size()) * static_cast<double>(out_c);
  const int64_t least = std::max<int64_t>(1, static_cast<int64_t>(kTaskProducts / channel));
  const int64_t wanted = std::max<int64_t>(1, 16 / std::max<int64_t>(1, images));
  return std::min(in_c, std::max(least, (in_c + wanted - 1) / wanted));
}

namespace {

constexpr int64_t kBandBytes = 384 << 10;  // what is read of it, to stay in the second-level cache
constexpr int64_t kManyChannels = 48;      // of the output: there products of matrices are as fast

void run_band(const WeightBand<float>& b) { conv_weight().f32(b); }
void run_band(const WeightBand<double>& b) { conv_weight().f64(b); }

// How the work is cut: from the shape alone. Sets of images have independent sums, which are added
// in order at the end; large weights are cut by input channel alone, so that sums need no memory.
struct Cut {
  int64_t images;   // a set
  int64_t sums;     // of sets
  int64_t per_sum;  // sets of one sum
  int64_t block;    // input channels a task

  Cut(const ConvParams& p, int64_t together) : images(together) {
    constexpr int64_t kMostSums = 8, kLargeWeight = 1 << 17;
    const int64_t in_c = p.in_channels / p.groups, out_c = p.out_channels / p.groups;
    const int64_t size = p.out_channels * in_c * p.taps();
    const double products = static_cast<double>(size) * static_cast<double>(p.out_size() * p.batch);
    const int64_t sets = (p.batch + images - 1) / images;
    sums = products > 2 * kTaskProducts && size <= kLargeWeight ? std::min(sets, kMostSums) : 1;
    sums = std::max<int64_t>(1, sums);
    per_sum = (sets + sums - 1) / sums;
    block = channels_a_task(p, in_c, out_c, (sums > 1 ? 2 * sums : 1) * p.groups);
  }
};

// Calls add(first image, images, group, first channel, channels, out, fresh) for the parts of
// every sum: it writes (fresh) or adds to the rows of `out`, which belong to the output channels.
template <class T, class Add>
void add_sums(const ConvParams& p, const Cut& cut, T* dw, Resources& resources, Add add) {
  const int64_t in_c = p.in_channels / p.groups, out_c = p.out_channels / p.groups;
  const int64_t taps = p.taps(), size = p.out_channels * in_c * taps;
  const int64_t parts = (in_c + cut.block - 1) / cut.block;
  T* partial = dw;
  if (cut.sums > 1) {
    partial =
        static_cast<T*>(resources.workspace(static_cast<size_t>(cut.sums * size) * sizeof(T)));
  }
  resources.parallel(cut.sums * p.groups * parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t task = begin; task < end; ++task) {
      const int64_t first = task % parts * cut.block, group = task / parts % p.groups;
      const int64_t sum = task / parts / p.groups, channels = std::min(cut.block, in_c - first);
      T* out = partial + sum * size + (group * out_c * in_c + first) * taps;
      const int64_t start = sum * cut.per_sum * cut.images;
      const int64_t stop = std::min(p.batch, start + cut.per_sum * cut.images);
      for (int64_t b = start; b < stop; b += cut.images) {
        if (resources.cancelled()) return;
        add(b, std::min(cut.images, stop - b), group, first, channels, out, b == start);
      }
      for (int64_t o = 0; start >= stop && o < out_c; ++o) {  // no image in this sum
        std::fill(out + o * in_c * taps, out + (o * in_c + channels) * taps, T(0));
      }
    }
  });
  if (cut.sums == 1) return;
  resources.parallel(size, 1 << 15, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      T total = partial[i];
      for (int64_t s = 1; s < cut.sums; ++s) total += partial[s * size + i];
      dw[i] = total;
    }
  });
}

template <class T>
void by_columns(const ConvParams& p, const T* dy, const T* x, T* dw, Resources& resources) {
  const int64_t in_c = p.in_channels / p.groups, out_c = p.out_channels / p.groups;
  const int64_t taps = p.taps(), pixels = p.out_size(), lines = p.out_d * p.out_h;
  const Cut cut(p, 1);
  const int64_t rows = column_rows(p, cut.block, sizeof(T));
  const size_t bytes = static_cast<size_t>(cut.block * taps * rows * p.out_w) * sizeof(T);
  add_sums(
      p, cut, dw, resources,
      [&](int64_t b, int64_t, int64_t group, int64_t first, int64_t channels, T* out, bool fresh) {
        thread_local ThreadScratch scratch;
        T* columns = static_cast<T*>(scratch.get(bytes));
        const T* image = x + (b * p.in_channels + group * in_c + first) * p.in_size();
        const T* gradient = dy + (b * p.groups + group) * out_c * pixels;
        for (int64_t y0 = 0; y0 < lines; y0 += rows, fresh = false) {
          const int64_t y1 = std::min(lines, y0 + rows), n = (y1 - y0) * p.out_w;
          image_to_columns(p, image, channels, y0, y1, columns);
          blas_gemm(false, true, out_c, channels * taps, n, gradient + y0 * p.out_w, pixels,
                    columns, n, T(fresh ? 0 : 1), out, in_c * taps);
        }
      });
}

// Bytes of the patch and the gradient of so many rows.
int64_t bytes_needed(const ConvParams& p, const Cut& cut, int64_t rows, int64_t item) {
  const int64_t line = cut.block * (p.in_w + 2 * p.pad_w);
  const int64_t gradient = p.out_channels / p.groups * p.out_w * rows;
  return (line * ((p.kernel_h - 1) * p.dilate_h + rows * p.stride_h) + gradient) * cut.images *
         item;
}

Cut choose_cut(const ConvParams& p, int64_t item) {
  const int64_t in_c = p.in_channels / p.groups, out_c = p.out_channels / p.groups;
  const int64_t one = bytes_needed(p, Cut(p, 1), std::min<int64_t>(p.out_h, 4), item);
  return Cut(p, images_together(p, in_c, out_c, conv_direct().vector_bytes / item,
                                2 * kBandBytes / std::max<int64_t>(1, one)));
}

// The images of a set side by side, or one image; band by band, so that what is read stays in
// cache.
template <class T>
void direct(const ConvParams& p, const Cut& cut, const T* dy, const T* x, T* dw,
            Resources& resources) {
  const int64_t in_c = p.in_channels / p.groups, out_c = p.out_channels / p.groups;
  const int64_t item = sizeof(T), pixels = p.out_size();
  const int64_t fixed = bytes_needed(p, cut, 0, item), row = bytes_needed(p, cut, 1, item) - fixed;
  const int64_t rows =
      std::clamp<int64_t>((kBandBytes - fixed) / std::max<int64_t>(1, row), 1, p.out_h);
  add_sums(p, cut, dw, resources,
           [&](int64_t b, int64_t count, int64_t group, int64_t first, int64_t channels, T* out,
               bool fresh) {
             thread_local ThreadScratch scratch, turned;
             const PatchLayout layout(p, channels, rows, cut.images);
             T* patch =
                 static_cast<T*>(scratch.get(static_cast<size_t>(layout.size()) * sizeof(T)));
             const T* image = x + (b * p.in_channels + group * in_c + first) * p.in_size();
             WeightBand<T> band;
             band.patch = patch;
             band.taps = layout.taps.data();
             band.num_taps = channels * p.kernel_h * p.kernel_w;
             band.row_step = layout.row_step;
             band.channels = out_c;
             band.width = band.row = p.out_w * cut.images;
             band.plane = cut.images > 1 ? rows * band.row : pixels;
             band.out = out;
             band.out_row = in_c * p.kernel_h * p.kernel_w;
             T* turns = nullptr;
             if (cut.images > 1) {
               const int64_t size = out_c * band.plane;
               turns = static_cast<T*>(turned.get(static_cast<size_t>(size) * sizeof(T)));
             }
             for (int64_t y0 = 0; y0 < p.out_h; y0 += rows, fresh = false) {
               band.rows = std::min(rows, p.out_h - y0);
               band.fresh = fresh;
               band.gradient = dy + (b * p.groups + group) * out_c * pixels + y0 * p.out_w;
               fill_patch(p, layout, image, p.in_channels * p.in_size(), count, y0, y0 + band.rows,
                          patch);
               if (turns) {
                 for (int64_t o = 0; o < out_c; ++o) {
                   put_together(band.gradient + o * pixels, p.out_channels * pixels, count,
                                band.rows * p.out_w, cut.images, turns + o * band.plane);
                 }
                 band.gradient = turns;
               }
               run_band(band);
             }
           });
}

// A 1x1 kernel without stride or padding sees one long row.
ConvParams in_a_row(ConvParams p) {
  p.in_w = p.out_w = p.out_size();
  p.in_h = p.out_h = p.in_d = p.out_d = 1;
  return p;
}

template <class T>
void weight_gradient(const ConvParams& p, const T* dy, const T* x, T* dw, Resources& resources) {
  if (is_pointwise(p) && p.out_size() > p.out_w) {
    return weight_gradient(in_a_row(p), dy, x, dw, resources);
  }
  if (p.is_volume()) return by_columns(p, dy, x, dw, resources);
  const Cut cut = choose_cut(p, sizeof(T));
  if (cut.images == 1 && p.out_channels / p.groups >= kManyChannels) {
    return by_columns(p, dy, x, dw, resources);
  }
  direct(p, cut, dy, x, dw, resources);
}

}  // namespace

void conv2d_grad_weight(DType dtype, const ConvParams& p, const void* dy, const void* x, void* dw,
                        Resources& resources) {
  if (p.out_channels * p.in_channels * p.taps() == 0) return;
  if (DeviceKernels* const device = resources.device()) {
    if (p.is_volume()) throw NotOnDevice("the gradient of convolution in three dimensions");
    return device->conv2d_grad_weight(dtype, p, dy, x, dw);
  }
  for_float(dtype, "conv2d_grad_weight", [&](auto zero) {
    using T = decltype(zero);
    const T *of_output = static_cast<const T*>(dy), *data = static_cast<const T*>(x);
    weight_gradient(p, of_output, data, static_cast<T*>(dw), resources);
  });
}

}  // namespace hybrid
