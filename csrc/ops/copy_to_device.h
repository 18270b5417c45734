// copy_to_device: a value's way from one device to another.
#pragma once
#include "core/device_name.h"
#include "ops/op.h"

namespace hybrid {

void register_device();  // called once by ops/table.cc
const OpDef* copy_to_device_op();
inline bool is_device_copy(const OpDef* op) { return op != nullptr && op == copy_to_device_op(); }
Attrs copy_to_device_attrs(Context to);
Context target_of_copy(const Attrs& attrs);  // throws Error when there is no such device

}  // namespace hybrid
