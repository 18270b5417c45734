// A compiled call on the tape: one node, whose gradient is one node too. Graphs with programs are
// of a higher room, which defines these (call/cached_backward.cc).
#pragma once
#include <vector>

#include "array/array_ref.h"

namespace hybrid {

const OpDef& cached_call_op();
bool is_cached_backward(const OpDef* op);
std::vector<NDArray> run_cached_backward(const Attrs& attrs, const SymNode& call,
                                         const std::vector<NDArray>& out_grads,
                                         const std::vector<NDArray>& into);
std::vector<ArrayRef> record_cached_backward(const Attrs& attrs, const SymNode& call,
                                             const std::vector<ArrayRef>& out_grads);

}  // namespace hybrid
