// Orders of nodes: topological sorts that respect data, effects and segments.
#pragma once
#include <vector>

#include "graph/graph.h"

namespace hybrid {

// By position: positions that must come before: inputs, and for an effect the effect before it.
std::vector<std::vector<size_t>> must_precede(const Graph& graph);
// Topological order of units, of those that are ready always the one with the smallest key.
// before[u]: units that come before unit u; they must not form a cycle (throws Error).
std::vector<size_t> order_by_key(const std::vector<std::vector<size_t>>& before,
                                 const std::vector<size_t>& keys);

}  // namespace hybrid
