#include "control/device_kernels.h"

#include "engine/trace.h"

namespace hybrid {
namespace {

constexpr size_t kMostShown = 4096;  // kernels of one loop, one by one

}  // namespace

void append(Kernels* kernels, const Kernels& more) {
  kernels->insert(kernels->end(), more.begin(), more.end());
}

Kernels repeated(const Kernels& step, int64_t times) {
  Kernels all;
  if (times <= 0 || step.empty()) return all;
  if (static_cast<size_t>(times) <= kMostShown / step.size()) {
    for (int64_t i = 0; i < times; ++i) append(&all, step);
    return all;
  }
  all = step;
  for (model::Kernel& kernel : all) kernel.times *= static_cast<double>(times);
  return all;
}

void add_copy(Kernels* kernels, const Shape& shape, DType dtype) {
  static const uint32_t name = trace::intern_name("copy");
  model::Kernel copy;
  copy.cost.bytes =
      2.0 * static_cast<double>(shape.size()) * static_cast<double>(dtype_size(dtype));
  copy.cost.dtype = dtype;
  copy.name = name;
  kernels->push_back(copy);
}

void add_copies(Kernels* kernels, const Graph& body, size_t first, size_t last) {
  for (size_t i = first; i < last; ++i) {
    add_copy(kernels, body.shape(body.outputs[i]), body.dtype(body.outputs[i]));
  }
}

int64_t counted_steps(const Attrs& while_loop) {
  const int64_t most = while_loop.integer("max_iterations");
  return most < 0 ? 1 : most;
}

Kernels cond_kernels(const Attrs& attrs, const Shapes& in, const DTypes& dtypes) {
  const ProgramRef yes = branch_program(attrs, true, in, dtypes);
  const ProgramRef no = branch_program(attrs, false, in, dtypes);
  const Program& longer = yes->cost_ns() >= no->cost_ns() ? *yes : *no;
  Kernels kernels = longer.device_kernels();
  add_copies(&kernels, longer.graph(), 0, longer.graph().outputs.size());
  return kernels;
}

namespace {

// The steps' outputs are stacked as they come, the carried values handed out in the end.
Kernels loop_kernels(Kernels step, const Attrs& attrs, const Graph& body, int64_t steps) {
  const size_t all = body.outputs.size();
  const size_t stacked = all - static_cast<size_t>(attrs.integer("carried"));
  add_copies(&step, body, 0, stacked);
  Kernels kernels = repeated(step, steps);
  add_copies(&kernels, body, stacked, all);
  return kernels;
}

}  // namespace

Kernels while_kernels(const Attrs& attrs, const Shapes& in, const DTypes& dtypes) {
  const LoopPrograms loop = while_programs(attrs, in, dtypes);
  Kernels step = loop.condition->device_kernels();
  append(&step, loop.body->device_kernels());
  return loop_kernels(std::move(step), attrs, loop.body->graph(), counted_steps(attrs));
}

Kernels foreach_kernels(const Attrs& attrs, const Shapes& in, const DTypes& dtypes) {
  const LoopPrograms loop = foreach_programs(attrs, in, dtypes);
  return loop_kernels(loop.body->device_kernels(), attrs, loop.body->graph(),
                      foreach_steps(attrs, in));
}

}  // namespace hybrid
