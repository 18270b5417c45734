// Every integer type and the complex ones: elementwise, casts, reductions and products against
// plain loops.
#include <doctest/doctest.h>

#include <complex>
#include <type_traits>

#include "elem_helpers.h"
#include "kernels/kernels.h"

using namespace hybrid;
using namespace hybrid::testing;

namespace {

using Wide = __int128;

// Modulo 2^128: products of 64-bit numbers without a sign do not fit.
Wide product(Wide a, Wide b) {
  return static_cast<Wide>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b));
}

// Small numbers, random bits and the ends of the range.
template <class T>
std::vector<T> some(size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> x(count);
  for (T& v : x) {
    const uint64_t bits = random();
    const int kind = static_cast<int>(bits % 4);
    if constexpr (std::is_floating_point_v<T>) {
      v = static_cast<T>(static_cast<int>(bits >> 40 & 255) - 128) / T(4);
    } else {
      v = kind == 0   ? std::numeric_limits<T>::max()
          : kind == 1 ? std::numeric_limits<T>::min()
          : kind == 2 ? static_cast<T>(bits >> 8)
                      : static_cast<T>(static_cast<int>(bits >> 20 & 7) - 3);
    }
  }
  return x;
}

template <class R, class T, class F>
void check_binary(ElemCode code, F reference) {
  const std::vector<T> a = some<T>(1001, 1), b = some<T>(1001, 2);
  CAPTURE(std::string(elem_code_name(code)));
  CAPTURE(dtype_name(dtype_of<T>()));
  const std::vector<R> got = apply<R>(code, a, b);
  bool equal = true;
  for (size_t i = 0; i < a.size(); ++i)
    equal = equal && got[i] == static_cast<R>(reference(a[i], b[i]));
  CHECK(equal);
  // One operand repeated, on either side.
  for (const bool left : {false, true}) {
    ElemProgram p;
    p.inputs = {dtype_of<T>(), dtype_of<T>()};
    p.instrs = {instr(code, dtype_of<T>(), in(0), in(1))};
    p.outputs = {0};
    std::vector<T> x = a, y = b;
    std::vector<R> out(a.size());
    TensorView views[2] = {view(x), view(y)}, to = view(out);
    views[left ? 0 : 1].strides = {0};
    to.dtype = p.instrs[0].out_dtype;
    run_elementwise(p, views, &to, Resources::current());
    equal = true;
    for (size_t i = 0; i < a.size(); ++i) {
      const T lhs = left ? a[0] : a[i], rhs = left ? b[i] : b[0];
      equal = equal && out[i] == static_cast<R>(reference(lhs, rhs));
    }
    CHECK(equal);
  }
}

template <class T>
Wide floor_div(T a, T b) {
  const Wide x = a, y = b;
  if (y == 0) return 0;
  const Wide q = x / y;
  return x % y != 0 && (x < 0) != (y < 0) ? q - 1 : q;
}

template <class T>
void check_integer() {
  constexpr int bits = 8 * static_cast<int>(sizeof(T));
  const auto in_range = [](T n) { return n >= T(0) && static_cast<uint64_t>(n) < bits; };
  check_binary<T, T>(ElemCode::add, [](Wide a, Wide b) { return a + b; });
  check_binary<T, T>(ElemCode::sub, [](Wide a, Wide b) { return a - b; });
  check_binary<T, T>(ElemCode::mul, product);
  check_binary<T, T>(ElemCode::div, [](Wide a, Wide b) { return b == 0 ? 0 : a / b; });
  check_binary<T, T>(ElemCode::floor_div, [](T a, T b) { return floor_div(a, b); });
  check_binary<T, T>(ElemCode::mod,
                     [](T a, T b) { return b == 0 ? 0 : Wide(a) - floor_div(a, b) * Wide(b); });
  check_binary<T, T>(ElemCode::maximum, [](T a, T b) { return a > b ? a : b; });
  check_binary<T, T>(ElemCode::minimum, [](T a, T b) { return a < b ? a : b; });
  check_binary<T, T>(ElemCode::bit_and, [](Wide a, Wide b) { return a & b; });
  check_binary<T, T>(ElemCode::bit_or, [](Wide a, Wide b) { return a | b; });
  check_binary<T, T>(ElemCode::bit_xor, [](Wide a, Wide b) { return a ^ b; });
  check_binary<T, T>(ElemCode::shift_left,
                     [&](T a, T b) { return in_range(b) ? product(a, Wide(1) << int(b)) : 0; });
  check_binary<T, T>(ElemCode::shift_right, [&](T a, T b) {
    return in_range(b) ? Wide(a) >> int(b) : a < T(0) ? Wide(-1) : 0;
  });
  check_binary<uint8_t, T>(ElemCode::equal, [](T a, T b) { return a == b; });
  check_binary<uint8_t, T>(ElemCode::not_equal, [](T a, T b) { return a != b; });
  check_binary<uint8_t, T>(ElemCode::greater, [](T a, T b) { return a > b; });
  check_binary<uint8_t, T>(ElemCode::greater_equal, [](T a, T b) { return a >= b; });
  check_binary<uint8_t, T>(ElemCode::lesser, [](T a, T b) { return a < b; });
  check_binary<uint8_t, T>(ElemCode::lesser_equal, [](T a, T b) { return a <= b; });
  check_binary<uint8_t, T>(ElemCode::logical_and, [](T a, T b) { return a && b; });
  const std::vector<T> x = some<T>(999, 5);
  const std::vector<T> minus = apply<T>(ElemCode::neg, x), size = apply<T>(ElemCode::abs, x),
                       sign = apply<T>(ElemCode::sign, x), flip = apply<T>(ElemCode::invert, x);
  bool equal = true;
  for (size_t i = 0; i < x.size(); ++i) {
    const Wide v = x[i];
    equal = equal && minus[i] == static_cast<T>(-v) && size[i] == static_cast<T>(v < 0 ? -v : v) &&
            sign[i] == static_cast<T>((v > 0) - (v < 0)) && flip[i] == static_cast<T>(~v);
  }
  CAPTURE(dtype_name(dtype_of<T>()));
  CHECK(equal);
}

