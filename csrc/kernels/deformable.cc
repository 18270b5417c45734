// Deformable convolution by columns, sample by sample.
#include "kernels/deformable.h"

#include <algorithm>
#include <cmath>

#include "kernels/blas.h"
#include "kernels/by_dtype.h"

namespace hybrid {
namespace {

// A point of an image between four pixels. Without masks, as in MXNet, the last row and column go
// on to the image's end, and before the first ones it is 0; with masks every pixel outside is 0.
template <class T>
struct Point {
  int64_t top, left, height, width;
  int64_t step_down = 1, step_right = 1;  // to the pixels below and on the right
  T down, right;                          // distance from the pixel above and on the left
  bool inside;

  Point(T y, T x, int64_t h, int64_t w, bool masked)
      : top(0), left(0), height(h), width(w), down(0), right(0) {
    inside = y < static_cast<T>(h) && x < static_cast<T>(w) &&
             (masked ? y > T(-1) && x > T(-1) : y >= T(0) && x >= T(0));
    if (!inside) return;
    top = static_cast<int64_t>(std::floor(y));
    left = static_cast<int64_t>(std::floor(x));
    down = y - static_cast<T>(top);
    right = x - static_cast<T>(left);
    if (!masked && top == h - 1) down = 0, step_down = 0;
    if (!masked && left == w - 1) right = 0, step_right = 0;
  }
  bool has(int64_t i, int64_t j) const {
    const int64_t y = top + i * step_down, x = left + j * step_right;
    return y >= 0 && y < height && x >= 0 && x < width;
  }
  int64_t index(int64_t i, int64_t j) const {
    return (top + i * step_down) * width + left + j * step_right;
  }
  T at(const T* image, int64_t i, int64_t j) const { return has(i, j) ? image[index(i, j)] : T(0); }
  T value(const T* image) const {
    if (!inside) return T(0);
    const T above = (1 - right) * at(image, 0, 0) + right * at(image, 0, 1);
    const T below = (1 - right) * at(image, 1, 0) + right * at(image, 1, 1);
    return (1 - down) * above + down * below;
  }
  T slope_down(const T* image) const {
    if (!inside) return T(0);
    return (1 - right) * (at(image, 1, 0) - at(image, 0, 0)) +
           right * (at(image, 1, 1) - at(image, 0, 1));
  }
  T slope_right(const T* image) const {
    if (!inside) return T(0);
    return (1 - down) * (at(image, 0, 1) - at(image, 0, 0)) +
           down * (at(image, 1, 1) - at(image, 1, 0));
  }
  void add(T* image, T part) const {
    if (!inside) return;
    const T share[2][2] = {{(1 - down) * (1 - right), (1 - down) * right},
                           {down * (1 - right), down * right}};
    for (int64_t i = 0; i < 2; ++i) {
      for (int64_t j = 0; j < 2; ++j) {
        if (has(i, j)) image[index(i, j)] += part * share[i][j];
      }
    }
  }
};

// One sample.
template <class T>
struct Sample {
  const DeformableParams& p;
  const T *image, *offset, *mask;
  const ConvParams& c = p.conv;
  const int64_t taps = c.taps(), pixels = c.out_size();
  const int64_t channels = c.in_channels / p.offset_groups;  // of a group of offsets

  T weight(int64_t group, int64_t tap, int64_t pixel) const {
    return mask ? mask[(group * taps + tap) * pixels + pixel] : T(1);
  }
  Point<T> point(int64_t group, int64_t tap, int64_t pixel) const {
    const T* moved = offset + (group * taps + tap) * 2 * pixels + pixel;
    const int64_t y = pixel / c.out_w * c.stride_h - c.pad_h + tap / c.kernel_w * c.dilate_h;
    const int64_t x = pixel % c.out_w * c.stride_w - c.pad_w + tap % c.kernel_w * c.dilate_w;
    return Point<T>(static_cast<T>(y) + moved[0], static_cast<T>(x) + moved[pixels], c.in_h, c.in_w,
                    mask != nullptr);
  }

  void columns(T* out, Resources& resources) const {
    resources.parallel(c.in_channels, 1, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end && !resources.cancelled(); ++k) {
        const int64_t group = k / channels;
        for (int64_t t = 0; t < taps; ++t) {
          T* row = out + (k * taps + t) * pixels;
          for (int64_t q = 0; q < pixels; ++q) {
            row[q] = point(group, t, q).value(image + k * c.in_size()) * weight(group, t, q);
          }
        }
      }
    });
  }

