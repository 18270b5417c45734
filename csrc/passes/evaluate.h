// Running one operator on constants while compiling, with the kernels that would run it later.
#pragma once
#include <string>
#include <vector>

#include "graph/graph.h"

namespace hybrid {

// The node's outputs, compact and finished; false with the reason when the operator fails.
bool evaluate(const Node& node, const std::vector<NDArray>& inputs, std::vector<NDArray>* outputs,
              std::string* reason);

}  // namespace hybrid
