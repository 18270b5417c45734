// Elements that go through several steps in registers, beside one after the other.
#include "kernels/elem_path.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace hybrid {
namespace {

template <class T>
T stepped(PathCode code, T held, T operand) {
  switch (code) {
    case PathCode::begin:
      return operand;
    case PathCode::add:
      return held + operand;
    case PathCode::sub:
      return held - operand;
    case PathCode::sub_from:
      return operand - held;
    case PathCode::mul:
      return held * operand;
    case PathCode::div:
      return held / operand;
    case PathCode::div_by:
      return operand / held;
    case PathCode::negative:
      return -held;
    case PathCode::absolute:
      return std::fabs(held);
    case PathCode::square:
      return held * held;
    default:
      return std::sqrt(held);
  }
}

template <class T>
void check(void (*path)(const PathStep*, int, T*, int64_t, int64_t)) {
  const PathCode codes[] = {PathCode::begin,    PathCode::sub_from, PathCode::absolute,
                            PathCode::add,      PathCode::div_by,   PathCode::mul,
                            PathCode::negative, PathCode::square,   PathCode::sub,
                            PathCode::div,      PathCode::absolute, PathCode::sqrt};
  constexpr int kCount = sizeof codes / sizeof *codes;
  constexpr int64_t kMost = 140;
  for (int64_t n = 0; n <= kMost; ++n) {
    for (int64_t variant = 0; variant < 8; ++variant) {
      const int64_t out_step = 1 + variant % 2;
      const bool in_place = variant % 4 < 2;  // the first operand is what is written
      CAPTURE(n);
      CAPTURE(variant);
      std::vector<std::vector<T>> operands;
      std::vector<PathStep> steps;
      std::vector<T> out(3 * kMost + 1, T(-7));
      for (int k = 0; k < kCount; ++k) {
        std::vector<T> data(3 * kMost + 1);
        for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<T>(i % 17 + k + 1) / 8;
        const int64_t step = k == 0 && in_place ? out_step : (k + variant) % 4;
        if (k == 0) out = data;
        operands.push_back(data);
        steps.push_back({codes[k], nullptr, is_unary(codes[k]) ? 0 : step});
      }
      for (int k = 0; k < kCount; ++k) {
        if (!is_unary(codes[k])) steps[k].data = operands[k].data();
      }
      if (in_place) steps[0].data = out.data();
      std::vector<T> wanted = out;
      for (int64_t i = 0; i < n; ++i) {
        T held = 0;
        for (int k = 0; k < kCount; ++k) {
          held = stepped(codes[k], held, operands[k][i * steps[k].step]);
        }
        wanted[i * out_step] = held;
      }
      path(steps.data(), kCount, out.data(), out_step, n);
      CHECK(out == wanted);
    }
  }
}

TEST_CASE("elem path: every step rounds once, for any count, stride and place") {
  check<float>(elem_path().f32);
  check<double>(elem_path().f64);
}

}  // namespace
}  // namespace hybrid