// By a number in the program: by powers of two without a division.
template <class T>
void check_divided_by_number() {
  std::vector<T> x = some<T>(999, 6);
  x[0] = std::numeric_limits<T>::min();
  x[1] = std::numeric_limits<T>::max();
  std::vector<int64_t> numbers{-4, -1, 0, 3, 100};
  for (int k = 0; k < 63 && uint64_t{1} << k <= uint64_t(x[1]); ++k) {
    numbers.push_back(int64_t{1} << k);
  }
  for (const int64_t number : numbers) {
    const T by = static_cast<T>(number);
    ElemProgram p;
    p.inputs = {dtype_of<T>()};
    p.instrs = {instr(ElemCode::floor_div, p.inputs[0], in(0), imm()),
                instr(ElemCode::mod, p.inputs[0], in(0), imm())};
    for (ElemInstr& q : p.instrs) q.imm_int = static_cast<int64_t>(by);
    p.outputs = {0, 1};
    std::vector<T> quotient(x.size()), rest(x.size());
    TensorView from = view(x), to[2] = {view(quotient), view(rest)};
    run_elementwise(p, &from, to, Resources::current());
    bool equal = true;
    for (size_t i = 0; i < x.size(); ++i) {
      const Wide whole = floor_div(x[i], by);
      equal = equal && quotient[i] == static_cast<T>(whole) &&
              rest[i] == static_cast<T>(by == 0 ? 0 : Wide(x[i]) - whole * Wide(by));
    }
    CAPTURE(dtype_name(dtype_of<T>()));
    CAPTURE(number);
    CHECK(equal);
  }
}

template <class R, class T>
std::vector<R> cast(std::vector<T> x) {
  ElemProgram p;
  p.inputs = {dtype_of<T>()};
  p.instrs = {instr(ElemCode::cast, dtype_of<T>(), in(0))};
  p.instrs[0].out_dtype = dtype_of<R>();
  p.outputs = {0};
  std::vector<R> out(x.size());
  const TensorView from = view(x), to = view(out);
  run_elementwise(p, &from, &to, Resources::current());
  return out;
}

template <class R, class T>
void check_cast() {
  std::vector<T> x = some<T>(777, 9);
  if constexpr (std::is_floating_point_v<T> && std::is_unsigned_v<R>) {
    for (T& v : x) v = std::fabs(v);  // the others are the processor's
  }
  const std::vector<R> y = cast<R>(x);
  bool equal = true;
  for (size_t i = 0; i < x.size(); ++i) equal = equal && y[i] == static_cast<R>(x[i]);
  CAPTURE(dtype_name(dtype_of<T>()));
  CAPTURE(dtype_name(dtype_of<R>()));
  CHECK(equal);
}

template <class T, class... R>
void check_casts_from() {
  (check_cast<R, T>(), ...);
  const std::vector<T> x = some<T>(300, 4);
  const std::vector<std::complex<float>> narrow = cast<std::complex<float>>(x);
  const std::vector<std::complex<double>> wide = cast<std::complex<double>>(x);
  const std::vector<T> back = cast<T>(wide);
  bool equal = true;
  for (size_t i = 0; i < x.size(); ++i) {
    equal = equal && narrow[i] == std::complex<float>(static_cast<float>(x[i])) &&
            wide[i] == std::complex<double>(static_cast<double>(x[i]));
    if (sizeof(T) < 8) equal = equal && back[i] == x[i];
  }
  CHECK(equal);
}
template <class... T>
void check_all_casts() {
  (check_casts_from<T, T...>(), ...);
}

