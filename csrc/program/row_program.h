// Row program: the members of a fused row kernel as phases on rows at hand.
#pragma once
#include <memory>
#include <utility>
#include <vector>

#include "graph/row_kernel.h"
#include "kernels/row_kernel.h"

namespace hybrid {

// The rows of a fused node; throws Error when its members do not share any.
RowShape find_rows(const Graph& graph, const Node& kernel);

// `arrays`: the node's inputs, then its outputs, as windows without addresses. `shared`: (output,
// input) that the plan puts in the same memory.
std::shared_ptr<const RowKernel> make_row_kernel(const Graph& graph, const Node& kernel,
                                                 const std::vector<TensorView>& arrays,
                                                 const std::vector<std::pair<int, int>>& shared);

}  // namespace hybrid
