#include "graph/epilogue_node.h"

#include "ops/epilogue.h"

namespace hybrid {

bool begins_with_product(const Node& n) {
  return n.kind == NodeKind::fused && !n.members.empty() && takes_epilogue(*n.members[0].op);
}

}  // namespace hybrid
