// Tape: what autograd keeps beside the recorded nodes, and how a gradient graph is run over them.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "array/history.h"

namespace hybrid {

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
// The value at an entry of the tape; throws when it was freed, or overwritten since and not kept.
NDArray saved_value(const SymNode& node, int out);
std::string describe_node(const SymNode& node);  // "mul (line 3)"

}  // namespace hybrid
