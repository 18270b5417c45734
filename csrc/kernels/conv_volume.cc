// Convolution by columns: what has depth, band by band of the result.
#include <algorithm>

#include "kernels/blas.h"
#include "kernels/conv2d.h"
#include "kernels/conv_columns.h"
#include "kernels/scratch.h"

namespace hybrid {

int64_t column_rows(const ConvParams& p, int64_t channels, size_t item) {
  constexpr int64_t kBytes = 512 << 10;
  const int64_t line = channels * p.taps() * p.out_w * static_cast<int64_t>(item);
  return std::min(p.out_d * p.out_h, std::max<int64_t>(1, kBytes / std::max<int64_t>(1, line)));
}

template <class T>
void convolve_columns(const ConvParams& p, const T* x, const T* w, const T* bias, T* y,
                      const Finish* finish, Resources& resources) {
  const int64_t in_c = p.in_channels / p.groups, out_c = p.out_channels / p.groups;
  const int64_t taps = p.taps(), pixels = p.out_size(), lines = p.out_d * p.out_h;
  const int64_t rows = column_rows(p, in_c, sizeof(T)), bands = (lines + rows - 1) / rows;
  resources.parallel(p.batch * p.groups * bands, 1, [&](int64_t begin, int64_t end) {
    thread_local ThreadScratch scratch;
    T* columns =
        static_cast<T*>(scratch.get(static_cast<size_t>(in_c * taps * rows * p.out_w) * sizeof(T)));
    for (int64_t task = begin; task < end && !resources.cancelled(); ++task) {
      const int64_t image = task / bands, group = image % p.groups;
      const int64_t y0 = task % bands * rows, y1 = std::min(lines, y0 + rows);
      const int64_t n = (y1 - y0) * p.out_w;
      T* out = y + image * out_c * pixels + y0 * p.out_w;
      if (in_c == 0) {
        for (int64_t o = 0; o < out_c; ++o) std::fill_n(out + o * pixels, n, T(0));
      } else {
        image_to_columns(p, x + image * in_c * p.in_size(), in_c, y0, y1, columns);
        blas_gemm(false, false, out_c, n, in_c * taps, w + group * out_c * in_c * taps, in_c * taps,
                  columns, n, T(0), out, pixels);
      }
      for (int64_t o = 0; o < out_c; ++o) {
        T* plane = out + o * pixels;
        for (int64_t i = 0; bias && i < n; ++i) plane[i] += bias[group * out_c + o];
        if (finish) (*finish)(plane - y, plane - y + n);
      }
    }
  });
}

template void convolve_columns(const ConvParams&, const float*, const float*, const float*, float*,
                               const Finish*, Resources&);
template void convolve_columns(const ConvParams&, const double*, const double*, const double*,
                               double*, const Finish*, Resources&);

}  // namespace hybrid
