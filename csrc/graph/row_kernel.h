// Row kernels: fused nodes of elementwise operators and reductions along the same rows. What a row
// is reduced to may be read again along that row.
#pragma once
#include <functional>
#include <vector>

#include "graph/graph.h"

namespace hybrid {

// May `op` be a member of a row kernel?
bool is_row_member(const OpDef& op);

struct RowShape {
  Shape shape;  // of wide values: those with all elements of the rows
  Shape lead;   // of the rows: dimensions of size 1 are left out
  int64_t rows = 0, size = 0;
};

// Do these operators, in topological order, work along the same rows? Every other value has one
// element a row. `type_of`: shape and dtype of what they read from outside.
struct OuterType {
  Shape shape;
  DType dtype;
};
bool find_rows(const std::vector<const Node*>& members,
               const std::function<OuterType(Entry)>& type_of, RowShape* found);
Shape without_ones(const Shape& shape);
// True when element `strides` lead to is the same all along a row, the next one for the next row.
bool repeats_along_rows(const RowShape& rows, const Shape& strides);

// When the members of a row kernel run. A stage first computes values of one element a row, then
// wide values, then reductions of these, whose results the next stage may read.
struct RowOrder {
  std::vector<bool> wide;  // by member: its result
  std::vector<int> stage;  // by member
  // By member: increases in the order in which elements are read and written.
  std::vector<int> time;
};
RowOrder find_row_order(const Node& kernel);

}  // namespace hybrid
