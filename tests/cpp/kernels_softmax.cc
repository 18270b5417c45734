// Softmax and its gradient against long double, along rows and columns.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/kernels.h"

using namespace hybrid;

namespace {

template <class T>
constexpr DType dtype_of = sizeof(T) == 4 ? DType::float32 : DType::float64;

template <class T>
std::vector<T> numbers(int64_t n, double scale, int64_t seed) {
  std::vector<T> x(static_cast<size_t>(n));
  random_normal(dtype_of<T>, static_cast<uint64_t>(seed), 0, scale, n, x.data(),
                Resources::current());
  return x;
}

// Largest error in units of epsilon, of the greater of 1 and the expected value.
template <class T>
double check_softmax(int64_t outer, int64_t axis, int64_t inner, double temperature, bool log) {
  const int64_t n = outer * axis * inner;
  const auto x = numbers<T>(n, 5, axis), dy = numbers<T>(n, 1, axis + 1);
  std::vector<T> y(x.size()), dx(x.size());
  Resources& r = Resources::current();
  softmax(dtype_of<T>, outer, axis, inner, x.data(), y.data(), temperature, log, r);
  softmax_grad(dtype_of<T>, outer, axis, inner, dy.data(), y.data(), dx.data(), temperature, log,
               r);
  double worst = 0;
  const auto compare = [&](T got, long double expected, long double size) {
    const long double error =
        std::abs(got - expected) / std::max<long double>(size, std::abs(expected));
    worst = std::max(worst, static_cast<double>(error / std::numeric_limits<T>::epsilon()));
  };
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      const auto at = [&](int64_t a) { return static_cast<size_t>((o * axis + a) * inner + i); };
      long double top = -INFINITY, sum = 0, dot = 0;
      for (int64_t a = 0; a < axis; ++a) top = std::max<long double>(top, x[at(a)]);
      for (int64_t a = 0; a < axis; ++a) sum += std::exp((x[at(a)] - top) / temperature);
      for (int64_t a = 0; a < axis; ++a) {
        const long double v = (x[at(a)] - top) / temperature;
        // exp of a number that was rounded: an error that grows with its size.
        compare(y[at(a)], log ? v - std::log(sum) : std::exp(v) / sum, log ? 8.0L : 0.001L);
        dot += log ? dy[at(a)] : static_cast<long double>(dy[at(a)]) * y[at(a)];
      }
      for (int64_t a = 0; a < axis; ++a) {
        const long double g = dy[at(a)], v = y[at(a)];
        compare(dx[at(a)], (log ? g - std::exp(v) * dot : v * (g - dot)) / temperature, 4.0L);
      }
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("kernels softmax: values and gradients") {
  for (const auto& s : std::vector<std::vector<int64_t>>{{1, 1, 1},
                                                         {64, 10, 1},
                                                         {3, 17, 1},
                                                         {2, 1000, 1},
                                                         {1, 40000, 1},
                                                         {5, 8, 1},
                                                         {2, 7, 3},
                                                         {1, 33, 16},
                                                         {2, 200, 37},
                                                         {300, 5, 20}}) {
    for (const double temperature : {1.0, 2.5}) {
      for (const bool log : {false, true}) {
        INFO(s[0], " x ", s[1], " x ", s[2], " temperature ", temperature, " log ", log);
        CHECK(check_softmax<float>(s[0], s[1], s[2], temperature, log) < 12);
        CHECK(check_softmax<double>(s[0], s[1], s[2], temperature, log) < 12);
      }
    }
  }
}

TEST_CASE("kernels softmax: infinities, nan, nothing") {
  const float inf = INFINITY, nan = NAN;
  Resources& r = Resources::current();
  for (int64_t inner : {1, 2}) {
    std::vector<float> x = {1, -inf, 3, 1, -inf, 3, 1, -inf, 3, 1, -inf, 3};  // any order will do
    if (inner == 2) x = {1, 1, -inf, -inf, 3, 3, 1, 1, -inf, -inf, 3, 3};
    std::vector<float> y(x.size());
    softmax(DType::float32, 2, 6 / inner, inner, x.data(), y.data(), 1, false, r);
    for (size_t i = 0; i < x.size(); ++i) CHECK((x[i] == -inf ? y[i] == 0 : y[i] > 0));
    x[0] = nan;
    softmax(DType::float32, 2, 6 / inner, inner, x.data(), y.data(), 1, false, r);
    CHECK(std::isnan(y[static_cast<size_t>(inner)]));
    CHECK(!std::isnan(y[6 + static_cast<size_t>(inner)]));
    // Large values do not overflow.
    for (float& v : x) v = 3e38f;
    softmax(DType::float32, 2, 6 / inner, inner, x.data(), y.data(), 1, true, r);
    for (float v : y) CHECK(v == doctest::Approx(-std::log(6.0 / static_cast<double>(inner))));
  }
  softmax(DType::float32, 0, 4, 1, nullptr, nullptr, 1, false, r);
  softmax(DType::float64, 3, 0, 2, nullptr, nullptr, 1, false, r);
}

TEST_CASE("kernels softmax: in place, and the same for any number of threads") {
  const auto x = numbers<float>(64 * 1003, 3, 5);
  std::vector<float> one(x.size()), two = x;
  const int before = num_threads();
  set_num_threads(1);
  softmax(DType::float32, 64, 1003, 1, x.data(), one.data(), 1, true, Resources::current());
  set_num_threads(3);
  softmax(DType::float32, 64, 1003, 1, two.data(), two.data(), 1, true, Resources::current());
  set_num_threads(before);
  CHECK(std::memcmp(one.data(), two.data(), one.size() * sizeof(float)) == 0);
}
