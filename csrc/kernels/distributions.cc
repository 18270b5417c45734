#include "kernels/distributions.h"

#include <cmath>

#include "core/error.h"
#include "kernels/special.h"

namespace hybrid {

namespace {

constexpr double kTwoPi = 6.28318530717958647692;
constexpr int64_t kGrain = 1024;

// J. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011).
void philox(uint64_t key, uint64_t element, uint32_t block, uint64_t* words) {
  uint32_t x[4] = {block, 0, static_cast<uint32_t>(element), static_cast<uint32_t>(element >> 32)};
  auto k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53} * x[0], b = uint64_t{0xCD9E8D57} * x[2];
    x[0] = static_cast<uint32_t>(b >> 32) ^ x[1] ^ k0;
    x[2] = static_cast<uint32_t>(a >> 32) ^ x[3] ^ k1;
    x[1] = static_cast<uint32_t>(b);
    x[3] = static_cast<uint32_t>(a);
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  words[0] = uint64_t{x[1]} << 32 | x[0];
  words[1] = uint64_t{x[3]} << 32 | x[2];
}

// G. Marsaglia and W. Tsang, "A simple method for generating gamma variables" (2000).
double gamma(RandomStream& stream, double shape) {
  if (shape < 1) {
    const double boost = std::pow(stream.uniform(), 1 / shape);
    return gamma(stream, shape + 1) * boost;
  }
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = stream.normal(), root = 1 + c * x, v = root * root * root;
    if (root <= 0) continue;
    if (std::log(stream.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

// Products of uniform numbers for a small mean; else W. Hörmann, "The transformed rejection method
// for generating Poisson random variables" (1993).
double poisson(RandomStream& stream, double mean) {
  if (mean < 30) {
    const double limit = std::exp(-mean);
    double product = stream.uniform(), count = 0;
    for (; product > limit; product *= stream.uniform()) ++count;
    return count;
  }
  const double b = 0.931 + 2.53 * std::sqrt(mean), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), limit = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = stream.uniform() - 0.5, v = stream.uniform(), edge = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / edge + b) * u + mean + 0.43);
    if (edge >= 0.07 && v <= limit) return k;
    if (k < 0 || (edge < 0.013 && v > edge)) continue;
    if (std::log(v * inverse_alpha / (a / (edge * edge) + b)) <=
        k * std::log(mean) - mean - log_gamma(k + 1)) {
      return k;
    }
  }
}

double poisson_of_gamma(RandomStream& stream, double shape, double scale) {
  const double mean = gamma(stream, shape) * scale;
  return std::isfinite(mean) ? poisson(stream, mean) : INFINITY;
}

// Calls body(T{}, double reader) with the C++ type of a dtype.
template <class F>
void by_type(DType dtype, F&& body) {
  switch (dtype) {
    case DType::float32:
      return body(float{});
    case DType::float64:
      return body(double{});
    case DType::int8:
      return body(int8_t{});
    case DType::int16:
      return body(int16_t{});
    case DType::int32:
      return body(int32_t{});
    case DType::int64:
      return body(int64_t{});
    case DType::uint8:
      return body(uint8_t{});
    case DType::uint16:
      return body(uint16_t{});
    case DType::uint32:
      return body(uint32_t{});
    case DType::uint64:
      return body(uint64_t{});
    default:
      fail("random draw: has no kernel for ", dtype_name(dtype));
  }
}

double number_at(const TensorView& v, int64_t i) {
  double value = 0;
  by_type(v.dtype, [&](auto zero) { value = static_cast<double>(v.as<decltype(zero)>()[i]); });
  return value;
}

}  // namespace

double RandomStream::uniform() {
  if (left_ == 0) {
    philox(key_, element_, block_++, words_);
    left_ = 2;
  }
  return (static_cast<double>(words_[--left_] >> 12) + 0.5) * 0x1p-52;
}

double RandomStream::normal() {
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(kTwoPi * uniform());
}

const char* wrong_parameters(Distribution d, double a, double b) {
  using D = Distribution;
  switch (d) {
    case D::uniform:
      return a <= b ? nullptr : "low up to high";
    case D::normal:
      return b >= 0 ? nullptr : "a deviation of 0 or more";
    case D::exponential:
      return a > 0 ? nullptr : "lam above 0";
    case D::gamma:
      return a > 0 && b > 0 && std::isfinite(a) ? nullptr : "alpha and beta above 0";
    case D::poisson:
      return a >= 0 && std::isfinite(a) ? nullptr : "lam of 0 or more";
    case D::negative_binomial:
      return a >= 0 && std::isfinite(a) && b > 0 && b <= 1 ? nullptr
                                                           : "k of 0 or more and 0 < p <= 1";
    default:
      return a >= 0 && std::isfinite(a) && b >= 0 && std::isfinite(b) ? nullptr
                                                                      : "mu and alpha of 0 or more";
  }
}

double draw_one(Distribution d, RandomStream& stream, double a, double b) {
  using D = Distribution;
  switch (d) {
    case D::uniform:
      return a + (b - a) * stream.uniform();
    case D::normal:
      return a + b * stream.normal();
    case D::exponential:
      return -std::log(stream.uniform()) / a;
    case D::gamma:
      return gamma(stream, a) * b;
    case D::poisson:
      return poisson(stream, a);
    case D::negative_binomial:
      return a == 0 || b == 1 ? 0 : poisson_of_gamma(stream, a, (1 - b) / b);
    default:
      return b == 0 ? poisson(stream, a) : poisson_of_gamma(stream, 1 / b, a * b);
  }
}

void draw_numbers(Distribution d, uint64_t key, const TensorView& a, const TensorView& b,
                  int64_t repeat, const TensorView& out, Resources& resources) {
  for (int64_t i = 0; i < a.size(); ++i) {
    const double first = number_at(a, i), second = b.data ? number_at(b, i) : 0;
    const char* const wrong = wrong_parameters(d, first, second);
    require(wrong == nullptr, "random draw: given parameters ", first, " and ", second,
            ", expected ", wrong ? wrong : "");
  }
  by_type(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    T* to = out.as<T>();
    resources.parallel(out.size(), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        RandomStream stream(key, static_cast<uint64_t>(i));
        const int64_t at = i / repeat;
        to[i] =
            static_cast<T>(draw_one(d, stream, number_at(a, at), b.data ? number_at(b, at) : 0));
      }
    });
  });
}

void draw_numbers(Distribution d, uint64_t key, double a, double b, const TensorView& out,
                  Resources& resources) {
  by_type(out.dtype, [&](auto zero) {
    using T = decltype(zero);
    T* to = out.as<T>();
    resources.parallel(out.size(), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        RandomStream stream(key, static_cast<uint64_t>(i));
        to[i] = static_cast<T>(draw_one(d, stream, a, b));
      }
    });
  });
}

}  // namespace hybrid
