// Reductions against element by element: every kind, dtype, set of axes and layout.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "core/error.h"
#include "kernels/kernels.h"

using namespace hybrid;

namespace {

template <class T>
constexpr DType dtype_of = std::is_same_v<T, float>     ? DType::float32
                           : std::is_same_v<T, double>  ? DType::float64
                           : std::is_same_v<T, int32_t> ? DType::int32
                           : std::is_same_v<T, int64_t> ? DType::int64
                                                        : DType::uint8;

constexpr Reduction kAll[] = {Reduction::sum,         Reduction::prod,  Reduction::max,
                              Reduction::min,         Reduction::any,   Reduction::all,
                              Reduction::sum_squares, Reduction::nansum};

template <class T>
std::vector<T> numbers(int64_t n, uint64_t key) {
  std::vector<T> x(static_cast<size_t>(n));
  if constexpr (std::is_floating_point_v<T>) {
    random_uniform(dtype_of<T>, key, -1.5, 1.5, n, x.data(), Resources::current());
  } else {
    random_int(dtype_of<T>, key, std::is_unsigned_v<T> ? 0 : -3, 4, n, x.data(),
               Resources::current());
  }
  return x;
}

// The reference: elements in flattened order, floats in long double.
template <class T>
struct Wide {
  using Type = std::conditional_t<std::is_floating_point_v<T>, long double, uint64_t>;
};

template <class T>
void check(Reduction kind, const Shape& shape, uint32_t mask, const Shape& strides,
           const std::vector<T>& x) {
  using W = typename Wide<T>::Type;
  Shape kept;
  for (int d = 0; d < shape.ndim(); ++d) {
    if (!(mask >> d & 1)) kept.push_back(shape[d]);
  }
  const auto results = static_cast<size_t>(kept.size());
  std::vector<W> expected(results);
  std::vector<long double> sizes(results, 0);  // sum of magnitudes: what an error is measured by
  std::vector<bool> seen(results, false);
  if (kind == Reduction::prod || kind == Reduction::all) expected.assign(results, W(1));
  for (int64_t k = 0; k < shape.size(); ++k) {
    int64_t rest = k, at = 0, o = 0, step = 1;
    for (int d = shape.ndim() - 1; d >= 0; --d) {
      const int64_t i = rest % shape[d];
      rest /= shape[d];
      at += i * strides[d];
      if (mask >> d & 1) continue;
      o += i * step;
      step *= shape[d];
    }
    const T v = x[static_cast<size_t>(at)];
    const W w = static_cast<W>(v);
    W& e = expected[static_cast<size_t>(o)];
    sizes[static_cast<size_t>(o)] += std::abs(static_cast<long double>(v));
    const bool first = !seen[static_cast<size_t>(o)];
    seen[static_cast<size_t>(o)] = true;
    switch (kind) {
      case Reduction::prod:
        e *= w;
        break;
      case Reduction::max:
        e = first || v > static_cast<T>(e) ? w : e;
        break;
      case Reduction::min:
        e = first || v < static_cast<T>(e) ? w : e;
        break;
      case Reduction::any:
        e = e != 0 || v != 0;
        break;
      case Reduction::all:
        e = e != 0 && v != 0;
        break;
      case Reduction::sum_squares:
        e += w * w;
        break;
      default:
        e += w;
    }
  }
  std::vector<T> got(results + 1, T(77));
  reduce(kind, {const_cast<T*>(x.data()), dtype_of<T>, shape, strides}, mask,
         {got.data(), dtype_of<T>, kept, contiguous_strides(kept)}, Resources::current());
  INFO("kind ", static_cast<int>(kind), " dtype ", std::string(dtype_name(dtype_of<T>)), " shape ",
       shape.str(), " strides ", strides.str(), " mask ", mask);
  bool right = got[results] == T(77);
  for (size_t i = 0; i < results; ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      const bool sum = kind == Reduction::sum || kind == Reduction::nansum;
      const long double size = std::max(std::abs(expected[i]), sum ? sizes[i] : 0);
      const long double unit =
          size * std::numeric_limits<T>::epsilon() + std::numeric_limits<T>::denorm_min();
      right = right && std::abs(got[i] - expected[i]) <= (kind == Reduction::prod ? 200 : 8) * unit;
    } else {
      right = right && got[i] == static_cast<T>(expected[i]);
    }
  }
  CHECK(right);
}

template <class T>
void check_all(const Shape& shape) {
  const auto x =
      numbers<T>(std::max<int64_t>(1, shape.size()), static_cast<uint64_t>(shape.size()));
  for (uint32_t mask = 0; mask < 1u << shape.ndim(); ++mask) {
    for (const Reduction kind : kAll) {
      const bool chooses = kind == Reduction::max || kind == Reduction::min;
      if (chooses && shape.size() == 0) continue;
      check<T>(kind, shape, mask, contiguous_strides(shape), x);
    }
  }
}

