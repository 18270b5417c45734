// Which nodes of a graph are windows on their input, by following layouts from kernel to kernel.
#include "graph/graph.h"
#include "kernels/elementwise.h"

namespace hybrid {

std::vector<bool> view_nodes(const Graph& graph) {
  std::vector<bool> result(graph.nodes.size(), false);
  std::vector<Shape> strides(graph.nodes.size());  // of views; others are contiguous
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& n = graph.nodes[i];
    if (n.kind != NodeKind::op || n.op->view == nullptr || n.inputs.empty()) continue;
    const Entry from = n.inputs[0];
    const Shape& shape = graph.shape(from);
    if (!shape.known()) {
      result[i] = true;  // nothing is known yet: count it as what it usually is
      continue;
    }
    const size_t source = static_cast<size_t>(graph.position(from.node));
    TensorView in;
    in.dtype = graph.dtype(from);
    in.shape = shape;
    in.strides = result[source] ? strides[source] : contiguous_strides(shape);
    Shape out_shape;
    int64_t offset = 0;
    result[i] = n.op->view(n.attrs, in, &out_shape, &strides[i], &offset);
  }
  return result;
}

}  // namespace hybrid
