// MXNet's operator names and attributes resolved to a core operator and its attributes.
#pragma once
#include <string>

#include "bind/invoke.h"
#include "ops/mx_names.h"

namespace hybrid {
namespace bind {

struct MxCall {
  const MxName* name = nullptr;
  const OpDef* op = nullptr;
  Attrs attrs;
};

// By MXNet name, with the attributes that the name fixes; throws Error with near misses.
MxCall mx_call(const std::string& mx_name);
// Sets an attribute by its MXNet name.
void set_mx_attr(MxCall* call, const std::string& mx_attr, py::handle value);
MxCall mx_call(const std::string& mx_name, const py::dict& attrs);

// backward() with the user's line marked and the GIL released.
void run_backward(const std::vector<ArrayRef>& heads, const std::vector<ArrayRef>& head_grads,
                  bool retain_graph, bool train_mode);

}  // namespace bind
}  // namespace hybrid
