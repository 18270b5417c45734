// Rewriter: builds the graph after a pass node by node, redirecting values that were replaced.
#include "passes/rewriter.h"

#include "passes/pass.h"

namespace hybrid {

Rewriter::Rewriter(const Graph& before)
    : before_(before), replaced_(static_cast<size_t>(before.next_id), false) {
  after.next_id = before.next_id;
  after.num_keys = before.num_keys;
  after.has_gradient = before.has_gradient;
  after.nodes.reserve(before.nodes.size());
}

Entry Rewriter::map(Entry e) const {
  if (!replaced_[static_cast<size_t>(e.node)]) return e;
  const auto found = to_.find(e);
  return found == to_.end() ? e : found->second;
}

void Rewriter::replace(Entry from, Entry to) {
  replaced_[static_cast<size_t>(from.node)] = true;
  to_[from] = to;
}

Node Rewriter::copy(const Node& node) const {
  Node n = node;
  for (Entry& e : n.inputs) e = map(e);
  for (Node& member : n.members) {
    for (Entry& e : member.inputs) e = map(e);
  }
  return n;
}

Graph Rewriter::finish() {
  after.inputs = before_.inputs;
  after.output_names = before_.output_names;
  for (const Entry& e : before_.outputs) after.outputs.push_back(map(e));
  return std::move(after);
}

std::vector<std::vector<int>> count_uses(const Graph& graph) {
  std::vector<std::vector<int>> uses(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) uses[i].assign(graph.nodes[i].shapes.size(), 0);
  const auto use = [&](Entry e) {
    ++uses[static_cast<size_t>(graph.position(e.node))][static_cast<size_t>(e.out)];
  };
  for (const Node& n : graph.nodes) {
    for (const Entry& e : n.inputs) use(e);
  }
  for (const Entry& e : graph.outputs) use(e);
  return uses;
}

std::vector<bool> depends_on(const Graph& graph, const std::vector<NodeId>& from) {
  std::vector<bool> result(graph.nodes.size(), false);
  for (NodeId id : from) {
    const int at = graph.position(id);
    if (at >= 0) result[static_cast<size_t>(at)] = true;
  }
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const Entry& e : graph.nodes[i].inputs) {
      if (result[static_cast<size_t>(graph.position(e.node))]) result[i] = true;
    }
  }
  return result;
}

GradientGuard::GradientGuard(const Graph& graph, const PassOptions& options)
    : flows(graph.nodes.size(), false), pinned(graph.nodes.size(), false) {
  if (options.grad_of.empty() || graph.has_gradient) return;
  pending = true;
  flows = depends_on(graph, options.grad_wrt);
  const auto pin = [&](Entry e) {
    const int at = e.defined() ? graph.position(e.node) : -1;
    if (at >= 0) pinned[static_cast<size_t>(at)] = true;
  };
  for (const Entry& e : options.grad_of) pin(e);
  for (const Entry& e : options.head_grads) pin(e);
}

}  // namespace hybrid
