// Tracing: operators of a cell become nodes; nothing runs.
#pragma once
#include <vector>

#include "exec/imperative.h"

namespace hybrid {

std::vector<ArrayRef> trace_op(const OpDef& op, const Attrs& attrs,
                               const std::vector<ArrayRef>& inputs, Context ctx,
                               const std::string& name = "", const std::string& scope = "");

}  // namespace hybrid
