// strided_copy: every layout against element by element.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "core/error.h"
#include "kernels/kernels.h"

using namespace hybrid;

namespace {

// Strides of a contiguous array whose axes were put in this order.
Shape permuted_strides(const Shape& shape, const std::vector<int>& order) {
  Shape strides = shape;
  int64_t step = 1;
  for (size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = step;
    step *= shape[order[i]];
  }
  return strides;
}

template <class T>
void check_copy(DType dtype, const Shape& shape, const Shape& from, const Shape& to,
                int64_t first = 0) {
  // Room for negative strides (first) and for gaps.
  int64_t reach = 1;
  for (int d = 0; d < shape.ndim(); ++d) {
    reach += shape[d] * std::max(std::abs(from[d]), std::abs(to[d]));
  }
  std::vector<T> src(static_cast<size_t>(reach)), dst(src.size(), T(0)), expected(src.size(), T(0));
  for (size_t i = 0; i < src.size(); ++i) src[i] = static_cast<T>(i * 2654435761u + 1);
  for (int64_t k = 0; k < shape.size(); ++k) {
    int64_t rest = k, a = first, b = 0;
    for (int d = shape.ndim() - 1; d >= 0; --d) {
      a += rest % shape[d] * from[d];
      b += rest % shape[d] * to[d];
      rest /= shape[d];
    }
    expected[static_cast<size_t>(b)] = src[static_cast<size_t>(a)];
  }
  strided_copy({src.data() + first, dtype, shape, from}, {dst.data(), dtype, shape, to},
               Resources::current());
  INFO(shape.str(), " from ", from.str(), " to ", to.str());
  CHECK(dst == expected);
}

}  // namespace

TEST_CASE("kernels copy: transposes of every rank, size and order") {
  for (const Shape& shape : {Shape{1, 1}, Shape{3, 5}, Shape{4, 4}, Shape{32, 64}, Shape{33, 65},
                             Shape{100, 7}, Shape{513, 300}}) {
    for (const std::vector<int>& order : {std::vector<int>{0, 1}, {1, 0}}) {
      const Shape from = permuted_strides(shape, order), to = contiguous_strides(shape);
      check_copy<float>(DType::float32, shape, from, to);
      check_copy<double>(DType::float64, shape, from, to);
      check_copy<uint8_t>(DType::uint8, shape, from, to);
      check_copy<float>(DType::float32, shape, to, from);
    }
  }
  std::vector<int> order = {0, 1, 2, 3};
  do {
    for (const Shape& shape : {Shape{2, 3, 4, 5}, Shape{2, 35, 1, 40}, Shape{5, 3, 37, 33}}) {
      check_copy<float>(DType::float32, shape, permuted_strides(shape, order),
                        contiguous_strides(shape));
      check_copy<uint16_t>(DType::float16, shape, permuted_strides(shape, order),
                           contiguous_strides(shape));
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("kernels copy: slices, repeats, reversed axes, scalars, nothing") {
  check_copy<float>(DType::float32, {6, 7}, {20, 1}, {7, 1});  // a window
  check_copy<float>(DType::float32, {6, 7}, {7, 1}, {20, 1});  // into a window
  check_copy<int64_t>(DType::int64, {6, 7}, {40, 3}, {7, 1});  // every third
  check_copy<int64_t>(DType::int64, {6, 7}, {7, 1}, {40, 3});
  check_copy<float>(DType::float32, {6, 7}, {0, 1}, {7, 1});  // a row, repeated
  check_copy<float>(DType::float32, {6, 7}, {1, 0}, {7, 1});  // a column, repeated
  check_copy<double>(DType::float64, {6, 7}, {0, 0}, {7, 1});
  check_copy<float>(DType::float32, {40, 50}, {-50, 1}, {50, 1}, 39 * 50);
  check_copy<float>(DType::float32, {40, 50}, {50, -1}, {50, 1}, 49);
  check_copy<float>(DType::float32, {40, 50}, {-1, 40}, {50, 1}, 39);
  check_copy<float>(DType::float32, {}, {}, {});
  check_copy<float>(DType::float32, {0, 4}, {4, 1}, {4, 1});
  float x = 1, y = 0;
  CHECK_THROWS_AS(strided_copy({&x, DType::float32, {1}, {1}}, {&y, DType::float32, {1, 1}, {1, 1}},
                               Resources::current()),
                  Error);
}

TEST_CASE("kernels copy: large arrays are shared by threads") {
  check_copy<float>(DType::float32, {300000}, {1}, {1});
  check_copy<float>(DType::float32, {300001}, {2}, {1});
  check_copy<uint8_t>(DType::uint8, {1000, 1501}, {1, 1000}, {1501, 1});
  check_copy<float>(DType::float32, {3, 200007}, {1, 3}, {200007, 1});
  check_copy<float>(DType::float32, {200007, 3}, {1, 200007}, {3, 1});
}
