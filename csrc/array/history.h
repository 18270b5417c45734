// History: which nodes a gradient may flow to, and the variables among them.
#pragma once
#include "array/array_ref.h"

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

}  // namespace hybrid
