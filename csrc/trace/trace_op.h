// Tracing: operators of a cell become nodes; nothing runs.
#pragma once
#include <vector>

#include "array/array_ref.h"

namespace hybrid {

// Traced leaf of a concrete array: the same array gives the same node until the trace ends.
SymEntry trace_leaf(const ArrayRef& array);
// The recorded value, (serial, output), whose contents a leaf has: it was computed in this trace,
// and nobody has written there since; (0, 0) where that is not known.
struct ValueKey {
  int64_t serial = 0;
  int out = 0;
};
ValueKey leaf_source(const SymNode& leaf);
// A write of this trace is done: `target` has the contents of that value. `numpy`: whose memory is
// written untold, so that it holds until forget_numpy_contents (of one storage; null: of all).
void note_trace_written(const NDArray& target, ValueKey value, bool numpy = false);
void forget_numpy_contents(const Storage* storage);
void forget_unheld_writes();  // lets go of those arrays that nobody else holds any more
// What an array stands for in the trace: its recorded node, what a write in the trace left in it, a
// variable's node, or a leaf.
SymEntry trace_entry(const ArrayRef& array);
// Call at the start of every trace, and when all of it is computed: then writes are not noted.
void clear_trace_leaves(bool begins);

std::vector<ArrayRef> trace_op(const OpDef& op, const Attrs& attrs,
                               const std::vector<ArrayRef>& inputs, Context ctx,
                               const std::string& name = "", const std::string& scope = "");

}  // namespace hybrid
