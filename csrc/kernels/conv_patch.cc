#include "kernels/conv_patch.h"

#include <algorithm>

namespace hybrid {

PatchLayout::PatchLayout(const ConvParams& p, int64_t num_channels, int64_t out_rows)
    : channels(num_channels) {
  const int64_t reach = (p.kernel_w - 1) * p.dilate_w;
  phase = p.out_w + reach / p.stride_w;
  row = p.stride_w * phase;
  rows = (out_rows - 1) * p.stride_h + (p.kernel_h - 1) * p.dilate_h + 1;
  plane = rows * row;
  row_step = p.stride_h * row;
  taps.reserve(static_cast<size_t>(channels * p.kernel_h * p.kernel_w));
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t i = 0; i < p.kernel_h; ++i) {
      for (int64_t j = 0; j < p.kernel_w; ++j) {
        const int64_t x = j * p.dilate_w;
        taps.push_back(c * plane + i * p.dilate_h * row + x % p.stride_w * phase + x / p.stride_w);
      }
    }
  }
}

template <class T>
void fill_patch(const ConvParams& p, const PatchLayout& layout, const T* image, int64_t y0,
                int64_t y1, T* patch) {
  const int64_t rows = (y1 - y0 - 1) * p.stride_h + (p.kernel_h - 1) * p.dilate_h + 1;
  for (int64_t c = 0; c < layout.channels; ++c) {
    for (int64_t r = 0; r < rows; ++r) {
      T* out = patch + c * layout.plane + r * layout.row;
      const int64_t y = y0 * p.stride_h - p.pad_h + r;
      if (y < 0 || y >= p.in_h) {
        std::fill(out, out + layout.row, T(0));
        continue;
      }
      const T* line = image + (c * p.in_h + y) * p.in_w;
      for (int64_t f = 0; f < p.stride_w; ++f, out += layout.phase) {
        // Element i of this phase is the pixel x = first + i * stride.
        const int64_t first = f - p.pad_w;
        const int64_t begin =
            std::min(layout.phase, first < 0 ? (-first + p.stride_w - 1) / p.stride_w : 0);
        const int64_t end = std::max(
            begin,
            std::min(layout.phase, p.in_w > first ? (p.in_w - first - 1) / p.stride_w + 1 : 0));
        std::fill(out, out + begin, T(0));
        if (p.stride_w == 1) {
          std::copy(line + first + begin, line + first + end, out + begin);
        } else {
          for (int64_t i = begin; i < end; ++i) out[i] = line[first + i * p.stride_w];
        }
        std::fill(out + end, out + layout.phase, T(0));
      }
    }
  }
}

template void fill_patch(const ConvParams&, const PatchLayout&, const float*, int64_t, int64_t,
                         float*);
template void fill_patch(const ConvParams&, const PatchLayout&, const double*, int64_t, int64_t,
                         double*);

}  // namespace hybrid
