// What every node of a graph can bring into a row kernel.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "graph/row_kernel.h"

namespace hybrid {

struct RowPart {
  // Its operators, which read each other's values and no fused node's; empty: it can't be part.
  std::vector<Node> members;
  int cost = 0;  // instructions, and one for every reduction
  int reductions = 0;
  std::string why_not;  // it reduces rows, but they are better left to a kernel of their own
};

class RowParts {
 public:
  explicit RowParts(const Graph& graph);
  const RowPart& operator[](size_t position) const { return parts_[position]; }
  void drop(size_t position) { parts_[position] = {}; }
  bool any_reduction() const;
  // The member that computes a value of the graph; itself where that is no fused node.
  Entry resolved(Entry e) const;
  OuterType type_of(Entry e) const;  // of a node, or of a fused node's member

 private:
  RowPart find(const Node& n) const;
  bool add_member(Node m, RowPart* part) const;

  const Graph& graph_;
  std::vector<RowPart> parts_;
  std::map<NodeId, OuterType> member_types_;
};

}  // namespace hybrid
