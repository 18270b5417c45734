// What LayerNorm, GroupNorm and InstanceNorm have in common: rows normalized by themselves.
#pragma once
#include <vector>

#include "ops/grad_builder.h"

namespace hybrid {

// How such an operator sees its data.
struct RowNorm {
  Shape seen;                   // the data's elements, in the same order
  int axis = 0;                 // of `seen`: the rows lie along it
  Shape factors;                // of gamma and beta, to be broadcast over `seen`
  std::vector<int64_t> others;  // axes over which their gradients are sums
};

// Gradients of the inputs data, gamma, beta by those of the outputs result, mean and sqrt(var +
// eps) (the last two may be missing; MXNet 1.9.1 takes theirs for 0). Written in operators, so that
// they have gradients of their own.
void grad_row_norm(GradBuilder& b, const RowNorm& norm);

}  // namespace hybrid
