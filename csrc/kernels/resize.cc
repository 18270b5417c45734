// Images of another size: a row of the result from resized rows, of which the last few are kept.
#include "kernels/resize.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "core/error.h"

namespace hybrid {

namespace {

constexpr int64_t kGrain = 16384;  // elements of the result that a thread takes at once
constexpr int kKept = 8;           // rows that the longest interpolation needs

// Bytes are interpolated with weights in parts of 2048, as OpenCV does.
constexpr int kFixedBits = 11;

template <class A>
A weight_of(float weight) {
  if constexpr (!std::is_integral_v<A>) return static_cast<A>(weight);
  return static_cast<A>(std::nearbyint(weight * static_cast<float>(1 << kFixedBits)));
}

uint8_t byte_of(double v) {
  return static_cast<uint8_t>(std::clamp(std::nearbyint(v), 0.0, 255.0));
}

// How sums become pixels: OpenCV's ways for bytes.
template <class T, class A>
struct Finish {
  bool linear, halves;

  // A resized row's part in the sum of a row of the result.
  A part(A weight, A value) const {
    if constexpr (std::is_integral_v<A>) {
      if (linear) return (weight * (value >> 4)) >> 16;
    }
    return weight * value;
  }
  T pixel(A sum) const {
    if constexpr (std::is_integral_v<A>) {
      constexpr int bits = 2 * kFixedBits;
      const A rounded = linear ? (sum + 2) >> 2 : (sum + (A{1} << (bits - 1))) >> bits;
      return static_cast<T>(std::clamp<A>(rounded, 0, 255));
    } else if constexpr (std::is_same_v<T, uint8_t>) {
      return halves ? static_cast<uint8_t>(std::floor(sum + A(0.5)))
                    : byte_of(static_cast<double>(sum));
    } else {
      return static_cast<T>(sum);
    }
  }
};

template <class T, class A>
class Rows {
 public:
  Rows(const Resizing& how, const TensorView& data, const TensorView& result)
      : how_(how),
        height_(data.shape[1]),
        width_(data.shape[2]),
        channels_(data.shape[3]),
        new_height_(result.shape[1]),
        row_(result.shape[2] * result.shape[3]),
        data_(data.as<T>()),
        result_(result.as<T>()),
        finish_{how.method == Interpolation::linear || how.method == Interpolation::area,
                how.halves} {
    for (const float w : how.columns.weight) columns_.push_back(weight_of<A>(w));
    for (const float w : how.rows.weight) rows_.push_back(weight_of<A>(w));
  }

  // Rows [first, last) of all images' results.
  void run(int64_t first, int64_t last) const {
    std::vector<A> kept(static_cast<size_t>(kKept * row_)), sum(static_cast<size_t>(row_));
    int64_t which[kKept];
    std::fill(which, which + kKept, int64_t{-1});
    for (int64_t r = first; r < last; ++r) {
      const int64_t image = r / new_height_, y = r % new_height_;
      std::fill(sum.begin(), sum.end(), A(0));
      for (int64_t k = begin(y); k < begin(y + 1); ++k) {
        const int64_t source = image * height_ + how_.rows.from[static_cast<size_t>(k)];
        A* line = kept.data() + source % kKept * row_;
        if (which[source % kKept] != source) {
          resize_row(data_ + source * width_ * channels_, line);
          which[source % kKept] = source;
        }
        const A weight = rows_[static_cast<size_t>(k)];
        for (int64_t i = 0; i < row_; ++i)
          sum[static_cast<size_t>(i)] += finish_.part(weight, line[i]);
      }
      T* to = result_ + r * row_;
      for (int64_t i = 0; i < row_; ++i) to[i] = finish_.pixel(sum[static_cast<size_t>(i)]);
    }
  }

 private:
  int64_t begin(int64_t y) const { return how_.rows.begin[static_cast<size_t>(y)]; }

  void resize_row(const T* from, A* to) const {
    if (channels_ == 1) return resize_pixels<1>(from, to);
    if (channels_ == 3) return resize_pixels<3>(from, to);
    const Taps& taps = how_.columns;
    for (size_t x = 0; x + 1 < taps.begin.size(); ++x, to += channels_) {
      std::fill(to, to + channels_, A(0));
      for (auto k = taps.begin[x]; k < taps.begin[x + 1]; ++k) {
        const T* pixel = from + taps.from[static_cast<size_t>(k)] * channels_;
        const A weight = columns_[static_cast<size_t>(k)];
        for (int64_t c = 0; c < channels_; ++c) to[c] += weight * static_cast<A>(pixel[c]);
      }
    }
  }

