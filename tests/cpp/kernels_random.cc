// Random draws: known answers, distributions, independence of threads and of the length.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "core/error.h"
#include "kernels/kernels.h"

using namespace hybrid;

namespace {

struct Threads {  // restored at the end of a scope
  int before = num_threads();
  explicit Threads(int n) { set_num_threads(n); }
  ~Threads() { set_num_threads(before); }
};

template <class T>
std::vector<T> uniform(uint64_t key, double low, double high, int64_t n) {
  std::vector<T> out(static_cast<size_t>(n));
  random_uniform(sizeof(T) == 4 ? DType::float32 : DType::float64, key, low, high, n, out.data(),
                 Resources::current());
  return out;
}
template <class T>
std::vector<T> normal(uint64_t key, double mean, double deviation, int64_t n) {
  std::vector<T> out(static_cast<size_t>(n));
  random_normal(sizeof(T) == 4 ? DType::float32 : DType::float64, key, mean, deviation, n,
                out.data(), Resources::current());
  return out;
}

// Mean, variance, and the excess of the fourth moment over a normal's.
struct Moments {
  double mean = 0, variance = 0, kurtosis = 0;
};
template <class T>
Moments moments(const std::vector<T>& x) {
  Moments m;
  const double n = static_cast<double>(x.size());
  for (T v : x) m.mean += v / n;
  for (T v : x) m.variance += (v - m.mean) * (v - m.mean) / n;
  for (T v : x) m.kurtosis += std::pow(v - m.mean, 4) / n;
  m.kurtosis = m.kurtosis / (m.variance * m.variance) - 3;
  return m;
}

}  // namespace

TEST_CASE("kernels random: Philox 4x32-10 gives the published words") {
  // Key 0, counter 0: 6627e8d5 e169c58d bc57ac4c 9b00dbd8 (Random123's known answers).
  std::vector<int64_t> words(32);
  const auto unit = uniform<double>(0, 0, 1, 32);
  const uint64_t first = 0xe169c58d6627e8d5u, second = 0x9b00dbd8bc57ac4cu;
  CHECK(unit[0] == std::ldexp(static_cast<double>(first >> 11), -53));
  CHECK(unit[16] == std::ldexp(static_cast<double>(second >> 11), -53));
  // A range of 2^63 keeps the upper 63 bits of 64.
  random_int(DType::int64, 0, INT64_MIN, 0, 32, words.data(), Resources::current());
  CHECK(static_cast<uint64_t>(words[0]) - static_cast<uint64_t>(INT64_MIN) == first >> 1);
  CHECK(static_cast<uint64_t>(words[16]) - static_cast<uint64_t>(INT64_MIN) == second >> 1);
}

TEST_CASE("kernels random: uniform fills its interval evenly") {
  const auto check = [](const auto& x) {
    const Moments m = moments(x);
    CHECK(std::abs(m.mean - 0.5) < 0.01);
    CHECK(std::abs(m.variance - 9.0 / 12) < 0.01);
    std::vector<int> bins(30);
    for (auto v : x) {
      REQUIRE(v >= -1);
      REQUIRE(v < 2);
      ++bins[static_cast<size_t>((v + 1) * 10)];
    }
    for (int count : bins) CHECK(std::abs(count - 10000) < 600);  // six deviations
  };
  check(uniform<float>(7, -1, 2, 300000));
  check(uniform<double>(8, -1, 2, 300000));
}

TEST_CASE("kernels random: the upper end is never drawn") {
  // Few floats lie between: rounding would reach 2^24 + 2 without care.
  for (float v : uniform<float>(3, 16777216.0, 16777218.0, 10000)) REQUIRE(v < 16777218.0f);
  for (float v : uniform<float>(3, 5, 5, 100)) CHECK(v == 5);
}

TEST_CASE("kernels random: normal has its mean, deviation and tails") {
  const auto check = [](const auto& x) {
    const Moments m = moments(x);
    CHECK(std::abs(m.mean - 3) < 0.02);
    CHECK(std::abs(m.variance - 4) < 0.04);
    CHECK(std::abs(m.kurtosis) < 0.05);
    int beyond = 0;
    for (auto v : x) {
      REQUIRE(std::isfinite(v));
      beyond += std::abs(v - 3) > 6;  // three deviations: 0.27 %
    }
    CHECK(std::abs(beyond / 400000.0 - 0.0027) < 0.0005);
    double lag = 0;
    for (size_t i = 1; i < x.size(); ++i) lag += (x[i] - 3) * (x[i - 1] - 3) / 4;
    CHECK(std::abs(lag / 400000) < 0.01);
  };
  check(normal<float>(11, 3, 2, 400000));
  check(normal<double>(12, 3, 2, 400000));
}

TEST_CASE("kernels random: whole numbers cover their range") {
  std::vector<int32_t> x(60000);
  random_int(DType::int32, 5, -3, 3, 60000, x.data(), Resources::current());
  std::vector<int> count(6);
  for (int32_t v : x) {
    REQUIRE(v >= -3);
    REQUIRE(v < 3);
    ++count[static_cast<size_t>(v + 3)];
  }
  for (int c : count) CHECK(std::abs(c - 10000) < 600);
  int64_t wide[100];
  random_int(DType::int64, 5, INT64_MIN, INT64_MAX, 100, wide, Resources::current());
  int negative = 0;
  for (int64_t v : wide) negative += v < 0;
  CHECK(negative > 20);
  CHECK(negative < 80);
  CHECK_THROWS_AS(random_int(DType::int64, 5, 4, 4, 1, wide, Resources::current()), Error);
}

TEST_CASE("kernels random: dropout's mask") {
  std::vector<float> x(200000);
  dropout_mask(DType::float32, 9, 0.3, 200000, x.data(), Resources::current());
  int zeros = 0;
  for (float v : x) {
    REQUIRE((v == 0 || v == static_cast<float>(1 / 0.7)));
    zeros += v == 0;
  }
  CHECK(std::abs(zeros / 200000.0 - 0.3) < 0.006);
  std::vector<double> y(100);
  dropout_mask(DType::float64, 9, 0, 100, y.data(), Resources::current());
  for (double v : y) CHECK(v == 1);
  dropout_mask(DType::float64, 9, 1, 100, y.data(), Resources::current());
  for (double v : y) CHECK(v == 0);
}

TEST_CASE("kernels random: an element depends on its key and place only") {
  const int64_t n = 100003;
  std::vector<float> one, two;
  {
    Threads threads(1);
    one = normal<float>(21, 0, 1, n);
  }
  {
    Threads threads(3);
    two = normal<float>(21, 0, 1, n);
  }
  CHECK(std::memcmp(one.data(), two.data(), static_cast<size_t>(n) * sizeof(float)) == 0);
  for (int64_t part : {1, 2, 31, 32, 63, 64, 65, 5000}) {
    const auto prefix = normal<float>(21, 0, 1, part);
    CHECK(std::memcmp(one.data(), prefix.data(), prefix.size() * sizeof(float)) == 0);
  }
  CHECK(normal<float>(21, 0, 1, 0).empty());
  int equal = 0;
  const auto other = normal<float>(22, 0, 1, n);
  for (int64_t i = 0; i < n; ++i)
    equal += one[static_cast<size_t>(i)] == other[static_cast<size_t>(i)];
  CHECK(equal < 10);
}
