// Convolution and its gradients against loops in double.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>

#include "kernels_helpers.h"

using namespace hybrid;
using namespace hybrid::testing;

namespace {

ConvParams params(int64_t batch, int64_t in_c, int64_t h, int64_t w, int64_t out_c, int64_t kernel,
                  int64_t stride = 1, int64_t pad = 0, int64_t dilate = 1, int64_t groups = 1) {
  ConvParams p{};
  p.batch = batch;
  p.in_channels = in_c;
  p.in_h = h;
  p.in_w = w;
  p.out_channels = out_c;
  p.kernel_h = p.kernel_w = kernel;
  p.stride_h = p.stride_w = stride;
  p.pad_h = p.pad_w = pad;
  p.dilate_h = p.dilate_w = dilate;
  p.groups = groups;
  return p;
}
void set_output(ConvParams* p) {
  p->out_d = (p->in_d + 2 * p->pad_d - p->dilate_d * (p->kernel_d - 1) - 1) / p->stride_d + 1;
  p->out_h = (p->in_h + 2 * p->pad_h - p->dilate_h * (p->kernel_h - 1) - 1) / p->stride_h + 1;
  p->out_w = (p->in_w + 2 * p->pad_w - p->dilate_w * (p->kernel_w - 1) - 1) / p->stride_w + 1;
}

std::vector<ConvParams> cases() {
  std::vector<ConvParams> list = {
      params(2, 1, 28, 28, 6, 5, 1, 2),
      params(3, 6, 14, 14, 16, 5),
      params(1, 1, 28, 28, 20, 5),
      params(2, 20, 12, 12, 50, 5),
      params(1, 16, 20, 20, 16, 3, 1, 1),
      params(2, 8, 15, 17, 12, 3, 2, 1),
      params(1, 8, 13, 11, 10, 1),
      params(2, 8, 13, 11, 10, 1, 2),
      params(1, 3, 32, 32, 7, 7, 2, 3),
      params(1, 4, 19, 19, 5, 3, 1, 2, 2),
      params(2, 8, 9, 9, 12, 3, 1, 1, 1, 4),
      params(1, 6, 9, 9, 6, 3, 1, 1, 1, 6),
      params(1, 4, 9, 9, 8, 3, 2, 1, 1, 2),
      params(1, 4, 21, 21, 4, 3, 3, 0, 2),
      params(5, 2, 5, 5, 3, 5),
      params(1, 2, 5, 5, 3, 3, 1, 4),
      params(1, 1, 7, 7, 1, 1, 1, 1),
      params(1, 40, 7, 7, 40, 3, 1, 1),
  };
  // Small images, which are convolved side by side: of 17 and 35 the last ones are fewer.
  list.insert(list.end(), {
                              params(17, 3, 3, 3, 10, 3, 1, 1),
                              params(35, 2, 7, 5, 9, 5, 1, 2),
                              params(18, 4, 8, 9, 6, 3, 2, 1, 1, 2),
                              params(3, 3, 6, 40, 4, 3, 3, 1, 2),
                              params(19, 2, 2, 2, 3, 2, 1, 1),
                              params(20, 5, 9, 9, 7, 1, 2),
                              params(16, 3, 1, 1, 5, 1),
                              params(33, 2, 6, 6, 8, 2, 4),
                              params(16, 2, 4, 4, 6, 3, 1, 4),
                          });
  ConvParams uneven = params(2, 3, 17, 12, 4, 3);
  uneven.kernel_w = 4;
  uneven.stride_h = 2;
  uneven.pad_w = 2;
  uneven.dilate_h = 2;
  list.push_back(uneven);
  ConvParams volume = params(2, 4, 7, 6, 6, 3, 1, 1, 1, 2);
  volume.in_d = 5;
  volume.kernel_d = 2;
  list.push_back(volume);
  volume.stride_d = volume.dilate_d = 2;
  volume.pad_d = 1;
  volume.stride_w = 2;
  list.push_back(volume);
  ConvParams points = params(2, 3, 4, 5, 7, 1);
  points.in_d = 3;
  list.push_back(points);
  ConvParams series = params(2, 3, 1, 40, 5, 1);
  series.kernel_w = 4;
  series.dilate_w = 3;
  list.push_back(series);
  for (ConvParams& p : list) set_output(&p);
  return list;
}

// Calls f(index of y, index of x, index of w) for every product of the convolution.
void for_products(const ConvParams& p, const std::function<void(int64_t, int64_t, int64_t)>& f) {
  const int64_t in_c = p.in_channels / p.groups, out_c = p.out_channels / p.groups;
  for (int64_t b = 0; b < p.batch; ++b) {
    for (int64_t o = 0; o < p.out_channels; ++o) {
      for (int64_t at = 0; at < p.out_size(); ++at) {
        const int64_t oz = at / p.out_w / p.out_h, oy = at / p.out_w % p.out_h, ox = at % p.out_w;
        for (int64_t c = 0; c < in_c; ++c) {
          for (int64_t tap = 0; tap < p.taps(); ++tap) {
            const int64_t k = tap / p.kernel_w / p.kernel_h, i = tap / p.kernel_w % p.kernel_h;
            const int64_t z = oz * p.stride_d - p.pad_d + k * p.dilate_d;
            const int64_t y = oy * p.stride_h - p.pad_h + i * p.dilate_h;
            const int64_t x = ox * p.stride_w - p.pad_w + tap % p.kernel_w * p.dilate_w;
            if (z < 0 || y < 0 || x < 0 || z >= p.in_d || y >= p.in_h || x >= p.in_w) continue;
            f((b * p.out_channels + o) * p.out_size() + at,
              (((b * p.in_channels + o / out_c * in_c + c) * p.in_d + z) * p.in_h + y) * p.in_w + x,
              (o * in_c + c) * p.taps() + tap);
          }
        }
      }
    }
  }
}

template <class T>
struct Arrays {
  std::vector<T> x, w, y;
  explicit Arrays(const ConvParams& p)
      : x(random_array<T>(p.batch * p.in_channels * p.in_size(), 1)),
        w(random_array<T>(p.out_channels * (p.in_channels / p.groups) * p.taps(), 2)),
        y(random_array<T>(p.batch * p.out_channels * p.out_size(), 3)) {}
};

template <class T>
void check(const ConvParams& p) {
  const DType dtype = float_type<T>();
  Resources& resources = Resources::current();
  const Arrays<T> a(p);
  const std::vector<T> bias = random_array<T>(p.out_channels, 4);
  std::vector<double> y(a.y.size()), dx(a.x.size()), dw(a.w.size());
  for (size_t i = 0; i < y.size(); ++i) {
    y[i] = static_cast<double>(bias[i / p.out_size() % p.out_channels]);
  }
  for_products(p, [&](int64_t iy, int64_t ix, int64_t iw) {
    y[iy] += static_cast<double>(a.x[ix]) * static_cast<double>(a.w[iw]);
    dx[ix] += static_cast<double>(a.y[iy]) * static_cast<double>(a.w[iw]);
    dw[iw] += static_cast<double>(a.y[iy]) * static_cast<double>(a.x[ix]);
  });
  std::vector<T> got_y(y.size(), T(9)), got_dx(dx.size(), T(9)), got_dw(dw.size(), T(9));
  conv2d(dtype, p, a.x.data(), a.w.data(), bias.data(), got_y.data(), resources);
  conv2d_grad_input(dtype, p, a.y.data(), a.w.data(), got_dx.data(), resources);
  conv2d_grad_weight(dtype, p, a.y.data(), a.x.data(), got_dw.data(), resources);
  resources.reset_workspace();
  // Sums of so many products, one after another.
  const auto size = [](int64_t terms) { return 8 + static_cast<double>(terms) / 8; };
  const int64_t taps = p.taps();
  CHECK(error_of(got_y, y, size(p.in_channels / p.groups * taps)) < 4);
  CHECK(error_of(got_dx, dx, size(p.out_channels / p.groups * taps)) < 4);
  CHECK(error_of(got_dw, dw, size(p.batch * p.out_size())) < 4);
}

std::string text(const ConvParams& p) {
  return std::to_string(p.in_channels) + "x" + std::to_string(p.in_d) + "x" +
         std::to_string(p.in_h) + "x" + std::to_string(p.in_w) + " -> " +
         std::to_string(p.out_channels) + ", kernel " + std::to_string(p.kernel_h) + ", stride " +
         std::to_string(p.stride_w) + ", groups " + std::to_string(p.groups);
}

}  // namespace

