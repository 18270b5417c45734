// Rewriter: builds the graph after a pass node by node, redirecting values that were replaced.
#pragma once
#include <map>
#include <vector>

#include "graph/graph.h"

namespace hybrid {

class Rewriter {
 public:
  explicit Rewriter(const Graph& before);  // keeps a reference; starts with no nodes
  Graph after;

  Entry map(Entry e) const;            // where a value of `before` lives now
  void replace(Entry from, Entry to);  // from: in before; to: in after
  Node copy(const Node& node) const;   // with inputs redirected
  Node& keep(const Node& node) { return after.add(copy(node)); }
  Graph finish();  // takes over inputs and outputs; `after` is moved out

 private:
  const Graph& before_;
  std::vector<bool> replaced_;  // by id: some output of it was replaced
  std::map<Entry, Entry> to_;
};

// Number of uses of every entry by nodes and graph outputs: by position, by output.
std::vector<std::vector<int>> count_uses(const Graph& graph);
// By position: nodes that depend on any of `from`, those included.
std::vector<bool> depends_on(const Graph& graph, const std::vector<NodeId>& from);

// While a gradient is still to be taken, what lies between inputs and heads keeps its structure:
// the order in which contributions are added is part of the result. Before it, `fixed` says which
// nodes (by position) may be rewritten only where that order cannot change; the heads not at all.
struct GradientGuard {
  GradientGuard(const Graph& graph, const struct PassOptions& options);
  bool pending = false;
  std::vector<bool> flows;   // by position: a gradient will pass through
  std::vector<bool> pinned;  // by position: named by the options, must stay
};

}  // namespace hybrid