template <class T>
std::vector<T> reduced(Reduction kind, const std::vector<T>& x, int64_t rows, int64_t columns,
                       uint32_t mask) {
  const Shape kept = mask == 3 ? Shape{} : mask == 1 ? Shape{columns} : Shape{rows};
  std::vector<T> out(static_cast<size_t>(kept.size()));
  const Shape shape{rows, columns};
  reduce(kind, {const_cast<T*>(x.data()), dtype_of<T>, shape, contiguous_strides(shape)}, mask,
         {out.data(), dtype_of<T>, kept, contiguous_strides(kept)}, Resources::current());
  return out;
}

std::vector<int64_t> chosen(Reduction kind, const TensorView& x, uint32_t mask) {
  Shape kept;
  for (int d = 0; d < x.shape.ndim(); ++d) {
    if (!(mask >> d & 1)) kept.push_back(x.shape[d]);
  }
  std::vector<int64_t> out(static_cast<size_t>(kept.size()));
  reduce(kind, x, mask, {out.data(), DType::int64, kept, contiguous_strides(kept)},
         Resources::current());
  return out;
}

}  // namespace

TEST_CASE("kernels reduce: every kind, dtype and set of axes") {
  for (const Shape& shape :
       {Shape{}, Shape{1}, Shape{7}, Shape{33}, Shape{3, 5}, Shape{1, 1, 1}, Shape{2, 3, 4},
        Shape{2, 1, 3, 5}, Shape{3, 40, 2}, Shape{0, 3}, Shape{3, 0}, Shape{2, 3, 2, 2, 3}}) {
    check_all<float>(shape);
    check_all<double>(shape);
    check_all<int32_t>(shape);
    check_all<int64_t>(shape);
    check_all<uint8_t>(shape);
  }
}

TEST_CASE("kernels reduce: long rows and columns, in blocks") {
  for (const Shape& shape : {Shape{10000}, Shape{3, 4097}, Shape{2500, 3}, Shape{1030, 600}}) {
    const auto x = numbers<float>(shape.size(), 3);
    const auto y = numbers<double>(shape.size(), 4);
    const auto z = numbers<int32_t>(shape.size(), 5);
    for (uint32_t mask = 1; mask < 1u << shape.ndim(); ++mask) {
      for (const Reduction kind : {Reduction::sum, Reduction::max, Reduction::min, Reduction::any,
                                   Reduction::sum_squares}) {
        check<float>(kind, shape, mask, contiguous_strides(shape), x);
        check<double>(kind, shape, mask, contiguous_strides(shape), y);
        check<int32_t>(kind, shape, mask, contiguous_strides(shape), z);
      }
    }
  }
}

TEST_CASE("kernels reduce: strided input gives the bits of its copy") {
  const auto x = numbers<float>(70 * 80, 1);
  for (const uint32_t mask : {1u, 2u, 3u}) {
    check<float>(Reduction::sum, {70, 80}, mask, {1, 70}, x);
    check<float>(Reduction::max, {35, 40}, mask, {160, 2}, x);
    check<float>(Reduction::sum, {70, 80}, mask, {0, 1}, x);
  }
  std::vector<float> packed(x.size()), a(80), b(80);
  const Shape shape{70, 80}, strides{1, 70};
  strided_copy({const_cast<float*>(x.data()), DType::float32, shape, strides},
               {packed.data(), DType::float32, shape, {80, 1}}, Resources::current());
  reduce(Reduction::sum, {const_cast<float*>(x.data()), DType::float32, shape, strides}, 1,
         {a.data(), DType::float32, {80}, {1}}, Resources::current());
  reduce(Reduction::sum, {packed.data(), DType::float32, shape, {80, 1}}, 1,
         {b.data(), DType::float32, {80}, {1}}, Resources::current());
  CHECK(std::memcmp(a.data(), b.data(), 80 * sizeof(float)) == 0);
}

