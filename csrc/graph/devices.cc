#include "graph/devices.h"

#include <algorithm>

#include "ops/copy_to_device.h"

namespace hybrid {

std::vector<Context> devices_of(const Graph& graph) {
  std::vector<Context> result;
  for (const Node& n : graph.nodes) {
    if (n.kind == NodeKind::constant || n.kind == NodeKind::effect) continue;
    const Context ctx = worker_of(n.ctx);
    if (std::find(result.begin(), result.end(), ctx) == result.end()) result.push_back(ctx);
  }
  return result;
}

bool is_placed(const Graph& graph) {
  if (devices_of(graph).size() < 2) return false;
  for (const Node& n : graph.nodes) {
    if (n.kind == NodeKind::effect || (n.kind == NodeKind::op && is_device_copy(n.op))) continue;
    for (const Entry& e : n.inputs) {
      const Node& source = graph.node(e.node);
      if (source.kind != NodeKind::constant && !same_device(source.ctx, n.ctx)) return false;
    }
  }
  return true;
}

}  // namespace hybrid
