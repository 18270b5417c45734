#include "core/shape.h"

#include <doctest/doctest.h>

#include "core/error.h"

using namespace hybrid;

TEST_CASE("shape: printed form") {
  CHECK(Shape{}.str() == "()");
  CHECK(Shape{4}.str() == "(4,)");
  CHECK(Shape{2, 3}.str() == "(2, 3)");
  CHECK(Shape{-1, 3}.str() == "(?, 3)");
  CHECK(Shape::unknown().str() == "(unknown rank)");
}

TEST_CASE("shape: size") {
  CHECK(Shape{}.size() == 1);
  CHECK(Shape{2, 3, 4}.size() == 24);
  CHECK(Shape{2, 0, 4}.size() == 0);
  CHECK(Shape{int64_t{1} << 40, 0, int64_t{1} << 40}.size() == 0);
  CHECK((Shape{int64_t{1} << 31, int64_t{1} << 31}.size() == int64_t{1} << 62));
  CHECK_THROWS_AS((Shape{int64_t{1} << 32, int64_t{1} << 32}.size()), Error);
  CHECK_THROWS_AS((Shape{INT64_MAX, INT64_MAX, INT64_MAX}.size()), Error);
  CHECK_THROWS_AS((Shape{-1, 2}.size()), Error);
  CHECK_THROWS_AS(Shape::unknown().size(), Error);
}

TEST_CASE("shape: at most eight dimensions") {
  const std::vector<int64_t> nine(9, 1);
  CHECK_THROWS_AS(Shape{nine}, Error);
  Shape eight(std::vector<int64_t>(8, 1));
  CHECK_THROWS_AS(eight.push_back(1), Error);
  CHECK_THROWS_AS(Shape::of_rank(9), Error);
}

TEST_CASE("shape: broadcast") {
  CHECK(broadcast_shapes({2, 3}, {3}, "add") == Shape{2, 3});
  CHECK(broadcast_shapes({2, 1}, {1, 5}, "add") == Shape{2, 5});
  CHECK(broadcast_shapes({}, {4}, "add") == Shape{4});
  CHECK(broadcast_shapes({0, 3}, {1, 3}, "add") == Shape{0, 3});
  CHECK(broadcast_shapes({-1, 3}, {5, 3}, "add") == Shape{5, 3});
  CHECK(broadcast_shapes({-1, 3}, {1, 3}, "add") == Shape{-1, 3});
  CHECK_FALSE(broadcast_shapes(Shape::unknown(), {3}, "add").rank_known());
  try {
    broadcast_shapes({2, 3}, {4}, "add");
    FAIL("no error");
  } catch (const Error& error) {
    const std::string text = error.what();
    for (const char* part : {"add", "(2, 3)", "(4,)"}) CHECK(text.find(part) != text.npos);
  }
}

TEST_CASE("shape: merge") {
  Shape s{-1, 3};
  CHECK(merge_shape(&s, {5, -1}));
  CHECK(s == Shape{5, 3});
  CHECK_FALSE(merge_shape(&s, {6, 3}));
  CHECK(s == Shape{5, 3});
  CHECK_FALSE(merge_shape(&s, {5}));
  Shape u = Shape::unknown();
  CHECK(merge_shape(&u, {2}));
  CHECK(u == Shape{2});
  CHECK(merge_shape(&u, Shape::unknown()));
}

TEST_CASE("shape: strides and axes") {
  CHECK(contiguous_strides({2, 3, 4}) == Shape{12, 4, 1});
  CHECK(contiguous_strides({}) == Shape{});
  CHECK(normalize_axis(-1, 3, "sum") == 2);
  CHECK(normalize_axis(0, 3, "sum") == 0);
  CHECK_THROWS_AS(normalize_axis(3, 3, "sum"), Error);
  CHECK_THROWS_AS(normalize_axis(-4, 3, "sum"), Error);
  CHECK_THROWS_AS(normalize_axis(0, 0, "sum"), Error);
}
