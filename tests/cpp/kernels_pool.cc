// Pooling and its gradients against loops; borders, ties and NaN.
#include <doctest/doctest.h>

#include "kernels_helpers.h"

using namespace hybrid;
using namespace hybrid::testing;

namespace {

PoolParams params(int64_t planes, int64_t h, int64_t w, int64_t kernel, int64_t stride, int64_t pad,
                  bool full, PoolType type, bool include_pad) {
  PoolParams p{};
  p.batch = planes;
  p.channels = 2;
  p.in_h = h;
  p.in_w = w;
  p.kernel_h = p.kernel_w = kernel;
  p.stride_h = p.stride_w = stride;
  p.pad_h = p.pad_w = pad;
  const auto out = [&](int64_t in) {
    const int64_t room = in + 2 * pad - kernel;
    return (full ? (room + stride - 1) / stride : room / stride) + 1;
  };
  p.out_h = out(h);
  p.out_w = out(w);
  p.type = type;
  p.count_include_pad = include_pad;
  return p;
}

template <class T>
void check(const PoolParams& p) {
  const int64_t planes = p.batch * p.channels;
  const std::vector<T> x = random_array<T>(planes * p.in_h * p.in_w, 1);
  const std::vector<T> dy = random_array<T>(planes * p.out_h * p.out_w, 2);
  std::vector<double> y(dy.size()), dx(x.size());
  size_t at = 0;
  for (int64_t c = 0; c < planes; ++c) {
    for (int64_t oy = 0; oy < p.out_h; ++oy) {
      for (int64_t ox = 0; ox < p.out_w; ++ox, ++at) {
        const int64_t y0 = oy * p.stride_h - p.pad_h, x0 = ox * p.stride_w - p.pad_w;
        const int64_t y1 = std::min(y0 + p.kernel_h, p.in_h + p.pad_h);
        const int64_t x1 = std::min(x0 + p.kernel_w, p.in_w + p.pad_w);
        double sum = 0, best = -1e300;
        int64_t inside = 0, where = -1;
        for (int64_t i = std::max<int64_t>(y0, 0); i < std::min(y1, p.in_h); ++i) {
          for (int64_t j = std::max<int64_t>(x0, 0); j < std::min(x1, p.in_w); ++j) {
            const int64_t k = (c * p.in_h + i) * p.in_w + j;
            sum += static_cast<double>(x[k]);
            ++inside;
            if (static_cast<double>(x[k]) > best) {
              best = static_cast<double>(x[k]);
              where = k;
            }
          }
        }
        const double count = p.type == PoolType::sum ? 1
                             : p.count_include_pad   ? static_cast<double>((y1 - y0) * (x1 - x0))
                                                     : static_cast<double>(inside);
        y[at] = p.type == PoolType::max ? best : sum / count;
        if (p.type == PoolType::max) {
          dx[where] += static_cast<double>(dy[at]);
          continue;
        }
        for (int64_t i = std::max<int64_t>(y0, 0); i < std::min(y1, p.in_h); ++i) {
          for (int64_t j = std::max<int64_t>(x0, 0); j < std::min(x1, p.in_w); ++j) {
            dx[(c * p.in_h + i) * p.in_w + j] += static_cast<double>(dy[at]) / count;
          }
        }
      }
    }
  }
  std::vector<T> got(y.size()), got_dx(x.size(), T(7));
  pool2d(float_type<T>(), p, x.data(), got.data(), Resources::current());
  const bool is_max = p.type == PoolType::max;
  pool2d_grad(float_type<T>(), p, dy.data(), is_max ? x.data() : nullptr,
              is_max ? got.data() : nullptr, got_dx.data(), Resources::current());
  CHECK(error_of(got, y, is_max ? 1e-6 : 10) <= 1);
  CHECK(error_of(got_dx, dx, 10) <= 2);
}

}  // namespace

TEST_CASE("pool2d: all types, windows, paddings and conventions") {
  for (PoolType type : {PoolType::max, PoolType::avg, PoolType::sum}) {
    for (bool full : {false, true}) {
      for (bool include : {false, true}) {
        for (const int64_t pad : {0, 1}) {
          check<float>(params(2, 28, 28, 2, 2, pad, full, type, include));
          check<float>(params(1, 13, 15, 3, 2, pad, full, type, include));
          check<double>(params(1, 9, 8, 3, 1, pad, full, type, include));
          check<double>(params(1, 7, 7, 2, 3, full ? 0 : pad, full, type, include));
        }
        check<float>(params(2, 7, 7, 7, 1, 0, full, type, include));
      }
    }
  }
}

TEST_CASE("pool2d: a maximum's gradient goes to the first of equal pixels; NaN passes on") {
  PoolParams p = params(1, 2, 4, 2, 2, 0, false, PoolType::max, false);
  p.channels = 1;
  const float nan = NAN;
  const std::vector<float> x = {1, 1, 0, 3, 1, 1, nan, 5}, dy = {1, 2};
  std::vector<float> y(2), dx(8);
  pool2d(DType::float32, p, x.data(), y.data(), Resources::current());
  CHECK(y[0] == 1);
  CHECK(std::isnan(y[1]));
  pool2d_grad(DType::float32, p, dy.data(), x.data(), y.data(), dx.data(), Resources::current());
  CHECK(dx == std::vector<float>{1, 0, 0, 0, 0, 0, 2, 0});
}
