// Shape and dtype inference of one node: what the infer pass repeats and builders call once.
#pragma once
#include <vector>

#include "graph/graph.h"

namespace hybrid {

// What an operator's rule sees and may fill, kept between calls to save allocations.
struct InferBuffers {
  std::vector<Shape> in_shapes, out_shapes;
  std::vector<DType> in_dtypes, out_dtypes;
};

// Loads the buffers from the graph and the node, then runs the rule. Throws Error naming the
// operator, node and line, with every input as given.
void run_infer(const Graph& graph, const Node& node, InferBuffers* buffers);

}  // namespace hybrid