TEST_CASE("conv2d: forward and both gradients against loops in double") {
  for (const ConvParams& p : cases()) {
    CAPTURE(text(p));
    check<float>(p);
    check<double>(p);
  }
}

TEST_CASE("conv2d: shapes drawn at random") {
  std::mt19937 engine(7);
  const auto draw = [&](int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(engine);
  };
  for (int i = 0; i < 60; ++i) {
    const int64_t groups = draw(1, 2);
    ConvParams p = params(draw(1, 40), groups * draw(1, 5), draw(1, 12), draw(1, 20),
                          groups * draw(1, 9), 1, 1, 0, 1, groups);
    p.kernel_h = draw(1, 4);
    p.kernel_w = draw(1, 4);
    p.stride_h = draw(1, 3);
    p.stride_w = draw(1, 3);
    p.dilate_h = draw(1, 2);
    p.dilate_w = draw(1, 2);
    p.pad_h = draw(0, 4);
    p.pad_w = draw(0, 4);
    set_output(&p);
    if (p.out_h < 1 || p.out_w < 1) continue;
    CAPTURE(i);
    CAPTURE(text(p));
    check<float>(p);
    if (i % 4 == 0) check<double>(p);
  }
}

TEST_CASE("conv2d: without bias, and an empty batch") {
  ConvParams p = params(2, 3, 10, 10, 4, 3, 1, 1);
  set_output(&p);
  const Arrays<float> a(p);
  const std::vector<float> zero(4);
  std::vector<float> without(a.y.size()), with(a.y.size());
  conv2d(DType::float32, p, a.x.data(), a.w.data(), nullptr, without.data(), Resources::current());
  conv2d(DType::float32, p, a.x.data(), a.w.data(), zero.data(), with.data(), Resources::current());
  CHECK(without == with);
  p.batch = 0;
  std::vector<float> dw(a.w.size(), 5);
  conv2d(DType::float32, p, nullptr, a.w.data(), nullptr, nullptr, Resources::current());
  conv2d_grad_weight(DType::float32, p, nullptr, nullptr, dw.data(), Resources::current());
  CHECK(dw == std::vector<float>(dw.size(), 0));
}

