// What elements are accumulated in; for a GPU's compiler too.
#pragma once
#include <cstdint>

namespace hybrid {

// Floats are accumulated in double, integers and bool in int64 (sums and products wrap).
template <class T>
struct AccumulatorOf {
  using Type = int64_t;
};
template <>
struct AccumulatorOf<float> {
  using Type = double;
};
template <>
struct AccumulatorOf<double> {
  using Type = double;
};
template <class T>
using Accumulator = typename AccumulatorOf<T>::Type;

}  // namespace hybrid
