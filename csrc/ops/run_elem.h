// Elementwise steps inside other kernels, over contiguous views of one shape.
#pragma once
#include "kernels/elementwise.h"

namespace hybrid {

// out = code(a), converting when the dtypes differ (code copy or cast).
void run_unary(ElemCode code, const TensorView& a, const TensorView& out, Resources& resources);
// out = code(a, number).
void run_with_number(ElemCode code, const TensorView& a, double number, const TensorView& out,
                     Resources& resources);
// A contiguous view of scratch memory.
TensorView scratch_view(DType dtype, const Shape& shape, Resources& resources);
// Every element of a contiguous view set to one number.
void run_fill(double number, const TensorView& out, Resources& resources);

}  // namespace hybrid
