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
    {ElemCode::gamma, F(tgamma), 0.1, 30, 1, 6},
    {ElemCode::gammaln, F(lgamma), 3, 100, 1, 4},
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

// Any bits at all: zeros, denormals, infinities and NaNs among them.
template <class T>
std::vector<T> any_bits(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> x(count);
  for (T& v : x) {
    const uint64_t bits = random();
    std::memcpy(&v, &bits, sizeof v);
  }
  return x;
}

template <class T>
void check_whole_range() {
  const Function functions[] = {
      {ElemCode::exp, F(exp), 0, 0, 0, 0},     {ElemCode::expm1, F(expm1), 0, 0, 0, 0},
      {ElemCode::log, F(log), 0, 0, 0, 0},     {ElemCode::log2, F(log2), 0, 0, 0, 0},
      {ElemCode::log10, F(log10), 0, 0, 0, 0}, {ElemCode::log1p, F(log1p), 0, 0, 0, 0},
      {ElemCode::sin, F(sin), 0, 0, 0, 0},     {ElemCode::cos, F(cos), 0, 0, 0, 0},
      {ElemCode::tan, F(tan), 0, 0, 0, 0},     {ElemCode::sinh, F(sinh), 0, 0, 0, 0},
      {ElemCode::cosh, F(cosh), 0, 0, 0, 0},   {ElemCode::tanh, F(tanh), 0, 0, 0, 0},
      {ElemCode::erf, F(erf), 0, 0, 0, 0},     {ElemCode::sqrt, F(sqrt), 0, 0, 0, 0}};
  const std::vector<T> x = any_bits<T>(40000, 17);
  for (const Function& f : functions) {
    const std::vector<T> y = apply<T>(f.code, x);
    double most = 0;
    T at = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const double d = ulp_distance(y[i], f.reference(x[i]));
      if (d <= most) continue;
      most = d;
      at = x[i];
    }
    CAPTURE(std::string(elem_code_name(f.code)));
    CAPTURE(at);
    CHECK(most <= 4);
  }
}

TEST_CASE("elementwise: functions are within 4 ulp over the whole range") {
  check_whole_range<float>();
  check_whole_range<double>();
}

TEST_CASE("elementwise: sine and cosine next to multiples of pi / 2") {
  std::vector<double> x;
  for (int n = 1; n < 20000; ++n) x.push_back(n * 1.5707963267948966);
  for (double v : {0x1.6ac5b262ca1ffp+849, 0x1.0p+1023, 0x1.0p20, 0x1.00001p20, 1e22}) {
    x.push_back(v);
  }
  const std::vector<double> s = apply<double>(ElemCode::sin, x);
  const std::vector<double> c = apply<double>(ElemCode::cos, x);
  double most = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    most = std::max(most, ulp_distance(s[i], std::sin((long double)x[i])));
    most = std::max(most, ulp_distance(c[i], std::cos((long double)x[i])));
  }
  CHECK(most <= 4);
}

template <class T>
double worst_power(const std::vector<T>& x, const std::vector<T>& y) {
  const std::vector<T> z = apply<T>(ElemCode::power, x, y);
  double most = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const long double expected = std::pow((long double)x[i], (long double)y[i]);
    most = std::max(most, ulp_distance(z[i], expected));
  }
  return most;
}

template <class T>
void check_power() {
  std::mt19937_64 random(3);
  const auto draw = [&](double low, double high) {
    std::uniform_real_distribution<double> uniform(low, high);
    std::vector<T> values(20001);
    for (T& v : values) v = static_cast<T>(uniform(random));
    return values;
  };
  CHECK(worst_power(draw(0, 20), draw(-20, 20)) <= 2);
  CHECK(worst_power(draw(0.5, 2), draw(-1000, 1000)) <= 2);
  CHECK(worst_power(draw(0.999, 1.001), draw(-1e5, 1e5)) <= 2);
  CHECK(worst_power(any_bits<T>(40000, 5), any_bits<T>(40000, 6)) <= 2);
  CHECK(worst_power(any_bits<T>(20001, 7), draw(-3, 3)) <= 2);
  std::vector<T> whole = draw(-8, 8);
  for (T& v : whole) v = std::round(v);
  CHECK(worst_power(draw(-5, 5), whole) <= 2);

  const T inf = INFINITY, nan = NAN, least = std::numeric_limits<T>::denorm_min();
  const std::vector<T> specials = {T(0),    T(-0.0),  1,        -1,          2,
                                   -2,      3,        -3,       T(0.5),      T(-0.5),
                                   T(2.5),  T(-2.5),  inf,      -inf,        nan,
                                   T(1e30), T(-1e30), least,    -least,      T(1 / 3.0),
                                   1023,    T(-1075), T(1e300), T(16777217), T(9007199254740993.0)};
  std::vector<T> a, b;
  for (T p : specials) {
    for (T q : specials) {
      a.push_back(p);
      b.push_back(q);
    }
  }
  const std::vector<T> got = apply<T>(ElemCode::power, a, b);
  for (size_t i = 0; i < a.size(); ++i) {
    const T expected = std::pow(a[i], b[i]);
    CAPTURE(a[i]);
    CAPTURE(b[i]);
    CHECK(ulp_distance(got[i], expected) <= 2);
    CHECK((std::isnan(expected) || std::signbit(got[i]) == std::signbit(expected)));
  }
}

TEST_CASE("elementwise: power is within 2 ulp and keeps C's special cases") {
  check_power<float>();
  check_power<double>();
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
