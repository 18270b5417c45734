// A function of Python's on the tape: one node. Its gradient is the function's own, which runs on
// the thread that asks for it, between operators.
#pragma once
#include <vector>

#include "array/array_ref.h"

namespace hybrid {

// Who called, and computes gradients by the inputs from those of all outputs.
class HostCall {
 public:
  virtual ~HostCall() = default;
  virtual std::vector<ArrayRef> backward(const std::vector<ArrayRef>& out_grads) = 0;
};

const OpDef& host_call_op();
bool is_host_backward(const OpDef* op);
// The call on the tape; results with history.
std::vector<ArrayRef> record_host_call(const std::vector<ArrayRef>& inputs,
                                       const std::vector<ArrayRef>& results,
                                       std::shared_ptr<HostCall> call);
// Gradients by the inputs that `attrs` names, given those of the outputs that it names. `recorded`:
// on the tape, as one node that can't be differentiated, since Python computed it.
std::vector<ArrayRef> run_host_backward(const Attrs& attrs, const SymNode& call,
                                        const std::vector<ArrayRef>& out_grads, bool recorded);

}  // namespace hybrid
