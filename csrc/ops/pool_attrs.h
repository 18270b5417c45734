// PoolAttrs: what Pooling and its gradient operators are told.
#pragma once
#include "kernels/kernels.h"
#include "ops/op.h"

namespace hybrid {

std::vector<AttrDef> pool_attrs();

// For the kernels: pooling of data of shape `data`, channels first; sizes may be -1. Throws Error
// naming the operator.
PoolParams pool_params(const Attrs& attrs, const Shape& data);
// The result's shape, channels first.
Shape pooled_shape(const Attrs& attrs, const Shape& data);
// Fails unless data of that rank fits the window and the layout; nothing for an unknown rank.
void expect_pooled(const Attrs& attrs, const Shape& data, const char* what);

// (n, sizes, c) to (n, c, sizes), and back.
Shape channels_to_front(const Shape& shape);
Shape channels_to_back(const Shape& shape);

}  // namespace hybrid
