// Functions of floats: distance from long double's, special values, tails.
#include <doctest/doctest.h>

#include "elem_helpers.h"

using namespace hybrid;
using namespace hybrid::testing;

namespace {

struct Function {
  ElemCode code;
  long double (*reference)(long double);
  double low, high;  // arguments to try
  double ulp32, ulp64;
};

long double sigmoid(long double x) { return 1 / (1 + std::exp(-x)); }
long double softrelu(long double x) { return x > 60 ? x : std::log1p(std::exp(x)); }
long double reciprocal(long double x) { return 1 / x; }
long double rsqrt(long double x) { return 1 / std::sqrt(x); }
long double softsign(long double x) { return x / (1 + std::fabs(x)); }

#define F(name) [](long double x) -> long double { return std::name(x); }
const Function kFunctions[] = {
    {ElemCode::exp, F(exp), -104, 89, 1.5, 1.5},
    {ElemCode::exp, F(exp), -1, 1, 1.5, 1.5},
    {ElemCode::expm1, F(expm1), -20, 88, 2, 2.5},
    {ElemCode::expm1, F(expm1), -1, 1, 2, 2.5},
    {ElemCode::log, F(log), 0, 10, 1.5, 1.5},
    {ElemCode::log, F(log), 0.9, 1.1, 1.5, 1.5},
    {ElemCode::log, F(log), 0, 1e-30, 1.5, 1.5},
    {ElemCode::log2, F(log2), 0, 100, 1.5, 2},
    {ElemCode::log2, F(log2), 0.9, 1.1, 1.5, 2},
    {ElemCode::log10, F(log10), 0, 1000, 1.5, 2},
    {ElemCode::log10, F(log10), 0.9, 1.1, 1.5, 2},
    {ElemCode::log1p, F(log1p), -0.99, 10, 1.5, 2.5},
    {ElemCode::log1p, F(log1p), -1e-3, 1e-3, 1.5, 2.5},
    {ElemCode::sin, F(sin), -10, 10, 1.5, 2.5},
    {ElemCode::sin, F(sin), -1e5, 1e5, 1.5, 2.5},
    {ElemCode::cos, F(cos), -10, 10, 1.5, 2.5},
    {ElemCode::cos, F(cos), -1e5, 1e5, 1.5, 2.5},
    {ElemCode::cos, F(cos), -1e30, 1e30, 1.5, 2.5},
    {ElemCode::tan, F(tan), -10, 10, 1.5, 3},
    {ElemCode::sinh, F(sinh), -88, 88, 1.5, 3},
    {ElemCode::sinh, F(sinh), -1, 1, 1.5, 3},
    {ElemCode::cosh, F(cosh), -88, 88, 1.5, 2.5},
    {ElemCode::tanh, F(tanh), -10, 10, 3, 3},
    {ElemCode::tanh, F(tanh), -0.5, 0.5, 3, 3},
    {ElemCode::erf, F(erf), -4, 4, 2.5, 2},
    {ElemCode::erf, F(erf), -1, 1, 2.5, 2},
    {ElemCode::sigmoid, sigmoid, -100, 30, 3, 3},
    {ElemCode::softrelu, softrelu, -80, 80, 2.5, 3},
    {ElemCode::sqrt, F(sqrt), 0, 100, 0.51, 0.51},
    {ElemCode::rsqrt, rsqrt, 1e-3, 100, 1.6, 1.6},
    {ElemCode::cbrt, F(cbrt), -100, 100, 1.5, 4},
    {ElemCode::reciprocal, reciprocal, 0.01, 100, 0.51, 0.51},
    {ElemCode::softsign, softsign, -100, 100, 1.6, 1.6},
    {ElemCode::arcsin, F(asin), -1, 1, 2, 1.5},
    {ElemCode::arccos, F(acos), -1, 1, 2, 1.5},
    {ElemCode::arctan, F(atan), -100, 100, 2, 1.5},
    {ElemCode::arcsinh, F(asinh), -100, 100, 2.5, 2.5},
    {ElemCode::arccosh, F(acosh), 1, 100, 2.5, 2.5},
    {ElemCode::arctanh, F(atanh), -0.99, 0.99, 2.5, 2.5},
    {ElemCode::floor, F(floor), -10, 10, 0, 0},
    {ElemCode::ceil, F(ceil), -10, 10, 0, 0},
    {ElemCode::trunc, F(trunc), -10, 10, 0, 0},
    {ElemCode::rint, F(rint), -10, 10, 0, 0},
    {ElemCode::round, F(round), -10, 10, 0, 0},
    {ElemCode::abs, F(fabs), -10, 10, 0, 0},
};

template <class T>
double worst(const Function& f) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(f.low, f.high);
  std::vector<T> x(40003);
  for (T& v : x) v = static_cast<T>(uniform(random));
  const std::vector<T> y = apply<T>(f.code, x);
  double most = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double d = ulp_distance(y[i], f.reference(x[i]));
    if (d > most) most = d;
  }
  return most;
}

}  // namespace

TEST_CASE("elementwise: functions are within their stated ulp") {
  for (const Function& f : kFunctions) {
    CAPTURE(std::string(elem_code_name(f.code)));
    CAPTURE(f.low);
    CHECK(worst<float>(f) <= f.ulp32);
    CHECK(worst<double>(f) <= f.ulp64);
  }
}

