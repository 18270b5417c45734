// Tape: what autograd keeps beside the recorded nodes, and how a gradient graph is run over them.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "exec/imperative.h"

namespace hybrid {

// `held` of a variable's node. The array may be gone while the tape still needs its gradient.
struct VariableSlot {
  NDArray grad;
  ArrayExtra::Req req = ArrayExtra::write;
  ArrayExtra* extra = nullptr;  // null once the array object is gone
};

inline bool is_freed(const SymNode& node) { return node.tape == Tape::freed; }
// Of a variable's node: a leaf or, where a trace has written the variable, the copy of its value.
bool is_variable_copy(const SymNode& node);
inline VariableSlot* variable_slot(const SymNode& node) {
  if (!node.held || (node.kind != NodeKind::input && !is_variable_copy(node))) return nullptr;
  return static_cast<VariableSlot*>(node.held.get());
}
// True when a gradient may flow to it: recorded or a variable's, and not freed.
inline bool has_history(const SymNode& node) {
  return node.tape == Tape::recorded || variable_slot(node) != nullptr;
}

// The tape's node of an array: its own, or a new leaf through which no gradient flows.
SymEntry tape_entry(const ArrayRef& array, const NDArray& value);
bool has_history(const ArrayRef& array);
// The recorded node that an array stands for now, nullptr when it has none.
const SymEntry* standing_entry(const ArrayRef& array);
// Adds `op` with its results to the tape; returns the results with their entries.
std::vector<ArrayRef> record(const OpDef& op, const Attrs& attrs,
                             const std::vector<ArrayRef>& inputs,
                             const std::vector<NDArray>& values,
                             const std::vector<NDArray>& results, uint64_t key,
                             std::shared_ptr<void> held = nullptr);
// run_op, recorded when an input has history.
std::vector<ArrayRef> run_recorded(const OpDef& op, const Attrs& attrs,
                                   const std::vector<ArrayRef>& inputs, uint64_t key, Context ctx);

void check_not_freed(const SymNode& node);  // throws Error naming it
// The value at an entry of the tape; throws when it was freed or overwritten since.
const NDArray& saved_value(const SymNode& node, int out);
std::string describe_node(const SymNode& node);  // "mul (line 3)"

// A compiled call on the tape (cached_backward.cc): its gradient is one node, run by these.
bool is_cached_backward(const OpDef* op);
std::vector<NDArray> run_cached_backward(const Attrs& attrs, const SymNode& call,
                                         const std::vector<NDArray>& out_grads);
std::vector<ArrayRef> record_cached_backward(const Attrs& attrs, const SymNode& call,
                                             const std::vector<ArrayRef>& out_grads);

}  // namespace hybrid
