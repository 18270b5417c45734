// Gradients while a cell is traced: the gradient pass over the recorded part of the trace; its
// nodes join the trace and the results are writes to the variables' gradient arrays.
#pragma once
#include <vector>

#include "array/array_ref.h"

namespace hybrid {

// False, with nothing done, when a compiled call was recorded outside the trace: its gradient is a
// program of its own, so the caller computes everything and differentiates the tape.
bool trace_backward(const std::vector<ArrayRef>& heads, const std::vector<ArrayRef>& head_grads,
                    bool retain_graph, bool train_mode);
bool trace_grad(const std::vector<ArrayRef>& heads, const std::vector<ArrayRef>& variables,
                const std::vector<ArrayRef>& head_grads, bool retain_graph, bool create_graph,
                bool train_mode, std::vector<ArrayRef>* results);
// attach_grad() of an array without a value: it becomes a variable of the trace.
void trace_attach_grad(ArrayRef& array, ArrayExtra::Req req);
// The variable's node for a new value that the trace has written into it.
void write_traced_variable(ArrayExtra* variable, const SymEntry& value);

}  // namespace hybrid
