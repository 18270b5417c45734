#include "graph/kernel_kind.h"

#include <algorithm>

#include "graph/row_kernel.h"
#include "graph/row_reduction.h"
#include "graph/window_write.h"
#include "ops/epilogue.h"

namespace hybrid {
namespace {

bool elementwise_member(const OpDef& op, bool, bool) { return op.elementwise != nullptr; }
bool rows_member(const OpDef& op, bool, bool) { return is_row_member(op); }
bool write_member(const OpDef& op, bool, bool last) {
  return op.elementwise != nullptr || (last && is_window_write(op));
}
bool product_member(const OpDef& op, bool first, bool) {
  return op.elementwise != nullptr || (first && takes_epilogue(op));
}

// It writes block by block: memory may be reused when the member that makes the output is not
// before the last member that reads it.
bool blocks_overwrite(const Node& node, const std::vector<int>& same_memory, int out) {
  int last_read = -1, written = -1;
  for (size_t m = 0; m < node.members.size(); ++m) {
    for (const Entry& e : node.members[m].inputs) {
      for (int i : same_memory) {
        if (node.inputs[i] == e) last_read = static_cast<int>(m);
      }
    }
    if (node.members[m].id == node.member_outputs[out].node) written = static_cast<int>(m);
  }
  return written >= last_read;
}

// Rows are read and written together, so only the order within a row counts.
bool rows_overwrite(const Node& node, const std::vector<int>& same_memory, int out) {
  const RowOrder order = find_row_order(node);
  int last_read = -1, written = -1;
  for (size_t m = 0; m < node.members.size(); ++m) {
    for (const Entry& e : node.members[m].inputs) {
      for (int i : same_memory) {
        if (node.inputs[i] == e) last_read = std::max(last_read, order.time[m]);
      }
    }
    if (node.members[m].id == node.member_outputs[out].node && order.wide[m]) {
      written = order.time[m];
    }
  }
  return written >= last_read;
}

constexpr const char* kHeading = "# one kernel:";

// By KernelKind.
const KernelTraits kTraits[] = {
    {"none", nullptr, Family::other, false, false, false, nullptr, nullptr},
    {"op", nullptr, Family::other, false, false, false, nullptr, nullptr},
    {"elementwise", kHeading, Family::elementwise, true, true, true, elementwise_member,
     blocks_overwrite},
    {"rows", "# one kernel, row by row:", Family::reduce, true, true, true, rows_member,
     rows_overwrite},
    // What is written in the window may be read beside it by an element that comes later.
    {"write", kHeading, Family::elementwise, true, false, true, write_member, nullptr},
    // The product is written before what follows it reads anything.
    {"product", kHeading, Family::elementwise, false, false, false, product_member, nullptr},
    {"copy", nullptr, Family::other, true, false, false, nullptr, nullptr},
};
static_assert(sizeof kTraits / sizeof *kTraits == static_cast<size_t>(KernelKind::copy) + 1,
              "a row for every kind");

}  // namespace

const KernelTraits& traits_of(KernelKind kind) { return kTraits[static_cast<size_t>(kind)]; }

KernelKind kernel_kind(const Node& node) {
  if (node.kind == NodeKind::fused) return node.kernel;
  if (node.kind != NodeKind::op) return KernelKind::none;
  return node.op->elementwise ? KernelKind::elementwise : KernelKind::op;
}

KernelKind kernel_kind_of(const std::vector<Node>& members) {
  const auto reduces = [](const Node& m) { return is_row_reduction(*m.op); };
  if (std::any_of(members.begin(), members.end(), reduces)) return KernelKind::rows;
  if (is_window_write(*members.back().op)) return KernelKind::write;
  if (takes_epilogue(*members.front().op)) return KernelKind::product;
  return KernelKind::elementwise;
}

}  // namespace hybrid
