#include "kernels/conv_columns.h"

#include <algorithm>

namespace hybrid {
namespace {

// Output columns whose tap at offset `tap` (already less the padding) lies inside the image.
struct Inside {
  int64_t begin, end;
  Inside(int64_t tap, int64_t stride, int64_t in, int64_t out) {
    begin = tap < 0 ? (-tap + stride - 1) / stride : 0;
    end = in > tap ? (in - tap - 1) / stride + 1 : 0;
    begin = std::min(begin, out);
    end = std::max(begin, std::min(end, out));
  }
};

// Calls row(column, image, inside) for every (channel, tap, output row): pointers to the first
// output column's entry and to the pixel under it (valid inside only; image is null for a row
// that is all padding).
template <class T, class Row>
void for_rows(const ConvParams& p, T* image, int64_t channels, int64_t y0, int64_t y1, Row row) {
  int64_t at = 0;
  const int64_t kernel = p.kernel_d * p.kernel_h;  // rows of the kernel, through its depth
  for (int64_t c = 0; c < channels; ++c, image += p.in_size()) {
    for (int64_t k = 0; k < kernel; ++k) {
      const int64_t i = k % p.kernel_h * p.dilate_h - p.pad_h;
      const int64_t d = k / p.kernel_h * p.dilate_d - p.pad_d;
      for (int64_t j = 0; j < p.kernel_w; ++j) {
        const int64_t tap = j * p.dilate_w - p.pad_w;
        const Inside inside(tap, p.stride_w, p.in_w, p.out_w);
        int64_t oz = y0 / p.out_h, oy = y0 % p.out_h;
        for (int64_t line = y0; line < y1; ++line, at += p.out_w) {
          const int64_t y = oy * p.stride_h + i, z = oz * p.stride_d + d;
          const bool hit = y >= 0 && y < p.in_h && z >= 0 && z < p.in_d;
          row(at, hit ? image + (z * p.in_h + y) * p.in_w : nullptr, tap, inside);
          if (++oy == p.out_h) oy = 0, ++oz;
        }
      }
    }
  }
}

}  // namespace

template <class T>
void image_to_columns(const ConvParams& p, const T* image, int64_t channels, int64_t y0, int64_t y1,
                      T* columns) {
  for_rows(p, image, channels, y0, y1, [&](int64_t at, const T* line, int64_t tap, Inside in) {
    T* out = columns + at;
    if (!line) {
      std::fill(out, out + p.out_w, T(0));
      return;
    }
    for (int64_t x = 0; x < in.begin; ++x) out[x] = T(0);
    if (p.stride_w == 1) {
      const T* from = line + tap;
      for (int64_t x = in.begin; x < in.end; ++x) out[x] = from[x];
    } else {
      for (int64_t x = in.begin; x < in.end; ++x) out[x] = line[tap + x * p.stride_w];
    }
    for (int64_t x = in.end; x < p.out_w; ++x) out[x] = T(0);
  });
}

template <class T>
void add_columns_to_image(const ConvParams& p, const T* columns, int64_t channels, int64_t y0,
                          int64_t y1, T* image) {
  for_rows(p, image, channels, y0, y1, [&](int64_t at, T* line, int64_t tap, Inside in) {
    if (!line) return;
    const T* from = columns + at;
    if (p.stride_w == 1) {
      T* to = line + tap;
      for (int64_t x = in.begin; x < in.end; ++x) to[x] += from[x];
    } else {
      for (int64_t x = in.begin; x < in.end; ++x) line[tap + x * p.stride_w] += from[x];
    }
  });
}

template void image_to_columns(const ConvParams&, const float*, int64_t, int64_t, int64_t, float*);
template void image_to_columns(const ConvParams&, const double*, int64_t, int64_t, int64_t,
                               double*);
template void add_columns_to_image(const ConvParams&, const float*, int64_t, int64_t, int64_t,
                                   float*);
template void add_columns_to_image(const ConvParams&, const double*, int64_t, int64_t, int64_t,
                                   double*);

}  // namespace hybrid
