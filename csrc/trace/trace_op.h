// Tracing: operators of a cell become nodes; nothing runs.
#pragma once
#include <vector>

#include "array/array_ref.h"

namespace hybrid {

// Traced leaf of a concrete array: the same array gives the same node until the trace ends.
SymEntry trace_leaf(const ArrayRef& array);
// What an array stands for in the trace: its recorded node, what a write in the trace left in it, a
// variable's node, or a leaf.
SymEntry trace_entry(const ArrayRef& array);
void clear_trace_leaves();  // call at the start and end of every trace

std::vector<ArrayRef> trace_op(const OpDef& op, const Attrs& attrs,
                               const std::vector<ArrayRef>& inputs, Context ctx,
                               const std::string& name = "", const std::string& scope = "");

}  // namespace hybrid
