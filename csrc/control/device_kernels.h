// What branches and loops ask of a modelled device: the kernels of their bodies.
#pragma once
#include "control/control_run.h"
#include "core/kernel_cost.h"

namespace hybrid {

using Kernels = std::vector<model::Kernel>;

// A step, so many times: one after the other, or, of very many steps, each kernel with all of its
// runs.
Kernels repeated(const Kernels& step, int64_t times);
void append(Kernels* kernels, const Kernels& more);
void add_copy(Kernels* kernels, const Shape& shape, DType dtype);
// Of the body's outputs from `first` to `last`.
void add_copies(Kernels* kernels, const Graph& body, size_t first, size_t last);
// How many steps a while loop counts for: as many as it may make, since nobody knows before it runs
// how many it will; without a bound, one.
int64_t counted_steps(const Attrs& while_loop);

// A branch is the one that the engine estimates to take longer.
Kernels cond_kernels(const Attrs& attrs, const Shapes& in, const DTypes& dtypes);
Kernels while_kernels(const Attrs& attrs, const Shapes& in, const DTypes& dtypes);
Kernels foreach_kernels(const Attrs& attrs, const Shapes& in, const DTypes& dtypes);

}  // namespace hybrid
