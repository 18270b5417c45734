// Operators that do nothing outside training (Dropout), taken out of a graph.
#pragma once
#include "graph/graph.h"

namespace hybrid {

// Needed before differentiating: the gradient rule of such an operator is that of training.
Graph without_passthrough(const Graph& graph, bool training);

}  // namespace hybrid
