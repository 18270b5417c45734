// Random table: fills of a part of a draw, for one instruction set.
#pragma once
#include <cstdint>

namespace hybrid {

// Elements [begin, end) of draw `key` go to out[0..]; begin is a multiple of kRandomGroup.
// uniform: a = low, b = high; normal: a = mean, b = deviation; mask: a = probability of 0.
constexpr int64_t kRandomGroup = 64;
template <class T>
using DrawFn = void (*)(uint64_t key, int64_t begin, int64_t end, double a, double b, T* out);

struct RandomTable {
  DrawFn<float> uniform_f32, normal_f32, mask_f32;
  DrawFn<double> uniform_f64, normal_f64, mask_f64;
  // Two words of the generator an element.
  void (*bits64)(uint64_t key, int64_t begin, int64_t end, uint64_t* out);
};

}  // namespace hybrid
