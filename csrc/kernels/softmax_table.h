// Softmax table: softmax of a part of the rows or columns, for one instruction set.
#pragma once
#include <cstdint>

namespace hybrid {

constexpr int64_t kSoftmaxColumns = 16;  // of one item when inner > 1: a line of floats

// Items [begin, end): rows when inner is 1, else groups of kSoftmaxColumns columns, of each outer
// index in turn. Arrays are (outer, axis, inner); results may take the place of an argument.
template <class T>
struct SoftmaxFns {
  void (*forward)(int64_t begin, int64_t end, int64_t axis, int64_t inner, const T* x, T* y,
                  T temperature, bool log);
  void (*backward)(int64_t begin, int64_t end, int64_t axis, int64_t inner, const T* dy, const T* y,
                   T* dx, T temperature, bool log);
};
struct SoftmaxTable {
  SoftmaxFns<float> f32;
  SoftmaxFns<double> f64;
};

}  // namespace hybrid
