#include "graph/row_reduction.h"

#include <cstring>

#include "kernels/reduce_shape.h"
#include "kernels/reduce_table.h"
#include "ops/axes.h"

namespace hybrid {
namespace {

constexpr int64_t kMinRows = 64;

using After = RowReduction::After;

struct Known {
  const char* name;
  Reduction kind;
  After after;
};
constexpr Known kKnown[] = {
    {"sum", Reduction::sum, After::nothing},          {"mean", Reduction::sum, After::divide},
    {"prod", Reduction::prod, After::nothing},        {"max", Reduction::max, After::nothing},
    {"min", Reduction::min, After::nothing},          {"norm", Reduction::sum_squares, After::root},
    {"sum_to_shape", Reduction::sum, After::nothing},
};

const Known* known(const OpDef& op) {
  for (const Known& k : kKnown) {
    if (std::strcmp(k.name, op.name) == 0) return &k;
  }
  return nullptr;
}

// The axes that node `n` reduces.
uint32_t reduced_axes(const Node& n, const Shape& in) {
  if (n.op->attr_index("axis") >= 0) return axes_mask(n.attrs, in.ndim());
  const Shape& to = n.shapes[0];  // sum_to_shape
  const int extra = in.ndim() - to.ndim();
  uint32_t mask = 0;
  for (int i = 0; i < in.ndim(); ++i) {
    if (i < extra || (to[i - extra] == 1 && in[i] != 1)) mask |= 1u << i;
  }
  return mask;
}

}  // namespace

bool is_row_reduction(const OpDef& op) { return known(op) != nullptr; }

bool find_row_reduction(const Node& n, const Shape& in, DType dtype, RowReduction* found) {
  const Known* k = n.kind == NodeKind::op && n.op != nullptr ? known(*n.op) : nullptr;
  if (k == nullptr || !in.known() || n.inputs.size() != 1 || n.num_outputs() != 1) return false;
  if (!n.shapes[0].known() || n.dtypes[0] != dtype ||
      (dtype != DType::float32 && dtype != DType::float64 && dtype != DType::int32 &&
       dtype != DType::int64)) {
    return false;
  }
  if (k->after == After::root && n.attrs.integer("ord") != 2) return false;
  const auto stages = reduce_stages(in, reduced_axes(n, in));
  if (stages.size() != 1 || stages[0].inner != 1 || stages[0].size < 2) return false;
  *found = {k->kind, k->after, stages[0].outer, stages[0].size};
  return found->rows > 0;
}

bool is_worth_ending_in(const RowReduction& reduction) {
  return reduction.size <= kBlockElements && reduction.rows >= kMinRows;
}

}  // namespace hybrid
