// Layouts of what kernels walk through: windows of arrays, broadcast, with few dimensions.
#pragma once
#include <vector>

#include "core/ndarray.h"
#include "kernels/elementwise.h"

namespace hybrid {

TensorView view_of(const NDArray& array);
// `view` with the rank of `shape`, strides 0 where it repeats. Throws Error naming `op`.
TensorView broadcast_view(const TensorView& view, const Shape& shape, const char* op);
// Merges neighbouring dimensions that every view walks through evenly (all have one shape).
void collapse_dimensions(std::vector<TensorView>* views);

}  // namespace hybrid
