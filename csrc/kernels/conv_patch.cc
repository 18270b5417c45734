#include "kernels/conv_patch.h"

#include <algorithm>

#include "kernels/scratch.h"
#include "kernels/transpose_tile.h"

namespace hybrid {
namespace {

constexpr int64_t kMostImages = 16;  // side by side: a vector of the widest instruction set

// Elements of one phase of a row, whose first is the pixel `first`, that lie inside the image.
struct Inside {
  int64_t first, begin, end;
  Inside(const ConvParams& p, int64_t phase, int64_t width) : first(phase - p.pad_w) {
    const int64_t s = p.stride_w;
    begin = std::min(width, first < 0 ? (-first + s - 1) / s : 0);
    end = std::max(begin, std::min(width, p.in_w > first ? (p.in_w - first - 1) / s + 1 : 0));
  }
};

template <class T>
void fill_row(const ConvParams& p, const PatchLayout& layout, const T* line, T* out) {
  const int64_t n = layout.images, width = layout.phase / n;
  for (int64_t f = 0; f < p.stride_w; ++f, out += layout.phase) {
    if (!layout.read_phases[f]) continue;
    const Inside in(p, f, width);
    std::fill(out, out + in.begin * n, T(0));
    if (p.stride_w == 1) {
      std::copy(line + (in.first + in.begin) * n, line + (in.first + in.end) * n,
                out + in.begin * n);
    } else if (n == 1) {
      for (int64_t i = in.begin; i < in.end; ++i) out[i] = line[in.first + i * p.stride_w];
    } else {
      for (int64_t i = in.begin; i < in.end; ++i) {
        std::copy_n(line + (in.first + i * p.stride_w) * n, n, out + i * n);
      }
    }
    std::fill(out + in.end * n, out + layout.phase, T(0));
  }
}

}  // namespace

PatchLayout::PatchLayout(const ConvParams& p, int64_t num_channels, int64_t out_rows,
                         int64_t num_images)
    : channels(num_channels), images(num_images) {
  const int64_t reach = (p.kernel_w - 1) * p.dilate_w;
  phase = (p.out_w + reach / p.stride_w) * images;
  row = p.stride_w * phase;
  rows = (out_rows - 1) * p.stride_h + (p.kernel_h - 1) * p.dilate_h + 1;
  plane = rows * row;
  row_step = p.stride_h * row;
  read_rows.resize(static_cast<size_t>(p.stride_h));
  for (int64_t i = 0; i < p.kernel_h; ++i) read_rows[i * p.dilate_h % p.stride_h] = true;
  read_phases.resize(static_cast<size_t>(p.stride_w));
  for (int64_t j = 0; j < p.kernel_w; ++j) read_phases[j * p.dilate_w % p.stride_w] = true;
  taps.reserve(static_cast<size_t>(channels * p.kernel_h * p.kernel_w));
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t i = 0; i < p.kernel_h; ++i) {
      for (int64_t j = 0; j < p.kernel_w; ++j) {
        const int64_t x = j * p.dilate_w;
        taps.push_back(c * plane + i * p.dilate_h * row + x % p.stride_w * phase +
                       x / p.stride_w * images);
      }
    }
  }
}

int64_t images_together(const ConvParams& p, int64_t in_channels, int64_t out_channels,
                        int64_t lanes, int64_t most) {
  most = std::min(most, kMostImages);
  if (p.batch < 2 || most < 2) return 1;
  const int64_t turns = (p.batch + most - 1) / most;
  const int64_t images = (p.batch + turns - 1) / turns;
  const auto vectors = [&](int64_t width) {
    return static_cast<double>((width + lanes - 1) / lanes * p.out_h);
  };
  // In cycles of one image: two products of vectors, one element moved each.
  const double products = 0.5 * static_cast<double>(in_channels * p.taps() * out_channels);
  const double moved = static_cast<double>(in_channels * p.in_size() + out_channels * p.out_size());
  const double alone = vectors(p.out_w) * products;
  const double together =
      vectors(p.out_w * images) * products / static_cast<double>(images) + moved;
  return together < alone ? images : 1;
}

template <class T>
void put_together(const T* planes, int64_t step, int64_t count, int64_t pixels, int64_t images,
                  T* turns) {
  if (count < images) std::fill(turns, turns + pixels * images, T(0));
  for (int64_t i = 0; i < pixels; i += kTile) {
    transpose_tile(planes + i, step, turns + i * images, images, std::min(kTile, pixels - i),
                   count);
  }
}

template <class T>
void take_apart(const T* turns, int64_t images, int64_t pixels, int64_t count, int64_t step,
                T* planes) {
  for (int64_t i = 0; i < pixels; i += kTile) {
    transpose_tile(turns + i * images, images, planes + i, step, count,
                   std::min(kTile, pixels - i));
  }
}

template <class T>
void fill_patch(const ConvParams& p, const PatchLayout& layout, const T* image, int64_t step,
                int64_t count, int64_t y0, int64_t y1, T* patch) {
  const int64_t rows = (y1 - y0 - 1) * p.stride_h + (p.kernel_h - 1) * p.dilate_h + 1;
  const int64_t top = y0 * p.stride_h - p.pad_h;
  const int64_t first = std::clamp<int64_t>(top, 0, p.in_h);
  const int64_t last = std::clamp<int64_t>(top + rows, first, p.in_h);
  const int64_t n = layout.images, row = p.in_w * n;
  // Short rows are turned all at once, long ones where they are read.
  const bool at_once = n > 1 && p.in_w < kTile;
  thread_local ThreadScratch scratch;
  T* turns = nullptr;
  if (n > 1) turns = static_cast<T*>(scratch.get(sizeof(T) * ((at_once ? last - first : 1) * row)));
  for (int64_t c = 0; c < layout.channels; ++c, image += p.in_size()) {
    const T* lines = image + first * p.in_w;
    if (at_once) {
      put_together(lines, step, count, (last - first) * p.in_w, n, turns);
      lines = turns;
    }
    for (int64_t r = 0; r < rows; ++r) {
      if (!layout.read_rows[r % p.stride_h]) continue;
      T* out = patch + c * layout.plane + r * layout.row;
      const int64_t y = top + r;
      if (y < first || y >= last) {
        std::fill(out, out + layout.row, T(0));
      } else if (n == 1 || at_once) {
        fill_row(p, layout, lines + (y - first) * row, out);
      } else {
        put_together(image + y * p.in_w, step, count, p.in_w, n, turns);
        fill_row(p, layout, turns, out);
      }
    }
  }
}

HYBRID_PATCHES(, float)
HYBRID_PATCHES(, double)

}  // namespace hybrid
