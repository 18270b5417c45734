// Groups of nodes that are to become one kernel each: merging that can never close a cycle.
#include "passes/groups.h"

#include <algorithm>

namespace hybrid {

Groups::Groups(const Graph& graph)
    : graph_(graph),
      group_(graph.nodes.size(), -1),
      inputs_(graph.nodes.size()),
      readers_(graph.nodes.size()) {
  std::vector<size_t> read_by(graph.nodes.size(), graph.nodes.size());  // the last reader noted
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const Entry& e : graph.nodes[i].inputs) {
      const size_t from = static_cast<size_t>(graph_.position(e.node));
      if (read_by[from] == i) continue;
      read_by[from] = i;
      inputs_[i].push_back(from);
      readers_[from].push_back(i);
    }
  }
}

void Groups::add(size_t i) {
  group_[i] = static_cast<int>(members_.size());
  members_.push_back({i});
  rank_.push_back(next_rank_++);
  mark_.push_back(0);
}

// Searches upwards from `to`, past everything that ranks above `from`.
bool Groups::path_between(int from, int to) {
  ++search_;
  std::vector<int> open = {to};
  mark_[to] = search_;
  while (!open.empty()) {
    const int group = open.back();
    open.pop_back();
    for (size_t member : members_[group]) {
      for (size_t input : inputs_[member]) {
        const int above = group_[input];
        if (above == from) {
          if (group != to) return true;  // by a detour
          continue;
        }
        if (mark_[above] == search_ || rank_[above] < rank_[from]) continue;
        mark_[above] = search_;
        open.push_back(above);
      }
    }
  }
  return false;
}

// Readers of the group, and theirs, move above it in their present order.
void Groups::raise_readers(int group) {
  ++search_;
  std::vector<int> found, open = {group};
  mark_[group] = search_;
  while (!open.empty()) {
    const int at = open.back();
    open.pop_back();
    for (size_t member : members_[at]) {
      for (size_t reader : readers_[member]) {
        const int below = group_[reader];
        if (below < 0 || mark_[below] == search_) continue;
        mark_[below] = search_;
        found.push_back(below);
        open.push_back(below);
      }
    }
  }
  std::sort(found.begin(), found.end(), [&](int a, int b) { return rank_[a] < rank_[b]; });
  rank_[group] = next_rank_++;
  for (int below : found) rank_[below] = next_rank_++;
}

bool Groups::merge(int from, int to) {
  if (path_between(from, to)) return false;
  for (size_t member : members_[from]) group_[member] = to;
  auto& all = members_[to];
  all.insert(all.end(), members_[from].begin(), members_[from].end());
  std::sort(all.begin(), all.end());
  members_[from].clear();
  raise_readers(to);
  return true;
}

}  // namespace hybrid
