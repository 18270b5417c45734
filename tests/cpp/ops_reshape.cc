// MXNet's reshape codes, and which reshapes are views.
#include <doctest/doctest.h>

#include "ops/reshape.h"
#include "ops/view.h"
#include "ops_helpers.h"

using namespace ops_test;

namespace {

std::string codes(const Shape& in, const std::vector<int64_t>& spec, bool reverse = false) {
  return resolve_reshape(in, spec, true, reverse, "reshape").str();
}

std::string plain(const Shape& in, const std::vector<int64_t>& spec) {
  return resolve_reshape(in, spec, false, false, "reshape").str();
}

bool refused(const Shape& in, const std::vector<int64_t>& spec, bool with_codes = true) {
  try {
    resolve_reshape(in, spec, with_codes, false, "reshape");
  } catch (const Error&) {
    return true;
  }
  return false;
}

}  // namespace

TEST_CASE("reshape: MXNet's codes") {
  CHECK(codes({2, 3, 4}, {4, 0, 2}) == "(4, 3, 2)");
  CHECK(codes({2, 3, 4}, {2, 0, 0}) == "(2, 3, 4)");
  CHECK(codes({2, 3, 4}, {6, 1, -1}) == "(6, 1, 4)");
  CHECK(codes({2, 3, 4}, {3, -1, 8}) == "(3, 1, 8)");
  CHECK(codes({2, 3, 4}, {-1}) == "(24,)");
  CHECK(codes({2, 3, 4}, {-2}) == "(2, 3, 4)");
  CHECK(codes({2, 3, 4}, {2, -2}) == "(2, 3, 4)");
  CHECK(codes({2, 3, 4}, {-2, 1, 1}) == "(2, 3, 4, 1, 1)");
  CHECK(codes({2, 3, 4}, {-3, 4}) == "(6, 4)");
  CHECK(codes({2, 3, 4, 5}, {-3, -3}) == "(6, 20)");
  CHECK(codes({2, 3, 4}, {0, -3}) == "(2, 12)");
  CHECK(codes({2, 3, 4}, {-3, -2}) == "(6, 4)");
  CHECK(codes({2, 3, 4}, {-4, 1, 2, -2}) == "(1, 2, 3, 4)");
  CHECK(codes({2, 3, 4}, {2, -4, -1, 3, -2}) == "(2, 1, 3, 4)");
  CHECK(codes({10, 5, 4}, {-1, 0}) == "(40, 5)");
  CHECK(codes({10, 5, 4}, {-1, 0}, true) == "(50, 4)");
}

TEST_CASE("reshape: plain sizes, zero-size arrays, unknown dimensions") {
  CHECK(plain({2, 3, 4}, {4, -1}) == "(4, 6)");
  CHECK(plain({0, 3}, {3, 0}) == "(3, 0)");
  CHECK(plain({1}, {}) == "()");
  CHECK(codes({0, 3, 4}, {0, -1}) == "(0, 12)");
  CHECK(plain({-1, 3}, {-1, 3}) == Shape({-1, 3}).str());
  CHECK(codes({-1, 3, 4}, {0, -1}) == Shape({-1, 12}).str());
  CHECK(codes({2, -1, 4}, {0, -1}) == Shape({2, -1}).str());
}

TEST_CASE("reshape: what does not fit is refused") {
  CHECK(refused({2, 3}, {4}));
  CHECK(refused({2, 3}, {-1, -1}));
  CHECK(refused({2, 3}, {0, 0, 0}));
  CHECK(refused({2, 3}, {-5}));
  CHECK(refused({2, 3}, {-4, 2}));
  CHECK(refused({2, 3}, {-4, 2, 2, 0}));
  CHECK(refused({2, 3}, {-4, -1, -1, 0}));
  CHECK(refused({2, 3}, {4, -1}));
  CHECK(refused({2, 3}, {-2}, false));
  CHECK(refused({0, 3}, {0, -1}, false));
}

TEST_CASE("reshape: strides of a window in a new shape") {
  const auto strides = [](const Shape& shape, const Shape& old, const Shape& to) {
    TensorView view;
    view.shape = shape;
    view.strides = old;
    Shape result;
    return reshape_strides(view, to, &result) ? result.str() : std::string("copy");
  };
  CHECK(strides({2, 3}, {3, 1}, {6}) == "(1,)");
  CHECK(strides({2, 3}, {3, 1}, {3, 2}) == "(2, 1)");
  CHECK(strides({2, 3}, {1, 2}, {6}) == "copy");
  CHECK(strides({2, 3}, {1, 2}, {2, 1, 3}) == Shape({1, 6, 2}).str());
  CHECK(strides({4, 6}, {12, 2}, {24}) == "(2,)");
  CHECK(strides({4, 6}, {24, 2}, {2, 2, 6}) == "(48, 24, 2)");
  CHECK(strides({1, 5}, {77, 3}, {5, 1}) != "copy");
  CHECK(strides({}, {}, {1, 1}) == "(1, 1)");
}
