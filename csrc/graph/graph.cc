// Graph: ids and positions, consistency check, consumers and kernel count.
#include "graph/graph.h"

#include <algorithm>

#include "core/error.h"
#include "graph/text.h"

namespace hybrid {

Node& Graph::add(Node node) {
  if (node.id < 0) node.id = next_id;
  next_id = std::max(next_id, node.id + 1);
  if (positions_valid_for_ == nodes.size()) {
    if (position_.size() < static_cast<size_t>(next_id)) position_.resize(next_id, -1);
    position_[node.id] = static_cast<int32_t>(nodes.size());
    positions_valid_for_ = nodes.size() + 1;
  }
  nodes.push_back(std::move(node));
  return nodes.back();
}

bool is_backward(const Node& node) {
  const std::string& scope = node.scope;
  return scope.compare(0, 8, "backward") == 0 && (scope.size() == 8 || scope[8] == '/');
}

void Graph::reindex() {
  position_.assign(static_cast<size_t>(next_id), -1);
  for (size_t i = 0; i < nodes.size(); ++i) {
    const NodeId id = nodes[i].id;
    require(id >= 0 && id < next_id, "graph: node id ", id, " outside [0, ", next_id, ")");
    position_[id] = static_cast<int32_t>(i);
  }
  positions_valid_for_ = nodes.size();
}

int Graph::position(NodeId id) const {
  // Hits never write, so a finished graph may be read from several threads.
  const auto hit = [&]() -> int {
    if (id < 0 || static_cast<size_t>(id) >= position_.size()) return -1;
    const int32_t at = position_[id];
    return at >= 0 && static_cast<size_t>(at) < nodes.size() && nodes[at].id == id ? at : -1;
  };
  int at = hit();
  if (at >= 0 || id < 0 || id >= next_id) return at;
  if (positions_valid_for_ != nodes.size()) {
    const_cast<Graph*>(this)->reindex();
    return hit();
  }
  // The index covers as many nodes as there are, yet may be older than a reordering by hand.
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].id == id) return static_cast<int>(i);
  }
  return -1;
}

const Node& Graph::node(NodeId id) const {
  const int at = position(id);
  require(at >= 0, "graph: no node with id ", id);
  return nodes[at];
}

Node& Graph::node(NodeId id) { return const_cast<Node&>(std::as_const(*this).node(id)); }

const Shape& Graph::shape(Entry e) const {
  const Node& n = node(e.node);
  require(e.out >= 0 && e.out < n.num_outputs(), "graph: node ", e.node, " has ", n.num_outputs(),
          " outputs, output ", e.out, " was asked for");
  return n.shapes[e.out];
}

DType Graph::dtype(Entry e) const {
  const Node& n = node(e.node);
  require(e.out >= 0 && static_cast<size_t>(e.out) < n.dtypes.size(), "graph: node ", e.node,
          " has ", n.dtypes.size(), " outputs, output ", e.out, " was asked for");
  return n.dtypes[e.out];
}

int64_t Graph::bytes(Entry e) const {
  const Shape& s = shape(e);
  const DType d = dtype(e);
  if (!s.known() || d == DType::unknown) return 0;
  return s.size() * static_cast<int64_t>(dtype_size(d));
}

std::vector<std::vector<NodeId>> Graph::consumers() const {
  std::vector<std::vector<NodeId>> result(nodes.size());
  for (const Node& n : nodes) {
    for (const Entry& e : n.inputs) {
      auto& list = result[static_cast<size_t>(position(e.node))];
      if (list.empty() || list.back() != n.id) list.push_back(n.id);
    }
  }
  return result;
}

std::string Graph::str() const { return program_text(*this); }

int Graph::num_kernels() const {
  const std::vector<bool> view = view_nodes(*this);
  int count = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const NodeKind kind = nodes[i].kind;
    if (kind == NodeKind::fused || (kind == NodeKind::op && !view[i])) ++count;
  }
  return count;
}

bool is_inferred(const Graph& graph) {
  for (const Node& n : graph.nodes) {
    for (const Shape& s : n.shapes) {
      if (!s.known()) return false;
    }
    for (DType d : n.dtypes) {
      if (d == DType::unknown) return false;
    }
  }
  return true;
}

}  // namespace hybrid
