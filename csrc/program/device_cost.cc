#include "program/device_cost.h"

#include <algorithm>

#include "core/error.h"

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

// Those of a branch or a loop carry its node, under which pictures show it.
std::vector<model::Kernel> kernels_of(const ProgramKernel& k) {
  if (k.kind != KernelKind::op || !k.op_def->device_kernels) {
    return {{k.device_cost, k.name, k.site, k.serial}};
  }
  std::vector<Shape> shapes;
  std::vector<DType> dtypes;
  for (int i = 0; i < k.num_in; ++i) {
    shapes.push_back(k.slots[static_cast<size_t>(i)].view.shape);
    dtypes.push_back(k.slots[static_cast<size_t>(i)].view.dtype);
  }
  std::vector<model::Kernel> kernels = k.op_def->device_kernels(k.attrs, shapes, dtypes);
  for (model::Kernel& kernel : kernels) {
    kernel.node = k.serial;
    if (kernel.site == 0) kernel.site = k.site;
  }
  return kernels;
}

}  // namespace

const Program::Impl::DeviceKernels& Program::Impl::device_kernels() const {
  const ObjectGuard lock(device_kernels_mutex);
  if (made_device_kernels) return *made_device_kernels;
  auto made = std::make_unique<DeviceKernels>();
  std::vector<int32_t>& last = made->last;
  for (const ProgramKernel& k : kernels) {
    for (model::Kernel& kernel : kernels_of(k)) made->kernels.push_back(kernel);
    last.push_back(static_cast<int32_t>(made->kernels.size()) - 1);
  }
  for (const int32_t kernel : finished_after) {
    made->finished_after.push_back(std::max(0, last[static_cast<size_t>(kernel)]));
  }
  made_device_kernels = std::move(made);
  return *made_device_kernels;
}

const std::vector<model::Kernel>& Program::device_kernels() const {
  require(impl_ != nullptr, "program: on several devices it has no kernels of one");
  return impl_->device_kernels().kernels;
}

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
