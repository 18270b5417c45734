// Complex numbers: elementwise operators against long double, special values as NumPy has them,
// sums, products of elements and of matrices.
#include <doctest/doctest.h>

#include <algorithm>
#include <complex>

#include "elem_helpers.h"
#include "kernels/kernels.h"

using namespace hybrid;
using namespace hybrid::testing;

namespace {

using Exact = std::complex<long double>;

template <class R>
std::vector<std::complex<R>> some(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-2, 2);
  std::vector<std::complex<R>> x(count);
  for (auto& v : x) v = {static_cast<R>(uniform(random)), static_cast<R>(uniform(random))};
  return x;
}

// Distance as a multiple of the number's size and the type's precision.
template <class R>
double distance(std::complex<R> got, Exact expected) {
  const Exact error = Exact(got.real(), got.imag()) - expected;
  return static_cast<double>(std::abs(error) / std::abs(expected) /
                             std::numeric_limits<R>::epsilon());
}

template <class R, class F>
void check(ElemCode code, F reference, double bound) {
  const auto x = some<R>(1003, 1);
  const auto y = apply<std::complex<R>>(code, x);
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    worst = std::max(worst, distance(y[i], reference(Exact(x[i].real(), x[i].imag()))));
  }
  CAPTURE(std::string(elem_code_name(code)));
  CHECK(worst <= bound);
}

template <class R>
void check_functions() {
  check<R>(ElemCode::neg, [](Exact z) { return -z; }, 0);
  check<R>(ElemCode::conj, [](Exact z) { return std::conj(z); }, 0);
  check<R>(ElemCode::square, [](Exact z) { return z * z; }, 2);
  check<R>(ElemCode::reciprocal, [](Exact z) { return Exact(1) / z; }, 4);
  check<R>(ElemCode::sqrt, [](Exact z) { return std::sqrt(z); }, 4);
  check<R>(ElemCode::exp, [](Exact z) { return std::exp(z); }, 4);
  check<R>(ElemCode::log, [](Exact z) { return std::log(z); }, 4);
  check<R>(ElemCode::sin, [](Exact z) { return std::sin(z); }, 4);
  check<R>(ElemCode::cos, [](Exact z) { return std::cos(z); }, 4);
  check<R>(ElemCode::tan, [](Exact z) { return std::tan(z); }, 4);
  check<R>(ElemCode::sinh, [](Exact z) { return std::sinh(z); }, 4);
  check<R>(ElemCode::cosh, [](Exact z) { return std::cosh(z); }, 4);
  check<R>(ElemCode::tanh, [](Exact z) { return std::tanh(z); }, 4);
  check<R>(ElemCode::arctan, [](Exact z) { return std::atan(z); }, 4);
}

template <class R, class F>
void check_pairs(ElemCode code, F reference, double bound) {
  const auto x = some<R>(1003, 1), y = some<R>(1003, 2);
  const auto z = apply<std::complex<R>>(code, x, y);
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const Exact a(x[i].real(), x[i].imag()), b(y[i].real(), y[i].imag());
    // A sum of terms may cancel: measured by their sizes.
    const Exact expected = reference(a, b);
    const Exact error = Exact(z[i].real(), z[i].imag()) - expected;
    const long double size = code == ElemCode::add || code == ElemCode::sub
                                 ? std::abs(a) + std::abs(b)
                                 : std::abs(expected);
    worst = std::max(
        worst, static_cast<double>(std::abs(error) / size / std::numeric_limits<R>::epsilon()));
  }
  CAPTURE(std::string(elem_code_name(code)));
  CHECK(worst <= bound);
}

template <class R>
void check_arithmetic() {
  check_pairs<R>(ElemCode::add, [](Exact a, Exact b) { return a + b; }, 1);
  check_pairs<R>(ElemCode::sub, [](Exact a, Exact b) { return a - b; }, 1);
  check_pairs<R>(ElemCode::mul, [](Exact a, Exact b) { return a * b; }, 2);
  check_pairs<R>(ElemCode::div, [](Exact a, Exact b) { return a / b; }, 4);
  check_pairs<R>(ElemCode::power, [](Exact a, Exact b) { return std::pow(a, b); }, 40);
}

template <class R>
void check_real_results() {
  const auto x = some<R>(1003, 6);
  ElemProgram p;
  p.inputs = {dtype_of<std::complex<R>>()};
  p.outputs = {0};
  const auto run = [&](ElemCode code, auto z) {
    p.instrs = {instr(code, p.inputs[0], in(0))};
    p.instrs[0].out_dtype = dtype_of<R>();
    std::vector<R> out(z.size());
    const TensorView from = view(z), to = view(out);
    run_elementwise(p, &from, &to, Resources::current());
    return out;
  };
  const auto size = run(ElemCode::abs, x), re = run(ElemCode::real, x), im = run(ElemCode::imag, x),
             angle = run(ElemCode::angle, x);
  bool equal = true;
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const Exact z(x[i].real(), x[i].imag());
    worst =
        std::max({worst, ulp_distance(size[i], std::abs(z)), ulp_distance(angle[i], std::arg(z))});
    equal = equal && re[i] == x[i].real() && im[i] == x[i].imag();
  }
  CHECK(equal);
  CHECK(worst <= 1.5);
  const R inf = std::numeric_limits<R>::infinity(), nan = std::numeric_limits<R>::quiet_NaN();
  const R big = std::numeric_limits<R>::max() / 2, tiny = std::numeric_limits<R>::denorm_min();
  const auto odd =
      run(ElemCode::abs,
          std::vector<std::complex<R>>{
              {inf, nan}, {nan, -inf}, {nan, 1}, {big, big}, {3 * tiny, 4 * tiny}, {0, 0}});
  CHECK(odd[0] == inf);
  CHECK(odd[1] == inf);
  CHECK(std::isnan(odd[2]));
  CHECK(odd[3] == doctest::Approx(static_cast<double>(big) * std::sqrt(2.0)));
  CHECK(odd[4] == 5 * tiny);
  CHECK(odd[5] == 0);
}

