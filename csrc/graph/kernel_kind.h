// KernelKind: what a node is to whoever runs, plans or shows it, in one table. A fused node is told
// its kind when it is made; nobody looks at its members to find out.
#pragma once
#include <vector>

#include "graph/graph.h"

namespace hybrid {

struct KernelTraits {
  const char* name;
  const char* heading;  // of its members in a program's text
  Family family;        // of a fused node, for pictures
  bool any_layout;      // takes windows on its inputs as they lie
  bool joins_rows;      // its members may work in a row kernel
  // The schedule takes it that a result may lie where an input did.
  bool reuses_inputs;
  // May a fused node have this member, first or last among them?
  bool (*takes_member)(const OpDef& op, bool first, bool last);
  // May output `out` be written over the inputs `same_memory`, all one memory? Null: never.
  bool (*may_overwrite)(const Node& kernel, const std::vector<int>& same_memory, int out);
};
const KernelTraits& traits_of(KernelKind kind);

// Of any node: `none` where there is nothing to run.
KernelKind kernel_kind(const Node& node);
// Of the fused node that these become: for whoever makes one.
KernelKind kernel_kind_of(const std::vector<Node>& members);

}  // namespace hybrid
