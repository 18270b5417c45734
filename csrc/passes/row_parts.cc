#include "passes/row_parts.h"

#include <algorithm>

#include "graph/kernel_kind.h"
#include "graph/row_reduction.h"
#include "passes/fusible.h"

namespace hybrid {

namespace {

// A thread takes whole rows: with few of them others would have none, unless the work is so little
// that one thread does it anyway. A longer row would leave the second-level cache between phases.
constexpr int64_t kMinRows = 16;
constexpr int64_t kLittleWork = 1 << 15;   // elements
constexpr int64_t kMaxRowBytes = 1 << 18;  // of one wide value

std::string why_not(const RowReduction& r, DType dtype) {
  const std::string rows =
      std::to_string(r.rows) + (r.rows == 1 ? " row" : " rows") + " of " + std::to_string(r.size);
  if (r.size * static_cast<int64_t>(dtype_size(dtype)) > kMaxRowBytes) {
    return rows + " elements: a row is too long to stay in cache";
  }
  if (r.rows < kMinRows && r.rows * r.size > kLittleWork) {
    return rows + " elements: too few rows to give every thread some";
  }
  return "";
}

}  // namespace

RowParts::RowParts(const Graph& graph) : graph_(graph) {
  for (const Node& n : graph.nodes) {
    if (n.kind != NodeKind::fused) continue;
    for (const Node& m : n.members) member_types_[m.id] = {m.shapes[0], m.dtypes[0]};
  }
  for (const Node& n : graph.nodes) parts_.push_back(find(n));
}

bool RowParts::any_reduction() const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [](const RowPart& part) { return part.reductions > 0; });
}

Entry RowParts::resolved(Entry e) const {
  const int p = graph_.position(e.node);
  if (p < 0) return e;  // a member already
  const Node& n = graph_.nodes[static_cast<size_t>(p)];
  return n.kind == NodeKind::fused ? n.member_outputs[static_cast<size_t>(e.out)] : e;
}

OuterType RowParts::type_of(Entry e) const {
  const auto member = member_types_.find(e.node);
  if (member != member_types_.end()) return member->second;
  return {graph_.shape(e), graph_.dtype(e)};
}

RowPart RowParts::find(const Node& n) const {
  RowPart part;
  if (n.kind == NodeKind::fused) {
    if (!traits_of(n.kernel).joins_rows) return {};
    for (const Node& m : n.members) {
      if (!add_member(m, &part)) break;
    }
  } else if (n.kind == NodeKind::op && is_row_member(*n.op) && n.num_outputs() == 1) {
    const bool other =
        is_row_reduction(*n.op) || (n.op->view != nullptr && n.op->elementwise == nullptr);
    if (!other && elementwise_instructions(graph_, n) == 0) return {};
    add_member(n, &part);
  }
  return part;
}

// False: the node can't be part, and `part` says no more than why.
bool RowParts::add_member(Node m, RowPart* part) const {
  bool known = m.shapes[0].known();
  std::vector<DType> dtypes;
  for (Entry& e : m.inputs) {
    e = resolved(e);
    const OuterType type = type_of(e);
    known = known && type.shape.known();
    dtypes.push_back(type.dtype);
  }
  RowPart none;
  if (known && is_row_reduction(*m.op)) {
    RowReduction r;
    known = find_row_reduction(m, type_of(m.inputs[0]).shape, dtypes[0], &r);
    if (known) none.why_not = why_not(r, dtypes[0]);
    known = known && none.why_not.empty();
    ++part->reductions;
    ++part->cost;
  } else if (known && m.op->elementwise != nullptr) {
    std::vector<ElemInstr> code;
    m.op->elementwise(m.attrs, dtypes, &code);
    part->cost += static_cast<int>(code.size());
  }
  if (!known) {
    *part = std::move(none);
    return false;
  }
  part->members.push_back(std::move(m));
  return true;
}

}  // namespace hybrid
