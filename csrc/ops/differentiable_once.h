// The gradient rule of gradients that have none themselves: a second derivative is refused, since
// without a rule it would silently be nothing.
#pragma once
#include "ops/grad_builder.h"

namespace hybrid {

void differentiable_once(GradBuilder& b);  // throws Error naming the operator

}  // namespace hybrid
