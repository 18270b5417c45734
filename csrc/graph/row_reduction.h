// Row reduction: a reduction over trailing axes, which may end a fused kernel.
#pragma once
#include "graph/graph.h"
#include "kernels/kernels.h"

namespace hybrid {

// Input elements [i * size, (i + 1) * size) make output element i, for i < rows.
struct RowReduction {
  Reduction kind = Reduction::sum;
  bool mean = false;  // the sum is divided by size
  int64_t rows = 0, size = 0;
};

// Does the operator reduce, as far as its name goes?
bool is_row_reduction(const OpDef& op);
// What node `n` does to an input of this shape, when its rows are short enough to be kept in cache
// and many enough to be worth it.
bool find_row_reduction(const Node& n, const Shape& in, DType dtype, RowReduction* found);
// A fused node whose last member is a row reduction.
bool ends_in_reduction(const Node& n);

}  // namespace hybrid
