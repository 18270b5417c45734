// invoke: one operator by the thread's mode: run, run and recorded, or traced.
#pragma once
#include <vector>

#include "array/array_ref.h"

namespace hybrid {

// The general entry of the nd face: by mode runs, runs + records, or traces (recording then marks
// the traced nodes: see trace/trace_gradient.h). In tracing mode `out` is not written: the caller
// rebinds the object to the returned traced array. Random operators draw their key here, in program
// order.
std::vector<ArrayRef> invoke(const OpDef& op, const Attrs& attrs,
                             const std::vector<ArrayRef>& inputs,
                             const std::vector<ArrayRef>* out = nullptr, Context ctx = Context());

}  // namespace hybrid
