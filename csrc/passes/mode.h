// The mode of operators with auxiliary states (ops/states.h): decided for a whole graph.
#pragma once
#include <vector>

#include "graph/graph.h"

namespace hybrid {

// The new contents of an input.
struct StateValue {
  int32_t input;  // position in graph.inputs
  Entry value;
};

// The graph for training or for inference. In training operators take the batch's own statistics
// and, with `states`, each state gets its new value; what reads a state later in the code reads
// that. Ids stay; a graph without such operators is returned as it is. Throws Error when a state is
// no variable.
Graph in_mode(const Graph& graph, bool training, std::vector<StateValue>* states);
// Is there an operator whose mode is open?
bool has_open_mode(const Graph& graph);

}  // namespace hybrid
