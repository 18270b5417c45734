// Helpers of operators whose result is a window on their input.
#pragma once
#include "kernels/kernels.h"
#include "ops/op.h"

namespace hybrid {

// The kernel of every view operator when it must copy: the window, laid out row by row.
void copy_window(KernelContext& c);
// Strides of `view` seen in another shape of as many elements, without copying; false when no
// strides say it.
bool reshape_strides(const TensorView& view, const Shape& to, Shape* strides);
// A definition with the fields that view operators share.
OpDef view_def(const char* name, const char* doc,
               bool (*view)(const Attrs&, const TensorView&, Shape*, Shape*, int64_t*));

}  // namespace hybrid
