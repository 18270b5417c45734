// MXNet's reshape codes.
#pragma once
#include "core/shape.h"

namespace hybrid {

// The shape that `spec` asks of an array of shape `in`. With `codes`: 0 keeps a dimension, -1 is
// inferred, -2 keeps all that remain, -3 joins two, -4 splits one into the two sizes that follow;
// `reverse` reads both from the right. Without: sizes, and -1 once. Unknown dimensions stay -1.
// Throws Error naming `op`.
Shape resolve_reshape(const Shape& in, const std::vector<int64_t>& spec, bool codes, bool reverse,
                      const char* op);

}  // namespace hybrid
