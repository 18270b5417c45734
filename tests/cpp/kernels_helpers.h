// Random arrays and comparison for tests of dense kernels.
#pragma once
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "kernels/kernels.h"

namespace hybrid::testing {

template <class T>
std::vector<T> random_array(int64_t n, unsigned seed, double low = -1, double high = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(low, high);
  std::vector<T> v(static_cast<size_t>(n));
  for (T& x : v) x = static_cast<T>(uniform(random));
  return v;
}

// Largest difference, in units of the type's epsilon times the size of the sums behind it.
template <class T>
double error_of(const std::vector<T>& got, const std::vector<double>& expected, double size) {
  double most = got.size() == expected.size() ? 0 : 1e30;
  for (size_t i = 0; i < got.size() && i < expected.size(); ++i) {
    const double d = std::fabs(static_cast<double>(got[i]) - expected[i]);
    if (!(d <= most)) most = std::isnan(d) ? 1e30 : d;
  }
  return most / (std::numeric_limits<T>::epsilon() * size);
}

template <class T>
constexpr DType float_type() {
  return std::is_same_v<T, float> ? DType::float32 : DType::float64;
}

struct PoolSize {  // restores the number of threads
  int before = num_threads();
  explicit PoolSize(int n) { set_num_threads(n); }
  ~PoolSize() { set_num_threads(before); }
};

template <class T>
bool equal_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

}  // namespace hybrid::testing
