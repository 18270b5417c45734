// Row reduction: a reduction over trailing axes, which may be part of a fused kernel.
#pragma once
#include "graph/graph.h"
#include "kernels/kernels.h"

namespace hybrid {

// Input elements [i * size, (i + 1) * size) make output element i, for i < rows.
struct RowReduction {
  Reduction kind = Reduction::sum;
  enum class After : uint8_t {
    nothing,
    divide,  // by size: a mean
    root,    // a norm
  } after = After::nothing;
  int64_t rows = 0, size = 0;
};

// Does the operator reduce, as far as its name goes?
bool is_row_reduction(const OpDef& op);
// What node `n` does to an input of this shape, when that is to reduce its rows.
bool find_row_reduction(const Node& n, const Shape& in, DType dtype, RowReduction* found);
// Are the rows short enough to be kept in cache, and many enough to be shared by threads? Then a
// kernel may end in their reduction at no loss.
bool is_worth_ending_in(const RowReduction& reduction);

}  // namespace hybrid