  template <int C>
  void resize_pixels(const T* from, A* to) const {
    const Taps& taps = how_.columns;
    for (size_t x = 0; x + 1 < taps.begin.size(); ++x, to += C) {
      A sum[C] = {};
      for (auto k = taps.begin[x]; k < taps.begin[x + 1]; ++k) {
        const T* pixel = from + taps.from[static_cast<size_t>(k)] * C;
        const A weight = columns_[static_cast<size_t>(k)];
        for (int c = 0; c < C; ++c) sum[c] += weight * static_cast<A>(pixel[c]);
      }
      std::copy_n(sum, C, to);
    }
  }

  const Resizing& how_;
  int64_t height_, width_, channels_, new_height_, row_;
  const T* data_;
  T* result_;
  Finish<T, A> finish_;
  std::vector<A> columns_, rows_;
};

template <class T, class A>
void run_rows(const Resizing& how, const TensorView& data, const TensorView& result,
              Resources& resources) {
  const Rows<T, A> rows(how, data, result);
  const int64_t row = result.shape[2] * result.shape[3];
  resources.parallel(result.shape[0] * result.shape[1], std::max<int64_t>(1, kGrain / row),
                     [&](int64_t first, int64_t last) { rows.run(first, last); });
}

// One image's gradient: each row spread along its pixels, then over the rows that it is of.
template <class T>
void spread_image(const Resizing& how, const Shape& from, const Shape& to, const T* grad, T* data) {
  const int64_t channels = to[3], row = to[2] * channels;
  std::vector<T> line(static_cast<size_t>(row));
  std::fill(data, data + to[1] * row, T(0));
  for (int64_t y = 0; y < from[1]; ++y, grad += from[2] * channels) {
    std::fill(line.begin(), line.end(), T(0));
    for (int64_t x = 0; x < from[2]; ++x) {
      for (auto k = static_cast<size_t>(how.columns.begin[static_cast<size_t>(x)]);
           k < static_cast<size_t>(how.columns.begin[static_cast<size_t>(x) + 1]); ++k) {
        T* pixel = line.data() + how.columns.from[k] * channels;
        const T weight = static_cast<T>(how.columns.weight[k]);
        for (int64_t c = 0; c < channels; ++c) pixel[c] += weight * grad[x * channels + c];
      }
    }
    for (auto k = static_cast<size_t>(how.rows.begin[static_cast<size_t>(y)]);
         k < static_cast<size_t>(how.rows.begin[static_cast<size_t>(y) + 1]); ++k) {
      T* place = data + how.rows.from[k] * row;
      const T weight = static_cast<T>(how.rows.weight[k]);
      for (int64_t i = 0; i < row; ++i) place[i] += weight * line[static_cast<size_t>(i)];
    }
  }
}

template <class T>
void spread_images(const Resizing& how, const TensorView& grad, const TensorView& data,
                   Resources& resources) {
  const int64_t from = grad.size() / grad.shape[0], to = data.size() / data.shape[0];
  resources.parallel(grad.shape[0], 1, [&](int64_t first, int64_t last) {
    for (int64_t n = first; n < last; ++n) {
      spread_image(how, grad.shape, data.shape, grad.as<T>() + n * from, data.as<T>() + n * to);
    }
  });
}

}  // namespace

void resize_images(const Resizing& how, const TensorView& data, const TensorView& result,
                   Resources& resources) {
  if (result.size() == 0) return;
  if (data.shape == result.shape) {
    std::memcpy(result.data, data.data, static_cast<size_t>(data.size()) * dtype_size(data.dtype));
  } else if (data.dtype == DType::float32) {
    run_rows<float, float>(how, data, result, resources);
  } else if (data.dtype == DType::float64) {
    run_rows<double, double>(how, data, result, resources);
  } else if (how.averages || how.method == Interpolation::nearest) {
    run_rows<uint8_t, float>(how, data, result, resources);
  } else if (how.method == Interpolation::lanczos) {  // its sums may go beyond 2^31
    run_rows<uint8_t, int64_t>(how, data, result, resources);
  } else {
    run_rows<uint8_t, int32_t>(how, data, result, resources);
  }
}

void resize_images_back(const Resizing& how, const TensorView& grad, const TensorView& data,
                        Resources& resources) {
  if (data.size() == 0) return;
  if (data.dtype == DType::float64) return spread_images<double>(how, grad, data, resources);
  spread_images<float>(how, grad, data, resources);
}

}  // namespace hybrid
