// A branch or loop body differentiated by the one gradient pass.
#pragma once
#include <vector>

#include "graph/graph.h"

namespace hybrid {

struct WantedGradients {
  std::vector<int> heads;   // outputs of the body with a gradient
  std::vector<int> inputs;  // of the body: those whose gradient is wanted
};

// Takes the body's inputs and a gradient for each head; gives the wanted gradients. The body's own
// values are computed again.
Graph differentiated(const Graph& body, const std::vector<Shape>& shapes,
                     const std::vector<DType>& dtypes, const WantedGradients& wanted);

}  // namespace hybrid
