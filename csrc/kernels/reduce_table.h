// Reduce table: reductions of one block of rows or columns, for one instruction set.
#pragma once
#include <cstdint>

#include "kernels/accumulator.h"
#include "kernels/kernels.h"

namespace hybrid {

constexpr int kNumReductions = static_cast<int>(Reduction::nansum) + 1;
constexpr int64_t kBlockElements = 4096;  // of a row
constexpr int64_t kBlockRows = 128;       // of columns: more would cost digits
constexpr int64_t kBlockColumns = 512;

template <class T>
struct ReduceFns {
  // n elements to one. No entries for argmax and argmin.
  void (*row[kNumReductions])(const T* x, int64_t n, Accumulator<T>* out);
  // out[j] from x[i * step + j], i < rows <= kBlockRows, j < width <= kBlockColumns.
  void (*columns[kNumReductions])(const T* x, int64_t rows, int64_t step, int64_t width,
                                  Accumulator<T>* out);
};
struct ReduceTable {
  ReduceFns<float> f32;
  ReduceFns<double> f64;
  ReduceFns<int32_t> i32;
  ReduceFns<int64_t> i64;
  ReduceFns<uint8_t> u8;  // and bool
};
const ReduceTable& reduce_table();

}  // namespace hybrid
