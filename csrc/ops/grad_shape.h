// Shape helpers for gradient rules.
#pragma once
#include "core/error.h"
#include "ops/grad_builder.h"

namespace hybrid {

// A gradient rule's complaint that shapes or dtypes are missing.
class NeedsTypes : public Error {
 public:
  using Error::Error;
};

// x in the shape of `like` (same number of elements); free when it has that shape already.
Entry reshape_as(GradBuilder& b, Entry x, Entry like);
// x in a known shape.
Entry reshape_to(GradBuilder& b, Entry x, const Shape& shape);
// The shape of x, known to every dimension; throws NeedsTypes naming the operator otherwise.
Shape known_shape(const GradBuilder& b, Entry x);
// The rank of x; throws NeedsTypes naming the operator when it is not known.
int known_rank(const GradBuilder& b, Entry x);
// Its dtype, likewise.
DType known_dtype(const GradBuilder& b, Entry x);

}  // namespace hybrid
