// Groups of nodes that are to become one kernel each: merging that can never close a cycle.
#pragma once
#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace hybrid {

// Nodes (by position) start alone, and are added in topological order. Every group has a rank; a
// group's inputs always have smaller ranks than the group itself, so a search for a path between
// two groups never looks below the lower one.
class Groups {
 public:
  explicit Groups(const Graph& graph);
  // Node at position i is next; its inputs were added before.
  void add(size_t i);
  int group_of(size_t i) const { return group_[i]; }
  const std::vector<size_t>& members(int group) const { return members_[group]; }
  // Joins group `from` to the group `to` that reads from it; false, and nothing changed, when
  // another group lies on a way from one to the other.
  bool merge(int from, int to);
  // Joins two groups whichever comes first; false, and nothing changed, as above.
  bool merge_any(int a, int b) { return rank_[a] < rank_[b] ? merge(a, b) : merge(b, a); }

 private:
  bool path_between(int from, int to);
  void raise_readers(int group);

  const Graph& graph_;
  std::vector<int> group_;                    // by position, -1 not added yet
  std::vector<std::vector<size_t>> members_;  // by group, in topological order; empty: merged away
  std::vector<int64_t> rank_;                 // by group
  std::vector<std::vector<size_t>> inputs_, readers_;  // by position
  std::vector<int> mark_;                              // by group: of the last search that met it
  int search_ = 0;
  int64_t next_rank_ = 0;
};

}  // namespace hybrid
