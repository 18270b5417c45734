// Open gradients: left as one node until the shapes or dtypes that an operator's rule needs are
// known.
#pragma once
#include "graph/graph.h"

namespace hybrid {

// A node that stands for the gradients by the inputs `wanted` of `forward` (positions), given what
// flows back into its outputs (undefined: nothing).
Node make_open_gradient(const Node& forward, const std::vector<int64_t>& wanted,
                        const std::vector<Entry>& out_grads);
bool has_open_gradient(const Graph& graph);
// Every open gradient by its operator's rule. The graph's shapes are known; throws Error otherwise.
Graph close_gradients(const Graph& graph);

}  // namespace hybrid
