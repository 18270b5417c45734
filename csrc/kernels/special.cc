#include "kernels/special.h"

#include <cmath>

namespace hybrid {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kBernoulli[] = {1.0 / 6,  -1.0 / 30,     1.0 / 42, -1.0 / 30,
                                 5.0 / 66, -691.0 / 2730, 7.0 / 6,  -3617.0 / 510};

// Hurwitz' zeta function, the sum of (x + k)^-s over k >= 0, for x > 0: terms up to a large x, then
// Euler and Maclaurin's formula.
double zeta(double s, double x) {
  if (x == INFINITY) return 0;
  double sum = 0;
  for (; x < 12 + s; x += 1) sum += std::pow(x, -s);
  const double power = std::pow(x, -s);
  sum += power * (x / (s - 1) + 0.5);
  double factor = power * s / x / 2;  // s (s + 1) ... / (2 j)! / x^(s + 2 j - 1)
  for (int j = 1; j <= 8; ++j) {
    sum += kBernoulli[j - 1] * factor;
    factor *= (s + 2 * j - 1) * (s + 2 * j) / ((2 * j + 1) * (2 * j + 2) * x * x);
  }
  return sum;
}

double digamma(double x) {
  if (x <= 0) {
    if (x == 0) return std::copysign(INFINITY, -x);
    const double part = x - std::floor(x);
    if (part == 0) return NAN;
    return digamma(1 - x) - kPi / std::tan(kPi * part);  // reflected
  }
  double sum = 0;
  for (; x < 12; x += 1) sum -= 1 / x;
  sum += std::log(x) - 0.5 / x;
  double power = 1;
  for (int j = 1; j <= 8; ++j) {
    power /= x * x;
    sum -= kBernoulli[j - 1] / (2 * j) * power;
  }
  return sum;
}

}  // namespace

double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);  // lgamma itself writes to a global
}

// Abramowitz and Stegun, "Handbook of Mathematical Functions" (1964), 6.3 and 6.4.
double polygamma(int n, double x) {
  if (n == 0) return digamma(x);
  const double s = n + 1, factor = (n % 2 == 1 ? 1 : -1) * std::tgamma(s);
  if (!(x <= 0)) return factor * zeta(s, x);
  const double below = std::floor(x), part = x - below;
  if (part == 0) return n % 2 == 1 ? INFINITY : NAN;
  // The terms below 0 are those of 1 - part, 2 - part, ..., with the sign of (-1)^s.
  const double mirrored = zeta(s, 1 - part) - zeta(s, 1 - part - below);
  return factor * (zeta(s, part) + (n % 2 == 1 ? mirrored : -mirrored));
}

// Winitzki's approximation (2008), then two of Halley's steps: each triples the digits.
double erf_inverse(double x) {
  constexpr double a = 0.147;
  const double size = std::fabs(x);
  if (!(size < 1)) return size == 1 ? std::copysign(INFINITY, x) : NAN;
  const double l = std::log1p(-x * x), half = 2 / (kPi * a) + l / 2;
  const double root = std::sqrt(half * half - l / a);
  double y = std::sqrt(half > 0 ? -l / a / (root + half) : root - half);
  for (int i = 0; i < 2; ++i) {
    const double error = size < 0.5 ? std::erf(y) - size : (1 - size) - std::erfc(y);
    const double step = error * (std::sqrt(kPi) / 2) * std::exp(y * y);
    y -= step / (1 + y * step);
  }
  return std::copysign(y, x);
}

}  // namespace hybrid
