// How control flow runs: the bodies' programs for given types, and the kernels that call them.
#pragma once
#include <vector>

#include "exec/body.h"

namespace hybrid {

using Shapes = std::vector<Shape>;
using DTypes = std::vector<DType>;

struct LoopPrograms {
  ProgramRef condition, body;  // no condition in foreach
};

// Types are those of the operator's inputs.
ProgramRef branch_program(const Attrs& attrs, bool taken, const Shapes& shapes,
                          const DTypes& dtypes);
LoopPrograms while_programs(const Attrs& attrs, const Shapes& shapes, const DTypes& dtypes);
LoopPrograms foreach_programs(const Attrs& attrs, const Shapes& shapes, const DTypes& dtypes);
// Throws Error when the data's lengths differ.
int64_t foreach_steps(const Attrs& attrs, const Shapes& shapes);

Shape row_shape(const Shape& shape);                  // without its first dimension
Shape stacked_shape(int64_t rows, const Shape& row);  // with one more

void run_cond(KernelContext& c);
void run_while_loop(KernelContext& c);
void run_foreach(KernelContext& c);

}  // namespace hybrid