template <class R>
void check_reductions() {
  using C = std::complex<R>;
  constexpr int64_t rows = 6, columns = 5;
  auto x = some<R>(rows * columns, 8);
  const TensorView from = view(x.data(), {rows, columns}, {columns, 1});
  for (const uint32_t mask : {1u, 2u, 3u}) {
    const int64_t kept = mask == 1 ? columns : mask == 2 ? rows : 1;
    std::vector<C> sum(static_cast<size_t>(kept)), product = sum;
    const TensorView to_sum = view(sum), to_product = view(product);
    reduce(Reduction::sum, from, mask, to_sum, Resources::current());
    reduce(Reduction::prod, from, mask, to_product, Resources::current());
    Resources::current().reset_workspace();
    std::vector<Exact> s(sum.size(), 0), p(sum.size(), 1);
    for (int64_t i = 0; i < rows * columns; ++i) {
      const size_t at = static_cast<size_t>(mask == 1 ? i % columns : mask == 2 ? i / columns : 0);
      const C v = x[static_cast<size_t>(i)];
      s[at] += Exact(v.real(), v.imag());
      p[at] *= Exact(v.real(), v.imag());
    }
    for (size_t i = 0; i < sum.size(); ++i) {
      CHECK(std::abs(Exact(sum[i].real(), sum[i].imag()) - s[i]) <
            64 * std::numeric_limits<R>::epsilon());
      CHECK(distance(product[i], p[i]) < 8);
    }
  }
}

template <class R>
void check_matrix_product() {
  using C = std::complex<R>;
  constexpr int64_t m = 41, n = 7, k = 9;
  const auto a = some<R>(m * k, 3), b = some<R>(k * n, 4);
  for (int form = 0; form < 4; ++form) {
    const bool ta = form & 1, tb = form & 2;
    std::vector<C> c(m * n);
    gemm_complex(dtype_of<C>(), ta, tb, m, n, k, a.data(), b.data(), c.data(),
                 Resources::current());
    long double worst = 0;
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        Exact sum = 0;
        for (int64_t q = 0; q < k; ++q) {
          const C x = a[static_cast<size_t>(ta ? q * m + i : i * k + q)];
          const C y = b[static_cast<size_t>(tb ? j * k + q : q * n + j)];
          sum += Exact(x.real(), x.imag()) * Exact(y.real(), y.imag());
        }
        const C got = c[static_cast<size_t>(i * n + j)];
        worst = std::max(worst, std::abs(Exact(got.real(), got.imag()) - sum));
      }
    }
    CHECK(worst < 64 * std::numeric_limits<R>::epsilon());
  }
}

}  // namespace

TEST_CASE("complex: functions") {
  check_functions<float>();
  check_functions<double>();
}

TEST_CASE("complex: arithmetic, and NumPy's special values") {
  check_arithmetic<float>();
  check_arithmetic<double>();
  using C = std::complex<double>;
  const double inf = INFINITY;
  // Term by term: C99 would repair this to an infinity.
  const C product = apply<C>(ElemCode::mul, std::vector<C>{{inf, inf}}, {{1, 0}})[0];
  CHECK(std::isnan(product.real()));
  CHECK(std::isnan(product.imag()));
  const C quotient = apply<C>(ElemCode::div, std::vector<C>{{1, -2}}, {{0, 0}})[0];
  CHECK(quotient.real() == inf);
  CHECK(quotient.imag() == -inf);
  const std::vector<C> base(5, C(0, 2));
  const std::vector<C> powers =
      apply<C>(ElemCode::power, base, {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {-2, 0}});
  CHECK(powers == std::vector<C>{{1, 0}, {0, 2}, {-4, 0}, {0, -8}, {-0.25, 0}});
  CHECK(apply<uint8_t>(ElemCode::equal, std::vector<C>{{1, 2}, {1, 3}}, {{1, 2}, {1, 2}}) ==
        std::vector<uint8_t>{1, 0});
}

TEST_CASE("complex: sizes, parts and angles are real") {
  check_real_results<float>();
  check_real_results<double>();
}

TEST_CASE("complex: sums and products") {
  check_reductions<float>();
  check_reductions<double>();
}

TEST_CASE("complex: products of matrices") {
  check_matrix_product<float>();
  check_matrix_product<double>();
}