TEST_CASE("elementwise: power is within 1 ulp and keeps C's special cases") {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<float> base(0, 20), exponent(-20, 20);
  std::vector<float> x(20001), y(20001);
  for (float& v : x) v = base(random);
  for (float& v : y) v = exponent(random);
  const std::vector<float> z = apply<float>(ElemCode::power, x, y);
  double most = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    most = std::max(most, ulp_distance(z[i], std::pow((long double)x[i], (long double)y[i])));
  }
  CHECK(most <= 1);

  const float inf = INFINITY, nan = NAN;
  const std::vector<float> specials = {0.0f, -0.0f, 1,      -1,     2,          -2,  3,
                                       -3,   0.5f,  -0.5f,  2.5f,   -2.5f,      inf, -inf,
                                       nan,  1e30f, -1e30f, 1e-40f, 16777217.0f};
  std::vector<float> a, b;
  for (float p : specials) {
    for (float q : specials) {
      a.push_back(p);
      b.push_back(q);
    }
  }
  const std::vector<float> got = apply<float>(ElemCode::power, a, b);
  for (size_t i = 0; i < a.size(); ++i) {
    const float expected = std::pow(a[i], b[i]);
    CAPTURE(a[i]);
    CAPTURE(b[i]);
    CHECK(ulp_distance(got[i], expected) <= 1);
    CHECK((std::isnan(expected) || std::signbit(got[i]) == std::signbit(expected)));
  }
}

template <class T>
void check_specials() {
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const T tiny = std::numeric_limits<T>::denorm_min(), big = std::numeric_limits<T>::max();
  const std::vector<T> x = {T(0), T(-0.0), inf, -inf, nan, tiny, -tiny, big, -big, T(1), T(-1)};
  for (const Function& f : kFunctions) {
    // 11 elements: both the vector body and the tail see special values.
    const std::vector<T> y = apply<T>(f.code, x);
    for (size_t i = 0; i < x.size(); ++i) {
      CAPTURE(std::string(elem_code_name(f.code)));
      CAPTURE(x[i]);
      long double expected = f.reference(x[i]);
      if (f.code == ElemCode::softsign && std::isinf(x[i])) expected = x[i] > 0 ? 1 : -1;
      if (f.code == ElemCode::sigmoid && x[i] < 0 && !std::isinf(x[i]) && x[i] != -1) continue;
      if (f.code == ElemCode::rsqrt && x[i] == tiny)
        continue;  // the square root is not rounded twice
      CHECK(ulp_distance(y[i], expected) <= 4);
      if (expected == 0 && !std::isnan(y[i])) CHECK(std::signbit(y[i]) == std::signbit(expected));
    }
  }
}

TEST_CASE("elementwise: NaN, infinities, zeros, denormals and the largest numbers") {
  check_specials<float>();
  check_specials<double>();
  // sigmoid's far left: exp of it, denormals included.
  CHECK(apply<float>(ElemCode::sigmoid, std::vector<float>{-100})[0] > 0);
  CHECK(apply<float>(ElemCode::sigmoid,
                     std::vector<float>{-std::numeric_limits<float>::max()})[0] == 0);
}

TEST_CASE("elementwise: log10 of powers of ten and log2 of powers of two are exact") {
  std::vector<double> tens, twos;
  for (int i = -20; i <= 22; ++i) tens.push_back(std::pow(10.0, i));
  for (int i = -1000; i <= 1000; ++i) twos.push_back(std::ldexp(1.0, i));
  const std::vector<double> a = apply<double>(ElemCode::log10, tens);
  for (size_t i = 20; i < tens.size(); ++i) CHECK(a[i] == static_cast<double>(i) - 20);
  const std::vector<double> b = apply<double>(ElemCode::log2, twos);
  for (size_t i = 0; i < twos.size(); ++i) CHECK(b[i] == static_cast<double>(i) - 1000);
}

template <class T>
void check_positions(ElemCode code, bool binary) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(0.1, 0.9);
  std::vector<T> x(77), y(77);
  for (T& v : x) v = static_cast<T>(uniform(random));
  for (T& v : y) v = static_cast<T>(uniform(random));
  const auto of = [&](size_t begin, size_t n) {
    const std::vector<T> a(x.begin() + begin, x.begin() + begin + n);
    const std::vector<T> b(y.begin() + begin, y.begin() + begin + n);
    return binary ? apply<T>(code, a, b) : apply<T>(code, a);
  };
  const std::vector<T> whole = of(0, x.size());
  for (size_t begin = 0; begin < 20; ++begin) {
    for (size_t n : {1, 2, 3, 5, 7, 8, 9, 17, 31}) {
      const std::vector<T> part = of(begin, n);
      CAPTURE(std::string(elem_code_name(code)));
      CHECK(std::memcmp(part.data(), whole.data() + begin, n * sizeof(T)) == 0);
    }
  }
}

TEST_CASE("elementwise: an element's bits do not depend on its position") {
  for (int c = 0; c <= static_cast<int>(ElemCode::isfinite); ++c) {
    const ElemCode code = static_cast<ElemCode>(c);
    if (code >= ElemCode::logical_not) continue;
    check_positions<float>(code, false);
    check_positions<double>(code, false);
  }
  for (ElemCode code : {ElemCode::add, ElemCode::sub, ElemCode::mul, ElemCode::div, ElemCode::mod,
                        ElemCode::floor_div, ElemCode::power, ElemCode::maximum, ElemCode::minimum,
                        ElemCode::hypot, ElemCode::arctan2}) {
    check_positions<float>(code, true);
    check_positions<double>(code, true);
  }
}
