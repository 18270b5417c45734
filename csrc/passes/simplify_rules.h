// The rewrites of the simplify pass: each one exact, bit for bit, and named for people.
#pragma once
#include <string>

#include "graph/graph.h"
#include "passes/pass.h"

namespace hybrid {

// What a rule may look at: a node whose inputs already belong to the simplified graph.
struct Use {
  const Graph& graph;  // the graph built so far
  const Node& node;
  bool training;
  bool fast;            // reassociating rewrites allowed
  bool differentiated;  // a gradient will be taken through the node

  const Node& producer(size_t input) const { return graph.node(node.inputs[input].node); }
  // The input has exactly the output's shape and dtype, so it may stand in for it.
  bool same_type(size_t input) const;
};

struct Rewrite {
  enum Kind { none, input, node } kind = none;
  Entry value;       // input: the existing value that the output equals
  Node replacement;  // node: an operator to use instead (no id yet)
  std::string rule;  // "x * 1 -> x"
  std::string why;
};

// The first rule that applies.
Rewrite find_rewrite(const Use& use);

}  // namespace hybrid
