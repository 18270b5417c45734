// ArrayRef: what the front end's array stands for: a value, a recorded node, or both.
#pragma once
#include "core/ndarray.h"
#include "symbol/symbol.h"

namespace hybrid {

struct ArrayExtra : RefCounted {
  SymEntry entry;         // tape or trace node that made it (empty: none)
  bool traced = false;    // value not computed yet: entry belongs to a cell's trace
  bool variable = false;  // attach_grad was called
  NDArray grad;           // gradient buffer
  enum Req : uint8_t { null, write, add } grad_req = write;
  bool has_fresh_grad = false;
};
void destroy(ArrayExtra*);
struct ArrayRef {  // by value in the Python object
  NDArray array;   // undefined while traced; then shape/dtype/ctx are in extra's node
  Ref<ArrayExtra> extra;
};

// Shape, dtype and context of an array, traced or not.
const Shape& shape_of(const ArrayRef& array);
DType dtype_of(const ArrayRef& array);
Context context_of(const ArrayRef& array);
// The value: also of a traced array whose node has been materialised (values set). Otherwise asks
// the materializer to compute it; throws Error when there is none.
NDArray concrete(const ArrayRef& array);
using Materializer = void (*)(const SymEntry& entry);  // sets entry.node->values
void set_materializer(Materializer materializer);

}  // namespace hybrid
