#include "graph/row_reduction.h"

#include <cstring>

#include "kernels/reduce_shape.h"
#include "kernels/reduce_table.h"
#include "ops/axes.h"

namespace hybrid {
namespace {

constexpr int64_t kMinRows = 64;

struct Known {
  const char* name;
  Reduction kind;
  bool mean;
};
constexpr Known kKnown[] = {
    {"sum", Reduction::sum, false},   {"mean", Reduction::sum, true},
    {"prod", Reduction::prod, false}, {"max", Reduction::max, false},
    {"min", Reduction::min, false},
};

const Known* known(const OpDef& op) {
  for (const Known& k : kKnown) {
    if (std::strcmp(k.name, op.name) == 0) return &k;
  }
  return nullptr;
}

}  // namespace

bool is_row_reduction(const OpDef& op) { return known(op) != nullptr; }

bool find_row_reduction(const Node& n, const Shape& in, DType dtype, RowReduction* found) {
  const Known* k = n.kind == NodeKind::op && n.op != nullptr ? known(*n.op) : nullptr;
  if (k == nullptr || !in.known() || n.inputs.size() != 1 || n.num_outputs() != 1) return false;
  if (n.dtypes[0] != dtype || (dtype != DType::float32 && dtype != DType::float64 &&
                               dtype != DType::int32 && dtype != DType::int64)) {
    return false;
  }
  const auto stages = reduce_stages(in, axes_mask(n.attrs, in.ndim()));
  // One block a row: its bits are then those of the reduction alone.
  if (stages.size() != 1 || stages[0].inner != 1 || stages[0].size < 2 ||
      stages[0].size > kBlockElements || stages[0].outer < kMinRows) {
    return false;
  }
  *found = {k->kind, k->mean, stages[0].outer, stages[0].size};
  return true;
}

bool ends_in_reduction(const Node& n) {
  return n.kind == NodeKind::fused && !n.members.empty() && is_row_reduction(*n.members.back().op);
}

}  // namespace hybrid
