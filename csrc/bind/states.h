// Auxiliary states (ops/states.h) in Python's arrays.
#pragma once
#include "bind/array_object.h"

namespace hybrid {
namespace bind {

// A state's array gets a new value, which is not recorded for gradients.
void write_state(const py::object& state, const ArrayRef& value);

}  // namespace bind
}  // namespace hybrid
