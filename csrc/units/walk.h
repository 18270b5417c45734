// Walk: several arrays of one shape gone through together; how an array's elements lie.
#pragma once
#include <cstdint>

#include "units/arrays.h"
#include "units/numbers.h"

namespace hybrid {
namespace units {

// Arrays that are gone through together, with as few axes as will do.
struct Walk {
  int rank = 0;
  int64_t shape[kMaxRank];
  int64_t stride[4][kMaxRank];

  Walk(const int64_t* full, int full_rank, const int64_t* const* strides, int arrays) {
    for (int axis = 0; axis < full_rank; ++axis) {
      if (full[axis] == 1) continue;
      bool joins = rank > 0;
      for (int k = 0; joins && k < arrays; ++k) {
        joins = stride[k][rank - 1] == strides[k][axis] * full[axis];
      }
      if (!joins) ++rank;
      shape[rank - 1] = joins ? shape[rank - 1] * full[axis] : full[axis];
      for (int k = 0; k < arrays; ++k) stride[k][rank - 1] = strides[k][axis];
    }
    if (rank == 0) {
      rank = 1;
      shape[0] = 1;
      for (int k = 0; k < arrays; ++k) stride[k][0] = 0;
    }
  }

  // inner(data, strides, n) for each run along the last axis.
  template <typename Inner>
  void each(char** data, int arrays, const Inner& inner) const {
    intptr_t steps[4];
    for (int k = 0; k < arrays; ++k) steps[k] = stride[k][rank - 1];
    int64_t at[kMaxRank] = {};
    while (true) {
      inner(data, steps, shape[rank - 1]);
      int axis = rank - 2;
      for (; axis >= 0; --axis) {
        for (int k = 0; k < arrays; ++k) data[k] += stride[k][axis];
        if (++at[axis] < shape[axis]) break;
        for (int k = 0; k < arrays; ++k) data[k] -= stride[k][axis] * shape[axis];
        at[axis] = 0;
      }
      if (axis < 0) return;
    }
  }
};

inline bool is_reversed(const Array& array) {
  for (int axis = 0; axis < array.rank; ++axis) {
    if (array.shape[axis] > 1 && array.stride[axis] < 0) return true;
  }
  return false;
}

inline bool is_contiguous(const Array& array, bool turned = false) {
  int64_t expected = size_of(array.type);
  for (int k = 0; k < array.rank; ++k) {
    const int axis = turned ? k : array.rank - 1 - k;
    if (array.shape[axis] != 1 && array.stride[axis] != expected) return false;
    expected *= array.shape[axis];
  }
  return true;
}

}  // namespace units
}  // namespace hybrid
