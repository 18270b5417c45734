// Orders of nodes: topological sorts that respect data, effects and segments.
#include "passes/order.h"

#include <queue>

#include "core/error.h"

namespace hybrid {

std::vector<std::vector<size_t>> must_precede(const Graph& graph) {
  std::vector<std::vector<size_t>> before(graph.nodes.size());
  size_t last_effect = graph.nodes.size(), last_meeting = graph.nodes.size();
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& n = graph.nodes[i];
    for (const Entry& e : n.inputs) {
      const size_t from = static_cast<size_t>(graph.position(e.node));
      if (before[i].empty() || before[i].back() != from) before[i].push_back(from);
    }
    if (n.kind == NodeKind::op && n.op->meets) {  // all devices meet in one order
      if (last_meeting < i) before[i].push_back(last_meeting);
      last_meeting = i;
    }
    if (n.kind != NodeKind::effect) continue;
    if (last_effect < i) before[i].push_back(last_effect);
    last_effect = i;
  }
  return before;
}

std::vector<size_t> order_by_key(const std::vector<std::vector<size_t>>& before,
                                 const std::vector<size_t>& keys) {
  const size_t count = before.size();
  std::vector<std::vector<size_t>> after(count);
  std::vector<size_t> waits(count, 0);
  for (size_t u = 0; u < count; ++u) {
    for (size_t v : before[u]) {
      after[v].push_back(u);
      ++waits[u];
    }
  }
  using Ready = std::pair<size_t, size_t>;  // key, unit
  std::priority_queue<Ready, std::vector<Ready>, std::greater<Ready>> ready;
  for (size_t u = 0; u < count; ++u) {
    if (waits[u] == 0) ready.emplace(keys[u], u);
  }
  std::vector<size_t> order;
  order.reserve(count);
  while (!ready.empty()) {
    const size_t u = ready.top().second;
    ready.pop();
    order.push_back(u);
    for (size_t v : after[u]) {
      if (--waits[v] == 0) ready.emplace(keys[v], v);
    }
  }
  require(order.size() == count, "order: the nodes depend on each other in a circle");
  return order;
}

}  // namespace hybrid
