// Bytes of a graph run imperatively, statement after statement, for comparison with the plan.
#pragma once
#include <cstdint>
#include <vector>

#include "plan/plan.h"

namespace hybrid {

// Peak of logical bytes of the values that nodes make, in the order of the nodes, summed over the
// devices: a value in
// `bound` lives to the end, others until their last use; views share memory; nothing is in place.
int64_t imperative_bytes(const Graph& graph, const std::vector<Entry>& bound,
                         bool training = false);
// The same when every value lives to the end.
int64_t imperative_bytes_unfreed(const Graph& graph, bool training = false);

}  // namespace hybrid
