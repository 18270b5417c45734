// Autograd over the tape's nodes (see passes: gradient is the one gradient).
#pragma once
#include <vector>

#include "array/array_ref.h"

namespace hybrid {

void attach_grad(ArrayRef& array, ArrayExtra::Req req);
void mark_variable(ArrayRef& array, const NDArray& grad, ArrayExtra::Req req);
// Writes or adds the gradients of every marked variable below `heads`; undefined head gradients are
// ones. Frees what was recorded unless retain_graph. Throws Error when a value that is needed was
// overwritten or freed, naming operator and line.
void backward(const std::vector<ArrayRef>& heads, const std::vector<ArrayRef>& head_grads,
              bool retain_graph, bool train_mode);
// Returns the gradients by `variables` (marked arrays) instead; recorded again with create_graph.
std::vector<ArrayRef> grad(const std::vector<ArrayRef>& heads,
                           const std::vector<ArrayRef>& variables,
                           const std::vector<ArrayRef>& head_grads, bool retain_graph,
                           bool create_graph, bool train_mode);
// What was recorded below `heads`, as a graph for pictures.
Graph tape_graph(const std::vector<ArrayRef>& heads);

}  // namespace hybrid
