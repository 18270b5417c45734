// Window write: slice_assign of what a fused kernel makes, written where it belongs.
#pragma once
#include "graph/graph.h"

namespace hybrid {

struct WindowWrite {
  Shape begin, size;   // of the window, in elements of every axis
  int64_t offset = 0;  // its first element in the whole
};

// Is it slice_assign, as far as the name goes?
bool is_window_write(const OpDef& op);
// What node `n` does with a value of this shape, when that fills most of a large array: then the
// rest is copied from the old array rather than the value stored twice.
bool find_window_write(const Node& n, const Shape& value, WindowWrite* found);

}  // namespace hybrid
