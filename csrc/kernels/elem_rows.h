// Elem rows: an elementwise program whose result is reduced as it is made.
#pragma once
#include "kernels/kernels.h"

namespace hybrid {

// Elements [first, first + rows) of contiguous `out` from rows of `size` contiguous elements each,
// by one thread and bit for bit as reduce() does. Not argmax, argmin.
void reduce_rows(Reduction kind, DType dtype, const void* x, int64_t rows, int64_t size,
                 const TensorView& out, int64_t first);
// The program's one result, of shape `shape`, seen as (rows, size) and reduced; it is computed a
// few rows at a time and never stored.
void run_elementwise_rows(const ElemProgram& program, const TensorView* inputs, const Shape& shape,
                          Reduction kind, int64_t rows, int64_t size, const TensorView& out,
                          Resources& resources);

}  // namespace hybrid
