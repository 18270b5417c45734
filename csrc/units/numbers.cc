#include "units/numbers.h"

namespace hybrid {
namespace units {
double math_1(Math1 which, double x) {
  switch (which) {
    case Math1::sqrt:
      return std::sqrt(x);
    case Math1::exp:
      return std::exp(x);
    case Math1::log:
      return std::log(x);
    case Math1::log2:
      return std::log2(x);
    case Math1::log10:
      return std::log10(x);
    case Math1::sin:
      return std::sin(x);
    case Math1::cos:
      return std::cos(x);
    case Math1::tan:
      return std::tan(x);
    case Math1::asin:
      return std::asin(x);
    case Math1::acos:
      return std::acos(x);
    case Math1::atan:
      return std::atan(x);
    case Math1::sinh:
      return std::sinh(x);
    case Math1::cosh:
      return std::cosh(x);
    case Math1::tanh:
      return std::tanh(x);
  }
  return x;
}

double math_2(Math2 which, double x, double y) {
  switch (which) {
    case Math2::atan2:
      return std::atan2(x, y);
    case Math2::fmod:
      return std::fmod(x, y);
    case Math2::copysign:
      return std::copysign(x, y);
  }
  return x;
}

double remainder(double a, double b) {
  const double rest = std::fmod(a, b);
  if (rest == 0) return std::copysign(0.0, b);
  return std::isless(rest, 0.0) != std::isless(b, 0.0) ? rest + b : rest;
}

double floor_divided(double a, double b) {
  const double rest = std::fmod(a, b);
  double quotient = (a - rest) / b;
  if (rest != 0 && std::isless(rest, 0.0) != std::isless(b, 0.0)) quotient -= 1;
  if (quotient == 0) return std::copysign(0.0, a / b);
  const double whole = std::floor(quotient);
  return std::isgreater(quotient - whole, 0.5) ? whole + 1 : whole;
}

bool divide(std::pair<double, double> a, std::pair<double, double> b, bool numpys, double* real,
            double* imaginary) {
  const bool is_wide = std::fabs(b.first) >= std::fabs(b.second);
  const double larger = is_wide ? b.first : b.second, smaller = is_wide ? b.second : b.first;
  const double ratio = smaller / larger, whole = larger + smaller * ratio;
  const double one = is_wide ? a.first + a.second * ratio : a.first * ratio + a.second;
  const double other = is_wide ? a.second - a.first * ratio : a.second * ratio - a.first;
  const double scale = 1.0 / whole;
  *real = numpys ? one * scale : one / whole;
  *imaginary = numpys ? other * scale : other / whole;
  return larger != 0 && !std::isnan(*real) && !std::isnan(*imaginary);
}

bool power(int64_t base, int64_t exponent, int64_t* result) {
  if (exponent < 0) return false;
  int64_t made = 1;
  while (true) {
    if ((exponent & 1) && __builtin_mul_overflow(made, base, &made)) return false;
    exponent >>= 1;
    if (exponent == 0) break;
    if (__builtin_mul_overflow(base, base, &base)) return false;
  }
  *result = made;
  return true;
}

}  // namespace units
}  // namespace hybrid