  // The gradient `g` of the columns back to the image.
  void add_to_image(const T* g, T* dx, Resources& resources) const {
    resources.parallel(c.in_channels, 1, [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end && !resources.cancelled(); ++k) {
        T* plane = dx + k * c.in_size();
        std::fill_n(plane, c.in_size(), T(0));
        for (int64_t t = 0; t < taps; ++t) {
          const T* row = g + (k * taps + t) * pixels;
          for (int64_t q = 0; q < pixels; ++q) {
            point(k / channels, t, q).add(plane, row[q] * weight(k / channels, t, q));
          }
        }
      }
    });
  }

  // And to offsets and masks.
  void to_places(const T* g, T* doffset, T* dmask, Resources& resources) const {
    resources.parallel(p.offset_groups * taps, 1, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end && !resources.cancelled(); ++row) {
        const int64_t group = row / taps, t = row % taps;
        for (int64_t q = 0; q < pixels; ++q) {
          const Point<T> at = point(group, t, q);
          T down = 0, right = 0, value = 0;
          for (int64_t k = group * channels; k < (group + 1) * channels; ++k) {
            const T part = g[(k * taps + t) * pixels + q];
            const T* plane = image + k * c.in_size();
            down += part * at.slope_down(plane);
            right += part * at.slope_right(plane);
            if (dmask) value += part * at.value(plane);
          }
          doffset[row * 2 * pixels + q] = down * weight(group, t, q);
          doffset[(row * 2 + 1) * pixels + q] = right * weight(group, t, q);
          if (dmask) dmask[row * pixels + q] = value;
        }
      }
    });
  }
};

template <class T>
Sample<T> sample_of(const DeformableParams& p, int64_t n, const void* x, const void* offset,
                    const void* mask) {
  const int64_t rows = p.offset_groups * p.conv.taps() * p.conv.out_size();
  const T* masks = static_cast<const T*>(mask);
  return {p, static_cast<const T*>(x) + n * p.conv.in_channels * p.conv.in_size(),
          static_cast<const T*>(offset) + n * 2 * rows, masks ? masks + n * rows : nullptr};
}

}  // namespace

void deformable_convolution(DType dtype, const DeformableParams& p, const void* x,
                            const void* offset, const void* mask, const void* w, const void* bias,
                            void* y, Resources& resources) {
  for_float(dtype, "deformable convolution", [&](auto zero) {
    using T = decltype(zero);
    const ConvParams& c = p.conv;
    const int64_t depth = c.in_channels / c.groups * c.taps(), filters = c.out_channels / c.groups;
    const int64_t pixels = c.out_size();
    T* columns = static_cast<T*>(
        resources.workspace(static_cast<size_t>(c.in_channels * c.taps() * pixels) * sizeof(T)));
    for (int64_t n = 0; n < c.batch && !resources.cancelled(); ++n) {
      sample_of<T>(p, n, x, offset, mask).columns(columns, resources);
      T* out = static_cast<T*>(y) + n * c.out_channels * pixels;
      for (int64_t g = 0; g < c.groups; ++g) {
        blas_gemm(false, false, filters, pixels, depth,
                  static_cast<const T*>(w) + g * filters * depth, depth,
                  columns + g * depth * pixels, pixels, T(0), out + g * filters * pixels, pixels);
      }
      for (int64_t o = 0; bias && o < c.out_channels; ++o) {
        const T term = static_cast<const T*>(bias)[o];
        for (int64_t i = 0; i < pixels; ++i) out[o * pixels + i] += term;
      }
    }
  });
}

void deformable_gradient(DType dtype, const DeformableParams& p, const void* dy, const void* x,
                         const void* offset, const void* mask, const void* w, void* dx,
                         void* doffset, void* dmask, void* dw, Resources& resources) {
  for_float(dtype, "gradient of deformable convolution", [&](auto zero) {
    using T = decltype(zero);
    const ConvParams& c = p.conv;
    const int64_t depth = c.in_channels / c.groups * c.taps(), filters = c.out_channels / c.groups;
    const int64_t pixels = c.out_size(), rows = p.offset_groups * c.taps() * pixels;
    const size_t bytes = static_cast<size_t>(c.in_channels * c.taps() * pixels) * sizeof(T);
    T* columns = static_cast<T*>(resources.workspace(bytes));
    T* gradient = static_cast<T*>(resources.workspace(bytes));
    std::fill_n(static_cast<T*>(dw), c.out_channels * depth, T(0));
    for (int64_t n = 0; n < c.batch && !resources.cancelled(); ++n) {
      const Sample<T> s = sample_of<T>(p, n, x, offset, mask);
      s.columns(columns, resources);
      const T* g = static_cast<const T*>(dy) + n * c.out_channels * pixels;
      for (int64_t i = 0; i < c.groups; ++i) {
        const T* own = g + i * filters * pixels;
        blas_gemm(true, false, depth, pixels, filters,
                  static_cast<const T*>(w) + i * filters * depth, depth, own, pixels, T(0),
                  gradient + i * depth * pixels, pixels);
        blas_gemm(false, true, filters, depth, pixels, own, pixels, columns + i * depth * pixels,
                  pixels, T(1), static_cast<T*>(dw) + i * filters * depth, depth);
      }
      s.add_to_image(gradient, static_cast<T*>(dx) + n * c.in_channels * c.in_size(), resources);
      s.to_places(gradient, static_cast<T*>(doffset) + n * 2 * rows,
                  dmask ? static_cast<T*>(dmask) + n * rows : nullptr, resources);
    }
  });
}

}  // namespace hybrid
