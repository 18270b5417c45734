// How control flow runs: the bodies' programs for given types, and the kernels that call them.
#pragma once
#include <vector>

#include "control/body.h"
#include "core/error.h"

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
// What one step sees: rows of the data, after the counter if there is one.
Shapes foreach_step_shapes(const Attrs& attrs, const Shapes& shapes);
// Throws Error when the data's lengths differ.
int64_t foreach_steps(const Attrs& attrs, const Shapes& shapes);

// Without its first dimension; `nd`: (1,) where none is left, as of MXNet's arrays.
Shape row_shape(const Shape& shape, bool nd = false);
Shape stacked_shape(int64_t rows, const Shape& row);  // with one more

// The kernel's inputs as arrays over the same memory, which outlives the run.
std::vector<NDArray> arrays_of(const TensorView* views, int count);
NDArray contiguous_copy(const NDArray& a, Resources& resources);  // `a` itself when it is
bool holds(const NDArray& value);                                 // is the one element not zero?
NDArray row_of(const NDArray& array, int64_t i, bool nd = false);

// One step's error says which step it was.
template <class Step>
void in_step(const char* op, int64_t step, Step&& run) {
  try {
    run();
  } catch (const Error& error) {
    fail(op, ", step ", step, ", ", error.what());
  }
}

// Asked between steps: throws when the operator was told to stop.
void check_wanted(const KernelContext& c, const char* op, int64_t done);

void run_cond(KernelContext& c);
void run_while_loop(KernelContext& c);
void run_foreach(KernelContext& c);

}  // namespace hybrid
