// Custom: an operator that Python defines (jupyter_hybrid/operator.py). A graph may hold it; it is
// run node by node on the calling thread, since no engine thread calls Python.
#pragma once
#include <map>
#include <string>

#include "ops/op.h"

namespace hybrid {

// What only Python knows.
struct CustomHooks {
  int (*count_outputs)(const Attrs&) = nullptr;
  int (*count_arguments)(const Attrs&) = nullptr;  // inputs before the auxiliary states
  void (*infer)(InferContext&) = nullptr;
};
void set_custom_hooks(const CustomHooks& hooks);

bool is_custom(const OpDef& op);
size_t custom_first_state(const Attrs& attrs);  // inputs from here on are states
// What the operator's property is made with, as "key=value&key=value" with %XX for odd bytes, and
// back as the attributes of MXNet's node.
std::string custom_arguments(const std::map<std::string, std::string>& arguments);
std::map<std::string, std::string> custom_arguments(const std::string& text);

}  // namespace hybrid
