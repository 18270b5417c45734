// What a program's kernel asks of a modelled device.
#pragma once
#include "program/kernels.h"

namespace hybrid {

model::KernelCost device_cost_of(const ProgramKernel& kernel, const Node& node, const Graph& graph);

}  // namespace hybrid