template <class T>
void check_reductions() {
  CAPTURE(dtype_name(dtype_of<T>()));
  constexpr int64_t rows = 37, columns = 29;
  std::vector<T> x = some<T>(rows * columns, 12);
  TensorView from = view(x.data(), {rows, columns}, {columns, 1});
  for (const bool along_rows : {true, false}) {
    const int64_t kept = along_rows ? rows : columns, size = along_rows ? columns : rows;
    const auto at = [&](int64_t i, int64_t k) {
      return x[static_cast<size_t>(along_rows ? i * columns + k : k * columns + i)];
    };
    const auto run = [&](Reduction kind, auto zero, DType dtype) {
      std::vector<decltype(zero)> out(static_cast<size_t>(kept));
      TensorView to = view(out);
      to.dtype = dtype;
      reduce(kind, from, along_rows ? 2 : 1, to, Resources::current());
      Resources::current().reset_workspace();
      return out;
    };
    const auto sum = run(Reduction::sum, T(), dtype_of<T>());
    const auto product = run(Reduction::prod, T(), dtype_of<T>());
    const auto most = run(Reduction::max, T(), dtype_of<T>());
    const auto least = run(Reduction::min, T(), dtype_of<T>());
    const auto any = run(Reduction::any, uint8_t(), DType::boolean);
    const auto all = run(Reduction::all, uint8_t(), DType::boolean);
    const auto place = run(Reduction::argmax, int64_t(), DType::int64);
    bool equal = true;
    for (int64_t i = 0; i < kept; ++i) {
      uint64_t s = 0, p = 1;
      int64_t best = 0;
      T low = at(i, 0);
      bool one = false, every = true;
      for (int64_t k = 0; k < size; ++k) {
        const T v = at(i, k);
        s += static_cast<uint64_t>(v);
        p *= static_cast<uint64_t>(v);
        if (v > at(i, best)) best = k;
        if (v < low) low = v;
        one = one || v != T(0);
        every = every && v != T(0);
      }
      const size_t j = static_cast<size_t>(i);
      equal = equal && sum[j] == static_cast<T>(s) && product[j] == static_cast<T>(p) &&
              most[j] == at(i, best) && least[j] == low && any[j] == one && all[j] == every &&
              place[j] == best;
    }
    CHECK(equal);
  }
}

template <class T>
void check_product() {
  CAPTURE(dtype_name(dtype_of<T>()));
  constexpr int64_t m = 5, n = 7, k = 9;
  const std::vector<T> a = some<T>(m * k, 3), b = some<T>(k * n, 4);
  for (int form = 0; form < 4; ++form) {
    const bool ta = form & 1, tb = form & 2;
    std::vector<T> c(m * n);
    gemm_int(dtype_of<T>(), ta, tb, m, n, k, a.data(), b.data(), c.data(), Resources::current());
    bool equal = true;
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        uint64_t sum = 0;
        for (int64_t q = 0; q < k; ++q) {
          sum += static_cast<uint64_t>(a[static_cast<size_t>(ta ? q * m + i : i * k + q)]) *
                 static_cast<uint64_t>(b[static_cast<size_t>(tb ? j * k + q : q * n + j)]);
        }
        equal = equal && c[static_cast<size_t>(i * n + j)] == static_cast<T>(sum);
      }
    }
    CHECK(equal);
  }
}

#define HYBRID_EVERY_INTEGER(f) \
  f<int8_t>();                  \
  f<int16_t>();                 \
  f<int32_t>();                 \
  f<int64_t>();                 \
  f<uint8_t>();                 \
  f<uint16_t>();                \
  f<uint32_t>();                \
  f<uint64_t>()

}  // namespace

TEST_CASE("dtypes: elementwise operators of every integer type") {
  HYBRID_EVERY_INTEGER(check_integer);
}

TEST_CASE("dtypes: integers divided by a number of the program") {
  HYBRID_EVERY_INTEGER(check_divided_by_number);
}

TEST_CASE("dtypes: casts between all types") {
  check_all_casts<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                  uint64_t>();
}

TEST_CASE("dtypes: reductions of every integer type") { HYBRID_EVERY_INTEGER(check_reductions); }

TEST_CASE("dtypes: products of matrices of every integer type") {
  HYBRID_EVERY_INTEGER(check_product);
}