TEST_CASE("conv2d: bits do not depend on the number of threads") {
  for (ConvParams p : {params(8, 6, 14, 14, 16, 5), params(4, 32, 28, 28, 32, 3, 1, 1),
                       params(3, 8, 30, 30, 16, 3, 2, 1), params(4, 16, 20, 20, 64, 1),
                       params(35, 24, 7, 7, 32, 5, 1, 2), params(40, 32, 8, 8, 32, 3, 1, 1)}) {
    set_output(&p);
    const Arrays<float> a(p);
    std::vector<float> y[2], dx[2], dw[2];
    for (int t = 0; t < 2; ++t) {
      PoolSize threads(t == 0 ? 1 : 3);
      y[t].resize(a.y.size());
      dx[t].resize(a.x.size());
      dw[t].resize(a.w.size());
      conv2d(DType::float32, p, a.x.data(), a.w.data(), nullptr, y[t].data(), Resources::current());
      conv2d_grad_input(DType::float32, p, a.y.data(), a.w.data(), dx[t].data(),
                        Resources::current());
      conv2d_grad_weight(DType::float32, p, a.y.data(), a.x.data(), dw[t].data(),
                         Resources::current());
      Resources::current().reset_workspace();
    }
    CHECK(equal_bits(y[0], y[1]));
    CHECK(equal_bits(dx[0], dx[1]));
    CHECK(equal_bits(dw[0], dw[1]));
  }
}

TEST_CASE("conv2d: bits of an image do not depend on the images beside it") {
  for (ConvParams p : {params(35, 4, 7, 7, 6, 5, 1, 2), params(18, 3, 8, 9, 10, 3, 2, 1),
                       params(17, 6, 3, 3, 8, 3, 1, 1, 1, 2)}) {
    set_output(&p);
    const Arrays<float> a(p);
    const std::vector<float> bias = random_array<float>(p.out_channels, 4);
    std::vector<float> together(a.y.size()), alone(a.y.size());
    conv2d(DType::float32, p, a.x.data(), a.w.data(), bias.data(), together.data(),
           Resources::current());
    ConvParams one = p;
    one.batch = 1;
    for (int64_t b = 0; b < p.batch; ++b) {
      conv2d(DType::float32, one, a.x.data() + b * p.in_channels * p.in_size(), a.w.data(),
             bias.data(), alone.data() + b * p.out_channels * p.out_size(), Resources::current());
    }
    CHECK(equal_bits(together, alone));
  }
}

TEST_CASE("conv2d: an infinite pixel spoils nothing but what is made of it") {
  ConvParams p = params(17, 2, 3, 5, 3, 2);
  set_output(&p);
  Arrays<float> a(p);
  const auto finite = [](float v) { return std::isfinite(v); };
  a.x.back() = std::numeric_limits<float>::infinity();  // a corner of the last image
  std::vector<float> y(a.y.size()), dw(a.w.size());
  conv2d(DType::float32, p, a.x.data(), a.w.data(), nullptr, y.data(), Resources::current());
  conv2d_grad_weight(DType::float32, p, a.y.data(), a.x.data(), dw.data(), Resources::current());
  Resources::current().reset_workspace();
  const size_t pixels = static_cast<size_t>(p.out_size()), taps = static_cast<size_t>(p.taps());
  const size_t last = y.size() - static_cast<size_t>(p.out_channels) * pixels;
  for (size_t i = 0; i < y.size(); ++i) {
    const bool corner = i >= last && i % pixels == pixels - 1;
    CHECK(finite(y[i]) == !corner);
  }
  for (size_t i = 0; i < dw.size(); ++i) {  // the last tap of the second channel
    CHECK(finite(dw[i]) == (i % (2 * taps) != 2 * taps - 1));
  }
}
