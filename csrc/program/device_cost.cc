#include "program/device_cost.h"

#include <algorithm>

namespace hybrid {
namespace {

// Elements that are touched: what is stretched over an axis counts once.
double elements(const TensorView& view) {
  double n = 1;
  for (int d = 0; d < view.shape.ndim(); ++d) {
    if (view.strides[d] != 0) n *= static_cast<double>(view.shape[d]);
  }
  return n;
}

model::KernelCost of_operator(const Graph& graph, const Node& node) {
  std::vector<Shape> in;
  for (const Entry& e : node.inputs) in.push_back(graph.shape(e));
  const DType dtype = node.inputs.empty() ? node.dtypes[0] : graph.dtype(node.inputs[0]);
  return device_cost(*node.op, node.attrs, in, node.shapes, dtype);
}

}  // namespace

model::KernelCost device_cost_of(const ProgramKernel& kernel, const Node& node,
                                 const Graph& graph) {
  model::KernelCost cost;
  double most = 0;
  for (const Slot& slot : kernel.slots) {
    const double n = elements(slot.view);
    most = std::max(most, n);
    cost.bytes += n * static_cast<double>(dtype_size(slot.view.dtype));
  }
  cost.dtype = kernel.slots[static_cast<size_t>(kernel.num_in)].view.dtype;
  const double made = elements(kernel.slots[static_cast<size_t>(kernel.num_in)].view);
  const double instructions = static_cast<double>(kernel.elem.instrs.size());
  switch (kernel.kind) {
    case KernelKind::op:
      return of_operator(graph, node);
    case KernelKind::product: {
      const model::KernelCost product = of_operator(graph, node.members.front());
      cost.flops = product.flops + instructions * made;
      cost.dtype = product.dtype;
      cost.dense = product.dense;
      break;
    }
    case KernelKind::rows:
      cost.flops = static_cast<double>(node.members.size()) * most;
      break;
    case KernelKind::write:  // and the rest of the array, from where it was
      cost.flops = instructions * made;
      cost.bytes += 2 * static_cast<double>(kernel.whole.shape.size()) *
                    static_cast<double>(dtype_size(kernel.whole.dtype));
      break;
    case KernelKind::elementwise:
      cost.flops = instructions * made;
      break;
    case KernelKind::copy:
    case KernelKind::none:
      break;
  }
  return cost;
}

}  // namespace hybrid