TEST_CASE("kernels reduce: nan and infinities") {
  const float nan = NAN, inf = INFINITY;
  for (const int64_t at : {0, 1, 3, 30, 4999, 9999}) {
    std::vector<float> x(10000, 1);
    x[static_cast<size_t>(at)] = nan;
    CHECK(std::isnan(reduced(Reduction::max, x, 1, 10000, 2)[0]));
    CHECK(std::isnan(reduced(Reduction::min, x, 1, 10000, 2)[0]));
    CHECK(std::isnan(reduced(Reduction::sum, x, 1, 10000, 2)[0]));
    CHECK(reduced(Reduction::nansum, x, 1, 10000, 2)[0] == 9999);
    CHECK(reduced(Reduction::all, x, 1, 10000, 2)[0] == 1);
    CHECK(std::isnan(reduced(Reduction::max, x, 100, 100, 1)[static_cast<size_t>(at % 100)]));
    CHECK(std::isnan(reduced(Reduction::min, x, 5000, 2, 1)[static_cast<size_t>(at % 2)]));
    const Shape flat{10000};
    CHECK(chosen(Reduction::argmax, {x.data(), DType::float32, flat, {1}}, 1)[0] == at);
  }
  CHECK(reduced<float>(Reduction::max, {-inf, -inf}, 1, 2, 2)[0] == -inf);
  CHECK(reduced<float>(Reduction::min, {inf, inf}, 1, 2, 2)[0] == inf);
  CHECK(std::isnan(reduced<float>(Reduction::sum, {inf, -inf}, 1, 2, 2)[0]));
  // Squares and products that float could not hold on the way.
  CHECK(reduced<float>(Reduction::prod, {1e30f, 1e30f, 1e-30f, 1e-30f}, 1, 4, 2)[0] ==
        doctest::Approx(1));
}

TEST_CASE("kernels reduce: a long sum of floats keeps its digits") {
  const std::vector<float> x(10000000, 0.1f);
  CHECK(reduced(Reduction::sum, x, 1, 10000000, 3)[0] ==
        doctest::Approx(1e7 * double(0.1f)).epsilon(1.5e-7));
  CHECK(reduced(Reduction::sum, x, 10000, 1000, 1)[7] ==
        doctest::Approx(1e4 * double(0.1f)).epsilon(1.5e-7));
}

TEST_CASE("kernels reduce: argmax and argmin take the first") {
  const std::vector<int32_t> x = {1, 5, 5, 0, 5, 0};
  const Shape shape{2, 3};
  const TensorView v{const_cast<int32_t*>(x.data()), DType::int32, shape, {3, 1}};
  CHECK(chosen(Reduction::argmax, v, 3) == std::vector<int64_t>{1});
  CHECK(chosen(Reduction::argmin, v, 3) == std::vector<int64_t>{3});
  CHECK(chosen(Reduction::argmax, v, 2) == std::vector<int64_t>{1, 1});
  CHECK(chosen(Reduction::argmax, v, 1) == std::vector<int64_t>{0, 0, 0});
  CHECK(chosen(Reduction::argmin, v, 1) == std::vector<int64_t>{1, 0, 1});
  CHECK_THROWS_AS(chosen(Reduction::argmax, {nullptr, DType::int32, {0}, {1}}, 1), Error);
  CHECK_THROWS_AS(chosen(Reduction::max, {nullptr, DType::int32, {2, 0}, {1, 1}}, 2), Error);
  const auto y = numbers<double>(50000, 8);
  size_t best = 0;
  for (size_t i = 0; i < y.size(); ++i) best = y[i] > y[best] ? i : best;
  CHECK(chosen(Reduction::argmax, {const_cast<double*>(y.data()), DType::float64, {50000}, {1}},
               1)[0] == static_cast<int64_t>(best));
}

TEST_CASE("kernels reduce: mixed dtypes of the result") {
  const std::vector<uint8_t> x = {200, 100, 0, 3};
  double real = 0;
  int64_t whole = 0;
  uint8_t truth = 0;
  const TensorView v{const_cast<uint8_t*>(x.data()), DType::uint8, {4}, {1}};
  Resources& r = Resources::current();
  reduce(Reduction::sum, v, 1, {&real, DType::float64, {}, {}}, r);
  reduce(Reduction::sum, v, 1, {&whole, DType::int64, {}, {}}, r);
  reduce(Reduction::any, v, 1, {&truth, DType::boolean, {}, {}}, r);
  CHECK(real == 303);
  CHECK(whole == 303);
  CHECK(truth == 1);
}

TEST_CASE("kernels reduce: the same bits for any number of threads") {
  const auto x = numbers<float>(1000003, 2);
  const auto y = numbers<float>(1000000, 2);
  const int before = num_threads();
  set_num_threads(1);
  const auto a = reduced(Reduction::sum, x, 1, 1000003, 3),
             b = reduced(Reduction::sum, y, 20000, 50, 1);
  set_num_threads(3);
  const auto c = reduced(Reduction::sum, x, 1, 1000003, 3),
             d = reduced(Reduction::sum, y, 20000, 50, 1);
  set_num_threads(before);
  CHECK(a == c);
  CHECK(b == d);
}
