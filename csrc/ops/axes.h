// Axes: the attributes axis, keepdims and exclude of reductions, as a set of axes and a shape.
#pragma once
#include "ops/grad_builder.h"
#include "ops/op.h"

namespace hybrid {

std::vector<AttrDef> reduction_attrs();
// Bit i: axis i is reduced. axis None or (): all. Throws Error on axes out of range or given twice.
uint32_t axes_mask(const Attrs& attrs, int ndim);
// Shape after reducing the axes in `mask`; attributes keepdims and at_least_1d.
Shape reduced_shape(const Attrs& attrs, const Shape& in, uint32_t mask);
// The gradient of a reduction's result, spread over the shape of the reduction's input 0.
Entry spread_like_input(GradBuilder& b, Entry g);
// Number of elements of input 0 that each result is made of.
int64_t count_reduced(const GradBuilder& b);
// x broadcast to a shape, or to the shape of `like`.
Entry broadcast_as(GradBuilder& b, Entry x, Entry like);

}  // namespace hybrid
